package answer

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"golang.org/x/sync/errgroup"
)

// Bounds of the checks that a search waits for.
const (
	maxRechecked = 5
	recheckTime  = 10 * time.Second
	recheckPause = 100 * time.Millisecond
)

// lookups is the number of results that are looked up at the same time.
const lookups = 8

// Freshness states how recently pages must have been checked to be in an answer.
type Freshness struct {
	Since   time.Time // pages must have been checked since then; if zero, pages of any age are accepted
	Recheck bool      // the first stale pages are checked now
}

func (f Freshness) stale(s Sighting) bool { return s.CheckedAt().Before(f.Since) }

// Sighting is what the registry knows about a result: the item or, for an entry, the time when it was written.
type Sighting struct {
	Item    registry.Item
	Written time.Time // when the entry was written; zero for an item
}

// CheckedAt returns the time at which a check last confirmed the indexed content of a page, or an entry was written.
func (s Sighting) CheckedAt() time.Time {
	if !s.Written.IsZero() {
		return s.Written
	}
	return s.Item.LastVerified
}

// Found is a set of results with the sightings of their pages.
type Found struct {
	Results []search.Results // one for each query
	Seen    map[string]Sighting
	Stale   int // number of pages that were omitted because they are stale
}

// Fresh answers queries and reads the sightings of the results. Stale pages are omitted. If f.Recheck is set, the
// first stale pages are checked instead, and the queries run again. A page whose check does not finish in time stays
// in the answer, with the time of its last check.
func (a *Answers) Fresh(ctx context.Context, f Freshness, queries []search.Query) (out Found, err error) {
	if out, err = a.seen(ctx, queries); err != nil {
		return out, err
	}
	if !f.Recheck {
		out.omit(f)
		return out, nil
	}
	checked, err := a.recheck(ctx, f, out)
	if err != nil || !checked {
		return out, err
	}
	return a.seen(ctx, queries)
}

// seen answers queries and reads the sightings of the results.
func (a *Answers) seen(ctx context.Context, queries []search.Query) (out Found, err error) {
	began := time.Now()
	if out.Results, err = a.Search(ctx, queries); err != nil {
		return out, err
	}
	if out.Seen, err = a.sightings(ctx, out.all()); err != nil {
		return out, err
	}
	for _, s := range out.Seen {
		if s.Item.LastIndexed.After(began) { // the result may have older content than the capture that it cites
			out.Results, err = a.Search(ctx, queries)
			break
		}
	}
	return out, err
}

// all returns the results of all queries.
func (out *Found) all() (all []search.Result) {
	for _, r := range out.Results {
		all = append(all, r.Results...)
	}
	return all
}

// sightings reads the sightings of results. A result whose item or entry no longer exists is omitted.
func (a *Answers) sightings(ctx context.Context, results []search.Result) (map[string]Sighting, error) {
	var mu sync.Mutex
	found := make(map[string]Sighting, len(results))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(lookups)
	for _, r := range results {
		g.Go(func() error {
			s, err := a.sighting(ctx, r)
			if fault.Is(err, fault.NotFound) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			found[r.ID] = s
			return err
		})
	}
	return found, g.Wait()
}

func (a *Answers) sighting(ctx context.Context, r search.Result) (s Sighting, err error) {
	if r.Type == api.TypeEntry {
		s.Written, err = a.Entries.Written(ctx, r.ID)
	} else {
		s.Item, err = a.Items.Find(ctx, source.ID(r.ID))
	}
	return s, err
}

// recheck requests checks of the first stale pages and waits for these checks for a limited time. It reports whether
// any page was checked. If so, the queries may now have other results.
func (a *Answers) recheck(ctx context.Context, f Freshness, found Found) (checked bool, err error) {
	waiting := a.request(ctx, f, found)
	for end := time.Now().Add(recheckTime); len(waiting) > 0 && time.Now().Before(end); {
		if err := defaults.Pause(ctx, recheckPause); err != nil {
			return checked, err
		}
		var still []registry.Item
		for _, before := range waiting {
			now, err := a.Items.Find(ctx, before.ID)
			// A page that has a newer capture, but is not yet indexed again, does not count as checked. Otherwise the
			// answer would contain the older content and cite the newer capture.
			if err == nil && (now.LastChecked.Equal(before.LastChecked) || now.IndexPending) {
				still = append(still, before)
			}
		}
		checked, waiting = checked || len(still) < len(waiting), still
	}
	return checked, nil
}

// request requests checks of the first stale pages, and returns the items that will be checked.
func (a *Answers) request(ctx context.Context, f Freshness, found Found) (waiting []registry.Item) {
	var sources []source.Source
	for _, r := range found.all() {
		s, known := found.Seen[r.ID]
		if known && s.Written.IsZero() && f.stale(s) && len(waiting) < maxRechecked {
			waiting, sources = append(waiting, s.Item), append(sources, s.Item.Source())
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	asked := a.Items.Register(ctx, sources, registry.RegisterOptions{Method: "SEARCH"})
	for i, r := range slices.Backward(asked) {
		if r.Err != nil { // the answer can still use the other pages
			a.Log.WarnContext(ctx, "a check before an answer not asked for", "kind", fault.KindOf(r.Err), "err", r.Err)
			waiting = slices.Delete(waiting, i, i+1)
		}
	}
	return waiting
}

// omit removes stale results.
func (out *Found) omit(f Freshness) {
	if f.Since.IsZero() {
		return
	}
	stale := map[string]bool{}
	for i := range out.Results {
		var kept []search.Result
		for _, r := range out.Results[i].Results {
			if s, known := out.Seen[r.ID]; !known || f.stale(s) {
				stale[r.ID] = true
				continue
			}
			kept = append(kept, r)
		}
		out.Results[i].Results = kept
	}
	out.Stale = len(stale)
}
