package ranking

import (
	"strings"
	"unicode/utf8"
)

// segments returns a title or heading, and then its parts between dashes and the like. One of the parts is often the
// name of the site.
func segments(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if text == "" || !yield(text) {
			return
		}
		parts := partsOf(text)
		for _, part := range parts {
			if len(parts) > 1 && !yield(part) {
				return
			}
		}
		words := strings.Fields(text)
		if len(words) > 3 {
			return
		}
		for i, word := range words {
			words[i] = leafOf(word)
		}
		if bare := strings.Join(words, " "); bare != text {
			yield(bare)
		}
	}
}

// maxParts is the maximum number of parts of a title.
const maxParts = 6

// partsOf splits a title at dashes, colons and the like, and before the sign of a link to the title itself.
func partsOf(text string) (parts []string) {
	from := 0
	for at := 0; at < len(text) && len(parts) < maxParts-1; {
		r, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		spaced := at > from && text[at-1] == ' ' && next < len(text) && text[next] == ' '
		switch {
		case strings.ContainsRune("-–—|·›»", r) && spaced, r == '¶', r == '§',
			r == ':' && next < len(text) && text[next] == ' ':
			parts = append(parts, strings.TrimSpace(text[from:at]))
			from = next
		}
		at = next
	}
	return append(parts, strings.TrimSpace(text[from:]))
}
