package source

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/percent"
)

// param is one piece of a query between two "&".
type param struct {
	text  string // the piece as written: "name", "name=" or "name=value"
	name  string // the name, decoded and in lower case; the rules examine this form
	value string // the value, decoded
}

// params splits a query into its pieces. It omits empty pieces ("a&&b"), which have no meaning.
func params(query string) []param {
	var ps []param
	for text := range strings.SplitSeq(query, "&") {
		if text != "" {
			name, value, _ := strings.Cut(text, "=")
			ps = append(ps, param{text, lower(percent.Decode(name)), percent.Decode(value)})
		}
	}
	return ps
}

// join is the inverse of [params].
func join(ps []param) string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// byName sorts params by their names as written, case-sensitively. The sort must be stable: on many sites, a repeated
// name is a list whose order has a meaning.
func byName(ps []param) {
	slices.SortStableFunc(ps, func(a, b param) int {
		nameA, _, _ := strings.Cut(a.text, "=")
		nameB, _, _ := strings.Cut(b.text, "=")
		return strings.Compare(nameA, nameB)
	})
}
