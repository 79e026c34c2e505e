package walk

import (
	"fmt"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// limit is a limit of following links.
type limit struct {
	field    string // of the site's follow
	is, most int
}

// reached says that the limit leaves pages out, and how to raise it.
func (l limit) reached(of string) string {
	what := words.Count(l.is, of)
	if l.field == "depth" {
		what += " from the first page"
	}
	text := "the limit of " + what + " is reached"
	if l.is >= l.most {
		return text + ", and cannot be raised"
	}
	return text + fmt.Sprintf("; to raise it (at most %s), set follow.%s in the site file, or add the site again with "+
		"--follow --%[2]s or with the dashboard's form", words.Thousands(l.most), l.field)
}
