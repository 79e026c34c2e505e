package feed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// filled returns a feed of groups of a few changes each, in several segments, and all positions.
func filled(t *testing.T, groups int) (*Feed, []Position) {
	t.Helper()
	c := newClock()
	f := Open(mem.New(time.Now), c.now)
	must(t, f.Create(t.Context()))
	for i := range groups {
		must(t, f.Publish(t.Context(), group(fmt.Sprintf("g%d", i), 0, 1+i%3)))
		c.t = c.t.Add(time.Hour)
	}
	var all []Position
	for c, err := range f.Oldest(t.Context(), Position{}) {
		must(t, err)
		all = append(all, c.Position)
	}
	return f, all
}

// TestW1ReadersAgreeWithAList checks that exactly the changes recorded as read are read, in whatever order and
// however often they are recorded, and but for those that were made unread again; and that a reader that has read
// everything stores one position (W1, Q13).
func TestW1ReadersAgreeWithAList(t *testing.T) {
	f, all := filled(t, 30)
	rng := rand.New(rand.NewPCG(17, 1))
	read := map[Position]bool{}
	for step := range 200 {
		var upTo Position
		var ids []Position
		if step%5 == 4 {
			p := all[rng.IntN(len(all))]
			read[p] = false
			_, err := ReadersOf(f).MakeUnread(t.Context(), "ann", p)
			must(t, err)
		}
		if at := rng.IntN(len(all)); step%20 == 19 && at < step {
			upTo = all[at]
			for _, p := range all[:at+1] {
				read[p] = true
			}
		} else {
			for range 1 + rng.IntN(3) {
				p := all[rng.IntN(len(all))]
				ids, read[p] = append(ids, p), true
			}
		}
		_, err := ReadersOf(f).MarkRead(t.Context(), "ann", upTo, ids...)
		must(t, err)
		r, err := ReadersOf(f).Load(t.Context(), "ann")
		must(t, err)
		var newest, oldest, want []Position
		for _, p := range all {
			if r.Has(p) != read[p] {
				t.Fatalf("step %d: %v is read: %v", step, p, r.Has(p))
			}
			if !read[p] {
				want = append(want, p)
			}
		}
		for c, err := range r.Newest(f.Newest(t.Context(), Position{})) {
			must(t, err)
			newest = append(newest, c.Position)
		}
		for c, err := range r.Unread(ReadersOf(f).Since(t.Context(), r, Position{})) {
			must(t, err)
			oldest = append(oldest, c.Position)
		}
		if slices.Reverse(newest); !slices.Equal(newest, want) || !slices.Equal(oldest, want) {
			t.Fatalf("step %d: unread are %v and %v, want %v", step, newest, oldest, want)
		}
	}
	r, err := ReadersOf(f).MarkRead(t.Context(), "ann", Position{}, all...)
	must(t, err)
	if len(r.Beyond)+len(r.Again) > 0 || r.UpTo != all[len(all)-1] {
		t.Errorf("everything is read: %+v", r)
	}
	if r, err := ReadersOf(f).Load(t.Context(), "ben"); err != nil || r.Has(all[0]) {
		t.Errorf("somebody else has read something: %+v, %v", r, err)
	}
}

// TestW1ReadersRace checks that changes which two processes record for one reader at once are all read, even when a
// write returns an error and takes effect.
func TestW1ReadersRace(t *testing.T) {
	f, all := filled(t, 20)
	var g errgroup.Group
	for i := range 4 {
		g.Go(func() error {
			for j := i; j < len(all); j += 4 {
				if _, err := ReadersOf(f).MarkRead(t.Context(), "ann", Position{}, all[j]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	must(t, g.Wait())
	if r, err := ReadersOf(f).Load(t.Context(), "ann"); err != nil || r.UpTo != all[len(all)-1] {
		t.Errorf("%+v, %v", r, err)
	}
	for _, after := range []bool{false, true} {
		hooks := storagetest.Hooks{}
		under := mem.New(time.Now)
		f := Open(storagetest.Hooked(under, &hooks), newClock().now)
		must(t, f.Create(t.Context()))
		must(t, f.Publish(t.Context(), group("a", 0, 2)))
		down := func(c storagetest.Call) error {
			if c.Op == "table.Transact" {
				return fault.New(fault.Unavailable, "down")
			}
			return nil
		}
		if after {
			hooks.OnAfter = func(_ context.Context, c storagetest.Call, err error) error { return down(c) }
		} else {
			hooks.OnBefore = func(_ context.Context, c storagetest.Call) error { return down(c) }
		}
		if _, err := ReadersOf(f).MarkRead(t.Context(), "ann", Position{}, Position{1, 1, 2}); err == nil {
			t.Error("no error")
		}
		hooks.OnBefore, hooks.OnAfter = nil, nil
		r, err := ReadersOf(f).MarkRead(t.Context(), "ann", Position{}, Position{1, 1, 2})
		if err != nil || r.Has(Position{1, 1, 1}) || !r.Has(Position{1, 1, 2}) {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestW1ReadersAreBounded checks that the row of a reader is bounded, and that a future change cannot be recorded as
// read.
func TestW1ReadersAreBounded(t *testing.T) {
	f, all := filled(t, 3)
	last := all[len(all)-1]
	for field, read := range map[string]func() error{
		"upTo": func() error {
			_, err := ReadersOf(f).MarkRead(t.Context(), "a", Position{last.Segment, last.Group + 1, 1})
			return err
		},
		"ids": func() error {
			_, err := ReadersOf(f).MarkRead(t.Context(), "a", Position{}, Position{last.Segment + 1, 1, 1})
			return err
		},
	} {
		if err := read(); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s in the future: %v", field, err)
		}
	}
	var many []Position
	for i := range maxBeyond + 1 {
		many = append(many, Position{1, 1, 5 + i}) // behind a change that was not read
	}
	if _, err := ReadersOf(f).MarkRead(t.Context(), "a", Position{}, many[:maxBeyond]...); err != nil {
		t.Error(err)
	}
	if _, err := ReadersOf(f).MarkRead(t.Context(), "a", Position{}, many...); !fault.Is(err, fault.Invalid) {
		t.Errorf("too many: %v", err)
	}
	future := Position{last.Segment + 1, 1, 1}
	if _, err := ReadersOf(f).MakeUnread(t.Context(), "a", future); !fault.Is(err, fault.Invalid) {
		t.Errorf("a change that is not there is unread: %v", err)
	}
	if r, err := ReadersOf(f).MarkRead(t.Context(), "a", last); err != nil || len(r.Beyond) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestW1ReadersOutliveWhatIsKept checks that a reader whose next changes were purged continues with the oldest change
// that is kept.
func TestW1ReadersOutliveWhatIsKept(t *testing.T) {
	f, all := filled(t, 24*6)
	_, err := ReadersOf(f).MarkRead(t.Context(), "ann", all[0], all[2])
	must(t, err)
	n, err := f.Purge(t.Context(), 48*time.Hour)
	if must(t, err); n == 0 {
		t.Fatal("nothing was purged")
	}
	r, err := ReadersOf(f).Load(t.Context(), "ann")
	must(t, err)
	kept, _ := read(t, f.Oldest(t.Context(), Position{}))
	if have, _ := read(t, ReadersOf(f).Since(t.Context(), r, Position{})); !slices.Equal(have, kept) || len(kept) == 0 {
		t.Errorf("%d changes to read of %d", len(have), len(kept))
	}
	for _, err := range ReadersOf(f).Since(t.Context(), r, all[1]) { // an expired cursor is still an error
		if !fault.Is(err, fault.Expired) {
			t.Errorf("an old cursor: %v", err)
		}
	}
}

// TestW3LastRead checks that the version read last is that of the last change read, whatever was read of other items.
func TestW3LastRead(t *testing.T) {
	f := Open(mem.New(time.Now), newClock().now)
	must(t, f.Create(t.Context()))
	changes := []Change{
		{ItemID: "x", Kind: New, To: "1"}, {ItemID: "y", Kind: New, To: "a"},
		{ItemID: "x", Kind: Content, From: "1", To: "2"},
		{ItemID: "x", Kind: Content, From: "2", To: "3"}, {EntryID: "e", Kind: New},
		{ItemID: "formerly x", Kind: Content, From: "3", To: "4"},
	}
	must(t, f.Publish(t.Context(), Group{ID: "g", Changes: changes}))
	at := func(i int) Position { return Position{1, 1, i} }
	for _, test := range []struct {
		name string
		r    Reader
		want string
	}{
		{"nothing was read", Reader{}, ""},
		{"another item was read", Reader{Beyond: []Position{at(2)}}, ""},
		{"the first version", Reader{UpTo: at(1)}, "1"},
		{"the first version, and another item", Reader{UpTo: at(2)}, "1"},
		{"a later version, not the one before", Reader{UpTo: at(1), Beyond: []Position{at(4)}}, "3"},
		{"by its former name", Reader{UpTo: at(5)}, "3"},
		{"all", Reader{UpTo: at(6)}, "4"},
		{"all, one by one", Reader{Beyond: []Position{at(1), at(3), at(4), at(6)}}, "4"},
	} {
		have, err := ReadersOf(f).LastRead(t.Context(), test.r, []string{"x", "formerly x"}, "4", 6)
		if err != nil || have != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, have, err, test.want)
		}
	}
	if _, err := ReadersOf(f).LastRead(t.Context(), Reader{}, []string{"x"}, "4", 5); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too many changes: %v", err)
	}
}
