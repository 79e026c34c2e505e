package linememory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/noise"
	"github.com/tidemark/tidemark/pkg/content/fact"
)

// Some numbers are what people state of a thing: its price, whom to call, when it is, when it is open. They count
// nothing, so a few moves do not show that they move by themselves. Such a number is live data only if it moves at
// nearly each of many checks.

// isStated reports whether all that differs in a position is such a number, with few words.
func (s *comparison) isStated(p position) bool {
	return s.align.old.isStated(p.old) || s.align.now.isStated(p.now)
}

func (p *page) isStated(at span) bool {
	const most = 2 // words, such as the one between the ends of a range
	words := 0
	for _, t := range p.tokens[at.from:at.to] {
		if t.end {
			return false
		}
		if !t.number && !t.sign {
			words++
		}
	}
	if words > most || words == at.size() {
		return false
	}
	line, in := p.lineOf(at.from)
	facts, begin := fact.Find(line), p.tokens[in.from].from
	number := map[fact.Kind]int{} // in the line
	for _, f := range facts {
		number[f.Kind]++
	}
	isDate := !noise.SaysUpdated(line) // and not that of the text
	stated := func(f fact.Fact) bool {
		if !fact.Touches([]fact.Fact{f}, p.tokens[at.from].from-begin, p.tokens[at.to-1].to-begin) {
			return false
		}
		isRange := f.Kind == fact.Time && strings.ContainsAny(line[f.From:f.To], "-–")
		return f.Kind == fact.Price || f.Kind == fact.Contact || f.Kind == fact.Date && isDate || isRange ||
			f.Kind == fact.Time && (number[fact.Time] > 1 || number[fact.Date] > 0 && isDate)
	}
	return slices.ContainsFunc(facts, stated) || p.isInHours(at)
}

// toWords stand between the ends of a range.
var toWords = strings.Fields("- – — ~ to till until bis à a al hasta até do до - 至 から")

// isInHours reports whether a span is part of a range of two hours without minutes, as in 9–17 and from 9 to 17.
func (p *page) isInHours(at span) bool {
	text := func(i int) string {
		if i >= len(p.tokens) {
			return ""
		}
		return p.textOf(span{i, i + 1})
	}
	for i := max(0, at.from-2); i < at.to; i++ {
		from, to := hourOf(text(i)), hourOf(text(i+2))
		if from >= 0 && to > from && slices.Contains(toWords, text(i+1)) {
			return true
		}
		dashed := strings.FieldsFunc(text(i), func(r rune) bool { return r == '-' || r == '–' })
		if i >= at.from && len(dashed) == 2 && hourOf(dashed[0]) >= 0 && hourOf(dashed[1]) >= 0 {
			return true
		}
	}
	return false
}

// hourOf returns the hour of the day that a text is; -1 if it is not one.
func hourOf(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 24 {
		return -1
	}
	return n
}
