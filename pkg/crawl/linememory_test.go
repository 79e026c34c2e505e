package crawl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// smallOnly describes the changes of the feed that say why they are small.
func (r *rig) smallOnly(after *feed.Position) (out string) {
	for _, c := range r.feedOf(after) {
		if c.Small != nil {
			out += fmt.Sprintf("%s %s %s;", c.Kind, c.Small.Why, c.Small.What)
		}
	}
	return out
}

// remembered describes what is remembered of a page, without the times of its moves.
func (r *rig) remembered(path string) string {
	r.t.Helper()
	m, err := r.reg.Fields().Memory(r.t.Context(), r.source(path).ID())
	must(r.t, err)
	var out strings.Builder
	for _, s := range m.Slots {
		fmt.Fprintf(&out, "%s %q, was %q, %d texts, at the checks", s.ID, s.Line, s.Was, len(s.Texts))
		for _, v := range s.Moves {
			fmt.Fprintf(&out, " %d", v.Check)
		}
		out.WriteString(";")
	}
	return out.String()
}

// fieldRows counts the rows of a page in the table that has the memory of its lines.
func (r *rig) fieldRows(path string) (n int) {
	r.t.Helper()
	of := storage.Query{Partition: string(r.source(path).ID())}
	for _, err := range r.store.Table(registry.FieldTable).Query(r.t.Context(), of) {
		must(r.t, err)
		n++
	}
	return n
}

// TestQ8RemovalForgets checks that a page which is removed leaves nothing of what was remembered of its lines (Q8).
func TestQ8RemovalForgets(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", berths(1, "20", "17"))
		r.first("/p")
		r.site.put("/p", berths(2, "20", "17"))
		r.next("/p")
		if n := r.fieldRows("/p"); n != 1 {
			t.Fatalf("%d rows", n)
		}
		r.remove("/p")
		r.mustWork()
		if n := r.fieldRows("/p"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// hourly registers a page whose number moves at each of some checks, an hour apart.
func (r *rig) hourly(path string, n int) {
	r.t.Helper()
	for i := range n {
		r.site.put(path, berths(i, "20", "17"))
		r.first(path)
		r.clock.pass(time.Hour)
	}
}

// withoutMemory makes a page one that was checked before lines were remembered.
func (r *rig) withoutMemory(path string) {
	r.t.Helper()
	it := r.item(path)
	must(r.t, r.reg.Fields().Purge(r.t.Context(), it.ID))
	_, err := r.store.Table(registry.DefaultTable).Transact(r.t.Context(), storage.Op{Kind: storage.Merge,
		Entity: storage.Entity{Key: storage.Key{Partition: it.Partition(), Row: it.Hash()}, ETag: storage.AnyETag,
			Props: storage.Properties{"moving": "{}", "saw": "{}"}}})
	must(r.t, err)
}

// TestQ10LearnsFromKeptCaptures checks that a page which was checked before lines were remembered learns from its kept
// captures, without a request for them: the next move of its number is small, and a fact that has not moved is told
// (Q10).
func TestQ10LearnsFromKeptCaptures(t *testing.T) {
	r := newRig(t)
	r.hourly("/p", 6)
	r.withoutMemory("/p")
	var at feed.Position
	r.feedOf(&at)
	r.site.asked()
	r.site.put("/p", berths(9, "20", "17"))
	it := r.first("/p")
	if asked := r.site.asked(); len(asked) != 1 {
		t.Errorf("asked %q", asked)
	}
	if small := r.smallOnly(&at); small != "content moves a number;" || it.Moving.Silent != 1 {
		t.Errorf("the next move is %q, and %d parts are silent", small, it.Moving.Silent)
	}
	r.clock.pass(time.Hour)
	r.site.put("/p", berths(10, "25", "17"))
	r.first("/p")
	if small := r.smallOnly(&at); small != "" {
		t.Errorf("a fee that moves for the first time is %q", small)
	}
}

// TestQ5TrialsTeachNothing checks that each edit of a page is told, if a person asks for a check after it, and later by
// itself; and that the item says of no part that it moves (Q5, Q9).
func TestQ5TrialsTeachNothing(t *testing.T) {
	r := newRig(t)
	hours := func(n int) page {
		return page{body: fmt.Sprintf(`<html lang=en><title>Town museum</title><main><h1>Town museum</h1><p>%s</p>
<p>Tuesday to Sunday: %d:00 to 18:00</p><p>Adults %d EUR</p></main>`, brass, 9+n%4, 5+n%3)}
	}
	var at feed.Position
	r.site.put("/p", hours(0))
	r.first("/p")
	r.feedOf(&at)
	said := func(when string, n int, it registry.Item) {
		t.Helper()
		if have := r.feedOf(&at); len(have) != 1 || have[0].Small != nil ||
			when == "asked" && strings.Contains(have[0].Why, "ignore it?") {
			t.Errorf("%s, edit %d: %+v", when, n, have)
		}
		if it.Moving.Silent > 0 || when == "asked" && it.Moving.Line != "" {
			t.Errorf("%s, edit %d: %+v", when, n, it.Moving)
		}
	}
	for n := 1; n <= 7; n++ {
		r.site.put("/p", hours(n))
		r.clock.pass(time.Minute)
		said("asked", n, r.first("/p"))
	}
	for n := 8; n <= 9; n++ {
		r.site.put("/p", hours(n))
		said("planned", n, r.next("/p"))
	}
}
