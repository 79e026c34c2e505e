package entries

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// fill inserts and flushes entries of several policies, and without one.
func (r *rig) fill(n int) {
	r.Helper()
	var all []Result
	for i := range n {
		all = append(all, r.inserted(keyed([]string{entry.TelegramThought, entry.TelegramLink}[i%2], fmt.Sprint(i), "",
			text(fmt.Sprint("tide ", i)))))
	}
	all = append(all, r.inserted(entry.Fields{"source": "notes", "clean_text": "ebb"}))
	must(r.T, r.Flush(r.Context(), all...))
}

// walk reindexes everything, each step twice, and counts the entries.
func (r *rig) walk(differs func(id, what string)) (n int) {
	r.Helper()
	for from, done := (registry.Cursor{}), false; !done; {
		_, _, _, err := r.Reindex(r.Context(), from, differs)
		must(r.T, err)
		var some int
		some, from, done, err = r.Reindex(r.Context(), from, differs)
		must(r.T, err)
		n += some
	}
	return n
}

// TestA19ReindexEntries checks that a lost index gets every entry again, even when steps are repeated (A19).
func TestA19ReindexEntries(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.fill(30)
		claimed := r.inserted(keyed(entry.TelegramThought, "claimed", "", text("left")))
		r.index.pages = map[string]search.Page{}
		if n := r.walk(nil); n != 32 {
			t.Errorf("came by %d entries, want 32", n)
		}
		if _, there := r.index.pages[claimed.Entry.Text("id")]; there || len(r.index.pages) != 31 {
			t.Errorf("%d pages; one that somebody else has claimed among them: %v", len(r.index.pages), there)
		}
		r.flushedAll()
	})
}

// TestA19ReindexPortions checks that a step is bounded, and that no entry is processed twice (A19).
func TestA19ReindexPortions(t *testing.T) {
	r := newRig(t, openMem)
	r.fill(2*flushBatch + 20)
	n, next, done, err := r.Reindex(t.Context(), registry.Cursor{}, nil)
	if n != 1 || next.Partition != nowhere || done || err != nil {
		t.Errorf("%d, %+v, %v, %v", n, next, done, err)
	}
	n, next, _, err = r.Reindex(t.Context(), next, nil)
	if n != flushBatch || next.Partition != entry.TelegramLink || err != nil {
		t.Errorf("%d, %+v, %v", n, next, err)
	}
	if n, _, _, err = r.Reindex(t.Context(), next, nil); n != 10 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	r.flushedAll()
}

// TestA19ReindexFaults checks that no entry is missing after a step failed anywhere, repeated or not (A19).
func TestA19ReindexFaults(t *testing.T) {
	for _, name := range []string{"all", "audit"} {
		steps := 0
		for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
			r, count := newRig(t, openMem), 0
			r.fill(1)
			r.index.pages = map[string]search.Page{}
			r.hook = failing(nth, after, &count)
			differs := func(string, string) {}
			if name == "all" {
				differs = nil
			}
			for from, done := (registry.Cursor{}), false; !done; {
				_, next, end, err := r.Reindex(t.Context(), from, differs)
				if err == nil {
					from, done = next, end
				} else if nth == 0 {
					t.Fatal(err)
				}
			}
			if nth == 0 {
				steps = count
			}
			r.hook = storagetest.Hooks{}
			r.rows()
			r.flushedAll()
		}
		if steps < 15 {
			t.Errorf("%s: only %d operations were disturbed", name, steps)
		}
	}
}

// TestAuditEntries checks that an audit finds entries that are missing or wrong in the index, and repairs only those.
func TestAuditEntries(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.fill(4)
		want := map[string]string{}
		for i, f := range r.rows() {
			id := f.Text("id")
			p := r.index.pages[id]
			switch i {
			case 0:
				delete(r.index.pages, id)
				want[id] = "the index lacks the entry"
			case 1:
				p.Chunks = append(p.Chunks, search.Chunk{Key: "k", UID: "u"})
				want[id] = "chunks missing: 0 of 1, held: 2"
			case 2:
				p.Chunks = []search.Chunk{{Key: "k", UID: "u"}}
				want[id] = "chunks missing: 1 of 1, held: 1"
			}
			if i == 1 || i == 2 {
				r.index.pages[id] = p
			}
		}
		have, puts := map[string]string{}, r.index.puts
		if n := r.walk(func(id, what string) { have[id] = what }); n != 5 {
			t.Errorf("%d entries", n)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		if n := r.walk(func(id, what string) { t.Errorf("%s: %s", id, what) }); n != 5 || r.index.puts-puts > 3 {
			t.Errorf("%d puts for 3 differences", r.index.puts-puts)
		}
		r.flushedAll()
	})
}

// TestAuditDamagedEntry checks that a damaged entry leaves the index, and that the others stay.
func TestAuditDamagedEntry(t *testing.T) {
	r := newRig(t, openMem)
	r.fill(1)
	id := r.rows()[0].Text("id")
	key, err := keyOf(id)
	must(t, err)
	damage := storage.Op{
		Kind:   storage.Merge,
		Entity: storage.Entity{Key: key, ETag: storage.AnyETag, Props: storage.Properties{"metadata": "{"}},
	}
	_, err = r.under.Table(tableOf[Production].entries).Transact(t.Context(), damage)
	must(t, err)
	var said []string
	r.walk(func(id, what string) { said = append(said, id+": "+what) })
	if _, there := r.index.pages[id]; there || len(r.index.pages) != 1 || len(said) != 1 ||
		!strings.Contains(said[0], "cannot be read") {
		t.Errorf("%d pages; said %q", len(r.index.pages), said)
	}
}

// TestEntriesExist checks which ids belong to existing entries.
func TestEntriesExist(t *testing.T) {
	r := newRig(t, openMem)
	if any, err := r.Any(t.Context()); any || err != nil {
		t.Errorf("%v, %v", any, err)
	}
	r.fill(1)
	if any, err := r.Any(t.Context()); !any || err != nil {
		t.Errorf("%v, %v", any, err)
	}
	id := r.rows()[0].Text("id")
	for id, want := range map[string]bool{id: true, id[:len(id)-1] + "7": id[len(id)-1] == '7', "x": false,
		"entry_" + entry.TelegramThought: false} {
		if has, err := r.Has(t.Context(), id); has != want || err != nil {
			t.Errorf("%s: %v, %v", id, has, err)
		}
	}
}

// TestD10List checks that entries are listed page by page, in a stable order, without their texts (D10).
func TestD10List(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.fill(7)
		var want, have []string
		for _, f := range r.rows() {
			want = append(want, f.Text("id"))
		}
		for after := ""; len(have) < 20; {
			some, err := r.In(Production).List(t.Context(), "", 3, after)
			must(t, err)
			if len(some) == 0 {
				break
			}
			for _, f := range some {
				have = append(have, f.Text("id"))
				if f.Text("clean_text") != "" {
					t.Error("a list has texts")
				}
			}
			after = have[len(have)-1]
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		if some, err := r.In(Production).List(t.Context(), entry.TelegramLink, 50, ""); len(some) != 3 || err != nil {
			t.Errorf("%d of a policy (%v)", len(some), err)
		}
		if some, err := r.In(Testing).List(t.Context(), "", 50, ""); len(some) != 0 || err != nil {
			t.Errorf("%d of the other schema (%v)", len(some), err)
		}
		for field, call := range map[string]func() ([]entry.Fields, error){
			"policy": func() ([]entry.Fields, error) { return r.In(Production).List(t.Context(), "A", 1, "") },
			"top":    func() ([]entry.Fields, error) { return r.In(Production).List(t.Context(), "", MaxList+1, "") },
			"continuation": func() ([]entry.Fields, error) {
				return r.In(Production).List(t.Context(), entry.TelegramThought, 1, have[0])
			},
		} {
			if _, err := call(); !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != field {
				t.Errorf("%s: %v", field, err)
			}
		}
	})
}
