package notify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
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
