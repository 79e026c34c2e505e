package sitepoll_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// lay prepares the web for the two days of polls in which faults occur: nested sitemaps, known items, a sitemap that
// exceeds both a step and a day, and one that is down.
func lay(r *rig) {
	r.restart(func(o *sitepoll.Options) { o.PerDay = 6 })
	r.register("https://a.example/0", "https://a.example/1")
	r.web.Pages[aMap] = runtest.MapIndex("https://a.example/one.xml", "https://a.example/two.xml",
		"https://a.example/down.xml")
	r.web.Pages["https://a.example/one.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 7)...)
	r.web.Pages["https://a.example/two.xml"] = runtest.URLSet(append(runtest.Pages("https://a.example/more/", 4),
		"https://a.example/print/x")...)
	r.web.Pages["https://a.example/down.xml"] = 404
}

var (
	firstDay  = tally{Documents: 3, Found: 12, New: 6, Known: 2, Excluded: 1, Later: 3, Errors: 1}
	secondDay = tally{Documents: 3, Unmodified: 2, Found: 3, New: 3, Errors: 1}
)

// TestE14Faults checks that two days of polls end with the same numbers when any single operation fails, before or
// after it took effect (E14).
func TestE14Faults(t *testing.T) {
	runtest.EachFault(t, 40, 1, func(t *testing.T, f *runtest.Fault) { disturb(t, "mem", f) })
}

// TestE14FaultsEmbedded does the same on the embedded store, whose transactions are other code, at every ninth
// operation.
func TestE14FaultsEmbedded(t *testing.T) {
	runtest.EachFault(t, 40, 9, func(t *testing.T, f *runtest.Fault) { disturb(t, "embedded", f) })
}

// disturb performs the polls of two days, with a fault.
func disturb(t *testing.T, store string, f *runtest.Fault) {
	t.Helper()
	defer sitepoll.FewerLookups(4)()
	r := newRig(t, runtest.Stores[store])
	lay(r)
	r.Hook.Set(f)
	for _, want := range []tally{firstDay, secondDay} {
		same(t, want, tallyOf(r.dayDespite()))
	}
	r.registered()
}

// registered checks that the registry holds what two days should bring.
func (r *rig) registered() {
	r.Helper()
	r.Hook.Set(nil)
	if n := len(r.items()); n != 11 {
		r.Errorf("%d items, want 11", n)
	}
	r.whole()
}

// dayDespite is a day on which the timer fires each minute until a poll begins.
func (r *rig) dayDespite() sitepoll.Poll {
	r.Helper()
	now := r.Clock.Now()
	r.Clock.Pass(time.Date(now.Year(), now.Month(), now.Day()+1, 6, 0, 0, 0, time.UTC).Sub(now))
	since := r.Clock.Now()
	for range 10 {
		_, _ = r.Tick(r.Context())
		r.settle()
		if last := r.last("a"); last != nil && !last.BeganAt.Before(since) {
			return *last
		}
		r.Clock.Pass(time.Minute)
	}
	r.Fatal("no poll begins")
	return sitepoll.Poll{}
}

// TestE14Simulation checks that each page is registered once and counted once when operations fail at random,
// messages are lost, doubled and late, and two workers perform the same step at once (E14).
func TestE14Simulation(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { simulate(t, seed) })
	}
}

func simulate(t *testing.T, seed uint64) {
	defer sitepoll.FewerLookups(4)()
	r, storm := inMemory(t), runtest.NewStorm(seed)
	lay(r)
	r.Hook.Set(storm)
	for _, want := range []tally{firstDay, secondDay} {
		r.Clock.Pass(24 * time.Hour)
		r.stormyDay(storm)
		last := r.last("a")
		if last == nil {
			t.Fatal("no poll ended")
		}
		same(t, want, tallyOf(*last))
	}
	r.registered()
}

// last returns the last poll of a site that ended, retrying on faults.
func (r *rig) last(slug string) *sitepoll.Poll {
	one, err := r.sound().Get(r.Context(), slug)
	r.Must(err)
	return one.Last
}

// stormyDay fires the timer and performs steps until all polls have ended.
func (r *rig) stormyDay(storm *runtest.Storm) {
	since := r.Clock.Now()
	for range 300 {
		_, _ = r.Tick(r.Context())
		storm.Deliver(r.Messages(sitepoll.Queue), r.Step)
		r.Clock.Pass(30 * time.Second)
		_, _ = r.RequeueStalled(r.Context())
		if last := r.last("a"); last != nil && !last.BeganAt.Before(since) && !r.polling() {
			return
		}
	}
}

// TestE14PushFaults checks that a push sent again after the failure of any single operation, before or after it took
// effect, processes what is left, and that the registered pages never exceed the day's bound (E14).
func TestE14PushFaults(t *testing.T) {
	push := submission("https://a.example/1", "https://a.example/2", "https://a.example/3", "https://a.example/4")
	runtest.EachFault(t, 10, 1, func(t *testing.T, f *runtest.Fault) {
		r := inMemory(t)
		r.restart(func(o *sitepoll.Options) { o.PerDay = 3 })
		r.web.Pages[keyFile] = pushKey
		r.Hook.Set(f)
		_, _ = r.Push(t.Context(), push)
		if n := len(r.items()); n > 3 {
			t.Errorf("%d items, 3 are allowed", n)
		}
		r.Hook.Set(nil)
		r.Clock.Pass(24 * time.Hour)
		_, err := r.Push(t.Context(), push)
		r.Must(err)
		if n := len(r.items()); n < 3 {
			t.Errorf("%d items after the push was sent again", n)
		}
		r.whole()
	})
}

// TestE14DoubledStep checks that a process that read the site's row before a step ended, and the document's row after
// it, registers nothing that the next step should count (E14).
func TestE14DoubledStep(t *testing.T) {
	defer sitepoll.FewerLookups(4)()
	r := inMemory(t)
	r.web.Pages[aMap] = runtest.URLSet(runtest.Pages("https://a.example/", 10)...)
	_, err := r.PollNow(t.Context(), "a")
	r.Must(err)
	body := r.Messages(sitepoll.Queue)[0]
	r.Hook.Set(storagetest.Hooks{OnBefore: func(ctx context.Context, c storagetest.Call) error {
		if c.Op == "table.Get" && strings.HasPrefix(c.Key, "sentinel/doc|") {
			r.Hook.Set(nil) // once
			return r.Step(ctx, body)
		}
		return nil
	}})
	r.Must(r.Step(t.Context(), body))
	if n := len(r.items()); n != 4 {
		t.Errorf("%d items after one step of 4, done twice", n)
	}
	r.settle()
	same(t, tally{Documents: 1, Found: 10, New: 10}, tallyOf(*r.site("a").Last))
}
