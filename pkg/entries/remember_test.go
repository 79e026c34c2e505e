package entries

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// updates changes an entry at equal times, and describes the changes that are told, by the numbers of the updates.
func (r *rig) updates(id string, every time.Duration, all ...entry.Fields) (out []string) {
	r.Helper()
	before := len(r.told())
	for i, f := range all {
		r.now = r.now.Add(every)
		f["id"] = id
		res, err := r.In(Production).Update(r.Context(), f)
		must(r.T, err)
		must(r.T, r.Flush(r.Context(), res))
		for _, c := range r.told()[before:] {
			if c.Small != nil {
				out = append(out, fmt.Sprintf("%d %s small: %s %s", i, c.Kind, c.Small.Why, c.Small.What))
			} else {
				out = append(out, fmt.Sprintf("%d %s", i, c.Kind))
			}
			before++
		}
	}
	return out
}

// page is the text of an entry with a counter, which a fact may share a line with.
func page(views, fee int) string {
	return fmt.Sprintf("The quay has a crane.\n\nSeen %d times. The fee is %d EUR.\n\nOpen to all.", views, fee)
}

// TestQ17EntriesPassThroughTheMemory checks that what moves at each update of an entry is a small change from its third
// move on, in the text and in what describes it; that all else is told; and that an entry which changes seldom is told
// each time (Q17).
func TestQ17EntriesPassThroughTheMemory(t *testing.T) {
	counts := func(n int, count func(i int) entry.Fields) (all []entry.Fields) {
		for i := range n {
			all = append(all, count(i))
		}
		return all
	}
	views := func(i int) entry.Fields { return text(page(101+i, 49)) }
	likes := func(i int) entry.Fields {
		return entry.Fields{"metadata": map[string]any{"berths": 7 + i, "place": "quay"}}
	}
	lines := func(s string) entry.Fields { return text("The ships in port:\n\n" + s) }
	for name, tt := range map[string]struct {
		every   time.Duration
		updates []entry.Fields
		want    []string
	}{
		"a counter": {50 * time.Minute, append(counts(4, views), text(page(120, 54)), text(page(121, 54))), []string{
			"0 content", "1 content", "2 content small: moves a number", "3 content small: moves a number", "4 content",
			"5 content small: moves a number"}},
		"a counter in what describes it": {50 * time.Minute, append(counts(4, likes), entry.Fields{"author": "Ann"}),
			[]string{"0 metadata", "1 metadata", "2 metadata", "3 metadata small: moves a number", "4 metadata"}},
		"what no hash of a page covers": {10 * time.Minute, []entry.Fields{text("The crane.\n\nUpdated 3 minutes ago"),
			text("The crane.\n\nUpdated 5 minutes ago"), text("The cranes.\n\nUpdated 6 minutes ago")}, []string{
			"0 content", "1 content small: moves a counter or a time", "2 content"}},
		"a title beside a counter": {50 * time.Minute, append(counts(3, views),
			entry.Fields{"clean_text": page(130, 49), "title": "Closed"}), []string{"0 content", "1 content",
			"2 content small: moves a number", "3 content"}},
		"a fee each day": {24 * time.Hour, counts(5, func(i int) entry.Fields { return text(page(100, 50+i)) }), []string{
			"0 content", "1 content", "2 content", "3 content", "4 content"}},
		"another order": {time.Hour, []entry.Fields{lines("Alma of Brest\n\nBerta of Cork\n\nCato of Deal"),
			lines("Cato of Deal\n\nAlma of Brest\n\nBerta of Cork")}, []string{"0 content", "1 moved small: order the order"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, openMem)
			in := r.inserted(keyed(entry.TelegramThought, "quay", "", text(page(100, 49))))
			must(t, r.Flush(t.Context(), in))
			if diff := cmp.Diff(tt.want, r.updates(in.Entry.Text("id"), tt.every, tt.updates...)); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
		})
	}
}

// TestQ17NoFurtherRequests checks that an entry's memory costs no request, that an update without a change does not
// write it, that it survives new keys, and that a damaged one is begun anew (Q17).
func TestQ17NoFurtherRequests(t *testing.T) {
	r := newRig(t, openMem)
	in := r.inserted(keyed(entry.TelegramThought, "quay", "", text(page(100, 49))))
	must(t, r.Flush(t.Context(), in))
	id, requests := in.Entry.Text("id"), map[string]int{}
	r.hook.OnBefore = func(_ context.Context, c storagetest.Call) error { requests[c.Op]++; return nil }
	for i := range 4 {
		clear(requests)
		res, err := r.In(Production).Update(t.Context(), entry.Fields{"id": id, "clean_text": page(101+i/2, 49)})
		must(t, err)
		if requests["table.Get"] != 1 || requests["table.Transact"] != 1-i%2 {
			t.Errorf("update %d: %v", i, requests)
		}
		must(t, r.Flush(t.Context(), res))
	}
	stored, err := r.In(Production).load(t.Context(), id)
	must(t, err)
	moved, err := rowOf(stored.moved(stored.fields)[0].Entity)
	must(t, err)
	if m := recalled(moved.lines, moved.fields); len(m.Memory.Slots) != 1 || len(m.Memory.Slots[0].Moves) != 2 {
		t.Errorf("it remembers %+v", m)
	}
	if m := recalled([]byte("?"), stored.fields); len(m.Memory.Slots) > 0 || m.Saw.Number != 1 || m.Saw.At.IsZero() {
		t.Errorf("a damaged memory is %+v", m)
	}
}
