package textdiff

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// renumbered returns two passages if the texts differ only in the numbers of list items: "3. Steer … 8. Rope" and "4.
// Steer … 9. Rope". The passages name the range of items before and after. For other texts, and for a single item, it
// returns nil.
func renumbered(old, text string, size int) []Passage {
	if strings.Count(old, "\n") != strings.Count(text, "\n") {
		return nil
	}
	var was, is []string // the lines that differ
	after := strings.Split(text, "\n")
	for i, before := range strings.Split(old, "\n") {
		if before == after[i] {
			continue
		}
		a, isItem := item(before)
		b, staysItem := item(after[i])
		if !isItem || !staysItem || a != b {
			return nil
		}
		was, is = append(was, strings.TrimSpace(before)), append(is, strings.TrimSpace(after[i]))
	}
	if len(was) < 2 {
		return nil
	}
	return []Passage{{Text: rangeOf(was, size)}, {Text: rangeOf(is, size), Added: true}}
}

// item returns the text of a list item after its number: "12.", "iv." or "AB.".
func item(line string) (text string, found bool) {
	const longest = 16 // bytes of a number
	number, text, found := strings.Cut(strings.TrimSpace(line), ". ")
	foreign := func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '-')
	}
	return text, found && number != "" && len(number) <= longest && !strings.ContainsFunc(number, foreign)
}

// rangeOf returns the first and the last of several items, in at most size bytes.
func rangeOf(items []string, size int) string {
	const between = " … "
	half := (size - len(between)) / 2
	return words.Clip(items[0], half) + between + words.Clip(items[len(items)-1], half)
}
