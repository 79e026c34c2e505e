package notify

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A rule may say how often its pages are checked. What the rules want of a page is written on its item when a rule, a
// mute or the item's tags change, so that no check reads rules. For a rule for one page that is done at once, and for
// any other by a run. If the process dies before it has begun the run, or the rules of a file have changed, the
// follower begins it: its state has the demands of those rules for which a run was begun.

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
	for _, m := range s.covering(item, rule, now) {
		switch {
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

// demandsFor selects the items that a rule may be for.
func (r *rule) demandsFor() registry.Filter {
	return filterOf(r.Filter)
}
