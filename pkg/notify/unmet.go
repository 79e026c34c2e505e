package notify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A rule whose condition no page can meet would wait for ever. The answer when it is saved, read or tried says so.

// PageFields are the fields of a page: those that were read, and those that somebody asks for.
type PageFields struct {
	Page  feed.Change           // says which page it is
	Types map[string]field.Type // by name; "" if nothing is known of the type
}

// mostPages limits the pages whose fields are looked at for a rule.
const mostPages = 2000

// FieldsOf returns a function that passes the pages which a rule may be for to the function see, until see returns
// false, for [Options]. Whole is false if there are more pages than it looks at.
func FieldsOf(items *registry.Items, tags *registry.Tags) func(context.Context, api.RuleFilter,
	func(PageFields) bool) (bool, error) {
	return func(ctx context.Context, f api.RuleFilter, see func(PageFields) bool) (whole bool, err error) {
		if f.ItemID != "" {
			it, err := items.Find(ctx, source.ID(f.ItemID))
			if err != nil {
				return false, err
			}
			p, err := fieldsOfPage(ctx, tags, &it)
			see(p)
			return true, err
		}
		search, _ := parseItems(f.Items) // checked before
		filter := registry.Filter{Host: strings.ToLower(cmp.Or(f.Host, search.host)), Tag: cmp.Or(f.Tag, search.tag)}
		var at registry.Cursor
		for looked := 0; looked < mostPages; {
			step, err := items.Pick(ctx, filter, at, mostPages/4)
			if err != nil {
				return false, err
			}
			for i := range step.Items {
				if p, err := fieldsOfPage(ctx, tags, &step.Items[i]); err != nil || !see(p) {
					return true, err
				}
			}
			if step.Done {
				return true, nil
			}
			at, looked = step.Next, looked+max(step.Looked, 1)
		}
		return false, nil
	}
}

// fieldsOfPage returns the fields of an item.
func fieldsOfPage(ctx context.Context, tags *registry.Tags, it *registry.Item) (p PageFields, err error) {
	p = PageFields{Page: feed.Change{Kind: feed.Field, ItemID: string(it.ID), Type: string(it.Type), Host: it.SourceHost,
		URL: it.DisplaySource, Title: it.Title, Tags: it.Tags}, Types: map[string]field.Type{}}
	set, err := tags.Effective(ctx, it)
	if err != nil {
		return p, err
	}
	for _, k := range it.Fields.All {
		p.Types[k.Name] = k.Last.Value.Type
		if p.Types[k.Name] == "" && k.Key == "" {
			p.Types[k.Name] = field.DeclaredType(k.Name)
		}
	}
	if set.Watch != nil {
		asked, _ := field.Asked(set.Watch.Fields) // checked before they were stored
		for _, s := range asked {
			p.Types[s.Name] = s.TypeOf()
		}
	}
	return p, nil
}

// unmet returns why no page that a rule is for can meet its condition at present; "" if one can, if there is no such
// page yet, or if the rule has no condition.
func unmet(ctx context.Context, s *Book, r *rule) (why string, err error) {
	if r.When == nil || s.o.Fields == nil {
		return "", nil
	}
	pages, unfit, mate := 0, error(nil), false
	names := map[string]bool{}
	whole, err := s.o.Fields(ctx, r.Filter, func(p PageFields) bool {
		if r.elsewhere(p.Page) || !r.selects(p.Page).Concerns(p.Page) {
			return true
		}
		pages++
		for name := range p.Types {
			names[name] = true
			mate = mate || field.AreDeclaredTogether(name, r.when.Field())
		}
		of, has := p.Types[r.when.Field()]
		if !has {
			return true
		}
		if unfit = nil; of != "" {
			unfit = r.when.Fits(of)
		}
		return unfit != nil
	})
	switch {
	case err != nil:
		return "", err
	case unfit != nil:
		return "its condition can never be met: " + unfit.Error(), nil
	case names[r.when.Field()] || pages == 0 || mate || !whole:
		return "", nil
	}
	return noSuchField(r.when.Field(), pages, slices.Sorted(maps.Keys(names))), nil
}

// noSuchField says that no page has a field, and which ones they have.
func noSuchField(name string, pages int, others []string) string {
	const most = 10
	text := fmt.Sprintf("no page that it is for has a value named %q", name)
	if pages == 1 {
		text = fmt.Sprintf("the page that it is for has no value named %q", name)
	}
	switch {
	case len(others) == 0:
		return text + ", nor any other value"
	case len(others) > most:
		return text + "; there are " + strings.Join(others[:most], ", ") + " and " +
			words.Count(len(others)-most, "other")
	}
	return text + "; there are " + strings.Join(others, ", ")
}

// warned returns the warning of a rule, also about the pages that it is for.
func warned(ctx context.Context, s *Book, r *rule) (string, error) {
	if r.Warning != "" {
		return r.Warning, nil
	}
	return unmet(ctx, s, r)
}

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
