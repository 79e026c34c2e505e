package pattern

import (
	"regexp"
	"slices"
	"strings"
)

// Wildcard is a string that stands for an expression.
type Wildcard struct{ Text, Expression string }

// Wildcards returns the regular expression of a text with wildcards. Where several of them fit, the first one counts.
// Everything else in the text stands for itself.
func Wildcards(text string, all ...Wildcard) string {
	var out strings.Builder
	for len(text) > 0 {
		i := slices.IndexFunc(all, func(w Wildcard) bool { return strings.HasPrefix(text, w.Text) })
		if i < 0 {
			out.WriteString(regexp.QuoteMeta(text[:1]))
			text = text[1:]
			continue
		}
		out.WriteString(all[i].Expression)
		text = text[len(all[i].Text):]
	}
	return out.String()
}
