package sitepoll

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

// maxAgain limits the number of further steps that one document may need in a poll.
const maxAgain = 12

// maxLookups limits the number of addresses that one step looks up in the registry. It is a variable because tests
// change it.
var maxLookups = 5_000

// candidate is an address that no poll has processed yet.
type candidate struct {
	source.Source
	link discover.Link
	hash uint64
	mod  uint32
}

// links processes the addresses of a changed document, and records the processed ones in the document's next state.
// It reports whether a further step must process the remaining addresses. None must if the day's cap is reached.
func (w *step) links(ctx context.Context, was seen, next *document, got reading) (again bool, err error) {
	st := w.st
	w.done = next.seen
	if w.traps, err = discover.OpenTraps(st.Traps, st.Now.BeganAt); err != nil {
		return false, err
	}
	fresh, moved := w.sift(was, got.Links)
	left, capped, err := w.register(ctx, w.wanted(fresh))
	if err != nil {
		return false, err
	}
	if left > 0 || got.Truncated != "" || len(next.Maps) < len(got.Maps) {
		next.forget()
	}
	if again = left > 0 && !capped; !again {
		st.Now.Found += left
		st.Now.Later += left
	}
	if st.Traps, err = json.Marshal(w.traps); err != nil {
		return false, err
	}
	return again, w.announce(ctx, moved)
}

// sift returns the addresses that no poll has processed. It also returns, as [registry.Change]s, the addresses whose
// lastmod is now a later time. All other addresses stay recorded as they were.
func (w *step) sift(was seen, links []discover.Link) (fresh []candidate, moved []registry.Change) {
	met := map[uint64]bool{}
	for _, link := range links {
		src, err := w.s.o.Rules.ParseURL(link.URL)
		if err != nil {
			continue // polls cannot use this address
		}
		c := candidate{src, link, xxhash.Sum64String(src.Normalized), seconds(link)}
		if met[c.hash] {
			continue
		}
		met[c.hash] = true
		before, known := was[c.hash]
		if !known {
			fresh = append(fresh, c)
			continue
		}
		w.done[c.hash] = max(c.mod, before)
		if before != 0 && c.mod > before && w.site.Judge(src) == "" {
			moved = append(moved, registry.Change{Source: src, From: link.LastMod, To: link.LastMod.Add(link.Span)})
		}
	}
	return fresh, moved
}

// seconds returns a link's lastmod in the form in which it is stored. It returns 0 if the lastmod is missing, or
// outside the range that a web page can have.
func seconds(link discover.Link) uint32 {
	if n := link.LastMod.Unix(); !link.LastMod.IsZero() && n > 0 && n < 1<<32 {
		return uint32(n)
	}
	return 0
}

// wanted drops the addresses that the site file excludes. It sorts the others by lastmod, latest first, so that a cap
// drops the oldest.
func (w *step) wanted(fresh []candidate) (out []candidate) {
	slices.SortStableFunc(fresh, func(a, b candidate) int { return b.link.LastMod.Compare(a.link.LastMod) })
	for _, c := range fresh {
		why := w.site.Judge(c.Source)
		if why == "" {
			out = append(out, c)
			continue
		}
		w.done[c.hash] = c.mod
		w.st.Now.Found++
		w.st.Now.Excluded++
		w.st.Now.leftOut(why, c.Normalized)
	}
	return out
}

// register registers new addresses until a bound is reached. It returns the number of addresses that are left, and
// whether the bound is the day's cap.
func (w *step) register(ctx context.Context, list []candidate) (left int, capped bool, err error) {
	today := w.st.Day.on(w.now)
	for looked := 0; len(list) > 0 && looked < maxLookups && today.New < w.s.o.PerDay; {
		n := min(len(list), policy.JobItems, w.s.o.PerDay-today.New, maxLookups-looked)
		added, err := w.registerChunk(ctx, list[:n])
		if err != nil {
			return 0, false, err
		}
		list, looked, today.New = list[n:], looked+n, today.New+added
	}
	w.st.Day = today
	return len(list), today.New >= w.s.o.PerDay, nil
}

// registerChunk registers up to 32 addresses, except those in endless spaces. Items that were registered by an
// interrupted attempt of this step count as new.
func (w *step) registerChunk(ctx context.Context, chunk []candidate) (added int, err error) {
	var sources []source.Source
	forms := source.Forms{}
	for _, c := range chunk {
		w.done[c.hash] = c.mod
		w.st.Now.Found++
		if why := w.traps.Judge(c.Normalized); why != "" {
			w.st.Now.Trapped++
			w.st.Now.leftOut(why, c.Normalized)
			continue
		}
		sources = append(sources, c.Source)
		forms.Note(c.Source, c.link.URL, w.s.o.Rules)
	}
	_, added, err = w.registerSources(ctx, sources, forms)
	return added, err
}

// registerSources registers sources, and counts them as new, known or refused. It returns which of them are items now,
// and the number of new ones.
func (w *step) registerSources(ctx context.Context, sources []source.Source, forms source.Forms) (taken []bool,
	added int, err error) {
	// Items store the job, so that a repeated step recognizes the items that it has registered itself.
	job, poll := jobOf(w.st.Slug, w.st.Step), w.st.Now
	o := registry.RegisterOptions{NewOnly: true, Method: method, Run: poll.ID,
		Forms: forms, Job: func(source.Source) string { return job }}
	taken = make([]bool, len(sources))
	for i, got := range w.s.reg.Items.Register(ctx, sources, o) {
		switch kind := fault.KindOf(got.Err); {
		case kind == fault.Invalid || kind == fault.Blocked || kind == fault.TooLarge:
			poll.Refused++
			if !registry.IsItemLimit(got.Err) { // a host with too many items is not a failure
				w.failed(sources[i].Display, got.Err.Error())
			}
			continue
		case got.Err != nil:
			return taken, added, got.Err
		case got.Item.DiscoveryRun == poll.ID && got.Item.DiscoveryJob == job:
			poll.New++
			added++
		default:
			poll.Known++
		}
		taken[i] = true
	}
	return taken, added, nil
}

// announce reports to the registry the pages that have changed according to their site. The registry decides whether
// to trust the site; see [registry.Changes.Announce]. If it does not trust the site, it compares only a sample of the
// reports with the next checks. So the order of the pages differs for each poll.
func (w *step) announce(ctx context.Context, moved []registry.Change) error {
	poll := w.st.Now
	poll.Moved += len(moved)
	today := w.st.Day.on(w.now)
	order := func(c registry.Change) uint64 { return xxhash.Sum64String(poll.ID + c.Normalized) }
	slices.SortFunc(moved, func(a, b registry.Change) int {
		if order(a) < order(b) {
			return -1
		}
		return 1
	})
	moved = moved[:max(0, min(len(moved), w.s.o.PerDay-today.Expedited))]
	if len(moved) == 0 {
		return nil
	}
	noted, expedited, err := w.s.reg.Changes.Announce(ctx, moved)
	poll.Noted += noted
	poll.Hastened += expedited
	today.Expedited += expedited
	w.st.Day = today
	return err
}
