package registry

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/schedule"
)

// tidy is a brake that believes the first 404.
func tidy() schedule.Config {
	c := schedule.Defaults()
	c.GoneAfter = 1
	return c
}

// kept registers n pages of a host, which have content from then on, in one batch.
func (b bench) kept(t *testing.T, n int) {
	t.Helper()
	b.register(t, RegisterOptions{}, pages("a.example", n)...)
	for _, job := range b.take(t) {
		batch := b.begin(t, job)
		for _, it := range batch.Items {
			it.ContentHash = "sha256:x"
		}
		b.finish(t, batch)
	}
}

// swept gives the items that are due, in jobs of n.
func (b bench) swept(t *testing.T, n int) (jobs []Job) {
	t.Helper()
	if _, err := b.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, job := range b.take(t) {
		for all := job.Items; len(all) > 0; all = all[min(n, len(all)):] {
			job.Items = all[:min(n, len(all))]
			jobs = append(jobs, job)
		}
	}
	return jobs
}

// entomb commits the first n items of a batch as Gone.
func (b bench) entomb(t *testing.T, batch *Batch, n int, last bool) {
	t.Helper()
	b.close(t, batch, n, last, func(it *Item) {
		if it.Status = Gone; it.GoneSince.IsZero() {
			it.GoneSince = b.clock.Now()
		}
	})
}

// close commits the first n items of a batch, due in a day.
func (b bench) close(t *testing.T, batch *Batch, n int, last bool, how func(*Item)) {
	t.Helper()
	var done []Finding
	for _, it := range batch.Items[:n] {
		f := *it
		how(&f)
		f.Bring(b.clock.Now().Add(24 * time.Hour))
		done = append(done, Finding{Item: f})
	}
	if err := b.Commit(t.Context(), batch, done, HostFinding{}, last); err != nil {
		t.Fatal(err)
	}
}

func (b bench) losses(t *testing.T) schedule.Losses {
	t.Helper()
	h, err := b.loadHost(t.Context(), "a.example", "a.example")
	if err != nil {
		t.Fatal(err)
	}
	h.expireLeases(b.clock.Now())
	return h.losses(b.clock.Now())
}

func (b bench) brakes(t *testing.T, job Job, brake schedule.Config) *Batch {
	t.Helper()
	batch, err := b.Begin(t.Context(), job, brake)
	if err != nil || batch == nil {
		t.Fatalf("no batch: %v", err)
	}
	return batch
}

// A14: a page that is gone is lost once and not there, also while it is asked for again, and when that
// fails or finds it gone as before.
func TestA14GoneIsCountedOnce(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		want := func(when string, gone, items int) {
			t.Helper()
			if l := b.losses(t); l.Gone != gone || l.Items != items || l.Reserved != 0 {
				t.Errorf("%s: %+v, want %d gone of %d", when, l, gone, items)
			}
			b.check(t)
		}
		b.kept(t, 20)
		want("before", 0, 20)
		b.clock.Advance(25 * time.Hour)
		batch := b.brakes(t, b.swept(t, 4)[0], tidy())
		var urls []string
		for _, it := range batch.Items {
			urls = append(urls, it.NormalizedSource)
		}
		b.entomb(t, batch, 4, true)
		want("lost", 4, 20)
		b.clock.Advance(time.Second)
		b.register(t, RegisterOptions{}, urls...)
		want("registered again", 4, 20)
		batch = b.brakes(t, b.take(t)[0], tidy())
		if batch.Room != 0 {
			t.Errorf("room for %d that are gone already", batch.Room)
		}
		b.close(t, batch, 1, false, func(it *Item) { it.Status = Error })
		want("one fails", 4, 20)
		b.entomb(t, batch, 2, false)
		want("two are gone as before", 4, 20)
		b.close(t, batch, 1, true, func(it *Item) { it.Status, it.GoneSince = Indexed, time.Time{} })
		want("one is back", 4, 21) // what was lost stays lost for the brake's window
		b.clock.Advance(25 * time.Hour)
		want("a day later", 0, 17)
	})
}

// A14: batches side by side share the room for tombstones, and what a batch that died had reserved is
// free again.
func TestA14BatchesShareTheRoom(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.kept(t, 20) // of which 4 may go
		b.clock.Advance(25 * time.Hour)
		jobs := b.swept(t, 2)
		room := func(batch *Batch, want int) {
			t.Helper()
			if batch.Room != want {
				t.Errorf("room for %d, want %d (%+v)", batch.Room, want, batch.Losses)
			}
		}
		first := b.brakes(t, jobs[0], tidy())
		room(first, 2)
		b.entomb(t, first, 1, false)
		room(b.brakes(t, jobs[1], tidy()), 2)
		b.close(t, first, 1, true, func(*Item) {})
		room(b.brakes(t, jobs[2], tidy()), 1)
		b.clock.Advance(lockTime + time.Second) // all but the first have died
		room(b.brakes(t, jobs[3], tidy()), 2)
		room(b.brakes(t, jobs[4], tidy()), 1)
	})
}

// A14: room is reserved for what can become gone in this check, and for nothing else.
func TestA14RoomIsForThoseWhoNeedIt(t *testing.T) {
	b := openMem(t, Options{})
	b.kept(t, 20)
	b.clock.Advance(25 * time.Hour)
	batch := b.begin(t, b.swept(t, 20)[0])
	if batch.Room != 0 {
		t.Errorf("room for %d pages that were never missing", batch.Room)
	}
	b.close(t, batch, 20, true, func(it *Item) {
		switch it.Status = Indexed; it.ID {
		case batch.Items[0].ID:
			it.MissingChecks = 2
		case batch.Items[1].ID:
			it.Status, it.GoneSince, it.MissingChecks = Gone, b.clock.Now(), 3
		}
	})
	b.clock.Advance(25 * time.Hour)
	if batch = b.begin(t, b.swept(t, 20)[0]); batch.Room != 1 {
		t.Errorf("room for %d, want one", batch.Room)
	}
}
