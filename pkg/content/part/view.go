package part

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// View is a text of a page that is compared: the text of the whole page or of its watched part, or its beginning.
type View struct {
	Text string
	part *Part // nil if all of the text counts
	page bool  // the text is that of the whole page
}

// Page returns a view of the text of the whole page. The part may be nil.
func (p *Part) Page(text string) View { return View{text, p, true} }

// Own returns a view of the text of the part.
func (p *Part) Own(text string) View { return View{text, p, false} }

// counted says which parts of a line count.
type counted struct {
	all   bool       // the whole line does
	spans []web.Span // else these
	rule  string     // the rule by which the rest of the line does not
}

// text returns a view for the comparison of lines.
func (v View) text() textdiff.Text {
	if v.part == nil || v.part.rules == nil {
		return textdiff.Text{Text: v.Text}
	}
	lines := strings.Split(v.Text, "\n")
	return textdiff.Text{Text: v.Text, Class: func(i int) string {
		if i >= len(lines) {
			return ""
		}
		return v.line(i+1, lines[i]).class()
	}}
}

// class is the same for lines that count as a whole, and for lines of which nothing counts.
func (c counted) class() string {
	switch {
	case c.all:
		return ""
	case len(c.spans) == 0:
		return "out"
	}
	return "in part"
}

// line returns what counts of a line, by its number from 1.
func (v View) line(number int, line string) counted {
	p := v.part
	if p == nil || p.rules == nil {
		return counted{all: true}
	}
	rule := p.ignoring(line)
	if !v.page || !p.rules.Selects() {
		return counted{all: rule == "", rule: rule}
	}
	wanted := p.wanted()
	if number > len(wanted) { // It is not known: nothing is said to be ignored that may count.
		return counted{all: true}
	}
	return p.without(line, upTo(wanted[number-1], len(line)), rule)
}

// upTo returns the spans of a line of which only the beginning, of n bytes, is compared.
func upTo(spans []web.Span, n int) (out []web.Span) {
	for _, s := range spans {
		if s.To = min(s.To, n); s.From < s.To {
			out = append(out, s)
		}
	}
	return out
}

// without returns what counts of a line of the page, of which spans are wanted. If rule is not "", it ignores the whole
// line.
func (p *Part) without(line string, spans []web.Span, rule string) (out counted) {
	if out.rule = rule; rule == "" {
		out.rule = p.outside()
	}
	if p.Whole() { // the line of the part is what is left of the line of the page
		texts := make([]string, len(spans))
		for i, s := range spans {
			texts[i] = line[s.From:s.To]
		}
		if ignoring := p.ignoringPart(strings.Join(texts, " ")); ignoring != "" && len(spans) > 0 {
			return counted{rule: ignoring}
		}
		out.spans = spans
	} else {
		for _, s := range spans {
			if ignoring := p.ignoringPart(line[s.From:s.To]); ignoring != "" {
				out.rule = ignoring
				continue
			}
			out.spans = append(out.spans, s)
		}
	}
	out.all = len(out.spans) == 1 && strings.TrimSpace(line) == line[out.spans[0].From:out.spans[0].To]
	return out
}

// ignoringPart returns the rule that ignores a part of a line; "" if that part is a line of the watched part that
// counts.
func (p *Part) ignoringPart(text string) string {
	if !p.rules.Ignores() {
		return ""
	}
	rule := p.ignoring(strings.Join(strings.Fields(text), " "))
	if rule != "" && p.has(text) {
		return ""
	}
	return rule
}

// has reports whether a text is a line of the part that counts.
func (p *Part) has(text string) bool {
	if p.lines == nil {
		p.lines = map[string]bool{}
		for line := range strings.SplitSeq(p.Text, "\n") {
			p.lines[strings.TrimSpace(line)] = true
		}
	}
	return p.lines[text]
}

// outside returns the rule by which text outside of the part does not count.
func (p *Part) outside() string {
	if p.rules.Narrow() {
		return "include: only " + strings.Join(p.spec.Include, ", ") + " is watched"
	}
	return "exclude: " + strings.Join(p.spec.Exclude, ", ")
}

// wanted returns, for each line of the page, the parts that the selectors want; nil if that is not known.
func (p *Part) wanted() [][]web.Span {
	if !p.placed {
		p.placed = true
		if written, why := web.WrittenOf(p.whole); why == "" {
			p.spans = written.Marked(p.rules)
		} else if text, spans, read := web.Marked(p.body, p.contentType, p.baseURL, p.rules); read && text == p.whole.Text {
			p.spans = spans
		}
	}
	return p.spans
}

// ignoring returns the rule that ignores a line, as people read it.
func (p *Part) ignoring(line string) string {
	if rule := p.rules.Ignored(line); rule != "" {
		return "ignore: " + rule
	}
	return ""
}

// Whole reports whether the part is the page without what is excluded from it.
func (p *Part) Whole() bool { return p.rules != nil && p.rules.Selects() && !p.rules.Narrow() }
