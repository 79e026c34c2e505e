package sitepoll_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// town is a site on which some pages change each night, with the lastmod values of its sitemap.
type town struct {
	*rig
	rng     *rand.Rand
	changed map[string]time.Time // by address
	honest  func(day int) bool   // otherwise every page claims to have just changed
	seen    map[string]time.Time // the change that the last check found
	checks  int
	early   int // checks that the schedule did not plan
	waits   []time.Duration
}

const (
	townPages    = 40
	townInterval = 5 * 24 * time.Hour
)

func newTown(t *testing.T, seed uint64, honest func(day int) bool) *town {
	t.Helper()
	w := &town{
		rig: inMemory(t), rng: rand.New(rand.NewPCG(seed, 2)), honest: honest,
		changed: map[string]time.Time{}, seen: map[string]time.Time{},
	}
	for i := range townPages {
		w.changed[fmt.Sprintf("https://a.example/%d", i)] = w.Clock.Now().Add(-30 * 24 * time.Hour)
	}
	return w
}

// live passes days, and returns how many checks were brought forward on each.
func (w *town) live(from, to int) (hastened []int) {
	for day := from; day < to; day++ {
		w.night(day)
		hastened = append(hastened, w.day("a").Hastened)
		for range 12 {
			w.crawl()
			w.Clock.Pass(time.Hour)
		}
	}
	return hastened
}

// night changes a tenth of the pages, and writes the sitemap.
func (w *town) night(day int) {
	var entries []string
	for i := range townPages {
		url := fmt.Sprintf("https://a.example/%d", i)
		if w.rng.IntN(10) == 0 {
			w.changed[url] = w.Clock.Now()
		}
		says := w.changed[url]
		if !w.honest(day) {
			says = w.Clock.Now()
		}
		entries = append(entries, url+" "+says.Format(time.RFC3339))
	}
	w.web.Pages[aMap] = runtest.URLSet(entries...)
}

// crawl checks the due pages, and schedules the next check of each in five days.
func (w *town) crawl() {
	w.Helper()
	w.CrawlDue(w.reg, w.check)
}

func (w *town) check(it registry.Item) registry.Finding {
	now, url := w.Clock.Now(), it.NormalizedSource
	if w.checks++; !it.LastChecked.IsZero() && now.Sub(it.LastChecked) < townInterval-time.Hour {
		w.early++
	}
	f := registry.Finding{Item: it, Changed: !w.seen[url].Equal(w.changed[url])}
	if f.Changed {
		w.waits = append(w.waits, now.Sub(w.changed[url]))
		w.seen[url], f.Item.LastChanged = w.changed[url], now
	}
	f.Item.Status, f.Item.LastChecked = registry.Indexed, now
	f.Item.CheckAt(now.Add(townInterval))
	return f
}

func (w *town) truthful() bool {
	w.Helper()
	src, err := source.DefaultRules().ParseURL("https://a.example/")
	w.Must(err)
	record, err := w.reg.Changes.Record(w.Context(), src)
	w.Must(err)
	return record.Truthful()
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// TestE14HonestSite checks that an honest site is trusted after a while, and that its changes are then found within
// hours instead of days. Checks that lastmod did not bring forward stay as rare as before (E14).
func TestE14HonestSite(t *testing.T) {
	for seed := range uint64(3) {
		w := newTown(t, seed, func(int) bool { return true })
		if early := w.live(0, 5); sum(early) > 0 || w.early > 0 {
			t.Errorf("seed %d: checks are brought forward before the site has proved truthful: %v", seed, early)
		}
		w.live(5, 25)
		if !w.truthful() {
			t.Fatalf("seed %d: an honest site is not believed: %+v", seed, w.site("a").LastMod)
		}
		w.waits = nil
		w.live(25, 45)
		if len(w.waits) < 40 {
			t.Fatalf("only %d changes found", len(w.waits))
		}
		for _, wait := range w.waits {
			if wait > 24*time.Hour {
				t.Errorf("seed %d: a change was found after %s", seed, wait)
			}
		}
		w.whole()
	}
}

// TestE14LyingSite checks that a site that reports every page as just changed each day is never trusted: no check is
// brought forward, and only a sample of its reports is recorded (E14).
func TestE14LyingSite(t *testing.T) {
	for seed := range uint64(3) {
		w := newTown(t, seed, func(int) bool { return false })
		if n := sum(w.live(0, 40)); n > 0 || w.early > 0 || w.truthful() {
			t.Errorf("seed %d: %d checks brought forward, %d early: %+v", seed, n, w.early, w.site("a").LastMod)
		}
		if poll := w.site("a").Last; poll.Moved < townPages/2 || poll.Noted > policy.JobItems {
			t.Errorf("seed %d: %d moved, %d noted", seed, poll.Moved, poll.Noted)
		}
		w.whole()
	}
}

// TestE14SiteThatChangesItsWays checks that a site that stops lying is trusted in the end, and that one that starts
// lying no longer is (E14).
func TestE14SiteThatChangesItsWays(t *testing.T) {
	w := newTown(t, 1, func(day int) bool { return day >= 20 && day < 120 })
	if n := sum(w.live(0, 20)); n > 0 {
		t.Errorf("%d checks brought forward on a liar's word", n)
	}
	w.live(20, 120)
	if !w.truthful() {
		t.Fatalf("not believed after 100 honest days: %+v", w.site("a").LastMod)
	}
	w.live(120, 130)
	if w.truthful() {
		t.Fatalf("believed after ten days of lies: %+v", w.site("a").LastMod)
	}
	if n := sum(w.live(130, 140)); n > 0 {
		t.Errorf("%d checks brought forward after that", n)
	}
	w.whole()
}
