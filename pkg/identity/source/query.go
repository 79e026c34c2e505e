package source

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/percent"
)

// param is one piece of a query between two "&".
type param struct {
	text  string // as written: "name", "name=" or "name=value"
	name  string // decoded, lower-case: what rules are matched against
	value string // decoded
}

// params takes a query apart. Empty pieces ("a&&b") say nothing and are left out.
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

// join is the query that params takes apart.
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

// byName orders params by name as written, case included. The sort must be stable: repeated
// names are lists to many sites, and the order of a list has a meaning.
func byName(ps []param) {
	slices.SortStableFunc(ps, func(a, b param) int {
		nameA, _, _ := strings.Cut(a.text, "=")
		nameB, _, _ := strings.Cut(b.text, "=")
		return strings.Compare(nameA, nameB)
	})
}
