package registry

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// Moving sums up what is remembered of the lines of a page, for those who read the item only.
type Moving struct {
	// Kept says that there is a memory of the page.
	Kept bool `json:"kept,omitempty"`
	// Line is a line that has moved several times and is still told, as it was last and before. It is empty if there is
	// none.
	Line string `json:"line,omitempty"`
	Was  string `json:"was,omitempty"`
	// Last is when the line has moved last.
	Last time.Time `json:"last,omitzero"`
	// Times is how often that line has moved in the last looks, of which there were Of.
	Times int `json:"moved,omitempty"`
	Of    int `json:"of,omitempty"`
	// Silent is the number of parts that move so often that their moves are not told.
	Silent int `json:"silent,omitempty"`
	// SecondCheck is when the page was last asked a second time, to see whether something moves at each check.
	SecondCheck time.Time `json:"second,omitzero"`
}

// Sum returns the summary of a memory after a check.
func (m Moving) Sum(memory linememory.Memory, check linememory.Check) Moving {
	out := Moving{Kept: true, SecondCheck: m.SecondCheck}
	for _, p := range memory.Parts(check) {
		switch {
		case p.Silent:
			out.Silent++
		case p.Decision == "" && p.Often && p.Moved > out.Times:
			out.Line, out.Was, out.Last, out.Times, out.Of = p.Text, p.Was, p.Last, p.Moved, p.Of
		}
	}
	return out
}

// Offer returns a rule that ignores what moves of the line; "" if no rule can be made. A line of which the memory has
// only the beginning gets no rule, because that would not keep the rest of the line.
func (m Moving) Offer(language string) string {
	if m.Line == "" || strings.HasSuffix(m.Line, "…") || strings.HasSuffix(m.Was, "…") {
		return ""
	}
	made, err := watch.Suggest(language, m.Line, m.Was)
	if err != nil || len(made.Moves) == 0 {
		return ""
	}
	return made.Rule
}
