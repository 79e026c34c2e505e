package handlers

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pause"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Bounds of checks that a search waits for.
const (
	maxRechecked = 5
	recheckTime  = 10 * time.Second
	recheckPause = 100 * time.Millisecond
)

// freshness is how lately pages have to be found to be so, to be in an answer.
type freshness struct {
	since   time.Time // zero for any
	recheck bool      // the first of those that were not are checked now
}

// freshnessOf reads what a request says. A check asks a site, so it takes a key that may ask for one.
func freshnessOf(ctx context.Context, maxAge, stale string) (f freshness, err error) {
	switch stale {
	case "", api.StaleOmit:
	case api.StaleRecheck:
		f.recheck = true
	default:
		return f, fault.Field("stale", "stale must be omit or recheck, not %.40q", stale)
	}
	if maxAge == "" {
		if f.recheck {
			return f, fault.Field("maxAge", "maxAge is missing: stale says what becomes of pages that are older")
		}
		return f, nil
	}
	age, err := options.Length("maxAge", maxAge)
	if err == nil && f.recheck {
		err = wire.MayCall(ctx, api.ReindexItem.Endpoint)
	}
	f.since = time.Now().Add(-age)
	return f, err
}

// sighting is what is known of what was found, beside what the index holds: an item, or when an entry was written.
type sighting struct {
	item    registry.Item
	written time.Time
}

// checkedAt is when a page was last found to be so. An entry was when it was written.
func (s sighting) checkedAt() time.Time {
	if !s.written.IsZero() {
		return s.written
	}
	return s.item.LastVerified
}

// sightings reads what is known of results. One that is not there any more is left out.
func sightings(ctx context.Context, v *call, results []search.Result) (map[string]sighting, error) {
	var mu sync.Mutex
	found := make(map[string]sighting, len(results))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(lookups)
	for _, r := range results {
		g.Go(func() error {
			s, err := sight(ctx, v, r)
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

func sight(ctx context.Context, v *call, r search.Result) (s sighting, err error) {
	if r.Type != api.TypeEntry {
		s.item, err = v.Registry.Items.Find(ctx, source.ID(r.ID))
		return s, err
	}
	f, err := v.Entries.In(entries.Production).Get(ctx, r.ID)
	if err == nil {
		s.written = storage.ParseTime(f.Text("updated_at"))
	}
	return s, err
}

// stale reports whether a page is to be left out.
func (f freshness) stale(s sighting) bool { return s.checkedAt().Before(f.since) }

// ask has the first pages that are stale checked, and waits for that a while. It reports whether any was checked: what
// was found may be another now.
func (f freshness) ask(ctx context.Context, v *call, results []search.Result, seen map[string]sighting) (bool, error) {
	var waiting []registry.Item
	var sources []source.Source
	for _, r := range results {
		s, known := seen[r.ID]
		if known && s.written.IsZero() && f.stale(s) && len(waiting) < maxRechecked {
			waiting, sources = append(waiting, s.item), append(sources, s.item.Source())
		}
	}
	if len(waiting) == 0 {
		return false, nil
	}
	asked := v.Registry.Items.Register(ctx, sources, registry.RegisterOptions{Method: "SEARCH"})
	for i, r := range slices.Backward(asked) {
		if r.Err != nil { // the others are worth an answer
			v.log.WarnContext(ctx, "a check before an answer not asked for", "kind", fault.KindOf(r.Err), "err", r.Err)
			waiting = slices.Delete(waiting, i, i+1)
		}
	}
	checked := false
	for end := time.Now().Add(recheckTime); len(waiting) > 0 && time.Now().Before(end); {
		if err := pause.For(ctx, recheckPause); err != nil {
			return checked, err
		}
		var still []registry.Item
		for _, before := range waiting {
			now, err := v.Registry.Items.Find(ctx, before.ID)
			// What was captured and is not in the index yet would be cited for what the index has.
			if err == nil && (now.LastChecked.Equal(before.LastChecked) || now.IndexPending) {
				still = append(still, before)
			}
		}
		checked, waiting = checked || len(still) < len(waiting), still
	}
	return checked, nil
}

// outlook is what was found, and what is known of it.
type outlook struct {
	found []search.Results // one for each query
	seen  map[string]sighting
	stale int // pages that were left out
}

// look searches, and reads what is known of the pages. It leaves out what is stale, or has it checked first and
// searches again; what could not be checked then stays, with the time of its last check.
func (f freshness) look(ctx context.Context, v *call, queries []search.Query) (l outlook, err error) {
	all, err := l.search(ctx, v, queries)
	if err != nil {
		return l, err
	}
	if !f.recheck {
		l.omit(f)
		return l, nil
	}
	again, err := f.ask(ctx, v, all, l.seen)
	if err == nil && again {
		_, err = l.search(ctx, v, queries)
	}
	return l, err
}

func (l *outlook) search(ctx context.Context, v *call, queries []search.Query) (all []search.Result, err error) {
	began := time.Now()
	if l.found, err = searchAll(ctx, v, queries); err != nil {
		return nil, err
	}
	for _, r := range l.found {
		all = append(all, r.Results...)
	}
	if l.seen, err = sightings(ctx, v, all); err != nil {
		return all, err
	}
	for _, s := range l.seen {
		if s.item.LastIndexed.After(began) { // what was found may be of before, and would be cited as of now
			l.found, err = searchAll(ctx, v, queries)
			break
		}
	}
	return all, err
}

// omit leaves out what is stale.
func (l *outlook) omit(f freshness) {
	if f.since.IsZero() {
		return
	}
	out := map[string]bool{}
	for i := range l.found {
		var kept []search.Result
		for _, r := range l.found[i].Results {
			if s, known := l.seen[r.ID]; !known || f.stale(s) {
				out[r.ID] = true
				continue
			}
			kept = append(kept, r)
		}
		l.found[i].Results = kept
	}
	l.stale = len(out)
}

func searchAll(ctx context.Context, v *call, queries []search.Query) ([]search.Results, error) {
	found := make([]search.Results, len(queries))
	g, ctx := errgroup.WithContext(ctx)
	for i, q := range queries {
		g.Go(func() (err error) {
			found[i], err = v.Index.Search(ctx, q)
			return err
		})
	}
	return found, g.Wait()
}
