package walk

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Links lead to one page by several addresses: one that redirects to the other, one that names the other as the
// canonical one, or the index page of a folder. Each check decides whether another item is the page (package
// placement). But when a page is checked before the other item is, both stay items of their own until the next check.
// So at its end, a walk asks for a check of each page whose other item was fetched meanwhile.

const (
	// maxUndecidedRows limits the rows that a step examines for such pages, and maxForced the checks that it asks for.
	maxUndecidedRows = 256
	maxForced        = 64
)

// decider decides about such pages.
type decider struct{ *walking }

// readState returns the state of a page whose links were read.
func (v *walking) readState(it *registry.Item) linkState {
	if own := it.DiscoveryRun == v.Poll; verdict.Undecided(it, v.Rules) && (own || !v.NewOnly) {
		return linkUndecided
	}
	return linkRead
}

// all has pages checked again once all pages are read, and waits until they are.
func (v decider) all(ctx context.Context) error {
	if v.Dry || v.walk.Undecided == 0 || !v.isRead() {
		return nil
	}
	from, n, open := v.walk.Decided, v.walk.Decided, v.walk.Rows
	for forced, changed := 0, 0; n < v.walk.Rows && n < from+maxUndecidedRows; n++ {
		if forced >= maxForced || changed >= maxStepRows {
			break
		}
		left, more, err := v.row(ctx, n)
		if err != nil {
			return err
		}
		if forced += more; v.rows[n].changed {
			changed++
		}
		if left > 0 {
			open = min(open, n)
		}
	}
	if v.walk.Decided = min(n, open); v.walk.Decided > from {
		v.acted = true
	}
	if v.walk.Decided >= v.walk.Rows {
		v.walk.Undecided = 0
	}
	return nil
}

// row goes on with the pages of a row of which another item may be the page. It returns the number of those that
// are left, and of checks that it asked for.
func (v decider) row(ctx context.Context, n int) (left, forced int, err error) {
	some, err := v.inState(ctx, n, linkUndecided, linkAgain)
	if err != nil {
		return 0, 0, err
	}
	items, err := v.itemsOf(ctx, some)
	if err != nil {
		return 0, 0, err
	}
	for i, p := range some {
		page := v.rows[n].Pages[p.i]
		was := page.State
		if page.State, err = v.one(ctx, was, items[i]); err != nil {
			return 0, 0, err
		}
		switch {
		case page.State == linkRead:
			v.walk.Undecided--
		case page.State == linkAgain && was == linkUndecided:
			forced++
			left++
		default:
			left++
		}
		if page.State != was {
			v.rows[n].changed, v.acted = true, true
		}
	}
	return left, forced, nil
}

// one returns the next state of a page of which another item may be the page. It asks for at most one check of
// the page.
func (v decider) one(ctx context.Context, state linkState, it *registry.Item) (linkState, error) {
	switch {
	case it == nil:
		return linkRead, nil
	case state == linkAgain && it.ReindexRequested:
		return linkAgain, nil
	case state == linkAgain || !verdict.Undecided(it, v.Rules):
		return linkRead, nil
	}
	others, err := v.others(ctx, it)
	if err != nil {
		return state, err
	}
	next := linkRead
	for _, other := range others {
		switch {
		case other.Status == registry.Pending:
			return linkUndecided, nil
		case other.Status == registry.Indexed || other.AliasOf != "":
			next = linkAgain
		}
	}
	if next == linkAgain {
		err = v.Items.ForceCheck(ctx, *it)
	}
	return next, err
}

// others returns the items that may be the page of an item.
func (v decider) others(ctx context.Context, it *registry.Item) (out []*registry.Item, err error) {
	named, _ := verdict.CandidatesOf(it, v.Rules)
	led := verdict.LedTo(it, v.Rules)
	var sources []source.Source
	for _, c := range append(named, led...) {
		sources = append(sources, c.Source)
	}
	items, err := v.Items.LookupAll(ctx, sources)
	for i, other := range items {
		if other != nil && (i < len(named) || other.Status == registry.Pending || other.ContentHash == it.ContentHash) {
			out = append(out, other)
		}
	}
	return out, err
}
