package registry

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// openCounted opens a registry and counts its requests to the tables.
func openCounted(t testing.TB, o Options) (bench, *storagetest.Counter) {
	c, n := newClock(), &storagetest.Counter{}
	under := mem.New(c.Now)
	return openOn(t, func() storage.Store { return storagetest.Counted(under, n) }, c, o), n
}

func hostN(i int) string { return fmt.Sprintf("h%05d.example", i) }

// crawled registers items of a host and checks them. The first errors of them fail.
func (b bench) crawled(t testing.TB, host string, items, errors int) {
	t.Helper()
	b.register(t, RegisterOptions{}, pages(host, items)...)
	for _, job := range b.take(t) {
		batch := b.begin(t, job)
		var done []Finding
		for _, it := range batch.Items {
			f := *it
			f.Status = Indexed
			if errors > 0 {
				f.Status, errors = Error, errors-1
			}
			f.CheckAt(b.clock.Now().Add(24 * time.Hour))
			done = append(done, Finding{Item: f})
		}
		if err := b.Jobs.Commit(t.Context(), batch, done, HostFinding{}, true); err != nil {
			t.Fatal(err)
		}
	}
}

// stored writes a host with one indexed item that is due tomorrow, as a crawl would leave it.
func (b bench) stored(t testing.TB, host string) {
	t.Helper()
	s := parse(t, "https://"+host+"/")[0]
	it := newItem(s, storage.Key{Partition: host, Row: s.Hash()}, b.clock.Now())
	it.Status, it.NextCrawlAt = Indexed, b.clock.Now().Add(day)
	id := hostID{Partition: host, Host: host}
	err := b.s.ChangeHost(t.Context(), id, func(_ context.Context, h *hostRecord) (*hostChange, error) {
		h.recount(tally{}, tallyOf(&it))
		return &hostChange{Ops: it.Write(time.Time{}, time.Time{})}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// recount runs a whole round of [Hosts.Recount].
func (b bench) recount(t testing.TB) (mended int) {
	t.Helper()
	for range 1 + 10_000/1000 {
		n, err := b.Hosts.Recount(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		mended += n
	}
	return mended
}

// idsOf lists all items of a query, q.Top a page.
func (b bench) idsOf(t testing.TB, q ListQuery) (ids []source.ID) {
	t.Helper()
	for {
		items, err := b.Items.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			ids = append(ids, it.ID)
		}
		if len(items) < q.Top {
			return ids
		}
		q.After = ListCursor(&items[q.Top-1])
	}
}

// listsAgree compares the list of each status with the list of all items, and the counts with both.
func (b bench) listsAgree(t testing.TB) {
	t.Helper()
	items, err := b.Items.List(t.Context(), ListQuery{Top: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	want, counts := map[Status][]source.ID{}, map[Status]int{}
	for _, it := range items {
		want[it.Status] = append(want[it.Status], it.ID)
	}
	stats, err := b.Hosts.Stats(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range stats {
		for s, n := range h.Items {
			counts[s] += n
		}
	}
	for _, s := range Statuses {
		if d := cmp.Diff(want[s], b.idsOf(t, ListQuery{Status: s, Top: 7})); d != "" {
			t.Errorf("%s (-all +listed):\n%s", s, d)
		}
		if counts[s] != len(want[s]) {
			t.Errorf("%s: %d counted, %d there", s, counts[s], len(want[s]))
		}
	}
}

// TestK5ListsReadWhatTheyShow checks that the cost of a page depends neither on the number of hosts and items nor on
// the position of the page. For a list by status, only reading the list of hosts grows with their number.
func TestK5ListsReadWhatTheyShow(t *testing.T) {
	const top, big = 20, 2000
	many := 10_000
	if testing.Short() {
		many = 1000
	}
	type cost struct{ Requests, Rows int64 }
	measured := map[int]map[string]cost{}
	for _, hosts := range []int{100, many} {
		b, n := openCounted(t, Options{})
		for i := range hosts {
			b.stored(t, hostN(i))
		}
		b.crawled(t, "last.example", big, 3)
		b.recount(t)
		got := map[string]cost{}
		list := func(what string, q ListQuery, want int) (after string) {
			n.Reset()
			items, err := b.Items.List(t.Context(), q)
			if got[what] = (cost{n.Requests.Load(), n.Rows.Load()}); err != nil || len(items) != want {
				t.Fatalf("%s: %d items, want %d (%v)", what, len(items), want, err)
			}
			return ListCursor(&items[len(items)-1])
		}
		near := func(host string) string { // a cursor shortly before the end
			items, err := b.Items.List(t.Context(), ListQuery{Host: host, Top: big})
			if err != nil {
				t.Fatal(err)
			}
			return ListCursor(&items[max(0, len(items)-1-top)])
		}
		list("warm", ListQuery{Top: 1}, 1)
		list("all, first page", ListQuery{Top: top}, top)
		list("all, late page", ListQuery{Top: top, After: near(hostN(50))}, top)
		list("all, last page", ListQuery{Top: top, After: near("last.example")}, top)
		list("a host", ListQuery{Host: "last.example", Top: top}, top)
		list("a host, last page", ListQuery{Host: "last.example", Top: top, After: near("last.example")}, top)
		list("a status of one host", ListQuery{Status: Error, Top: top}, 3)
		list("a status of all", ListQuery{Status: Indexed, Top: top}, top)
		n.Reset()
		if h, err := b.Hosts.Stats(t.Context(), "last.example"); err != nil || len(h) != 1 {
			t.Fatal(h, err)
		}
		got["status of a host"] = cost{n.Requests.Load(), 0}
		n.Reset()
		stats, err := b.Hosts.Stats(t.Context(), "")
		if err != nil || len(stats) != hosts+1 {
			t.Fatalf("%d hosts, %v", len(stats), err)
		}
		// The list of partitions, hints, and two for each host that is read.
		if most := int64(hosts/storage.MaxPage + 1 + 2*hintShards + 2*ExactHosts); n.Requests.Load() > most {
			t.Errorf("status of %d hosts: %d requests, want at most %d", hosts, n.Requests.Load(), most)
		}
		measured[hosts] = got
		for what, c := range got {
			if c.Requests > top+3 || c.Rows > 6*top+100 {
				t.Errorf("%d hosts, %s: %d requests, %d rows", hosts, what, c.Requests, c.Rows)
			}
		}
	}
	if d := cmp.Diff(measured[100], measured[many]); d != "" {
		t.Errorf("costs depend on the number of hosts (-100 +%d):\n%s", many, d)
	}
	if c := measured[many]["a status of one host"]; c != (cost{2, 4}) { // its partition, and its three items
		t.Errorf("a status of one host costs %+v", c)
	}
}

// TestK5ListsAgree checks that lists by status and counts match the items after any sequence of operations.
func TestK5ListsAgree(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, strategy := range []source.Strategy{source.ByHost, source.ByScheme} {
			b := open(t, Options{Strategy: strategy})
			for range 2 { // before and after the first complete count
				b.crawled(t, "a.example", 40, 10)
				b.crawled(t, "b.example", 3, 0)
				b.listsAgree(t)
				b.bury(t, "c.example", 5)
				b.listsAgree(t)
				b.register(t, RegisterOptions{}, append(pages("a.example", 20), pages("d.example", 40)...)...)
				b.listsAgree(t)
				for _, id := range b.idsOf(t, ListQuery{Host: "c.example", Top: 9}) {
					if _, err := b.Items.Remove(t.Context(), id); err != nil {
						t.Fatal(err)
					}
				}
				for _, job := range b.take(t) {
					b.purgeOrFail(t, job)
				}
				b.listsAgree(t)
				b.check(t)
				if mended := b.recount(t); mended != 0 {
					t.Errorf("%s: %d sums were wrong", strategy, mended)
				}
				b.clock.Advance(day)
			}
		}
	})
}

// purgeOrFail purges the items of a job whose removal was requested, and fails the others.
func (b bench) purgeOrFail(t testing.TB, job Job) {
	t.Helper()
	batch := b.begin(t, job)
	if batch == nil {
		return
	}
	var done []Finding
	for _, it := range batch.Items {
		f := *it
		f.Status = Error
		f.CheckAt(b.clock.Now().Add(24 * time.Hour))
		done = append(done, Finding{Item: f, Purge: it.RemoveRequested})
	}
	if err := b.Jobs.Commit(t.Context(), batch, done, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
}

// TestK5PlacesLast checks that paging continues after its cursor even if the item there was removed or has moved, and
// that nothing follows the last cursor.
func TestK5PlacesLast(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.crawled(t, "a.example", 4, 0)
		b.crawled(t, "b.example", 4, 0)
		b.crawled(t, "c.example", 4, 0)
		all := b.idsOf(t, ListQuery{Top: 100})
		items, err := b.Items.List(t.Context(), ListQuery{Top: 4})
		if err != nil {
			t.Fatal(err)
		}
		place := ListCursor(&items[3])
		if _, err := b.Items.Remove(t.Context(), items[3].ID); err != nil {
			t.Fatal(err)
		}
		for _, job := range b.take(t) {
			b.purgeOrFail(t, job)
		}
		if d := cmp.Diff(all[4:], b.idsOf(t, ListQuery{Top: 4, After: place})); d != "" {
			t.Errorf("after a removed item (-want +have):\n%s", d)
		}
		moved, err := b.Items.List(t.Context(), ListQuery{Host: "b.example", Top: 1})
		if err != nil {
			t.Fatal(err)
		}
		place = ListCursor(&moved[0])
		if err := b.Moves.move(t.Context(), moved[0].Key(), parse(t, "https://z.example/")[0]); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(all[5:8], b.idsOf(t, ListQuery{Top: 9, After: place})[:3]); d != "" {
			t.Errorf("after one that has moved (-want +have):\n%s", d)
		}
		behind := missingItem(storage.Key{Partition: "~"})
		behind.ID = all[0]
		last := ListCursor(&behind)
		rest, err := b.Items.List(t.Context(), ListQuery{Top: 4, After: last})
		if err != nil || len(rest) != 0 {
			t.Errorf("behind the last there are %d items (%v)", len(rest), err)
		}
	})
}

// TestK5ManyHosts checks that beyond the limit of hosts, exactly those hosts are read that have something due or in
// flight. The others are reported as last written, and never as idle while a sweep still has to scan them.
func TestK5ManyHosts(t *testing.T) {
	b, _ := openCounted(t, Options{})
	const hosts, due = 3 * ExactHosts, 2 * ExactHosts
	for i := range hosts {
		b.crawled(t, hostN(i), 2, 0)
	}
	sum := func() (items, waits, inFlight int) {
		stats, err := b.Hosts.Stats(t.Context(), "")
		if err != nil || len(stats) != hosts {
			t.Fatalf("%d hosts, %v", len(stats), err)
		}
		for _, h := range stats {
			items, waits, inFlight = items+h.Items[Indexed], waits+h.Due, inFlight+h.InFlight
		}
		return items, waits, inFlight
	}
	b.clock.Advance(time.Hour)
	if _, err := b.Jobs.Sweep(t.Context()); err != nil { // the last sweep that scans them all
		t.Fatal(err)
	}
	if items, waits, inFlight := sum(); items != 2*hosts || waits != 0 || inFlight != 0 {
		t.Errorf("at rest: %d items, %d due, %d in flight", items, waits, inFlight)
	}
	for i := range due {
		it, _, err := b.Items.Lookup(t.Context(), parse(t, pages(hostN(i), 1)...)[0])
		if err == nil {
			err = b.Items.expedite(t.Context(), it, b.clock.Now())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b.clock.Advance(2 * time.Minute)
	// One item of each host is known to wait, and for the hosts that are read, the exact number.
	if items, waits, inFlight := sum(); items != 2*hosts || waits != due || inFlight != 0 {
		t.Errorf("due: %d items, %d due, %d in flight", items, waits, inFlight)
	}
	if _, err := b.Jobs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, waits, inFlight := sum(); waits != 0 || inFlight != ExactHosts {
		t.Errorf("sent: %d due, %d in flight", waits, inFlight)
	}
	if n, err := b.Jobs.Queued(t.Context()); err != nil || n != due {
		t.Errorf("%d jobs, %v", n, err)
	}
	for i := range hosts {
		b.register(t, RegisterOptions{}, pages(hostN(i), 4)...)
	}
	if _, waits, inFlight := sum(); waits != 2*(hosts-ExactHosts) || inFlight != 4*ExactHosts { // two of four are new
		t.Errorf("registered: %d due, %d in flight", waits, inFlight)
	}
}

// TestK5OneSchemeManyHosts checks that where hosts share a partition by scheme, a host's lists and status read only
// the rows of that host.
func TestK5OneSchemeManyHosts(t *testing.T) {
	b, n := openCounted(t, Options{Strategy: source.ByScheme})
	for i := range 300 {
		b.crawled(t, hostN(i), 3, i%100/99)
	}
	for what, c := range map[string]struct {
		q    ListQuery
		want int
		most int64
	}{
		"a host":              {ListQuery{Host: hostN(250), Top: 20}, 3, 3},
		"a status":            {ListQuery{Status: Error, Top: 20}, 3, 3},
		"a status of a host":  {ListQuery{Host: hostN(99), Status: Error, Top: 20}, 1, 1},
		"none of the status":  {ListQuery{Host: hostN(98), Status: Error, Top: 20}, 0, 0},
		"a host of no items":  {ListQuery{Host: "nobody.example", Top: 20}, 0, 0},
		"the first page of 2": {ListQuery{Host: hostN(250), Top: 2}, 2, 2},
	} {
		n.Reset()
		items, err := b.Items.List(t.Context(), c.q)
		if err != nil || len(items) != c.want || n.Rows.Load() > c.most+1 || n.Requests.Load() > 2 {
			t.Errorf("%s: %d items, %d requests, %d rows (%v)", what, len(items), n.Requests.Load(), n.Rows.Load(), err)
		}
	}
	b.clock.Advance(25 * time.Hour)
	n.Reset()
	stats, err := b.Hosts.Stats(t.Context(), hostN(250))
	if err != nil || len(stats) != 1 || stats[0].Due != 3 || n.Rows.Load() > 5 {
		t.Errorf("%+v with %d rows (%v)", stats, n.Rows.Load(), err)
	}
	n.Reset()
	if stats, err := b.Hosts.Stats(t.Context(), ""); err != nil || len(stats) != 300 || n.Requests.Load() > 4 {
		t.Errorf("%d hosts with %d requests (%v)", len(stats), n.Requests.Load(), err)
	}
}
