package llm

import "iter"

// Batches splits texts into batches of at most count texts and about tokens tokens ([Tokens]). A text that is larger
// is a batch by itself. Each batch comes with the index of its first text.
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

// Tokens estimates the tokens of a text, rather too high than too low: a quarter of a token per ASCII character, one
// for any other.
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
