package textdiff

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Passage is a line of one of two texts that differs from the other text. The text of the line is cut to the part
// around the first difference.
type Passage struct {
	Text  string
	Added bool // the line is in the second text; otherwise in the first
}

// Passages returns the first passages that differ, in order; a removed line precedes its replacement. The argument
// most bounds the number of passages, and size the number of bytes of each. Blank lines are omitted.
//
// If the texts differ only in the numbers of list items, the passages name the first and the last of these items.
func Passages(old, text string, most, size int) (out []Passage) {
	if out = renumbered(old, text, size); out != nil {
		return out[:min(most, len(out))]
	}
	hunks, _ := Compare(old, text)
	for _, h := range hunks {
		for _, r := range h {
			for i, pieces := range [][]Piece{r.Old, r.New} {
				if p := clipped(pieces, size); p != "" && len(out) < most {
					out = append(out, Passage{p, i == 1})
				}
			}
		}
	}
	return out
}

// clipped returns up to size bytes of a line, from a little before its first difference; "" if nothing differs.
func clipped(pieces []Piece, size int) string {
	const ellipsis = "…"
	var line strings.Builder
	at := -1
	for _, p := range pieces {
		if at < 0 && p.Hit && strings.TrimSpace(p.Text) != "" {
			at = line.Len()
		}
		line.WriteString(p.Text)
	}
	if at < 0 {
		return ""
	}
	text := line.String()
	if len(text) <= size {
		return strings.TrimSpace(text)
	}
	if from := max(at-size/4, 0); from > 0 {
		rest := text[from:]
		if _, after, found := strings.Cut(rest, " "); found && len(rest)-len(after) < size/8 {
			rest = after // the passage begins at a word
		}
		text = ellipsis + strings.ToValidUTF8(rest, "")
	}
	if len(text) > size {
		text = words.Clip(text, size-len(ellipsis))
		if blank := strings.LastIndex(text, " "); blank > size/2 {
			text = text[:blank] // the passage ends at a word
		}
		text += ellipsis
	}
	return strings.TrimSpace(text)
}

// Line returns the text of a line. The result differs reports whether the line differs in more than blanks.
func Line(pieces []Piece) (text string, differs bool) {
	var line strings.Builder
	for _, p := range pieces {
		line.WriteString(p.Text)
		differs = differs || p.Hit && strings.TrimSpace(p.Text) != ""
	}
	return line.String(), differs
}
