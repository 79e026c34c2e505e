package registry

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// W9: effective options are read only for items with tags, and rarely.
func TestW9EffectiveOptions(t *testing.T) {
	var counter storagetest.Counter
	clock := newClock()
	r := New(storagetest.Counted(mem.New(clock.Now), &counter), Options{Clock: clock.Now})
	if err := r.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := api.Settings{TagSettings: api.TagSettings{Interval: &api.Interval{Min: "1h"}}}
	if _, err := r.Tags.Put(t.Context(), "news", o); err != nil {
		t.Fatal(err)
	}
	by := func(it Item) string {
		t.Helper()
		e, err := r.Tags.Effective(t.Context(), &it)
		if err != nil {
			t.Fatal(err)
		}
		return e.By("interval")
	}
	counter.Reset()
	if have := by(Item{}); have != "" || counter.Requests.Load() != 0 {
		t.Errorf("an item without tags: %q after %d requests", have, counter.Requests.Load())
	}
	for range 100 {
		if have := by(Item{Asked: Asked{Tags: []string{"a", "news"}}}); have != "tag news" {
			t.Fatalf("set by %q", have)
		}
	}
	if n := counter.Requests.Load(); n != 1 {
		t.Errorf("a hundred checks read tags %d times", n)
	}
	_, err := r.Tags.Remove(t.Context(), "news")
	if err != nil || by(Item{Asked: Asked{Tags: []string{"news"}}}) != "" {
		t.Errorf("a tag that was removed: %v", err)
	}
	if _, err := r.Tags.Remove(t.Context(), "news"); !fault.Is(err, fault.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
	other := New(mem.New(clock.Now), Options{Clock: clock.Now})
	other.s.Index = r.s.Index
	if _, err := other.Tags.Put(t.Context(), "news", o); err != nil {
		t.Fatal(err)
	}
	if clock.Advance(tagsAge); by(Item{Asked: Asked{Tags: []string{"news"}}}) == "" {
		t.Error("what another process has set is not heard of")
	}
}

// W11: a paused item is not checked, whatever sites and others report, until a person requests it.
func TestW11PausedItemRests(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, "https://a.example/1")
	batch := b.begin(t, b.take(t)[0])
	it := *batch.Items[0]
	it.Paused, it.Status, it.Tags = true, Indexed, []string{"news"}
	it.CheckAt(Never)
	if err := b.Jobs.Commit(t.Context(), batch, []Finding{{Item: it}}, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
	b.check(t)
	rests := func(what string) {
		t.Helper()
		cur, err := b.Items.Find(t.Context(), it.ID)
		if err != nil || !cur.NextCrawlAt.Equal(Never) || !cur.Paused || len(cur.Tags) != 1 {
			t.Errorf("%s: %v, %v", what, cur.NextCrawlAt, err)
		}
		if jobs := b.take(t); len(jobs) > 0 {
			t.Errorf("%s: a job was sent", what)
		}
	}
	src, now := parse(t, "https://a.example/1"), b.s.Now()
	b.register(t, RegisterOptions{}, "https://a.example/1")
	rests("registered again")
	_, _, err := b.Changes.Announce(t.Context(), []Change{{Source: src[0], From: now, To: now}})
	if err != nil {
		t.Fatal(err)
	}
	rests("announced")
	b.clock.Advance(time.Hour)
	if _, _, err := b.Changes.BringForward(t.Context(), src, 1); err != nil {
		t.Fatal(err)
	}
	rests("brought forward")
	if err := b.Items.expedite(t.Context(), it, b.s.Now()); err != nil {
		t.Fatal(err)
	}
	rests("expedited")
	if err := b.Items.ForceCheck(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	rests("forced by another")
	b.clock.Advance(100 * day)
	if _, err := b.Jobs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	rests("swept")
	b.check(t)
	if _, err := b.Items.Reindex(t.Context(), it, false); err != nil {
		t.Fatal(err)
	}
	if jobs := b.take(t); len(jobs) != 1 {
		t.Error("a person's wish was not heard")
	}
}

// W9: at one host, waiting items with a higher priority come first, and a step of priority is worth an hour of
// waiting.
func TestW9Priority(t *testing.T) {
	slow := func(string) policy.Politeness {
		return policy.Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
	}
	b := openMem(t, Options{Politeness: slow})
	b.register(t, RegisterOptions{}, pages("a.example", 90)...)
	job := b.take(t)[0]
	taken := map[string]bool{}
	for _, it := range job.Items {
		taken[it.RowKey] = true
	}
	items, err := b.Items.List(t.Context(), ListQuery{Top: 100})
	if err != nil {
		t.Fatal(err)
	}
	var waiting []Item
	for _, it := range items {
		if !taken[it.Hash()] {
			waiting = append(waiting, it)
		}
	}
	first, last := waiting[50], waiting[0]
	for level, it := range map[int]Item{9: first, 0: last} {
		set := Settings{Patch: api.Patch{"priority": level}}
		if _, err := b.Items.Set(t.Context(), it.ID, set); err != nil {
			t.Fatal(err)
		}
	}
	batch := b.begin(t, job)
	var found []Finding
	for _, it := range batch.Items {
		done := *it
		done.Status = Indexed
		done.CheckAt(b.s.Now().Add(9 * day))
		found = append(found, Finding{Item: done})
	}
	if err := b.Jobs.Commit(t.Context(), batch, found, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Minute)
	if _, err := b.Jobs.Refill(t.Context(), batch.Partition); err != nil {
		t.Fatal(err)
	}
	next := b.take(t)[0].Items
	if next[0].ID != first.ID {
		t.Errorf("the first of %d is %s", len(next), next[0].ID)
	}
	for _, it := range next {
		if it.ID == last.ID {
			t.Error("what has the least priority did not wait")
		}
	}
	b.check(t)
	due := func(hours, level int) storage.Entity {
		return storage.Entity{Key: storage.Key{Row: dueRow(b.s.Now().Add(-time.Duration(hours)*time.Hour), "h")},
			Props: storage.Properties{"priority": int64(level)}}
	}
	rows := []storage.Entity{due(1, 9), due(11, 0), due(2, 5)}
	if byPriority(rows); rows[0].Props["priority"] != int64(0) {
		t.Errorf("who has waited eleven hours waits behind %v", rows[0].Props)
	}
}
