package crawl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// rooted is the identity that a page had under url_v1 when its host ended with the dot of the DNS root.
func rooted(s source.Source) source.Source {
	host := strings.Replace(s.Host, "localhost", "localhost.", 1)
	s.Normalized = strings.Replace(s.Normalized, s.Host, host, 1)
	s.Display, s.Host = s.Normalized, host
	return s
}

// local is a page of the site under the host name localhost.
func (r *rig) local(path string) source.Source {
	r.t.Helper()
	return r.source(strings.Replace(r.site.URL, "127.0.0.1", "localhost", 1) + path)
}

func (r *rig) registerSources(force bool, sources ...source.Source) {
	r.t.Helper()
	for _, got := range r.reg.Items.Register(r.t.Context(), sources, registry.RegisterOptions{Force: force}) {
		must(r.t, got.Err)
	}
}

// moveAll moves all items to their identities under the present rules. It is complete when err is nil.
func (r *rig) moveAll(reg *registry.Registry) (moved int, err error) {
	for step := (registry.Moved{}); !step.Done; {
		if step, err = reg.Moves.Step(r.t.Context(), r.o.Rules, step.Next, false); err != nil {
			return moved, err
		}
		moved += step.Moved
	}
	return moved, nil
}

// past returns the captures of an item and of the items that have moved to it, by item.
func (r *rig) past(s source.Source) map[source.ID]int {
	r.t.Helper()
	it, err := r.reg.Items.Find(r.t.Context(), s.ID())
	must(r.t, err)
	formers, err := r.reg.Moves.Formers(r.t.Context(), &it)
	must(r.t, err)
	out := map[source.ID]int{}
	for _, id := range append(formers, it.ID) {
		captures, err := r.snaps.List(r.t.Context(), id)
		must(r.t, err)
		out[id] = len(captures)
	}
	return out
}

// strays is a rig with items of earlier rules: one that moves with two captures, and one that is joined with an
// existing item.
func strays(t *testing.T, adjust ...func(*knobs)) (r *rig, moves, joins source.Source) {
	r = newRig(t, adjust...)
	r.site.put("/moves", page{body: article("moves")})
	r.site.put("/joins", page{body: article("joins")})
	moves, joins = r.local("/moves"), r.local("/joins")
	r.registerSources(false, rooted(moves), rooted(joins), joins)
	r.mustWork()
	r.site.put("/moves", page{body: article("moves again")})
	r.clock.pass(time.Minute)
	r.registerSources(true, rooted(moves))
	r.mustWork()
	return r, moves, joins
}

func article(what string) string {
	return "<html><head><title>" + what + "</title></head><body><main><p>This page is about " + what +
		", and about the sea.</p></main></body></html>"
}

// after returns the state that must be the same whatever failed on the way, without values that differ between sites.
func (r *rig) after(moves, joins source.Source) string {
	r.t.Helper()
	var out []string
	names := strings.NewReplacer(string(moves.ID()), "moves", string(rooted(moves).ID()), "moves, old",
		string(joins.ID()), "joins", string(rooted(joins).ID()), "joins, old")
	for _, s := range []source.Source{moves, joins} {
		for _, id := range []source.ID{s.ID(), rooted(s).ID()} {
			it, err := r.reg.Items.Find(r.t.Context(), id)
			must(r.t, err)
			out = append(
				out,
				fmt.Sprint(
					id,
					" is ",
					it.ID,
					it.Status,
					it.ContentHash,
					it.IndexedHash == it.ContentHash,
					r.index.holds(it),
				),
			)
		}
		for _, id := range slices.SortedFunc(maps.Keys(r.past(s)), func(a, b source.ID) int {
			return strings.Compare(names.Replace(string(a)), names.Replace(string(b)))
		}) {
			if id != moves.ID() { // an attempt that died may cause one more request
				out = append(out, fmt.Sprint(id, " captures ", r.past(s)[id]))
			}
		}
	}
	var pages []string
	for id := range r.index.pages {
		pages = append(pages, names.Replace(id))
	}
	slices.Sort(pages)
	return names.Replace(strings.Join(append(out, pages...), "\n"))
}

// converge lets time pass until all begun work is done.
func (r *rig) converge() {
	r.t.Helper()
	for range 4 {
		r.clock.pass(11 * time.Minute)
		_, err := r.reg.Jobs.Sweep(r.t.Context())
		must(r.t, err)
		r.mustWork()
	}
}

// TestZ1ItemsMove checks Z1: an item whose identity changes continues under the new one, with its state, captures and
// history. The old id leads to it, and no site is asked. An item whose new identity already exists is joined with
// that item.
func TestZ1ItemsMove(t *testing.T) {
	r, moves, joins := strays(t)
	before, err := r.reg.Items.Find(t.Context(), rooted(moves).ID())
	must(t, err)
	r.site.asked()
	moved, err := r.moveAll(r.reg)
	must(t, err)
	r.clock.pass(time.Minute)
	_, err = r.reg.Jobs.Sweep(t.Context())
	must(t, err)
	r.mustWork()
	if asked := r.site.asked(); moved != 2 || len(asked) != 0 {
		t.Errorf("%d moved, the site was asked %v", moved, asked)
	}
	it, err := r.reg.Items.Find(t.Context(), rooted(moves).ID())
	must(t, err)
	if it.ID != moves.ID() || it.Status != registry.Indexed || it.ContentHash != before.ContentHash ||
		!it.FirstSeen.Equal(before.FirstSeen) ||
		!it.NextCrawlAt.Equal(before.NextCrawlAt) {
		t.Errorf("it goes on as %+v", it)
	}
	if !slices.ContainsFunc(it.History, func(d registry.Decision) bool { return d.What == "changed" }) ||
		last(it) == "" {
		t.Errorf("history %v", it.History)
	}
	if d := cmp.Diff(map[source.ID]int{moves.ID(): 0, rooted(moves).ID(): 2}, r.past(moves)); d != "" {
		t.Errorf("captures of what moved: %s", d)
	}
	if d := cmp.Diff(map[source.ID]int{joins.ID(): 1, rooted(joins).ID(): 1}, r.past(joins)); d != "" {
		t.Errorf("captures of what joined: %s", d)
	}
	if ids := slices.Sorted(maps.Keys(r.index.pages)); !slices.Equal(
		ids,
		slices.Sorted(slices.Values([]string{string(moves.ID()), string(joins.ID())})),
	) {
		t.Errorf("the index holds %v", ids)
	}
	if again, err := r.moveAll(r.reg); err != nil || again != 0 {
		t.Errorf("again: %d moved (%v)", again, err)
	}
}

// TestZ1RemovalTakesFormersAlong checks Z1: removing an item also removes the items that have moved to it, to the
// last capture.
func TestZ1RemovalTakesFormersAlong(t *testing.T) {
	r, moves, joins := strays(t)
	_, err := r.moveAll(r.reg)
	must(t, err)
	r.converge()
	for _, s := range []source.Source{rooted(moves), joins} { // removed by either id
		_, err := r.reg.Items.Remove(t.Context(), s.ID())
		must(t, err)
	}
	r.converge()
	if blobs := r.blobs(); len(blobs) != 0 || r.refs() != 0 || len(r.index.pages) != 0 {
		t.Errorf("left are %v, %d holds and %d pages", blobs, r.refs(), len(r.index.pages))
	}
	for e, err := range r.store.Table(registry.DefaultTable).Query(t.Context(), storage.Query{}) {
		if must(t, err); strings.HasPrefix(e.Row, "former|") {
			t.Errorf("left is %v", e.Key)
		}
	}
}

// TestZ1MovesUnderFaults checks Z1: whichever operation fails while items move, or while workers finish the move,
// before or after it took effect, the next attempt reaches the same end.
func TestZ1MovesUnderFaults(t *testing.T) {
	calm, moves, joins := strays(t)
	_, err := calm.moveAll(calm.reg)
	must(t, err)
	calm.converge()
	want := calm.after(moves, joins)
	for _, after := range []bool{false, true} {
		first, next := soaktest.Share(t, 3)
		for nth := 1 + first; moveUnderFault(t, &saboteur{nth: nth, after: after}, want); nth += next {
		}
	}
}

// moveUnderFault reports whether the fault occurred before all work was done.
func moveUnderFault(t *testing.T, s *saboteur, want string) bool {
	r, moves, joins := strays(t, func(k *knobs) {
		k.store = func(st storage.Store) storage.Store { return storagetest.Hooked(st, s) }
	})
	r.engine.Indexer = shakyIndex{r.index, s}
	s.armed = true
	for tries := 0; ; tries++ {
		_, err := r.moveAll(r.worked)
		if err == nil {
			break
		}
		if tries > 0 {
			t.Fatalf("the second try fails, too: %v", err)
		}
	}
	r.clock.pass(time.Minute)
	_, err := r.reg.Jobs.Sweep(t.Context())
	must(t, err)
	_ = r.work() // its job is delivered again
	s.armed = false
	r.converge()
	if d := cmp.Diff(want, r.after(moves, joins)); d != "" {
		t.Fatalf("operation %d, %s, after %v: %s", s.nth, s.hit, s.after, d)
	}
	return s.hit != ""
}
