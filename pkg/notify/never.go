package notify

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// itemSearch selects changes by their items, as a list of items is searched.
type itemSearch struct {
	host, tag string
	words     []string // in lower case
}

// parseItems parses a search of items. It refuses what is not known of an item when it changes.
func parseItems(text string) (s itemSearch, err error) {
	wrong := func(format string, args ...any) error {
		return fault.Field("filter.items", "filter.items: "+format, args...)
	}
	q, err := url.ParseQuery(strings.TrimPrefix(text, "?"))
	if err != nil || len(text) > maxPattern {
		return s, wrong("it is no search such as host=shop.example&tag=price&find=lamp")
	}
	for name, values := range q {
		value := strings.TrimSpace(values[0])
		switch {
		case value == "" || name == "sort" || name == "after" || name == "done":
		case name == "host":
			s.host = strings.ToLower(value)
		case name == "find":
			s.words = strings.Fields(strings.ToLower(value))
		case name == "tag":
			if s.tag, err = options.TagName(value); err != nil {
				return s, wrong("tag: %w", err)
			}
		default:
			return s, wrong("a rule can search by host, tag and find, not by %.40q", name)
		}
	}
	return s, nil
}

// has reports whether the item of a change is among those that the search finds.
func (s itemSearch) has(c feed.Change) bool {
	text := strings.ToLower(c.Title + "\n" + c.URL)
	return (s.host == "" || c.Host == s.host) && (s.tag == "" || slices.Contains(c.Tags, s.tag)) &&
		!slices.ContainsFunc(s.words, func(w string) bool { return !strings.Contains(text, w) })
}

// withText are the kinds of change that say what has changed in a text.
var withText = []api.ChangeKind{api.ChangeContent, "beside", "beyond", api.ChangeNew, api.ChangeTitle, "reverted"}

// never returns why a rule can never report anything but a broken watch, or "".
func never(spec api.RuleSpec) string {
	f := spec.Filter
	var kinds []api.ChangeKind
	for _, kind := range words.Parts(f.Kind, ",") {
		kinds = append(kinds, api.ChangeKind(kind))
	}
	only := func(some ...api.ChangeKind) bool {
		return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k api.ChangeKind) bool { return !slices.Contains(some, k) })
	}
	text := len(kinds) == 0 ||
		slices.ContainsFunc(kinds, func(k api.ChangeKind) bool { return slices.Contains(withText, k) })
	search, _ := parseItems(f.Items)
	switch {
	case f.Zone == api.ZoneMain && only("beside", "beyond"):
		return "it waits for text outside the main content, but is only for the main content"
	case f.ItemID != "" && only(api.ChangeNew):
		return "it waits for a new page, but is for a page that is known already"
	case f.ItemID != "" && f.Type != "" && !strings.HasPrefix(f.ItemID, f.Type+"_"):
		return "it is for one page, which is not of the type " + f.Type
	case (f.Added != "" || f.Removed != "") && !text:
		return "it waits for words in a text that has changed, but only for changes that have no text"
	case f.MinShare > 0 && !text:
		return "it waits for a share of the text, but only for changes that have no text"
	case search.host != "" && f.Host != "" && search.host != strings.ToLower(f.Host):
		return "it names two hosts"
	}
	return ""
}
