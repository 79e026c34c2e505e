package part

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// Whole reports whether the part is the page without what is excluded from it.
func (p *Part) Whole() bool { return p.rules != nil && p.rules.Selects() && !p.rules.Narrow() }

// Rules returns the rules by which the two sides of a row of a page are ignored; "" for a side that counts, and for one
// that does not differ. A side counts if words of the watched part differ in it, wherever in the line that part begins
// and ends. The parts may be nil.
func Rules(old, now *Part, r textdiff.Row) (gone, come string) {
	gone, was := old.rule(r.Old)
	come, is := now.rule(r.New)
	// Which words of two lines differ is not always certain. If one side counts, then so does some of the other side.
	if was.differs && is.holds || is.differs && was.holds {
		return "", ""
	}
	return gone, come
}

// rule returns the rule by which a line of the page is ignored, and what the line has to do with the part.
func (p *Part) rule(pieces []textdiff.Piece) (rule string, m match) {
	line, differs := textdiff.Line(pieces)
	if p == nil || p.rules == nil || !differs {
		return "", m
	}
	if !p.rules.Selects() {
		return p.ignoring(line), m
	}
	if p.finder == nil {
		p.finder = finderOf(p)
	}
	if m = p.finder.of(line, hitsOf(pieces)); m.differs {
		return "", m
	}
	for _, l := range []string{m.ignored, line} {
		if rule = p.ignoring(l); rule != "" {
			return rule, m
		}
	}
	if p.rules.Narrow() {
		return "include: outside of " + strings.Join(p.spec.Include, ", "), m
	}
	return "exclude: " + strings.Join(p.spec.Exclude, ", "), m
}

// ignoring returns the rule that ignores a line, as people read it.
func (p *Part) ignoring(line string) string {
	if rule := p.rules.Ignored(line); rule != "" {
		return "ignore: " + rule
	}
	return ""
}
