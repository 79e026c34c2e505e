package feed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// clock is a clock that a test sets.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)} }

// group returns a group with that many changes.
func group(id string, since, changes int) Group {
	g := Group{ID: id, Since: since}
	for i := range changes {
		g.Changes = append(g.Changes, Change{Kind: Content, ItemID: fmt.Sprintf("%s.%d", id, i)})
	}
	return g
}

// read returns the items of changes, in order, and the position of the last change.
func read(t testing.TB, seq func(func(Change, error) bool)) (items []string, last Position) {
	t.Helper()
	for c, err := range seq {
		must(t, err)
		items, last = append(items, c.ItemID), c.Position
	}
	return items, last
}

// TestW2OnceWhateverFails checks that a group is in the feed once, whichever operation fails, before or after it
// takes effect, and although other processes publish the group again.
func TestW2OnceWhateverFails(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := 1; ; n++ {
			calls := 0
			fail := func() error {
				if calls++; calls == n {
					return fault.New(fault.Unavailable, "the process died")
				}
				return nil
			}
			hooks := storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
				if after {
					return nil
				}
				return fail()
			}, OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
				if !after || err != nil {
					return err
				}
				return fail()
			}}
			under, c := mem.New(time.Now), newClock()
			must(t, Open(under, c.now).Create(t.Context()))
			dies := Open(storagetest.Hooked(under, &hooks), c.now)
			groups := []Group{group("a", 0, 2), group("b", 0, 1), group("c", 0, 3)}
			for i := range groups {
				groups[i].Since, _ = dies.Segment(t.Context())
				_ = dies.Publish(t.Context(), groups[i])
				c.t = c.t.Add(13 * time.Hour) // a segment ends meanwhile
			}
			for range 2 {
				must(t, Open(under, c.now).Publish(t.Context(), groups...))
			}
			items, _ := read(t, Open(under, c.now).Oldest(t.Context(), Position{}))
			slices.Sort(items)
			if diff := cmp.Diff([]string{"a.0", "a.1", "b.0", "c.0", "c.1", "c.2"}, items); diff != "" {
				t.Fatalf("operation %d, after %t: %s", n, after, diff)
			}
			if calls < n {
				break
			}
		}
	}
}

// late is a table on which some writes return an error and take effect later, or never.
type late struct {
	storage.Table
	rand   *rand.Rand
	parked *[]func()
}

func (l late) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	if l.rand.IntN(4) > 0 {
		return l.Table.Transact(ctx, ops...)
	}
	ops = slices.Clone(ops)
	*l.parked = append(*l.parked, func() { _, _ = l.Table.Transact(context.Background(), ops...) })
	return nil, fault.New(fault.Unavailable, "no answer")
}

// TestW2FollowersMissNothing checks that a follower sees each change once, in the order of positions. Several
// processes publish. Their clocks differ, some of their writes fail and take effect later, and they publish some
// groups again.
func TestW2FollowersMissNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		under, world := mem.New(time.Now), newClock()
		must(t, Open(under, world.now).Create(t.Context()))
		var parked []func()
		var feeds []*Feed
		for i := range 3 {
			skew := time.Duration(i) * 2 * time.Second
			f := Open(under, func() time.Time { return world.t.Add(skew) })
			f.rows = late{f.rows, rnd, &parked}
			feeds = append(feeds, f)
		}
		var all []string
		var waiting []Group
		var seen []string
		var at Position
		follow := func() {
			items, last := read(t, Open(under, world.now).Oldest(t.Context(), at))
			seen = append(seen, items...)
			if len(items) > 0 {
				at = last
			}
		}
		for i := range 60 {
			f := feeds[rnd.IntN(len(feeds))]
			since, err := f.Segment(t.Context())
			must(t, err)
			g := group(fmt.Sprintf("g%d", i), since, 1+rnd.IntN(3))
			for _, c := range g.Changes {
				all = append(all, c.ItemID)
			}
			waiting = append(waiting, g)
			some := waiting[rnd.IntN(len(waiting)):]
			_ = f.Publish(t.Context(), some...)
			world.t = world.t.Add(time.Duration(rnd.IntN(4)) * time.Hour)
			if len(parked) > 0 && rnd.IntN(2) == 0 {
				n := rnd.IntN(len(parked))
				parked[n]()
				parked = slices.Delete(parked, n, n+1)
			}
			follow()
		}
		for _, f := range feeds {
			f.rows = f.rows.(late).Table
			must(t, f.Publish(t.Context(), waiting...))
		}
		for _, do := range parked {
			do()
		}
		follow()
		must(t, feeds[0].Publish(t.Context(), waiting...))
		follow()
		newest, _ := read(t, feeds[1].Newest(t.Context(), Position{}))
		slices.Reverse(newest)
		if diff := cmp.Diff(seen, newest); diff != "" {
			rt.Fatalf("followed and read from the end: %s", diff)
		}
		slices.Sort(all)
		slices.Sort(seen)
		if diff := cmp.Diff(all, seen); diff != "" {
			rt.Fatalf("published and seen: %s", diff)
		}
	})
}

// TestW2Places checks that a reader can start at any position, across segments and beyond one window of groups (W1,
// W2).
func TestW2Places(t *testing.T) {
	c := newClock()
	f := Open(mem.New(time.Now), c.now)
	must(t, f.Create(t.Context()))
	if end, err := f.End(t.Context()); end != (Position{}) || err != nil {
		t.Errorf("an empty feed ends at %v, %v", end, err)
	}
	var want []string
	for i := range 3*window + 7 {
		g := group(fmt.Sprintf("g%d", i), 0, 2)
		must(t, f.Publish(t.Context(), g))
		want = append(want, g.Changes[0].ItemID, g.Changes[1].ItemID)
		c.t = c.t.Add(20 * time.Minute) // two full segments and a part of one
	}
	have, last := read(t, f.Oldest(t.Context(), Position{}))
	if diff := cmp.Diff(want, have); diff != "" {
		t.Fatal(diff)
	}
	if last.Segment != 3 {
		t.Errorf("the last is at %v", last)
	}
	var places []Position
	for c, err := range f.Oldest(t.Context(), Position{}) {
		must(t, err)
		places = append(places, c.Position)
	}
	for i, p := range places {
		if after, _ := read(t, f.Oldest(t.Context(), p)); !slices.Equal(after, want[i+1:]) {
			t.Fatalf("after %v: %v", p, after)
		}
		before, _ := read(t, f.Newest(t.Context(), p))
		if slices.Reverse(before); !slices.Equal(before, want[:i]) {
			t.Fatalf("before %v: %v", p, before)
		}
	}
	end, err := f.End(t.Context())
	must(t, err)
	if more, _ := read(t, f.Oldest(t.Context(), end)); len(more) > 0 {
		t.Errorf("after the end: %v", more)
	}
	from, err := f.From(t.Context(), c.t.Add(-20*time.Hour))
	must(t, err)
	if from.Segment != 2 {
		t.Errorf("20 hours ago is at %v", from)
	}
}

// TestW2CostOfTheNewest checks that reading the newest hundred changes costs the same for any size of feed.
func TestW2CostOfTheNewest(t *testing.T) {
	var counter storagetest.Counter
	c := newClock()
	f := Open(storagetest.Counted(mem.New(time.Now), &counter), c.now)
	must(t, f.Create(t.Context()))
	for i := range 1000 {
		if i == 999 || i == 99 {
			counter.Reset()
		}
		since, err := f.Segment(t.Context())
		must(t, err)
		must(t, f.Publish(t.Context(), group(fmt.Sprintf("g%d", i), since, 1)))
		if n := counter.Requests.Load(); (i == 999 || i == 99) && n != 1 {
			t.Errorf("a group takes %d requests", n)
		}
	}
	counter.Reset()
	n := 0
	for _, err := range f.Newest(t.Context(), Position{}) {
		must(t, err)
		if n++; n == 100 {
			break
		}
	}
	if have := counter.Requests.Load(); have > 4 {
		t.Errorf("the newest hundred take %d requests", have)
	}
}

// TestW2Purge checks that segments are purged whole, and that a follower with a purged position gets an error.
func TestW2Purge(t *testing.T) {
	c := newClock()
	f := Open(mem.New(time.Now), c.now)
	must(t, f.Create(t.Context()))
	var first Position
	for i := range 10 {
		must(t, f.Publish(t.Context(), group(fmt.Sprintf("g%d", i), 0, 60)))
		if i == 0 {
			_, first = read(t, f.Oldest(t.Context(), Position{}))
		}
		c.t = c.t.Add(25 * time.Hour)
	}
	n, err := f.Purge(t.Context(), 5*25*time.Hour)
	if must(t, err); n == 0 {
		t.Fatal("nothing was purged")
	}
	if items, _ := read(t, f.Oldest(t.Context(), Position{})); len(items) != (10-n)*60 {
		t.Errorf("%d changes are left of %d segments", len(items), 10-n)
	}
	if items, _ := read(t, f.Newest(t.Context(), Position{})); len(items) != (10-n)*60 {
		t.Errorf("%d changes are left of %d segments", len(items), 10-n)
	}
	for _, err := range f.Oldest(t.Context(), first) {
		if !fault.Is(err, fault.Expired) {
			t.Errorf("a cursor into what was purged: %v", err)
		}
	}
	end, err := f.End(t.Context())
	must(t, err)
	for _, ahead := range []Position{{end.Segment, end.Group + 1, 0}, {end.Segment + 1, 0, 0}} {
		for _, err := range f.Oldest(t.Context(), ahead) {
			if !fault.Is(err, fault.Expired) {
				t.Errorf("a cursor ahead of everything: %v", err)
			}
		}
	}
	must(t, f.Publish(t.Context(), group("late", 1, 1))) // the segment named by Since is purged
	if items, _ := read(t, f.Newest(t.Context(), Position{})); items[0] != "late.0" {
		t.Errorf("the newest is %s", items[0])
	}
}

// TestW2ErrorsAreTold checks that a failure of the store is reported and does not end the feed.
func TestW2ErrorsAreTold(t *testing.T) {
	broken := errors.New("broken")
	hooks := storagetest.Hooks{}
	c := newClock()
	f := Open(storagetest.Hooked(mem.New(time.Now), &hooks), c.now)
	must(t, f.Create(t.Context()))
	must(t, f.Publish(t.Context(), group("a", 0, 1)))
	hooks.OnBefore = func(context.Context, storagetest.Call) error { return broken }
	for name, seq := range map[string]func(func(Change, error) bool){
		"oldest": f.Oldest(t.Context(), Position{}), "newest": f.Newest(t.Context(), Position{}),
	} {
		told := false
		for _, err := range seq {
			told = errors.Is(err, broken)
		}
		if !told {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	f.Add("1.2.3")
	f.Add("01.2.3")
	f.Add("2026-11-23")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePosition(text); err == nil && p.String() != text {
			t.Errorf("%q is read as %q", text, p)
		}
	})
}

// TestK14WrittenChangesAreReported checks K14: after a write, the process that made it gets the changes of the groups
// that it has added, and not those of groups that were in the feed.
func TestK14WrittenChangesAreReported(t *testing.T) {
	under, c := mem.New(time.Now), newClock()
	f, other := Open(under, c.now), Open(under, c.now)
	must(t, f.Create(t.Context()))
	var got []string
	f.OnPublish(func(_ context.Context, changes []Change) {
		for _, c := range changes {
			got = append(got, c.ItemID)
		}
	})
	must(t, other.Publish(t.Context(), group("a", 0, 1)))
	must(t, f.Publish(t.Context(), group("a", 0, 1), group("b", 0, 2)))
	must(t, f.Publish(t.Context(), group("b", 0, 2)))
	if diff := cmp.Diff([]string{"b.0", "b.1"}, got); diff != "" {
		t.Error(diff)
	}
}
