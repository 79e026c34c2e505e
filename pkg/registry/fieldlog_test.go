package registry

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

const (
	own    source.ID = "url_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	former source.ID = "url_bbbbbbbbbbbbbbbbbbbbbbbbbb"
)

var fieldNoon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// entryOf returns the entry of a field with a number, which costs as many euros, or has disappeared for 0.
func entryOf(name string, number, euros int) field.Entry {
	e := field.Entry{Name: name, Number: number, At: fieldNoon.Add(time.Duration(number) * time.Hour),
		Capture: "sha256:ab"}
	if euros > 0 {
		e.Value = field.Value{Type: field.Money, Number: field.Decimal(fmt.Sprint(euros)), Currency: "EUR", Shown: "5 €"}
		e.Evidence = field.Evidence{Source: field.CSS, At: ".price", Excerpt: "5 €", Reason: "plain"}
	}
	return e
}

func open(t *testing.T, under storage.Store) *FieldLog {
	t.Helper()
	s := NewFieldLog(under)
	must(t, s.Create(t.Context()))
	return s
}

// read returns the history of a field.
func read(t *testing.T, s *FieldLog, name string, entries int, ids ...source.ID) FieldHistory {
	t.Helper()
	h, err := s.before(t.Context(), ids, name, entries)
	must(t, err)
	return h
}

// TestG1HistoryEndsInTheRow checks that the last entry of a history is the one in the item's row (G1).
func TestG1HistoryEndsInTheRow(t *testing.T) {
	s := open(t, store())
	if h, err := s.List(t.Context(), []source.ID{own}, field.Kept{Name: "price"}); err != nil || len(h.Entries) > 0 {
		t.Errorf("nothing is known: %+v, %v", h, err)
	}
	must(t, s.Add(t.Context(), own, []field.Entry{entryOf("price", 1, 1), entryOf("price", 2, 2)}))
	last := entryOf("price", 2, 5)
	h, err := s.List(t.Context(), []source.ID{own}, field.Kept{Name: "price", Last: field.Moment{Value: last.Value},
		At: last.At, Capture: last.Capture, Evidence: last.Evidence, Entries: 2})
	want := FieldHistory{Entries: []field.Entry{entryOf("price", 1, 1), last}}
	if diff := cmp.Diff(want, h); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func store() storage.Store { return mem.New(func() time.Time { return fieldNoon }) }

// TestG1History checks that entries are read as they were added, oldest first, up to the number that the item counts,
// and that each field has its own (G1).
func TestG1History(t *testing.T) {
	under := store()
	s := open(t, under)
	names := []string{"price", "price|2", "price!", `a#?!|b`, "sale price", strings.Repeat("\U0001F4B6", 60), "100%"}
	for _, name := range names {
		must(t, s.Add(t.Context(), own, []field.Entry{entryOf(name, 2, 0), entryOf(name, 1, 7)}))
		must(t, s.Add(t.Context(), own, []field.Entry{entryOf(name, 3, 9)}))
	}
	for _, name := range names {
		want := FieldHistory{Entries: []field.Entry{entryOf(name, 1, 7), entryOf(name, 2, 0)}}
		if diff := cmp.Diff(want, read(t, s, name, 2, own)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if h := read(t, s, "none", 0, own); len(h.Entries) > 0 || h.Older != 0 {
		t.Errorf("a field without entries: %+v", h)
	}
	must(t, s.Purge(t.Context(), own))
	must(t, s.Purge(t.Context(), own))
	for e, err := range under.Table(FieldTable).Query(t.Context(), storage.Query{}) {
		t.Error("left", e.Key, err)
	}
	if h := read(t, s, "price", 2, own); len(h.Entries) > 0 || h.Older != 2 {
		t.Errorf("after the purge: %+v", h)
	}
}

// TestG1HistoryIsBounded checks that the oldest entries of a field leave, and that their number is known (G1).
func TestG1HistoryIsBounded(t *testing.T) {
	under := store()
	s := open(t, under)
	s.most = 3
	for n := range 5 {
		must(t, s.Add(t.Context(), own, []field.Entry{entryOf("price", n+1, n+1)}))
		must(t, s.Add(t.Context(), own, []field.Entry{entryOf("price", n+1, n+1)})) // the check is repeated
	}
	if h := read(t, s, "price", 5, own); len(h.Entries) != 3 || h.Entries[0].Number != 3 || h.Older != 2 {
		t.Errorf("have %+v", h)
	}
	left := 0
	for _, err := range under.Table(FieldTable).Query(t.Context(), storage.Query{}) {
		must(t, err)
		left++
	}
	if left != 3 {
		t.Errorf("%d rows are left, want 3", left)
	}
}

// TestG1HistoryMoves checks that the history of an item that has moved to another id goes on, and that what the item
// has itself is taken first (G1).
func TestG1HistoryMoves(t *testing.T) {
	s := open(t, store())
	must(t, s.Add(t.Context(), former, []field.Entry{entryOf("price", 1, 1), entryOf("price", 2, 2),
		entryOf("price", 3, 3)}))
	must(t, s.Add(t.Context(), own, []field.Entry{entryOf("price", 3, 8), entryOf("price", 4, 9)}))
	want := FieldHistory{Entries: []field.Entry{entryOf("price", 1, 1), entryOf("price", 2, 2), entryOf("price", 3, 8),
		entryOf("price", 4, 9)}}
	if diff := cmp.Diff(want, read(t, s, "price", 4, own, former)); diff != "" {
		t.Error(diff)
	}
}

// TestG1HistoryAfterFailures checks that a check that is repeated after a write failed, before or after it took effect,
// leaves what a check without a failure does, and so does a repeated purge (G1).
func TestG1HistoryAfterFailures(t *testing.T) {
	lost := fault.New(fault.Unavailable, "lost")
	for at := range 6 {
		for _, after := range []bool{false, true} {
			calls := 0
			fail := func(_ context.Context, c storagetest.Call) error {
				if c.Op != "table.Transact" && c.Op != "table.Query" {
					return nil
				}
				if calls++; calls == at+1 {
					return lost
				}
				return nil
			}
			hooks := storagetest.Hooks{OnBefore: fail}
			if after {
				hooks = storagetest.Hooks{OnAfter: func(ctx context.Context, c storagetest.Call, err error) error {
					if err != nil {
						return err
					}
					return fail(ctx, c)
				}}
			}
			s := open(t, storagetest.Hooked(store(), hooks))
			s.most = 2
			again := func(do func() error) {
				for do() != nil {
				}
			}
			for n := range 3 {
				again(func() error { return s.Add(t.Context(), own, []field.Entry{entryOf("price", n+1, n+1)}) })
			}
			h, err := s.before(t.Context(), []source.ID{own}, "price", 3)
			if err != nil {
				h = read(t, s, "price", 3, own)
			}
			want := FieldHistory{Entries: []field.Entry{entryOf("price", 2, 2), entryOf("price", 3, 3)}, Older: 1}
			if diff := cmp.Diff(want, h); diff != "" {
				t.Errorf("call %d, after %v: %s", at, after, diff)
			}
			again(func() error { return s.Purge(t.Context(), own) })
			if h := read(t, s, "price", 3, own); len(h.Entries) > 0 {
				t.Errorf("call %d, after %v: left %+v", at, after, h)
			}
		}
	}
}
