package walk

import (
	"fmt"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// limit is a limit of following links.
type limit struct {
	field string // of the site's follow
	is    int
}

// reached says that the limit leaves pages out, and how to raise it.
func (l limit) reached(of string) string {
	what := words.Count(l.is, of)
	if l.field == "depth" {
		what += " from the first page"
	}
	text := "the limit of " + what + " is reached"
	most, _ := form.Of[api.SiteFollow]().Field(l.field)
	if l.is >= most.Max {
		return text + ", and cannot be raised"
	}
	return text + fmt.Sprintf("; to raise it (at most %s), set follow.%s in the site file, or of a site that was added "+
		"with `tidemark sites set --%s` or in the dashboard", words.Thousands(most.Max), l.field, most.Flag)
}
