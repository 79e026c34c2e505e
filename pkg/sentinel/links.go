package sentinel

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/discover"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/source"
)

// maxAgain is how many more steps one document may take in a look.
const maxAgain = 12

// maxLookups is how many addresses one step looks up in the registry. A variable for tests.
var maxLookups = 5_000

// candidate is an address that no look has dealt with.
type candidate struct {
	source.Source
	link discover.Link
	hash uint64
	mod  uint32
}

// dealing is the work on the addresses of one document that has changed.
type dealing struct {
	*Service
	site  *site.Site
	st    *state
	done  seen // of the document, as the next look is to know it
	traps *discover.Traps
	job   string // by which items tell this step from others
}

// links deals with the addresses of a document that has changed, and notes in next which were.
// again reports that more are left than one step takes, though the day's cap is not reached.
func (s *Service) links(ctx context.Context, found *site.Site, st *state, held document, next *document, got reading) (again bool, err error) {
	d := &dealing{Service: s, site: found, st: st, done: next.seen, traps: discover.NewTraps(st.Now.BeganAt)}
	d.job = fmt.Sprintf("sentinel:%s:%d", st.slug, st.step)
	if len(st.Traps) > 0 {
		if err := json.Unmarshal(st.Traps, d.traps); err != nil {
			return false, err
		}
	}
	fresh, moved := d.sift(held.seen, got.Links)
	left, capped, err := d.register(ctx, d.wanted(fresh))
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
	if st.Traps, err = json.Marshal(d.traps); err != nil {
		return false, err
	}
	return again, d.announce(ctx, moved)
}

// sift tells the addresses that no look has dealt with from those whose lastmod has moved to a later
// time, which are [registry.Claim]s of the site. What is neither stays noted as it was.
func (d *dealing) sift(was seen, links []discover.Link) (fresh []candidate, moved []registry.Claim) {
	met := map[uint64]bool{}
	for _, link := range links {
		src, err := d.o.Rules.ParseURL(link.URL)
		if err != nil {
			continue // of no use, whatever the look
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
		d.done[c.hash] = max(c.mod, before)
		if before != 0 && c.mod > before && d.site.Judge(src) == "" {
			moved = append(moved, registry.Claim{Source: src, From: link.LastMod, To: link.LastMod.Add(link.Span)})
		}
	}
	return fresh, moved
}

// seconds is a lastmod as it is remembered; 0 for none, or none that a page of the web can have.
func seconds(link discover.Link) uint32 {
	if n := link.LastMod.Unix(); !link.LastMod.IsZero() && n > 0 && n < 1<<32 {
		return uint32(n)
	}
	return 0
}

// wanted leaves out what the site file does not want, and puts what changed last first, so that a cap
// leaves the oldest.
func (d *dealing) wanted(fresh []candidate) (out []candidate) {
	slices.SortStableFunc(fresh, func(a, b candidate) int { return b.link.LastMod.Compare(a.link.LastMod) })
	for _, c := range fresh {
		if d.site.Judge(c.Source) == "" {
			out = append(out, c)
			continue
		}
		d.done[c.hash] = c.mod
		d.st.Now.Found++
		d.st.Now.Excluded++
	}
	return out
}

// register has what is new crawled, until a bound is reached; left is what is beyond it, capped that it
// is the day's.
func (d *dealing) register(ctx context.Context, list []candidate) (left int, capped bool, err error) {
	today := d.st.Day.on(d.now())
	for looked := 0; len(list) > 0 && looked < maxLookups && today.New < d.o.PerDay; {
		n := min(len(list), registry.JobItems, d.o.PerDay-today.New, maxLookups-looked)
		added, err := d.registerChunk(ctx, list[:n])
		if err != nil {
			return 0, false, err
		}
		list, looked, today.New = list[n:], looked+n, today.New+added
	}
	d.st.Day = today
	return len(list), today.New >= d.o.PerDay, nil
}

// registerChunk registers what is a page of up to 32 addresses. What this step registered before it
// was cut off is new, too.
func (d *dealing) registerChunk(ctx context.Context, chunk []candidate) (added int, err error) {
	var sources []source.Source
	for _, c := range chunk {
		d.done[c.hash] = c.mod
		d.st.Now.Found++
		if d.traps.Judge(c.Normalized) != "" {
			d.st.Now.Trapped++
			continue
		}
		sources = append(sources, c.Source)
	}
	look := d.st.Now
	o := registry.RegisterOptions{NewOnly: true, Method: Method, Run: look.ID, Job: func(source.Source) string { return d.job }}
	for i, got := range d.reg.Register(ctx, sources, o) {
		switch kind := fault.KindOf(got.Err); {
		case kind == fault.Invalid || kind == fault.Blocked || kind == fault.TooLarge:
			look.Refused++
			if !registry.IsItemLimit(got.Err) { // a state, not a failure
				look.failed(d.now(), sources[i].Display, got.Err.Error())
			}
		case got.Err != nil:
			return added, got.Err
		case got.Item.DiscoveryRun == look.ID && got.Item.DiscoveryJob == d.job:
			look.New++
			added++
		default:
			look.Known++
		}
	}
	return added, nil
}
