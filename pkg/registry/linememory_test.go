package registry

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestQ8MemoryIsKeptWithTheItem checks that the memory of a page is stored as it is, is found under a former id, and
// goes with the item (Q8).
func TestQ8MemoryIsKeptWithTheItem(t *testing.T) {
	log := NewFieldLog(mem.New(time.Now))
	ctx := t.Context()
	if err := log.Create(ctx); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := linememory.Memory{Slots: []linememory.Slot{{ID: "a", Line: "12 boats", Since: at, Stays: map[uint32]int{7: 3},
		Moves: []linememory.Move{{Check: 3, At: at.Unix()}}, Texts: []linememory.Text{{Hash: 9, Check: 3}}}}}
	if err := log.Remember(ctx, "former", want); err != nil {
		t.Fatal(err)
	}
	have, err := log.Memory(ctx, "present", "former")
	if diff := cmp.Diff(want, have); diff != "" || err != nil {
		t.Errorf("%v (-want +have)\n%s", err, diff)
	}
	if err := log.Purge(ctx, "former"); err != nil {
		t.Fatal(err)
	}
	if have, err := log.Memory(ctx, "present", "former"); len(have.Slots) > 0 || err != nil {
		t.Errorf("after the purge: %+v, %v", have, err)
	}
}

// TestN4MovingLineIsOffered checks which line is offered to be ignored: of those that are told, and have moved twice or
// more and at half of the last checks, the one that has moved most (N4).
func TestN4MovingLineIsOffered(t *testing.T) {
	check := linememory.Check{Number: 4, At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	moves := func(n int) (out []linememory.Move) {
		for i := range n {
			out = append(out, linememory.Move{Check: 5 - n + i, At: check.At.Unix()})
		}
		return out
	}
	have := Moving{}.Sum(linememory.Memory{Slots: []linememory.Slot{
		{ID: "once", Line: "Open from 9", Was: "Open from 8", Moves: moves(1)},
		{ID: "twice", Line: "Beds free: 12", Was: "Beds free: 9", Moves: moves(2)},
		{ID: "trial", Line: "Fee: 7", Was: "Fee: 6", Moves: []linememory.Move{{Check: 2, At: check.At.Unix(), Trial: true},
			{Check: 3, At: check.At.Unix(), Trial: true}, {Check: 4, At: check.At.Unix(), Trial: true}}},
		{ID: "silent", Line: "Seen by 7", Was: "Seen by 6", Moves: moves(5), Silent: check.At},
		{ID: "decided", Line: "Boats: 7", Was: "Boats: 6", Moves: moves(4), Decision: linememory.Always},
	}}, check)
	if have.Line != "Beds free: 12" || have.Times != 2 || have.Silent != 1 || !have.Kept {
		t.Errorf("the sum is %+v", have)
	}
	if rule := have.Offer("en"); rule != `^Beds free: \d+$` {
		t.Errorf("the offer is %q", rule)
	}
}

// TestQ6DecisionIsWritten checks that a decision is kept in the item with its history and the number of silent parts,
// that a check which is in flight loses none of this, and that an unknown part is refused (Q6).
func TestQ6DecisionIsWritten(t *testing.T) {
	b := openMem(t, Options{})
	id := b.register(t, RegisterOptions{}, pages("a.example", 1)...)[0].Item.ID
	batch := b.begin(t, b.take(t)[0])
	m := linememory.Memory{Slots: []linememory.Slot{{ID: "a", Line: "12 boats"}}}
	it, err := b.Items.Decide(t.Context(), id, m, "a", linememory.Never)
	if err != nil || it.Moving.Silent != 1 {
		t.Fatalf("%d parts are silent: %v", it.Moving.Silent, err)
	}
	b.finish(t, batch)
	it, err = b.Items.Find(t.Context(), id)
	said := slices.ContainsFunc(it.History, func(d Decision) bool {
		return d.What == "memory" && d.Why == "no move is told: 12 boats"
	})
	if err != nil || len(it.Decided) != 1 || it.Decided[0].Line != "12 boats" || it.Moving.Silent != 1 || !said {
		t.Errorf("%+v, %d silent, %v, %v", it.Decided, it.Moving.Silent, it.History, err)
	}
	if _, err := b.Items.Decide(t.Context(), id, m, "b", linememory.Never); fault.FieldOf(err) != "id" {
		t.Errorf("an unknown part gives %v", err)
	}
}
