package registry

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// Rules of the protocol that no other test of this package covers (K12).

// openHooked opens a registry in memory, with hooks around its operations.
func openHooked(t *testing.T, o Options, h *storagetest.Hooks) bench {
	c := newClock()
	under := mem.New(c.Now)
	return openOn(t, func() storage.Store { return storagetest.Hooked(under, h) }, c, o)
}

// writesItems reports whether a call is a transaction of the items table.
func writesItems(call storagetest.Call) bool {
	return call.Op == "table.Transact" && call.Name == DefaultTable
}

// K12: a check that is due before the job's claim would have ended has a hint, whatever hints there were.
func TestK12CheckThatComesSoon(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Minute, JobTTL - time.Millisecond, JobTTL, 2 * JobTTL} {
		b := openMem(t, Options{})
		b.register(t, RegisterOptions{}, "https://a.example/x")
		batch := b.begin(t, b.take(t)[0])
		b.clock.Advance(time.Second)
		f := *batch.Items[0]
		f.Status = Indexed
		f.CheckAt(b.clock.Now().Add(wait))
		if err := b.Jobs.Commit(t.Context(), batch, []Finding{{Item: f}}, HostFinding{}, true); err != nil {
			t.Fatal(err)
		}
		b.check(t)
	}
}

// K12: parked rows have a hint even if their host is paused for longer than jobTTL.
func TestK12ParkedForLong(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, pages("a.example", 2)...)
	until := b.clock.Now().Add(5 * JobTTL)
	if err := b.Hosts.Pause(t.Context(), "a.example", "a.example", until, "HTTP 503"); err != nil {
		t.Fatal(err)
	}
	if batch := b.begin(t, b.take(t)[0]); batch != nil {
		t.Fatal("a paused host is asked")
	}
	for _, e := range b.dueRows(t) {
		if until := enqueuedUntil(e); until.After(b.clock.Now().Add(JobTTL)) {
			t.Errorf("%s is parked until %v", e.Row, until)
		}
	}
	b.clock.Advance(JobTTL)
	if _, err := b.Jobs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.check(t)
}

// dueRows returns the due rows of a.example.
func (b bench) dueRows(t *testing.T) (rows []storage.Entity) {
	t.Helper()
	for e, err := range b.s.Items.Query(t.Context(), storage.Query{Partition: "a.example", RowFrom: duePrefix,
		RowTo: "due" + afterBar}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, e)
	}
	return rows
}

// openEnding opens a registry whose store fails after some operations, so an endless loop ends with an error.
func openEnding(t *testing.T) bench {
	calls := 0
	return openHooked(t, Options{}, &storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
		if calls++; calls > 200 {
			return fault.New(fault.Unavailable, "this goes on for ever")
		}
		return nil
	}})
}

// K12: items that have moved to each other, because rules were changed back, are listed once.
func TestK12MovedToEachOther(t *testing.T) {
	b := openEnding(t)
	one, two := b.register(t, RegisterOptions{}, pages("a.example", 2)...)[0].Item, parse(t, pages("a.example", 2)...)[1]
	for _, m := range []struct{ to, from string }{{one.Hash(), two.Hash()}, {two.Hash(), one.Hash()}} {
		_, err := b.s.Items.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
			Key:   storage.Key{Partition: "a.example", Row: formerRows(m.to) + m.from},
			Props: storage.Properties{"formerId": m.from, "partition": "a.example"},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	one.Formers = 1
	if ids, err := b.Moves.Formers(t.Context(), &one); err != nil || len(ids) != 1 || string(ids[0]) != two.Hash() {
		t.Errorf("%v, %v", ids, err)
	}
}

// K12: an item under a new identity is checked when it would have been checked anyway, not because it has moved.
func TestK12MovedAndNotChecked(t *testing.T) {
	b := openMem(t, Options{})
	rules, err := source.NewRules([]string{"ref"})
	if err != nil {
		t.Fatal(err)
	}
	b.register(t, RegisterOptions{}, "https://a.example/x?ref=1")
	b.finish(t, b.begin(t, b.take(t)[0]))
	b.clock.Advance(time.Hour)
	if m, err := b.Moves.Step(t.Context(), rules, Cursor{}, false); err != nil || m.Moved != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	it, err := b.Items.Find(t.Context(), parse(t, "https://a.example/x")[0].ID())
	if left := it.NextCrawlAt.Sub(b.clock.Now()); err != nil || left != 23*time.Hour {
		t.Errorf("it is checked after %v, want 23 hours; %v", left, err)
	}
	b.check(t)
}

// K12: an item whose due row is missing, which only damage explains, is not parked again and again.
func TestK12GivenBackWithoutDueRow(t *testing.T) {
	b := openEnding(t)
	b.register(t, RegisterOptions{}, pages("a.example", 2)...)
	batch := b.begin(t, b.take(t)[0])
	lost := batch.Items[0]
	if _, err := b.s.Items.Transact(t.Context(), deleteDue(lost.Key(), lost.NextCrawlAt)); err != nil {
		t.Fatal(err)
	}
	if err := b.Jobs.Commit(t.Context(), batch, nil, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
	kept, err := b.s.LoadItem(t.Context(), batch.Items[1].Key())
	if err != nil || kept.LockOwner != "" {
		t.Errorf("its neighbour is not given back: %q, %v", kept.LockOwner, err)
	}
}

// openCounting counts transactions that fail with a conflict.
func openCounting(t *testing.T) (b bench, conflicts *int) {
	conflicts = new(int)
	count := func(_ context.Context, _ storagetest.Call, err error) error {
		if fault.Is(err, fault.Conflict) {
			*conflicts++
		}
		return err
	}
	return openHooked(t, Options{}, &storagetest.Hooks{OnAfter: count}), conflicts
}

// K12: the row of a host with other work, which other workers write, is read before a commit and not written as it
// was.
func TestK12BusyHostIsRead(t *testing.T) {
	b, conflicts := openCounting(t)
	b.register(t, RegisterOptions{}, pages("a.example", 3*policy.JobItems)...)
	jobs := b.take(t)
	first, second := b.begin(t, jobs[0]), b.begin(t, jobs[1])
	*conflicts = 0
	b.finish(t, first)
	b.finish(t, second)
	if *conflicts > 0 {
		t.Errorf("%d transactions were sent in vain", *conflicts)
	}
}

// K12: an item whose check was noted as begun can be unlocked afterwards.
func TestK12GivenBackAfterItWasAlone(t *testing.T) {
	b, conflicts := openCounting(t)
	b.register(t, RegisterOptions{}, pages("a.example", 2)...)
	batch := b.begin(t, b.take(t)[0])
	tried := *batch.Items[0]
	*conflicts = 0
	if err := b.Jobs.NoteBegun(t.Context(), batch, &tried); err != nil {
		t.Fatal(err)
	}
	if err := b.Jobs.Commit(t.Context(), batch, nil, HostFinding{}, true); err != nil || *conflicts > 0 {
		t.Errorf("%d transactions were sent in vain, %v", *conflicts, err)
	}
	b.check(t)
}

// K12: rows that a hint announces are sent within a bounded time or not at all. The bound is within a sweep's grace.
func TestK12RowsAreNotSentLate(t *testing.T) {
	announced, unbounded := false, 0
	b := openHooked(t, Options{}, &storagetest.Hooks{OnBefore: func(ctx context.Context,
		call storagetest.Call) error {
		if announced && writesItems(call) {
			if end, ok := ctx.Deadline(); !ok || time.Until(end) > RequestTime {
				unbounded++
			}
		}
		announced = call.Name == "DueHints"
		return nil
	}})
	b.register(t, RegisterOptions{}, "https://a.example/x")
	if unbounded > 0 {
		t.Errorf("%d transactions may take as long as they like", unbounded)
	}
}

// K12: what a host received of the total budget stays with the host, even if another process wrote the host row
// first.
func TestK12TakenOfTheTotal(t *testing.T) {
	var interfere func()
	hooks := &storagetest.Hooks{OnBefore: func(_ context.Context, call storagetest.Call) error {
		if do := interfere; do != nil && writesItems(call) {
			interfere = nil
			do()
		}
		return nil
	}}
	p := policy.Politeness{MaxConcurrent: 1, Total: policy.Budget{Requests: 800}}
	b := openHooked(t, Options{Politeness: func(string) policy.Politeness { return p }}, hooks)
	b.register(t, RegisterOptions{}, "https://a.example/x")
	job := b.take(t)[0]
	interfere = func() {
		if err := b.another().Hosts.Pause(t.Context(), "a.example", "a.example", b.clock.Now(), ""); err != nil {
			t.Error(err)
		}
	}
	if b.begin(t, job) == nil || interfere != nil {
		t.Fatal("the item is not taken")
	}
	var taken int64
	for e, err := range b.s.Index.Query(t.Context(), storage.Query{Partition: "total"}) {
		if err != nil {
			t.Fatal(err)
		}
		part, _ := row.Of[policy.Share]().Decode(e.Props)
		taken += part.Taken.Requests
	}
	h, err := b.s.LoadHost(t.Context(), "a.example", "a.example")
	if err != nil || h.Policy.Today.Granted.Requests != taken || taken == 0 {
		t.Errorf("%d requests were taken, the host has %d, %v", taken, h.Policy.Today.Granted.Requests, err)
	}
}

// K12: decisions of others during a check are in the item's history, together with those of the check.
func TestK12HistoryOfBoth(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, "https://a.example/x")
	batch := b.begin(t, b.take(t)[0])
	b.clock.Advance(time.Second)
	b.register(t, RegisterOptions{Force: true}, "https://a.example/x")
	b.clock.Advance(time.Second)
	id := batch.Items[0].ID
	batch.Items[0].Record(b.clock.Now(), "crawled", "as ever")
	b.finish(t, batch)
	it, err := b.Items.Find(t.Context(), id)
	var what []string
	for _, d := range it.History {
		what = append(what, d.What)
	}
	if want := []string{"registered", "forced", "crawled"}; err != nil || !slices.Equal(what, want) {
		t.Errorf("the history is %v, %v; want %v", what, err, want)
	}
}

// K12: an item that a job names twice is in the batch once.
func TestK12ItemThatIsNamedTwice(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, "https://a.example/x")
	job := b.take(t)[0]
	job.Items = append(job.Items, job.Items[0])
	if batch := b.begin(t, job); batch == nil || len(batch.Items) != 1 {
		t.Errorf("have %+v", batch)
	}
}

// K12: fifty of the aliases of an item that goes away are expedited.
func TestK12AliasesAreExpedited(t *testing.T) {
	b := openMem(t, Options{})
	of := b.register(t, RegisterOptions{}, "https://b.example/x")[0].Item
	b.register(t, RegisterOptions{}, pages("a.example", 2*policy.JobItems)...)
	for _, job := range b.take(t) {
		if job.Host != "a.example" {
			continue
		}
		batch := b.begin(t, job)
		for _, it := range batch.Items {
			it.AliasOf = of.ID
			if err := b.Aliases.Point(t.Context(), &of, it); err != nil {
				t.Fatal(err)
			}
		}
		b.finish(t, batch)
	}
	if err := b.Aliases.Expedite(t.Context(), &of, b.clock.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	soon := 0
	for _, e := range b.dueRows(t) {
		if at, _, ok := parseDueRow(e.Row); ok && at.Before(b.clock.Now().Add(time.Hour)) {
			soon++
		}
	}
	if soon != 50 {
		t.Errorf("%d of %d aliases are brought forward, want 50", soon, 2*policy.JobItems)
	}
	b.check(t)
}

// K12: a tombstone on a locked item is brought forward to the end of the lock.
func TestK12PurgeAfterALock(t *testing.T) {
	for left, want := range map[time.Duration]int{0: 1, time.Millisecond: 0} {
		b := openMem(t, Options{})
		b.bury(t, "a.example", 1)
		b.clock.Advance(50 * day)
		items, err := b.Items.List(t.Context(), ListQuery{Host: "a.example", Top: 1})
		if err != nil || len(items) != 1 {
			t.Fatal(items, err)
		}
		locked := storage.Properties{"lockedUntil": storage.FormatTime(b.clock.Now().Add(left))}
		if _, err := b.s.Items.Transact(t.Context(), items[0].merge(locked)); err != nil {
			t.Fatal(err)
		}
		if moved, err := b.Items.ExpeditePurge(t.Context(), 30*day); moved != want || err != nil {
			t.Errorf("with %v left %d are moved, want %d, %v", left, moved, want, err)
		}
	}
}

// K12: a batch that found its host busy with a host lease gets its job when the lease ends.
func TestK12BatchAfterAHostLease(t *testing.T) {
	one := func(string) policy.Politeness { return policy.Politeness{MaxConcurrent: 1} }
	b := openMem(t, Options{Politeness: one})
	b.register(t, RegisterOptions{}, "https://a.example/x")
	lease, err := b.Hosts.Acquire(t.Context(), "a.example", "a.example", 0)
	if err != nil {
		t.Fatal(err)
	}
	if batch := b.begin(t, b.take(t)[0]); batch != nil {
		t.Fatal("the host has two at once")
	}
	if err := b.Hosts.Release(t.Context(), lease, HostFinding{}); err != nil {
		t.Fatal(err)
	}
	if jobs := b.take(t); len(jobs) != 1 || b.begin(t, jobs[0]) == nil {
		t.Errorf("%d jobs after the lease, want one", len(jobs))
	}
	lease, err = b.Hosts.Acquire(t.Context(), "b.example", "b.example", 0)
	if err == nil {
		err = b.Hosts.Release(t.Context(), lease, HostFinding{})
	}
	if jobs := b.take(t); err != nil || slices.ContainsFunc(jobs, func(j Job) bool { return j.Host == "b.example" }) {
		t.Errorf("jobs of a host where nobody waits: %v, %v", jobs, err)
	}
}
