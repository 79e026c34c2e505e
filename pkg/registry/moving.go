package registry

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/feed"
)

// Moving is a line of a page in which nothing but numbers has changed, and nothing else of the page with it. After
// some such checks, people are offered a rule that ignores the line. Until somebody adds the rule, the line is
// compared.
type Moving struct {
	Line  string `json:"line,omitempty"`  // the line as it was last
	Times int    `json:"times,omitempty"` // in how many checks it has moved alone
}

const (
	// offeredAfter is the number of checks after which a rule is offered.
	offeredAfter = 3
	// maxMoving bounds the length of a line, in bytes, for which a rule is offered.
	maxMoving = 200
)

// See returns the state after a check that has found a change. Changes of other text leave the state as it is.
func (m Moving) See(c feed.Change) Moving {
	if len(c.Passages) != 2 || c.Difference != nil || c.Cut {
		return m
	}
	was, is := c.Passages[0].Text, c.Passages[1].Text
	form := formOf(is)
	if was == is || len(is) > maxMoving || !strings.Contains(form, number) || form != formOf(was) ||
		strings.HasPrefix(is, "…") || strings.HasSuffix(is, "…") {
		return m
	}
	if formOf(m.Line) != form {
		m.Times = 0
	}
	return Moving{Line: is, Times: m.Times + 1}
}

// Offer returns the rule that ignores the line, or "" if it has not moved often enough.
func (m Moving) Offer() string {
	if m.Times < offeredAfter {
		return ""
	}
	return `^\s*` + strings.ReplaceAll(regexp.QuoteMeta(formOf(m.Line)), number, `[\d.,:]+`) + `\s*$`
}

// number stands for a number in the form of a line. The text itself never contains it.
const number = "\x00"

// formOf returns a line with each number replaced.
func formOf(line string) string {
	var out strings.Builder
	after := false // a number has just been replaced
	for i, r := range line {
		inside := strings.ContainsRune(".,:", r) && after && i+1 < len(line) && line[i+1] >= '0' && line[i+1] <= '9'
		if unicode.IsDigit(r) || inside {
			if !after {
				out.WriteString(number)
			}
			after = true
			continue
		}
		after = false
		out.WriteRune(r)
	}
	return out.String()
}
