package answer

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pause"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Bounds of checks that a search waits for.
const (
	maxRechecked = 5
	recheckTime  = 10 * time.Second
	recheckPause = 100 * time.Millisecond
)

// lookups is how many results are looked up at once.
const lookups = 8

// Freshness says how lately pages must have been checked to be in an answer.
type Freshness struct {
	Since   time.Time // zero for any
	Recheck bool      // the first of those that were not are checked now
}

func (f Freshness) stale(s Sighting) bool { return s.CheckedAt().Before(f.Since) }

// Sighting is what is known of a result beside what the index holds: an item, or when an entry was written.
type Sighting struct {
	Item    registry.Item
	Written time.Time // of an entry
}

// CheckedAt is when a page was last found to be as the index has it. For an entry that is when it was written.
func (s Sighting) CheckedAt() time.Time {
	if !s.Written.IsZero() {
		return s.Written
	}
	return s.Item.LastVerified
}

// Found is what was found, and what is known of it.
type Found struct {
	Results []search.Results // one for each query
	Seen    map[string]Sighting
	Stale   int // pages that were left out
}

// Fresh answers queries and reads what is known of the pages. It leaves out what is stale, or has it checked first and
// searches again. What could not be checked in time stays, with the time of its last check.
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

// seen answers queries and reads what is known of the results.
func (a *Answers) seen(ctx context.Context, queries []search.Query) (out Found, err error) {
	began := time.Now()
	if out.Results, err = a.Search(ctx, queries); err != nil {
		return out, err
	}
	if out.Seen, err = a.sightings(ctx, out.all()); err != nil {
		return out, err
	}
	for _, s := range out.Seen {
		if s.Item.LastIndexed.After(began) { // what was found may be of before, and would be cited as of now
			out.Results, err = a.Search(ctx, queries)
			break
		}
	}
	return out, err
}

// all are the results of all queries.
func (out *Found) all() (all []search.Result) {
	for _, r := range out.Results {
		all = append(all, r.Results...)
	}
	return all
}

// sightings reads what is known of results. A result that is not there any more is left out.
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

// recheck has the first pages that are stale checked, and waits for that a while. It reports whether any was checked:
// what was found may be another now.
func (a *Answers) recheck(ctx context.Context, f Freshness, found Found) (checked bool, err error) {
	waiting := a.request(ctx, f, found)
	for end := time.Now().Add(recheckTime); len(waiting) > 0 && time.Now().Before(end); {
		if err := pause.For(ctx, recheckPause); err != nil {
			return checked, err
		}
		var still []registry.Item
		for _, before := range waiting {
			now, err := a.Items.Find(ctx, before.ID)
			// What was captured and is not in the index yet would be cited for what the index has.
			if err == nil && (now.LastChecked.Equal(before.LastChecked) || now.IndexPending) {
				still = append(still, before)
			}
		}
		checked, waiting = checked || len(still) < len(waiting), still
	}
	return checked, nil
}

// request asks for checks of the first pages that are stale, and gives those that will be checked.
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
		if r.Err != nil { // the others are worth an answer
			a.Log.WarnContext(ctx, "a check before an answer not asked for", "kind", fault.KindOf(r.Err), "err", r.Err)
			waiting = slices.Delete(waiting, i, i+1)
		}
	}
	return waiting
}

// omit leaves out what is stale.
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
