package notify

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// mostPages limits the pages of which the rows are read for one rule. A page without a row of facts is never read: no
// body, and nothing from its site.
const (
	mostPages = 2000
	firstStep = 20 // pages that are read first, because most rules can fire on the first of them
	mostNamed = 10 // pages that an answer names
)

// PagesOf returns a function that passes the facts of the pages which a rule may be for to the function see, until see
// returns false, for [Options]. Whole is false if there are more pages than it reads. Errors: NotFound if the rule is
// for one page that is not watched.
func PagesOf(items *registry.Items, tags *registry.Tags) func(context.Context, api.RuleFilter,
	func(Facts) bool) (bool, error) {
	return func(ctx context.Context, f api.RuleFilter, see func(Facts) bool) (whole bool, err error) {
		if f.ItemID != "" {
			it, err := items.Find(ctx, source.ID(f.ItemID))
			if err != nil {
				return false, err
			}
			p, err := FactsOf(ctx, tags, &it)
			see(p)
			return true, err
		}
		filter := filterOf(f)
		var at registry.Cursor
		for looked, size := 0, firstStep; looked < mostPages; size = mostPages / 4 {
			step, err := items.Pick(ctx, filter, at, size)
			if err != nil {
				return false, err
			}
			for i := range step.Items {
				if p, err := FactsOf(ctx, tags, &step.Items[i]); err != nil || !see(p) {
					return false, err
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

// FactsOf returns the facts of an item.
func FactsOf(ctx context.Context, tags *registry.Tags, it *registry.Item) (p Facts, err error) {
	p = Facts{Page: pageOf(it), Read: it.ContentHash != "" || it.Fields.Read, Fields: it.Fields,
		Types: map[string]field.Type{}, Broken: it.Watched.Broken}
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
		p.List = set.Watch.List != ""
		asked, _ := field.Asked(set.Watch.Fields) // checked before they were stored
		for _, s := range asked {
			p.Types[s.Name] = s.TypeOf()
		}
	}
	return p, nil
}

// survey is what was found out of the pages of a rule.
type survey struct {
	api.Firing

	nowhere  bool // the rule can fire on none of its pages
	reported bool // it has reported each cause itself
	pages    int
	held     []Facts // the pages of Holds
	first    *Facts  // the first page on which the rule can fire; nil if none is known
}

// note adds a page of the rule.
func (s *survey) note(r *rule, p Facts, why reason) {
	s.pages++
	title := cmp.Or(p.Page.Title, p.Page.URL)
	if !why.can() {
		s.refuse(api.CannotFire{Item: p.Page.ItemID, Title: title, Why: why.why, Remedy: why.remedy}, why.reported)
		return
	}
	if s.first == nil {
		s.first = &p
	}
	if value, holds := r.held(p); holds && len(s.held) == mostNamed {
		s.HoldsMore++
	} else if holds {
		s.held = append(s.held, p)
		s.Holds = append(s.Holds, api.HeldCondition{Item: p.Page.ItemID, Title: title, Value: value})
	}
}

// refuse adds a reason against the rule.
func (s *survey) refuse(c api.CannotFire, reported bool) {
	s.reported = reported && (s.reported || len(s.Cannot) == 0)
	if len(s.Cannot) == mostNamed {
		s.CannotMore++
		return
	}
	s.Cannot = append(s.Cannot, c)
}

// held returns the present value of a page for which the condition of a rule holds already.
func (r *rule) held(p Facts) (value string, holds bool) {
	kept, _ := p.Fields.Field(r.when.Field())
	switch {
	case r.When == nil, kept.State != field.Found && kept.State != field.Disappeared, !r.when.IsMet(kept.Last):
		return "", false
	case r.When.First && r.page != "": // the next check reports it
		return "", false
	}
	if kept.Last.Value.None() {
		return "none", true
	}
	return kept.Last.Value.Words(), true
}

// survey finds out where a rule can fire. Without all, it stops at the first page where the rule can. Names has the
// channels that exist.
func (s *Book) survey(ctx context.Context, r *rule, names map[string]bool, all bool) (out survey, err error) {
	if stuck := r.stuck(names); !stuck.can() {
		out.refuse(api.CannotFire{Why: stuck.why, Remedy: stuck.remedy}, false)
		out.nowhere = true
		return out, nil
	}
	if s.o.Pages == nil {
		return out, nil
	}
	whole, err := s.o.Pages(ctx, r.Filter, func(p Facts) bool {
		if r.isAbout(p) {
			out.note(r, p, unable(r, names, p))
		}
		return all || out.first == nil
	})
	switch {
	case fault.Is(err, fault.NotFound) && r.page != "":
		out.refuse(api.CannotFire{Item: r.page, Title: cmp.Or(r.Title, r.URL), Why: "the page is not watched any more",
			Remedy: "remove the rule, or add the page again"}, false)
		out.nowhere = true
		return out, nil
	case err != nil:
		return out, err
	case out.pages == 0 && whole:
		err = s.noPage(ctx, r, &out)
	}
	out.Unexamined = all && !whole
	out.nowhere = whole && out.first == nil && len(out.Cannot) > 0
	return out, err
}

// noPage adds that the filter of a rule selects no page, unless it may select an entry or waits for a new page.
func (s *Book) noPage(ctx context.Context, r *rule, out *survey) error {
	f := r.Filter
	narrow := f.Host != "" || f.Tag != "" || f.Items != ""
	for _, kind := range kindsOf(f.Kind) {
		narrow = narrow && kind != api.ChangeNew
	}
	if !narrow || f.Type == "entry" {
		return nil
	}
	if s.o.Entries != nil && f.Type == "" && f.Tag == "" && f.Items == "" {
		if any, err := s.o.Entries(ctx); any || err != nil {
			return err
		}
	}
	out.refuse(api.CannotFire{Why: "there is no page that its filter selects",
		Remedy: "add the page first, or change the host, the tag or the search of the rule"}, false)
	return nil
}

// isAbout reports whether a rule is for a page. A page that has not been read has no title to search yet.
func (r *rule) isAbout(p Facts) bool {
	if !r.filter.Concerns(p.Page) {
		return false
	}
	if !p.Read {
		blind := *r
		blind.items.words = nil
		return !blind.elsewhere(p.Page)
	}
	return !r.elsewhere(p.Page)
}

// warning returns the first reason against a rule that can fire nowhere, as a sentence; "" for any other rule.
func (s *survey) warning() string {
	if !s.nowhere {
		return ""
	}
	first, more := s.Cannot[0], len(s.Cannot)-1+s.CannotMore
	if more == 0 {
		return first.Why
	}
	return fmt.Sprintf("%s: %s; it can fire on none of %s more", first.Title, first.Why, words.Count(more, "page"))
}

// surveyed adds to a rule what was found out of its pages.
func surveyed(ctx context.Context, s *Book, r *rule) (out survey, err error) {
	names, err := s.channelNames(ctx)
	if err == nil {
		out, err = s.survey(ctx, r, names, true)
	}
	r.Warning, r.Firing = out.warning(), out.Firing
	return out, err
}

// channelNames returns the names of the channels that exist.
func (s *Book) channelNames(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	for _, c := range s.o.File.channels {
		names[c.Name] = true
	}
	query := storage.Query{Partition: channelsPartition, Select: []string{"to"}}
	for e, err := range s.rows.Query(ctx, query) {
		if err != nil {
			return nil, err
		}
		names[e.Row] = true
	}
	return names, nil
}

// cannotFireError is the error of a rule that was not saved, because it can fire on none of its pages. It is a
// [fault.Conflict].
type cannotFireError struct{ api.Firing }

func (e *cannotFireError) Error() string {
	lines := []string{"the rule is not saved, because it could not fire"}
	for _, c := range e.Cannot {
		about := ""
		if c.Title != "" {
			about = c.Title + ": "
		}
		lines = append(lines, fmt.Sprintf("%s%s (%s)", about, c.Why, c.Remedy))
	}
	if e.CannotMore > 0 {
		lines = append(lines, fmt.Sprintf("%s more", words.Count(e.CannotMore, "page")))
	}
	return strings.Join(lines, "; ")
}

// Unwrap returns an error of the kind Conflict.
func (e *cannotFireError) Unwrap() error { return fault.New(fault.Conflict, "the rule could not fire") }

// Extend adds to a problem what the error says of pages.
func (e *cannotFireError) Extend(p *api.Problem) { p.Cannot, p.CannotMore = e.Cannot, e.CannotMore }
