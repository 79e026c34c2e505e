package sentinel_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/sentinel"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// lay gives the web what two days of looks are disturbed over: nested sitemaps, known items, a
// sitemap that is larger than a step and than a day, and one that is down.
func lay(r *rig) {
	r.restart(func(o *sentinel.Options) { o.PerDay = 6 })
	r.register("https://a.example/0", "https://a.example/1")
	r.web.pages[aMap] = mapIndex("https://a.example/one.xml", "https://a.example/two.xml", "https://a.example/down.xml")
	r.web.pages["https://a.example/one.xml"] = urlset(plain("https://a.example/", 7)...)
	r.web.pages["https://a.example/two.xml"] = urlset(append(plain("https://a.example/more/", 4), entry{loc: "https://a.example/print/x"})...)
	r.web.pages["https://a.example/down.xml"] = 404
}

var (
	firstDay  = tally{Documents: 3, Found: 12, New: 6, Known: 2, Excluded: 1, Later: 3, Errors: 1}
	secondDay = tally{Documents: 3, Unmodified: 2, Found: 3, New: 3, Errors: 1}
)

// E14: whatever single operation of two days of looks fails, before or after it took effect, the looks
// come to the same end with the same numbers.
func TestE14Faults(t *testing.T) {
	count := disturb(t, "mem", 0, false)
	if count < 40 {
		t.Fatalf("only %d operations", count)
	}
	for n := 1; n <= count && !t.Failed(); n++ {
		for _, after := range []bool{false, true} {
			if disturb(t, "mem", n, after); t.Failed() {
				t.Fatalf("operation %d of %d, after %v", n, count, after)
			}
		}
	}
}

// E14 on the embedded store, at every ninth operation: its transactions are other code.
func TestE14FaultsEmbedded(t *testing.T) {
	for n := 1; n <= disturb(t, "embedded", 0, false); n += 9 {
		for _, after := range []bool{false, true} {
			if disturb(t, "embedded", n, after); t.Failed() {
				t.Fatalf("operation %d, after %v", n, after)
			}
		}
	}
}

// disturb has looks on two days of which the nth operation fails, none if it is 0, and says how many
// there were.
func disturb(t *testing.T, store string, nth int, after bool) (count int) {
	t.Helper()
	defer sentinel.FewerLookups(4)()
	r := newRig(t, openers[store])
	lay(r)
	r.hook = storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			if count++; count == nth && !after {
				return fault.New(fault.Unavailable, "sabotaged")
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if count == nth && after {
				return fault.New(fault.Unavailable, "sabotaged")
			}
			return err
		},
	}
	for _, want := range []tally{firstDay, secondDay} {
		have := r.dayDespite()
		same(t, want, tallyOf(have))
	}
	r.hook = storagetest.Hooks{}
	if n := len(r.items()); n != 11 {
		t.Errorf("%d items, want 11", n)
	}
	r.whole()
	return count
}

// dayDespite is a day on which the timer comes each minute until a look begins.
func (r *rig) dayDespite() sentinel.Look {
	r.Helper()
	now := r.clock.Now()
	r.clock.pass(time.Date(now.Year(), now.Month(), now.Day()+1, 6, 0, 0, 0, time.UTC).Sub(now))
	since := r.clock.Now()
	for range 10 {
		_, _ = r.Tick(r.Context())
		r.settle()
		all, err := sentinel.New(r.store, r.reg, r.web, r.o).Get(r.Context(), "a")
		must(r.T, err)
		if all.Last != nil && !all.Last.BeganAt.Before(since) {
			return *all.Last
		}
		r.clock.pass(time.Minute)
	}
	r.Fatal("no look begins")
	return sentinel.Look{}
}

// E14: operations fail at random, messages are lost, doubled and late, two workers do the same step at
// once, and each page is registered once and counted once.
func TestE14Simulation(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { simulate(t, seed) })
	}
}

func simulate(t *testing.T, seed uint64) {
	defer sentinel.FewerLookups(4)()
	r := newRig(t, openers["mem"])
	lay(r)
	rng, mu := rand.New(rand.NewPCG(seed, 1)), sync.Mutex{}
	chance := func(percent int) bool {
		mu.Lock()
		defer mu.Unlock()
		return rng.IntN(100) < percent
	}
	r.hook = storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			if chance(2) {
				return fault.New(fault.Unavailable, "sabotaged")
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if err == nil && chance(2) {
				return fault.New(fault.Unavailable, "sabotaged")
			}
			return err
		},
	}
	for _, want := range []tally{firstDay, secondDay} {
		r.clock.pass(24 * time.Hour)
		r.stormyDay(chance)
		last := r.dayOf("a")
		if last == nil {
			t.Fatal("no look ended")
		}
		same(t, want, tallyOf(*last))
	}
	r.hook = storagetest.Hooks{}
	if n := len(r.items()); n != 11 {
		t.Errorf("%d items, want 11", n)
	}
	r.whole()
}

func (r *rig) dayOf(slug string) *sentinel.Look {
	one, err := sentinel.New(r.store, r.reg, r.web, r.o).Get(r.Context(), slug)
	must(r.T, err)
	return one.Last
}

// stormyDay has the timer come and the looks go on until all have ended.
func (r *rig) stormyDay(chance func(percent int) bool) {
	since := r.clock.Now()
	var late [][]byte
	for range 300 {
		_, _ = r.Tick(r.Context())
		bodies := append(r.messages(), late...)
		late = nil
		var workers sync.WaitGroup
		for _, body := range bodies {
			if chance(10) {
				continue // lost
			}
			for range 2 {
				workers.Go(func() { _ = r.Step(context.Background(), body) })
			}
			if chance(20) {
				late = append(late, body)
			}
		}
		workers.Wait()
		r.clock.pass(30 * time.Second)
		_, _ = r.Wake(r.Context())
		if last := r.dayOf("a"); last != nil && !last.BeganAt.Before(since) && !r.looking() {
			return
		}
	}
}

// E14: whatever single operation of a push fails, before or after it took effect, the push that is sent
// again takes what is left, and what is registered never exceeds the day's bound.
func TestE14PushFaults(t *testing.T) {
	push := submission("https://a.example/1", "https://a.example/2", "https://a.example/3", "https://a.example/4")
	attempt := func(nth int, after bool) (count int) {
		r := newRig(t, openers["mem"])
		r.restart(func(o *sentinel.Options) { o.PerDay = 3 })
		r.web.pages[keyFile] = pushKey
		r.hook = storagetest.Hooks{
			OnBefore: func(context.Context, storagetest.Call) error {
				if count++; count == nth && !after {
					return fault.New(fault.Unavailable, "sabotaged")
				}
				return nil
			},
			OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
				if count == nth && after {
					return fault.New(fault.Unavailable, "sabotaged")
				}
				return err
			},
		}
		_, _ = r.Push(t.Context(), push)
		done := count
		if n := len(r.items()); n > 3 {
			t.Errorf("%d items, 3 are allowed", n)
		}
		r.clock.pass(24 * time.Hour)
		_, err := r.Push(t.Context(), push)
		must(t, err)
		if n := len(r.items()); n < 3 {
			t.Errorf("%d items after the push was sent again", n)
		}
		r.hook = storagetest.Hooks{}
		r.whole()
		return done
	}
	count := attempt(0, false)
	if count < 10 {
		t.Fatalf("only %d operations", count)
	}
	for n := 1; n <= count; n++ {
		for _, after := range []bool{false, true} {
			if attempt(n, after); t.Failed() {
				t.Fatalf("operation %d of %d, after %v", n, count, after)
			}
		}
	}
}

// E14: whoever read the site's row before a step ended, and the document's after it, registers nothing of
// what the next step is to count.
func TestE14DoubledStep(t *testing.T) {
	defer sentinel.FewerLookups(4)()
	r := newRig(t, openers["mem"])
	r.web.pages[aMap] = urlset(plain("https://a.example/", 10)...)
	_, err := r.LookNow(t.Context(), "a")
	must(t, err)
	body := r.messages()[0]
	r.hook = storagetest.Hooks{OnBefore: func(ctx context.Context, c storagetest.Call) error {
		if c.Op == "table.Get" && strings.HasPrefix(c.Key, "sentinel/doc|") {
			r.hook = storagetest.Hooks{} // once
			return r.Step(ctx, body)
		}
		return nil
	}}
	must(t, r.Step(t.Context(), body))
	if n := len(r.items()); n != 4 {
		t.Errorf("%d items after one step of 4, done twice", n)
	}
	r.settle()
	same(t, tally{Documents: 1, Found: 10, New: 10}, tallyOf(*r.site("a").Last))
}
