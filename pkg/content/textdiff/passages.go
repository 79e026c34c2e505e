package textdiff

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Passage is a line of one of two texts of which something differs, clipped to what is around the first difference.
type Passage struct {
	Text  string
	Added bool // it is of the second text; else of the first
}

// Passages are the first passages that differ, in order, a removed one before the one that replaces it: at most so
// many, and each of at most so many bytes. Blank lines are left out.
func Passages(old, text string, most, size int) (out []Passage) {
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

// clipped is a line as far as there is room, from a little before its first difference; empty if nothing differs.
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
			rest = after // from the beginning of a word
		}
		text = ellipsis + strings.ToValidUTF8(rest, "")
	}
	if len(text) > size {
		text = words.Clip(text, size-len(ellipsis))
		if blank := strings.LastIndex(text, " "); blank > size/2 {
			text = text[:blank] // to the end of a word
		}
		text += ellipsis
	}
	return strings.TrimSpace(text)
}

// Line is the text of a line, and whether anything of it differs but blanks.
func Line(pieces []Piece) (text string, differs bool) {
	var line strings.Builder
	for _, p := range pieces {
		line.WriteString(p.Text)
		differs = differs || p.Hit && strings.TrimSpace(p.Text) != ""
	}
	return line.String(), differs
}
