package notify

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
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

// filterOf selects the items that a filter of changes may be for.
func filterOf(f api.RuleFilter) registry.Filter {
	search, _ := parseItems(f.Items) // checked before
	tag, _ := options.TagName(cmp.Or(f.Tag, search.tag))
	return registry.Filter{Host: strings.ToLower(cmp.Or(f.Host, search.host)), Tag: tag}
}
