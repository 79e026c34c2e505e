package llm

import "iter"

// Batches splits texts into batches. The argument count bounds the number of texts in a batch, and the argument
// tokens bounds, approximately, the sum of their [Tokens]. A text that alone exceeds this sum is a batch by itself.
// Each batch comes with the index of its first text.
func Batches(texts []string, count, tokens int) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		from, size := 0, 0
		for i, text := range texts {
			n := Tokens(text)
			if i > from && (i-from == count || size+n > tokens) {
				if !yield(from, texts[from:i]) {
					return
				}
				from, size = i, 0
			}
			size += n
		}
		if from < len(texts) {
			yield(from, texts[from:])
		}
	}
}

// Tokens estimates the number of tokens in a text, rather too high than too low: it counts a quarter of a token for
// an ASCII character, and one token for any other.
func Tokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		} else {
			other++
		}
	}
	return ascii/4 + other + 1
}
