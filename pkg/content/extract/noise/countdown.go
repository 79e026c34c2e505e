package noise

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Countdown appends the hashed form of a countdown that a page shows on one line in several blocks, such as "Offer
// ends", "7", "days", "10", "hours". The argument texts returns the next blocks. The result is the number of blocks
// that the countdown has, or 0.
func (s *Filter) Countdown(texts func(i int) string) (n int) {
	const mostBlocks, longest = 10, 30 // runes
	if s.Exact || strings.ContainsFunc(texts(0), unicode.IsDigit) || utf8.RuneCountInString(texts(0)) > longest {
		return 0
	}
	line, whole, most := texts(0), "", 0
	for i := 1; i < mostBlocks; i++ {
		next := texts(i)
		if next == "" || utf8.RuneCountInString(next) > 2*longest {
			break
		}
		line += " " + next
		if s.isCountdown(line) {
			whole, most = s.line, i+1
		} else if most > 0 {
			break
		}
	}
	if most > 0 {
		s.line = whole
		s.note("countdown")
		s.Out = append(append(s.Out, counter...), "countdown"...)
	}
	return most
}

func (s *Filter) isCountdown(line string) bool {
	s.line = Typography(line)
	s.tokens = tokens(s.tokens[:0], s.line)
	return s.ruleOf() == "countdown"
}
