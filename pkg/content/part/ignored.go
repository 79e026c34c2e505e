package part

import (
	"iter"

	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// Line is a line that differs between two texts but is ignored.
type Line struct {
	Text  string
	Added bool   // the line is in the later text; if false, in the earlier one
	Rule  string // the rule by which the line is ignored
}

// Ignored returns, in order, the lines that differ between two texts of a page but are ignored. The rules of the
// first part apply to the first text, and those of the second part to the second text. Callers must truncate texts
// that are too long to compare.
func Ignored(old, now *Part, before, after string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		hunks, _ := textdiff.Compare(before, after)
		for _, hunk := range hunks {
			for _, row := range hunk {
				if !ignoredOf(old, row.Old, false, yield) || !ignoredOf(now, row.New, true, yield) {
					return
				}
			}
		}
	}
}

// ignoredOf yields one side of a row if the line is ignored. It returns false if the iteration must stop.
func ignoredOf(p *Part, pieces []textdiff.Piece, added bool, yield func(Line) bool) bool {
	text, differs := textdiff.Line(pieces)
	if !differs {
		return true
	}
	rule := p.Rule(text)
	return rule == "" || yield(Line{Text: text, Added: added, Rule: rule})
}
