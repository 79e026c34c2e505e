package llm

import "iter"

// Batches splits texts into batches. A batch has at most the given number of texts, and approximately at most the
// given number of [tokensIn]. A text that alone exceeds this number of tokens is a batch by itself. Each batch comes
// with the index of its first text.
func Batches(texts []string, count, tokens int) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		from, size := 0, 0
		for i, text := range texts {
			n := tokensIn(text)
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

// tokensIn estimates the number of tokens in a text, rather too high than too low. An ASCII character counts as a
// quarter of a token, and any other character as one token.
func tokensIn(text string) int {
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
