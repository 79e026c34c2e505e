package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A rule may say how often its pages are checked. What the rules want of a page is written on its item when a rule, a
// mute or the item's tags change, so that no check reads rules. For a rule for one page that is done at once, and for
// any other by a run. If the process dies before it has begun the run, or the rules of a file have changed, the
// follower begins it: its state has the demands of those rules for which a run was begun.

// everyOf returns how often a rule says that its pages are checked; zero if it does not, or not in this form.
func everyOf(spec api.RuleSpec) time.Duration {
	d, _ := form.Length("every", spec.Every) // the settings are checked one by one
	return d
}

// proposedEvery returns how often pages should be checked for a rule; see [form.ProposedEvery].
func (s *Book) proposedEvery(ctx context.Context, spec api.RuleSpec) string {
	p, err := pageFor(ctx, s, &spec)
	if err != nil {
		p = Page{}
	}
	return form.ProposedEvery(spec, p.Watch)
}

// asksFor reports whether a rule wants checks of a page: it is for the page, switched on, and can fire on some page. A
// page on which it cannot fire today is checked, too: only so is it seen when it can.
func (r *rule) asksFor(page feed.Change) bool {
	return r.every > 0 && !r.Off && r.Problem == "" && r.stuck(nil).can() && !r.elsewhere(page) && r.filter.Concerns(page)
}

// demandFinder finds the demands of rules for items.
type demandFinder struct {
	book   *Book
	shared []rule  // the rules that are not for one page
	pages  bool    // whether there are others
	muted  muteSet // nil to read the mutes when they are needed
}

// of returns the demands of rules for an item.
func (w demandFinder) of(ctx context.Context, it *registry.Item) ([]options.Demand, error) {
	var own []rule
	if isNew := it.LastChecked.IsZero() && it.Found(); w.pages && !isNew {
		var err error
		if own, err = w.book.under(ctx, string(it.ID)); err != nil {
			return nil, err
		}
	}
	now, page, muted := w.book.now(), pageOf(it), w.muted
	var all []options.Demand
	for _, rules := range [][]rule{own, w.shared} {
		for i := range rules {
			r := &rules[i]
			if !r.asksFor(page) {
				continue
			}
			if muted == nil {
				read, err := w.book.Mutes.all(ctx)
				if err != nil {
					return nil, err
				}
				muted = append(muteSet{}, read...)
			}
			if until, ever := muted.until(page.ItemID, r.ID, now); ever {
				all = append(all, options.Demand{Every: r.every, Rule: r.ID, Name: r.Name, After: until})
			}
		}
	}
	return options.Demands(all, now), nil
}

// until returns when the mutes of a rule on an item end; zero if it is not muted. Ever is false if they never end.
func (s muteSet) until(item, rule string, now time.Time) (until time.Time, ever bool) {
	for _, m := range s.Of(item, now) {
		switch {
		case m.Rule != "" && m.Rule != rule:
		case m.Until.IsZero():
			return time.Time{}, false
		case m.Until.After(until):
			until = m.Until
		}
	}
	return until, true
}

// Demands reads the rules, and returns what finds their demands for items.
func (s *Book) Demands(ctx context.Context) (registry.DemandFinder, error) {
	shared, err := s.under(ctx, "")
	if err != nil {
		return nil, err
	}
	_, first, err := s.ofPages(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	muted, err := s.Mutes.all(ctx)
	return demandFinder{s, shared, first != "", append(muteSet{}, muted...)}.of, err
}

// DemandsOf returns the demands of rules for an item that is new or has got other tags. Rules that are not for one page
// may be half a minute old.
func (s *Book) DemandsOf(ctx context.Context, it *registry.Item) ([]options.Demand, error) {
	shared, pages, err := s.Asking.all(ctx)
	if err != nil {
		return nil, err
	}
	return demandFinder{book: s, shared: shared, pages: pages}.of(ctx, it)
}

// DemandsIn returns a function that writes demands on the items of a registry, for [Options]. It leaves out an item
// that does not exist any more.
func DemandsIn(items *registry.Items) func(context.Context, source.ID, registry.DemandFinder) error {
	return func(ctx context.Context, id source.ID, by registry.DemandFinder) error {
		_, err := items.Set(ctx, id, registry.Settings{Demand: by})
		return fault.Except(err, fault.NotFound)
	}
}

// demandOf writes the demands of rules on an item, because a rule for it or a mute has changed.
func (s *Book) demandOf(ctx context.Context, item string) error {
	if s.o.Demand == nil || item == "" {
		return nil
	}
	by, err := s.Demands(ctx)
	if err != nil {
		return err
	}
	return s.o.Demand(ctx, source.ID(item), by)
}

// applyDemands writes the demands of rules again, after a rule was changed, or removed: the next rule is then nil. It
// returns the run that does so.
func (s *Book) applyDemands(ctx context.Context, old, next *rule) (run string, err error) {
	done := map[registry.Filter]bool{}
	for _, r := range []*rule{old, next} {
		switch {
		case r == nil || r.every == 0:
		case r.page != "":
			return "", s.demandOf(ctx, r.page)
		case s.o.DemandAll != nil && !done[r.demandsFor()]:
			done[r.demandsFor()] = true
			if run, err = s.o.DemandAll(ctx, r.demandsFor()); err != nil {
				s.o.Log.WarnContext(ctx, "checks are moved later", "rule", r.ID, "err", err)
				err = nil // the follower begins the run
			}
		}
	}
	return run, err
}

// demandsFor selects the items that a rule may be for.
func (r *rule) demandsFor() registry.Filter {
	return filterOf(r.Filter)
}

// filterOf selects the items that a filter of changes may be for.
func filterOf(f api.RuleFilter) registry.Filter {
	search, _ := parseItems(f.Items) // checked before
	tag, _ := options.TagName(cmp.Or(f.Tag, search.tag))
	return registry.Filter{Host: strings.ToLower(cmp.Or(f.Host, search.host)), Tag: tag}
}

// askedOf is what decides which items a rule wants to be checked, and how often.
type askedOf struct {
	Name   string         `json:"name"`
	Every  string         `json:"every"`
	Filter api.RuleFilter `json:"filter"`
}

// applyDemands begins runs for rules that are not for one page if their demands are not those for which runs were
// begun.
func (p *pass) applyDemands(ctx context.Context) {
	if p.s.o.DemandAll == nil {
		return
	}
	is := map[string]string{}
	for i := range p.rest.rules {
		if r := &p.rest.rules[i]; r.every > 0 {
			text, _ := json.Marshal(askedOf{r.Name, r.Every, r.Filter}) // texts always encode
			is[r.ID] = string(text)
		}
	}
	for _, of := range [][2]map[string]string{{p.rest.Demands, is}, {is, p.rest.Demands}} {
		for id, text := range of[0] {
			var asked askedOf
			if of[1][id] == text || json.Unmarshal([]byte(text), &asked) != nil {
				continue
			}
			if _, err := p.s.o.DemandAll(ctx, filterOf(asked.Filter)); err != nil {
				p.s.o.Log.WarnContext(ctx, "checks are moved later", "rule", id, "err", err)
				return // the next step tries it again
			}
			p.changed = true
		}
	}
	p.rest.Demands = is
}
