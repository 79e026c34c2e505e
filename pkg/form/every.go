package form

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// listing matches selectors of tables, of lists, and of their parts.
var listing = regexp.MustCompile(`(?i)(^|[\s>+~,])(table|thead|tbody|tr|td|th|ul|ol|li|dl|dt|dd)\b`)

// ProposedEvery returns how often pages should be checked for a rule. It follows from what the rule waits for, and from
// the watch settings of its page, which may be nil: availability is more pressing than a price, and a price more than
// entries of a table or a list.
func ProposedEvery(spec api.RuleSpec, w *api.Watch) string {
	name := ""
	if spec.When != nil {
		name = spec.When.Field
	}
	kinds := words.Parts(spec.Filter.Kind, ",")
	switch field := fieldOf(name, w); {
	case name == "availability" || field.Type == "availability" || field.Path == "availability":
		return "15m"
	case name == "price" || name == "salePrice" || field.Type == "money":
		return "1h"
	case slices.Equal(kinds, []string{string(api.ChangeListed)}),
		w != nil && (w.List != "" || slices.ContainsFunc(w.Include, listing.MatchString)):
		return "6h"
	}
	return "1d"
}

// fieldOf returns where a page has the value with a name, if its settings say so.
func fieldOf(name string, w *api.Watch) api.FieldSpec {
	if w == nil {
		return api.FieldSpec{}
	}
	return w.Fields[name]
}

// Cost says what checks cost the site of each page that are made this often: "about 24 requests a day". It is "" for a
// text that is no time between checks.
func Cost(every string) string {
	d, why := length(every)
	if why != "" {
		return ""
	}
	const day = 24 * time.Hour
	if d <= day {
		return fmt.Sprintf("about %s a day", words.Count(int((day+d/2)/d), "request"))
	}
	return "about a request in " + words.Span(d)
}

// demandWords says how often a rule wants an item to be checked, and what holds that back.
func demandWords(w *api.ItemChecks) string {
	text := fmt.Sprintf("%s, for %s", Every(&api.Interval{Max: w.Every}), w.Name)
	if w.Why != "" {
		text += "; held back: " + w.Why
	}
	return text
}
