package registry

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Settings and requests that arrive while a worker holds an item.

// underway registers a page, checks it once, and begins its next check a second after it is due.
func (b bench) underway(t *testing.T) (*Batch, source.ID) {
	t.Helper()
	it := b.register(t, RegisterOptions{}, "https://a.example/x")[0].Item
	b.finish(t, b.begin(t, b.take(t)[0]))
	b.clock.Advance(24*time.Hour + time.Second)
	if _, err := b.Jobs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	batch := b.begin(t, b.take(t)[0])
	b.clock.Advance(time.Second)
	return batch, it.ID
}

// conclude commits the only item of a batch as checked, with an interval of a day and the next check at next.
func (b bench) conclude(t *testing.T, batch *Batch, next time.Time) {
	t.Helper()
	it := *batch.Items[0]
	it.Status, it.LastChecked, it.CrawlIntervalSeconds = Indexed, b.clock.Now(), int64(24*time.Hour/time.Second)
	it.CheckAt(next)
	if err := b.Jobs.Commit(t.Context(), batch, []Finding{{Item: it}}, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
}

// priorityOf returns the priority in the item's only due row.
func (b bench) priorityOf(t *testing.T) any {
	t.Helper()
	rows := b.dueRows(t)
	if len(rows) != 1 {
		t.Fatalf("%d due rows", len(rows))
	}
	return rows[0].Props["priority"]
}

func (b bench) set(t *testing.T, id source.ID, s Settings) {
	t.Helper()
	if _, err := b.Items.Set(t.Context(), id, s); err != nil {
		t.Fatal(err)
	}
}

func (b bench) find(t *testing.T, id source.ID) Item {
	t.Helper()
	it, err := b.Items.Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// W9: a priority that is set during a check is on the item and on its due row afterwards.
func TestW9PriorityDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		batch, id := b.underway(t)
		b.set(t, id, Settings{Patch: api.Patch{"priority": 9}})
		b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
		if it := b.find(t, id); it.Level != "9" || it.Options.Priority == nil {
			t.Errorf("priority %q, options %+v", it.Level, it.Options)
		}
		if have := b.priorityOf(t); have != int64(9) {
			t.Errorf("the due row has priority %v", have)
		}
		b.check(t)
	})
}

// W9: a page that is tagged during its check is not fetched again.
func TestW9TaggedDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		batch, id := b.underway(t)
		b.set(t, id, Settings{Add: "news"})
		b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
		it := b.find(t, id)
		if want := b.clock.Now().Add(24 * time.Hour); !it.NextCrawlAt.Equal(want) || len(it.Tags) != 1 {
			t.Errorf("the next check of a page tagged %q is at %v, want %v", it.Tags, it.NextCrawlAt, want)
		}
		if jobs := b.take(t); len(jobs) != 0 {
			t.Errorf("%d jobs after the commit", len(jobs))
		}
		b.check(t)
	})
}

// W11: an item that is paused during its check is parked after it, and one that is resumed is not.
func TestW11PausedDuringTheCheck(t *testing.T) {
	b := openMem(t, Options{})
	batch, id := b.underway(t)
	yes, no := true, false
	b.set(t, id, Settings{Paused: &yes})
	b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
	if it := b.find(t, id); !it.NextCrawlAt.Equal(Never) {
		t.Errorf("a paused item is checked at %v", it.NextCrawlAt)
	}
	b.check(t)
	if _, err := b.Items.Reindex(t.Context(), b.find(t, id), false); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Second)
	batch = b.begin(t, b.take(t)[0])
	b.clock.Advance(time.Second)
	b.set(t, id, Settings{Paused: &no})
	b.conclude(t, batch, Never)
	if it := b.find(t, id); it.NextCrawlAt.Equal(Never) || !it.NextCrawlAt.After(b.clock.Now()) {
		t.Errorf("a resumed item is checked at %v", it.NextCrawlAt)
	}
	b.check(t)
}

// W11: a requested check of an item that was paused during its previous check happens.
func TestW11AskedAndPausedDuringTheCheck(t *testing.T) {
	b := openMem(t, Options{})
	batch, id := b.underway(t)
	yes := true
	b.set(t, id, Settings{Paused: &yes})
	if _, err := b.Items.Reindex(t.Context(), b.find(t, id), false); err != nil {
		t.Fatal(err)
	}
	b.take(t) // which finds the item locked
	b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
	if jobs := b.take(t); len(jobs) != 1 || b.begin(t, jobs[0]) == nil {
		t.Errorf("%d jobs after the commit, want one for the check that was asked for", len(jobs))
	}
}

// W9: an interval that is set during a check applies from that check on.
func TestW9IntervalDuringTheCheck(t *testing.T) {
	b := openMem(t, Options{Jitter: func() float64 { return 0.5 }})
	batch, id := b.underway(t)
	monthly := api.Schedule{Text: "monthly"}
	b.set(t, id, Settings{Patch: api.Patch{"schedule": monthly}})
	b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
	it := b.find(t, id)
	if it.NextCrawlAt.Day() != 1 || it.NextCrawlAt.Month() != time.April {
		t.Errorf("the next check of a page that is checked monthly is at %v", it.NextCrawlAt)
	}
	if last := it.History[len(it.History)-1]; last.What != "scheduled" {
		t.Errorf("the history ends with %+v", last)
	}
	b.check(t)
}

// A7: a page that is registered during its check is checked again, even if a rebuild requests it, too.
func TestA7RegisterAndRebuildDuringTheCheck(t *testing.T) {
	b := openMem(t, Options{})
	batch, id := b.underway(t)
	batch.Items[0].IndexedHash = "sha256:00"
	b.register(t, RegisterOptions{}, "https://a.example/x")
	asked := b.clock.Now()
	b.clock.Advance(time.Second)
	if _, err := b.Rebuilds.Request(t.Context(), Rebuild{Run: "run", Force: true}, Cursor{}); err != nil {
		t.Fatal(err)
	}
	b.take(t) // which finds the item locked
	b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
	it := b.find(t, id)
	if it.RebuildRun != "run" || !it.RebuildPending || it.NextCrawlAt.After(asked) {
		t.Errorf("rebuild %q, pending %v, next check at %v", it.RebuildRun, it.RebuildPending, it.NextCrawlAt)
	}
	if it.IndexPending && it.ResumeAt.After(asked) {
		t.Errorf("the site is asked at %v, which was to be at %v", it.ResumeAt, asked)
	}
	if jobs := b.take(t); len(jobs) != 1 {
		t.Errorf("%d jobs after the commit", len(jobs))
	}
	b.check(t)
}

// G2: a rule that asks for the present values of fields brings the next check forward by seconds, so that it is stored
// by then, and is not lost if a check is in progress that answers earlier rules.
func TestG2FieldsAskedDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		batch, id := b.underway(t)
		ask := func(rule string) {
			t.Helper()
			if err := b.Items.AskFields(t.Context(), id, rule); err != nil {
				t.Fatal(err)
			}
		}
		batch.Items[0].Fields.Again = "" // the check answers those that ask
		ask("one")
		ask("two")
		ask("one")
		b.conclude(t, batch, b.clock.Now().Add(24*time.Hour))
		it := b.find(t, id)
		if want := b.clock.Now().Add(askDelay); !it.NextCrawlAt.Equal(want) || it.Fields.Again != "one two" {
			t.Errorf("the rules %q ask, and the next check is at %v, want %v", it.Fields.Again, it.NextCrawlAt, want)
		}
		yes := true
		b.set(t, id, Settings{Paused: &yes})
		ask("three")
		if it := b.find(t, id); !it.NextCrawlAt.Equal(Never) || it.Fields.Again != "one two three" {
			t.Errorf("a paused page is checked at %v, and %q ask", it.NextCrawlAt, it.Fields.Again)
		}
		b.check(t)
	})
	none := source.ID("url_" + strings.Repeat("a", 26))
	if err := openMem(t, Options{}).Items.AskFields(t.Context(), none, "one"); !fault.Is(err, fault.NotFound) {
		t.Errorf("of a page that is not registered: %v", err)
	}
}
