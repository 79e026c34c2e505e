package part

import (
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/policy/watch"
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
				gone, come := Rules(old, now, row)
				if !ignoredOf(row.Old, false, gone, yield) || !ignoredOf(row.New, true, come, yield) {
					return
				}
			}
		}
	}
}

// ignoredOf yields one side of a row if it has a rule. It returns false if the iteration must stop.
func ignoredOf(pieces []textdiff.Piece, added bool, rule string, yield func(Line) bool) bool {
	text, _ := textdiff.Line(pieces)
	return rule == "" || yield(Line{Text: text, Added: added, Rule: rule})
}

// Hidden returns, in order, the lines of the part that a rule for lines ignores.
func (p *Part) Hidden() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		if p.rules == nil || !p.rules.Ignores() {
			return
		}
		text := p.Doc.Text[:min(len(p.Doc.Text), watch.MaxText)]
		for line := range strings.Lines(text) {
			rule := p.rules.Ignored(line)
			if rule != "" && !yield(Line{Text: strings.TrimSpace(line), Rule: "ignore: " + rule}) {
				return
			}
		}
	}
}
