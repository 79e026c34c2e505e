package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Wrap breaks text at spaces into lines of at most width runes. A longer word gets a line to itself. The markers of
// [Markup] have no width. Width 0 means one line.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	var line []string
	used := 0
	for _, word := range strings.Fields(text) {
		n := visible(word)
		if used > 0 && used+1+n > width {
			lines, line, used = append(lines, strings.Join(line, " ")), nil, 0
		}
		if used > 0 {
			used++
		}
		line, used = append(line, word), used+n
	}
	return append(lines, strings.Join(line, " "))
}

// visible counts the runes of text that take up space on the screen.
func visible(text string) int {
	n := 0
	for _, r := range text {
		if r != highlightOn && r != highlightOff {
			n++
		}
	}
	return n
}

// Cut shortens text to width runes. A shortened text ends in an ellipsis.
func Cut(text string, width int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return words.ClipRunes(text, width-1) + "…"
}
