package part

import (
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// Line is a line that differs between two texts but is ignored.
type Line struct {
	Text  string
	Added bool   // the line is in the later text; if false, in the earlier one
	Rule  string // the rule by which the line is ignored
}

// Ignored returns, in order, the lines that differ between two views but are ignored, and the parts of lines. Callers
// must truncate texts that are too long to compare.
func Ignored(old, now View) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		hunks, _ := Compare(old, now)
		for _, hunk := range hunks {
			for _, r := range hunk.Rows {
				for i, h := range []Hidden{r.Gone, r.Come} {
					if hunk.Table != nil { // the cells of a row
						h.Text = strings.ReplaceAll(strings.Trim(h.Text, "| "), " | ", " · ")
					}
					if h.Rule != "" && !yield(Line{Text: h.Text, Added: i == 1, Rule: h.Rule}) {
						return
					}
				}
			}
		}
	}
}

// IgnoredLines returns, in order, the lines of the part that a rule for lines ignores.
func (p *Part) IgnoredLines() iter.Seq[Line] {
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
