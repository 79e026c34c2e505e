package linememory

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/fact"
)

// What stands beside the main content is mostly a menu, a list of other pages or a promotion. A difference there is
// news if it has a fact, or is a sentence that is no link.

// Reading is a text of a page.
type Reading struct {
	Text string
	// Beside is the offset from which the text stands beside the main content, or the length of the text.
	Beside int
	// IsLink reports whether a line is the text of a link, and nothing else; nil if no line is.
	IsLink func(line string) bool
}

// withoutBeside takes away the marks of lines beside the main content in which nothing is news. It reports whether
// there are such lines.
func (p *page) withoutBeside(r Reading, marked []bool) (found bool) {
	for _, l := range lines(p) {
		if p.tokens[l.from].from < r.Beside || !p.shows(l, marked) {
			continue
		}
		line := p.textOf(l)
		if words.IsSentence(line) && (r.IsLink == nil || !r.IsLink(LineOf(line))) || p.touchesFact(l, marked) {
			continue
		}
		clear(marked[l.from:l.to])
		found = true
	}
	return found
}

// touchesFact reports whether a marked token of a line is part of a fact.
func (p *page) touchesFact(l span, marked []bool) bool {
	facts, begin := fact.Find(p.textOf(l)), p.tokens[l.from].from
	for i := l.from; i < l.to; i++ {
		if t := p.tokens[i]; marked[i] && fact.Touches(facts, t.from-begin, t.to-begin) {
			return true
		}
	}
	return false
}

// LineOf returns a line without the bullet of a list, and with one space between words.
func LineOf(line string) string {
	text := strings.Join(strings.Fields(line), " ")
	for _, bullet := range []string{"- ", "* ", "• "} {
		text = strings.TrimPrefix(text, bullet)
	}
	return text
}
