package registry

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// kept registers n pages of a host and indexes them in one batch.
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

// swept returns the due items in jobs of n.
func (b bench) swept(t *testing.T, n int) (jobs []Job) {
	t.Helper()
	if _, err := b.Jobs.Sweep(t.Context()); err != nil {
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
		f.CheckAt(b.clock.Now().Add(24 * time.Hour))
		done = append(done, Finding{Item: f})
	}
	if err := b.Jobs.Commit(t.Context(), batch, done, HostFinding{}, last); err != nil {
		t.Fatal(err)
	}
}

func (b bench) losses(t *testing.T) schedule.Losses {
	t.Helper()
	h, err := b.s.LoadHost(t.Context(), "a.example", "a.example")
	if err != nil {
		t.Fatal(err)
	}
	h.Policy.ExpireLeases(b.clock.Now())
	return h.Policy.Lost(b.clock.Now(), h.there())
}

// takes reserves n tombstones and expects to get want of them.
func (b bench) takes(t *testing.T, batch *Batch, n, want int) {
	t.Helper()
	have := 0
	for range n {
		l, taken, err := b.Hosts.ReserveLoss(t.Context(), batch, schedule.Defaults())
		if err != nil || l.Items != 20 {
			t.Fatalf("%+v, %v", l, err)
		}
		if taken {
			have++
		}
	}
	if have != want {
		t.Errorf("room for %d of %d, want %d", have, n, want)
	}
}

// A14: a page that becomes gone counts as one loss and as not present. That stays so while it is checked again, and
// when that check fails or finds it still gone.
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
		batch := b.begin(t, b.swept(t, 4)[0])
		var urls []string
		for _, it := range batch.Items {
			urls = append(urls, it.NormalizedSource)
		}
		b.entomb(t, batch, 4, true)
		want("lost", 4, 20)
		b.clock.Advance(time.Second)
		b.register(t, RegisterOptions{}, urls...)
		want("registered again", 4, 20)
		batch = b.begin(t, b.take(t)[0])
		b.close(t, batch, 1, false, func(it *Item) { it.Status = Error })
		want("one fails", 4, 20)
		b.entomb(t, batch, 2, false)
		want("two are gone as before", 4, 20)
		b.close(t, batch, 1, true, func(it *Item) { it.Status, it.GoneSince = Indexed, time.Time{} })
		want("one is back", 4, 21) // losses stay counted for the guard's window
		b.clock.Advance(25 * time.Hour)
		want("a day later", 0, 17)
	})
}

// A14: concurrent batches share the allowance of tombstones, and the reservation of a batch that died is free again.
func TestA14BatchesShareTheRoom(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.kept(t, 20) // 4 of them may go
		b.clock.Advance(25 * time.Hour)
		jobs := b.swept(t, 2)
		first, second := b.begin(t, jobs[0]), b.begin(t, jobs[1])
		b.takes(t, first, 2, 2)
		b.entomb(t, first, 1, false)
		b.takes(t, second, 3, 2)
		b.close(t, first, 1, true, func(*Item) {}) // the other reservation was not needed
		third := b.begin(t, jobs[2])
		b.takes(t, third, 2, 1)
		b.clock.Advance(LockTime + time.Second) // all but the first have died
		b.takes(t, b.begin(t, jobs[3]), 4, 3)
		b.takes(t, third, 1, 0) // too late
	})
}

// TestA14MissesAreNotFailures checks that a page becomes failing only when a check fails, though checks before it that
// found it missing count, and that only a page that was read has recovered (A14).
func TestA14MissesAreNotFailures(t *testing.T) {
	counts := func(attempts, missing int) Item {
		var it Item
		it.CrawlAttempts, it.MissingChecks = attempts, missing
		return it
	}
	for name, tt := range map[string]struct {
		was, is Item
		failed  bool
		want    feed.Kind
	}{
		"missing three times":            {counts(2, 2), counts(3, 3), false, ""},
		"missing, then failed":           {counts(2, 2), counts(3, 0), true, feed.Failing},
		"failing, then missing":          {counts(3, 0), counts(4, 1), false, ""},
		"failing, missing, then failing": {counts(4, 1), counts(5, 0), true, ""},
		"failing, then read":             {counts(4, 1), counts(0, 0), false, feed.Recovered},
		"missing, then read":             {counts(3, 3), counts(0, 0), false, ""},
	} {
		var have feed.Kind
		for _, c := range changesOf(&tt.was, &Finding{Item: tt.is, Failed: tt.failed}, time.Now()) {
			have = c.Kind
		}
		if have != tt.want {
			t.Errorf("%s: have %q, want %q", name, have, tt.want)
		}
	}
}
