package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestK5SumsConverge checks that missing copies are repaired by the job's message, which arrives again, and by the
// daily round. The write may have failed, or the writer may have died before or after it.
func TestK5SumsConverge(t *testing.T) {
	for _, after := range []bool{false, true} {
		for _, mend := range []string{"message", "round", "round that dies before", "round that dies after"} {
			t.Run(fmt.Sprint(mend, after), func(t *testing.T) {
				c, broken, roundDies := newClock(), false, ""
				fail := func(now string) func(storagetest.Call) error {
					return func(call storagetest.Call) error {
						isIt := call.Name == "IngestIndex" && len(call.Ops) > 0 && call.Ops[0].Entity.Partition == "partition"
						if isIt && (broken && after == (now == "after") || roundDies == now) {
							return errors.New("died")
						}
						return nil
					}
				}
				inner := mem.New(c.Now)
				under := storagetest.Hooked(inner, storagetest.Hooks{
					OnBefore: func(_ context.Context, call storagetest.Call) error { return fail("before")(call) },
					OnAfter: func(_ context.Context, call storagetest.Call, err error) error {
						return errors.Join(err, fail("after")(call))
					},
				})
				b := openOn(t, func() storage.Store { return under }, c, Options{})
				b.crawled(t, "a.example", 2, 0)
				b.recount(t)
				b.register(t, RegisterOptions{Force: true}, pages("a.example", 2)...)
				jobs := b.take(t)
				broken = true
				batch := b.begin(t, jobs[0])
				b.close(t, batch, 2, true, func(it *Item) {
					it.Status, it.ProcessedGeneration, it.ReindexRequested = Error, it.ReindexGeneration, false
					it.CheckAt(c.Now().Add(day))
				})
				broken = false
				if found := len(b.idsOf(t, ListQuery{Status: Error, Top: 5})); found != map[bool]int{true: 2}[after] {
					t.Errorf("%d items are listed while the sums are out of date", found)
				}
				want := 1
				if after {
					want = 0
				}
				if mend == "message" {
					b.begin(t, jobs[0])
					want = 0
				}
				c.Advance(day)
				switch mend {
				case "round that dies before", "round that dies after":
					roundDies = mend[len("round that dies "):]
					if _, err := b.Hosts.Recount(t.Context()); err == nil && !after {
						t.Error("the round did not die")
					}
					if roundDies == "after" {
						want = 0
					}
					roundDies = ""
				}
				if mended := b.recount(t); mended != want {
					t.Errorf("%d sums were mended, want %d", mended, want)
				}
				b.listsAgree(t)
				b.check(t)
			})
		}
	}
}

// TestK5OldStores checks that a store of an earlier version lists and counts everything at once, and that its copies
// are filled without intervention.
func TestK5OldStores(t *testing.T) {
	b, n := openCounted(t, Options{})
	for i := range 2 * ExactHosts {
		b.crawled(t, hostN(i), 1, i%50/49)
	}
	if err := b.Hosts.Pause(t.Context(), "none.example", "none.example", b.clock.Now(), "has no items"); err != nil {
		t.Fatal(err)
	}
	rows, _, err := b.s.Sums.Listed(t.Context(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rows {
		e.Props = storage.Properties{"partition": e.Row}
		if _, err := b.s.Index.Transact(t.Context(), storage.Op{Kind: storage.Upsert, Entity: e}); err != nil {
			t.Fatal(err)
		}
	}
	b.clock.Advance(time.Hour)
	b.listsAgree(t)
	if mended := b.recount(t); mended != len(rows) {
		t.Errorf("%d of %d sums were written", mended, len(rows))
	}
	b.listsAgree(t)
	for _, e := range rows {
		if b.sums(t, e.Row).CountedAt.IsZero() {
			t.Errorf("nothing is said of %s", e.Row)
		}
	}
	n.Reset()
	if found := len(b.idsOf(t, ListQuery{Status: Error, Top: 10})); found != 4 || n.Requests.Load() > 5 {
		t.Errorf("%d items found with %d requests", found, n.Requests.Load())
	}
}

// TestK5RecountIsDaily checks that a recount between rounds costs one read, and that it does not write the copy of a
// host that is just being registered, or whose counters another writer changes meanwhile.
func TestK5RecountIsDaily(t *testing.T) {
	c, n := newClock(), &storagetest.Counter{}
	interfere := func() {}
	between := storagetest.Hooks{OnBefore: func(_ context.Context, call storagetest.Call) error {
		if call.Op == "table.Get" && call.Key == "a.example/"+hostRow("a.example") {
			do := interfere
			interfere = func() {}
			do()
		}
		return nil
	}}
	under := storagetest.Counted(storagetest.Hooked(mem.New(c.Now), between), n)
	b := openOn(t, func() storage.Store { return under }, c, Options{})
	b.crawled(t, "a.example", 3, 0)
	b.recount(t)
	n.Reset()
	if b.recount(t); n.Requests.Load() != 11 {
		t.Errorf("%d requests for eleven calls", n.Requests.Load())
	}
	b.clock.Advance(day)
	// A registration that dies between listing its host's partition and its transaction.
	id := hostID{Partition: "new.example", Host: "new.example"}
	err := b.s.ChangeHost(t.Context(), id, func(_ context.Context, h *hostRecord) (*hostChange, error) {
		h.Counts = map[Status]int{Pending: 1}
		elsewhere := storage.Key{Partition: "elsewhere", Row: "row"}
		return &hostChange{Ops: []storage.Op{{Kind: storage.Insert, Entity: storage.Entity{Key: elsewhere}}}}, nil
	})
	if err == nil {
		t.Fatal("a transaction of two partitions was written")
	}
	interfere = func() { b.register(t, RegisterOptions{}, "https://a.example/other") } // after its copy was read
	if mended := b.recount(t); mended > 1 {
		t.Errorf("%d mended", mended)
	}
	stats := map[string]int{}
	for e, err := range b.s.Index.Query(t.Context(), storage.Query{Partition: "partition"}) {
		s := sumsOf(e)
		if stats[s.Partition] = s.Counts[Pending]; err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(map[string]int{"a.example": 1, "new.example": 1}, stats); d != "" {
		t.Error(d)
	}
	b.clock.Advance(day)
	if mended := b.recount(t); mended != 1 { // its registration never finished
		t.Errorf("%d mended", mended)
	}
}

// said returns a partition row with these sums.
func said(s hostSums) storage.Entity {
	return storage.Entity{Key: storage.Key{Partition: "partition", Row: s.Partition},
		Props: row.Of[hostSums]().Encode(&s)}
}

// sums reads the copied counters of a host.
func (b bench) sums(t *testing.T, host string) hostSums {
	t.Helper()
	e, err := b.s.Index.Get(t.Context(), storage.Key{Partition: "partition", Row: host})
	if err != nil {
		t.Fatal(err)
	}
	s := sumsOf(e)
	return s
}

// TestK5SumsCountRebuilds checks that items waiting for a rebuild are counted, and that their count is repaired.
func TestK5SumsCountRebuilds(t *testing.T) {
	b, _ := openCounted(t, Options{})
	b.done(t, pages("a.example", 3)...)
	b.steps(t, Rebuild{Run: "run"})
	s := b.sums(t, "a.example")
	if s.Rebuilding != 3 {
		t.Errorf("%d wait", s.Rebuilding)
	}
	s.Rebuilding = 7
	if _, err := b.s.Index.Transact(t.Context(), storage.Op{Kind: storage.Upsert, Entity: said(s)}); err != nil {
		t.Fatal(err)
	}
	if mended := b.recount(t); mended != 1 || b.sums(t, "a.example").Rebuilding != 3 {
		t.Errorf("%d mended, %d wait", mended, b.sums(t, "a.example").Rebuilding)
	}
	b.work(t)
	if n := b.sums(t, "a.example").Rebuilding; n != 0 {
		t.Errorf("%d wait after all is done", n)
	}
}

// TestK5RecountIsOvertaken checks that a round does not overwrite counters that change between its read and its
// write.
func TestK5RecountIsOvertaken(t *testing.T) {
	c, armed := newClock(), false
	var b bench
	inner := mem.New(c.Now)
	under := storagetest.Hooked(inner, storagetest.Hooks{OnBefore: func(_ context.Context, call storagetest.Call) error {
		if armed && call.Name == "IngestIndex" && len(call.Ops) > 0 && call.Ops[0].Kind == storage.Replace {
			armed = false
			b.register(t, RegisterOptions{}, "https://a.example/overtakes")
		}
		return nil
	}})
	b = openOn(t, func() storage.Store { return under }, c, Options{})
	b.crawled(t, "a.example", 3, 0)
	b.crawled(t, "b.example", 3, 0)
	for _, host := range []string{"a.example", "b.example"} {
		wrong := hostSums{Partition: host, CountedAt: c.Now(), Counts: map[Status]int{Gone: 9}}
		if _, err := b.s.Index.Transact(t.Context(), storage.Op{Kind: storage.Upsert, Entity: said(wrong)}); err != nil {
			t.Fatal(err)
		}
	}
	armed = true
	b.recount(t)
	want := map[Status]int{Indexed: 3, Pending: 1}
	if s := b.sums(t, "a.example"); armed || s.Counts[Pending] != 1 || s.Counts[Indexed] != 3 {
		t.Errorf("have %v, want %v", s.Counts, want)
	}
	if s := b.sums(t, "b.example"); s.Counts[Indexed] != 3 || s.Counts[Gone] != 0 {
		t.Errorf("the other host has %v", s.Counts)
	}
}

// TestK5WhatSumsCost checks that neither the first registration of a host nor a check that finds nothing new writes
// the copy separately, and that a first check does so once.
func TestK5WhatSumsCost(t *testing.T) {
	c, written := newClock(), 0
	under := storagetest.Hooked(mem.New(c.Now), storagetest.Hooks{
		OnBefore: func(_ context.Context, call storagetest.Call) error {
			if len(call.Ops) > 0 && call.Ops[0].Entity.Partition == "partition" {
				written++
			}
			return nil
		}})
	b := openOn(t, func() storage.Store { return under }, c, Options{})
	b.register(t, RegisterOptions{}, pages("a.example", 3)...)
	if written != 1 {
		t.Errorf("%d writes for a registration", written)
	}
	b.finish(t, b.begin(t, b.take(t)[0]))
	if written != 2 {
		t.Errorf("%d writes after the first check", written)
	}
	c.Advance(25 * time.Hour)
	b.finish(t, b.begin(t, b.swept(t, 3)[0]))
	if written != 2 {
		t.Errorf("%d writes after a check that found nothing new", written)
	}
}

// TestK5PausesAreTold checks that the pause of a host, and its end, is visible among many hosts, too.
func TestK5PausesAreTold(t *testing.T) {
	b, _ := openCounted(t, Options{})
	for i := range ExactHosts + 1 {
		b.crawled(t, hostN(i), 1, 0)
	}
	b.clock.Advance(time.Hour)
	if _, err := b.Jobs.Sweep(t.Context()); err != nil { // nothing is in flight
		t.Fatal(err)
	}
	until := b.clock.Now().Add(time.Hour)
	if err := b.Hosts.Pause(t.Context(), hostN(7), hostN(7), until, strings.Repeat("é", 300)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		paused := 0
		stats, err := b.Hosts.Stats(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range stats {
			paused += one(h.Host == hostN(7) && h.PausedUntil.Equal(until) && h.PauseReason == strings.Repeat("é", 200))
		}
		if paused != want {
			t.Errorf("%d hosts are paused, want %d", paused, want)
		}
		b.clock.Advance(2 * time.Hour)
	}
}
