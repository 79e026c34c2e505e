package entries

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// outboxed lists the entries in the outbox.
func (r *rig) outboxed() (ids []string) {
	r.Helper()
	for _, schema := range Schemas {
		for e, err := range r.under.Table(tableOf[schema].entries).Query(r.Context(), storage.Query{}) {
			must(r.T, err)
			if strings.HasPrefix(e.Row, outboxPrefix) {
				ids = append(ids, idAt(outboxEntryOf(e).entry()))
			}
		}
	}
	return ids
}

// flushedAll flushes the outbox and fails unless the index then has the current state of every entry of production,
// and nothing else.
func (r *rig) flushedAll() {
	r.Helper()
	r.now = r.now.Add(claimTime)
	_, err := r.FlushOutbox(r.Context())
	must(r.T, err)
	if left := r.outboxed(); len(left) > 0 {
		r.Errorf("still in the outbox: %v", left)
	}
	if all := r.rows(); len(all) != len(r.index.pages) {
		r.Errorf("%d entries, %d pages", len(all), len(r.index.pages))
	}
}

func text(s string) entry.Fields { return entry.Fields{"clean_text": s} }

// TestD10Flushed checks that written entries are in the index after a flush, that the outbox is empty, and that
// entries for tests are not searched (D10).
func TestD10Flushed(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		var all []Result
		for i := range 3 {
			all = append(all, r.inserted(keyed(entry.TelegramThought, fmt.Sprint("p", i), "", text(fmt.Sprint("tide ", i)))))
		}
		all = append(all, r.inserted(entry.Fields{"source": "notes", "clean_text": "ebb"}))
		if _, err := r.In(Testing).Insert(t.Context(), entry.Fields{"source": "notes", "clean_text": "flood"}); err != nil {
			t.Error(err)
		}
		if n := len(r.outboxed()); n != 4 {
			t.Errorf("%d are in the outbox, want 4", n)
		}
		if n, err := r.FlushOutbox(t.Context()); n != 0 || err != nil {
			t.Errorf("FlushOutbox takes %d that somebody has claimed (%v)", n, err)
		}
		must(t, r.Flush(t.Context(), all...))
		if n := len(r.outboxed()); n != 0 || r.index.puts != 1 || len(r.index.pages) != 4 {
			t.Errorf("%d are in the outbox after %d puts of %d pages", n, r.index.puts, len(r.index.pages))
		}
		res, err := r.In(Production).Update(t.Context(), entry.Fields{"id": all[0].Entry.Text("id"),
			"clean_text": "high water"})
		must(t, err)
		r.rows()
		must(t, r.Flush(t.Context(), res))
		if n := len(r.outboxed()); n != 0 {
			t.Errorf("%d are in the outbox after an update", n)
		}
		r.flushedAll()
	})
}

// TestD10Cost checks that an insert still costs one request, and flushing a hundred one put and one transaction more
// (D10). TestW2EntriesCost covers the cost of the feed.
func TestD10Cost(t *testing.T) {
	r := newRig(t, openMem)
	r.o.Feed = nil
	requests := map[string]int{}
	r.hook.OnBefore = func(_ context.Context, c storagetest.Call) error { requests[c.Op]++; return nil }
	session, all := r.In(Production), []Result(nil)
	for i := range 100 {
		res, err := session.Insert(t.Context(), keyed(entry.TelegramThought, fmt.Sprint("p", i), "", text("tide")))
		must(t, err)
		all = append(all, res)
	}
	must(t, r.Flush(t.Context(), all...))
	if diff := cmp.Diff(map[string]int{"table.Get": 1, "table.Transact": 101, "index.Put": 1}, requests); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	clear(requests)
	_, err := r.FlushOutbox(t.Context())
	must(t, err)
	if diff := cmp.Diff(map[string]int{"table.Query": 2 + len(seeds)}, requests); diff != "" {
		t.Errorf("the outbox is empty (-want +have):\n%s", diff)
	}
}

// TestD10FlushFaults checks that the index finally has what is stored after any failure, before or after it took
// effect, and that writers of entries never see an error of the index (D10).
func TestD10FlushFaults(t *testing.T) {
	for name, open := range map[string]opener{"mem": openMem, "embedded": openEmbedded} {
		t.Run(name, func(t *testing.T) {
			steps := 0
			for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
				r, count := newRig(t, open), 0
				standing := r.inserted(keyed(entry.TelegramThought, "p", "", text("ebb")))
				must(t, r.Flush(t.Context(), standing))
				r.hook = failing(nth, after, &count)
				ctx, s := t.Context(), r.In(Production)
				one, err1 := s.Insert(ctx, keyed(entry.TelegramLink, "q", "", text("new")))
				two, err2 := s.Update(ctx, entry.Fields{"id": standing.Entry.Text("id"), "clean_text": "flood"})
				three, err3 := s.Update(ctx, entry.Fields{"id": standing.Entry.Text("id"), "clean_text": "high water"})
				err4 := r.Flush(ctx, one, two, three)
				r.now = r.now.Add(claimTime)
				_, err5 := r.FlushOutbox(ctx)
				failed := 0
				for _, err := range []error{err1, err2, err3, err4, err5} {
					failed += btoi(err != nil)
				}
				if failed != btoi(nth > 0) {
					t.Errorf("fault %d (after: %v): %v, %v, %v, %v, %v", nth, after, err1, err2, err3, err4, err5)
				}
				if nth == 0 {
					steps = count
				}
				r.hook = storagetest.Hooks{}
				r.rows()
				r.flushedAll()
			}
			if steps < 15 {
				t.Errorf("only %d operations were disturbed", steps)
			}
		})
	}
}

// TestD10OutboxFaults checks that flushing the outbox may stop anywhere, and then continues (D10).
func TestD10OutboxFaults(t *testing.T) {
	steps := 0
	for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
		r, count := newRig(t, openMem), 0
		r.inserted(keyed(entry.TelegramThought, "p", "", text("ebb")))
		r.inserted(entry.Fields{"source": "notes", "clean_text": "flood"})
		r.now = r.now.Add(claimTime)
		r.hook = failing(nth, after, &count)
		if _, err := r.FlushOutbox(t.Context()); (err != nil) != (nth > 0) {
			t.Errorf("fault %d (after: %v): %v", nth, after, err)
		}
		if nth == 0 {
			steps = count
		}
		r.hook = storagetest.Hooks{}
		r.rows()
		r.flushedAll()
	}
	if steps < 10 {
		t.Errorf("only %d operations were disturbed", steps)
	}
}

// TestD10OlderTextNeverStays checks that the newer text comes last when an entry changes while another caller puts
// it: only the first caller puts, and the text is right even when that caller dies in between (D10).
func TestD10OlderTextNeverStays(t *testing.T) {
	for name, dies := range map[string]bool{"the first goes on": false, "the first dies": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, openMem)
			res := r.inserted(keyed(entry.TelegramThought, "p", "", text("old")))
			other, once := r.another(), sync.Once{}
			r.hook.OnBefore = func(ctx context.Context, c storagetest.Call) (err error) {
				if c.Op == "index.Put" {
					once.Do(func() {
						newer, err := other.In(Production).Update(ctx, entry.Fields{"id": res.Entry.Text("id"), "clean_text": "new"})
						must(t, err)
						must(t, other.Flush(ctx, newer))
						if n, err := other.FlushOutbox(ctx); n != 0 || err != nil {
							t.Errorf("%d are taken from their claimant (%v)", n, err)
						}
					})
				}
				return nil
			}
			r.hook.OnAfter = func(_ context.Context, c storagetest.Call, err error) error {
				if c.Op == "index.Put" && dies {
					return fault.New(fault.Unavailable, "dead")
				}
				return err
			}
			if err := r.Flush(t.Context(), res); (err != nil) != dies {
				t.Error(err)
			}
			r.hook = storagetest.Hooks{}
			if have := r.index.differs(r.rows()[0]); (have != "") != dies {
				t.Errorf("(-want +have):\n%s", have)
			}
			r.flushedAll()
		})
	}
}

// TestD10LateClaimIsSilent checks that a caller whose claim expires soon does not write to the index, because another
// may have claimed the entry (D10).
func TestD10LateClaimIsSilent(t *testing.T) {
	r := newRig(t, openMem)
	res := r.inserted(keyed(entry.TelegramThought, "p", "", text("old")))
	r.now = r.now.Add(claimTime - claimMargin + time.Millisecond)
	must(t, r.Flush(t.Context(), res))
	if r.index.puts != 0 {
		t.Error("it put an entry that others will put")
	}
	r.flushedAll()
}

// TestD10Races checks that the index finally has what is stored when many processes write one entry, flush and flush
// the outbox at once (D10).
func TestD10Races(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		id := r.inserted(keyed(entry.TelegramThought, "p", "", text("0"))).Entry.Text("id")
		r.now = r.now.Add(claimTime)
		var g errgroup.Group
		for i := range 4 {
			g.Go(func() error {
				mine := r.another()
				for j := range 5 {
					res, err := mine.In(Production).Update(t.Context(), entry.Fields{"id": id, "clean_text": fmt.Sprint(i, " ", j)})
					if err != nil {
						return err
					}
					if err := mine.Flush(t.Context(), res); err != nil {
						return err
					}
					if _, err := mine.FlushOutbox(t.Context()); err != nil {
						return err
					}
				}
				return nil
			})
		}
		must(t, g.Wait())
		r.rows()
		r.flushedAll()
	})
}

// refusing is an index that refuses some pages because of their content.
type refusing struct {
	*shelf
	word string
}

func (x refusing) Put(ctx context.Context, pages ...search.Page) error {
	if slices.ContainsFunc(pages, func(p search.Page) bool { return p.Title == x.word }) {
		return fault.Field("title", "refused")
	}
	return x.shelf.Put(ctx, pages...)
}

// TestD10RefusedEntry checks that a refused entry does not keep others out of the index, and is not retried forever
// (D10).
func TestD10RefusedEntry(t *testing.T) {
	r := newRig(t, openMem)
	r.o.Index = refusing{&r.index, "bad"}
	must(t, r.Flush(t.Context(), r.inserted(keyed(entry.TelegramThought, "p", "", entry.Fields{"title": "bad"})),
		r.inserted(keyed(entry.TelegramThought, "q", "", text("good")))))
	if len(r.index.pages) != 1 || len(r.outboxed()) != 0 {
		t.Errorf("%d pages, in the outbox: %v", len(r.index.pages), r.outboxed())
	}
}

// embedder adds vectors, or fails.
type embedder struct{ err error }

func (f embedder) Embed(_ context.Context, p *search.Page) error {
	for i := range p.Chunks {
		p.Chunks[i].Vector = []float32{1}
	}
	return f.err
}

// TestD10Vectors checks that chunks of entries get vectors, like those of pages, and that entries wait while the
// embedder fails (D10).
func TestD10Vectors(t *testing.T) {
	r := newRig(t, openMem)
	r.o.Vectors = embedder{fault.New(fault.Unavailable, "the model is down")}
	res := r.inserted(keyed(entry.TelegramThought, "p", "", text("tide")))
	if err := r.Flush(t.Context(), res); !fault.Is(err, fault.Unavailable) || len(r.index.pages) != 0 ||
		len(r.outboxed()) != 1 {
		t.Errorf("%v; %d pages, in the outbox: %v", err, len(r.index.pages), r.outboxed())
	}
	r.o.Vectors = embedder{}
	r.now = r.now.Add(claimTime)
	_, err := r.FlushOutbox(t.Context())
	must(t, err)
	if p := r.index.pages[res.Entry.Text("id")]; len(p.Chunks) != 1 || p.Chunks[0].Vector == nil {
		t.Errorf("%+v", p)
	}
}

// TestD10NoIndex checks that entries are stored without an index, and that the outbox waits for one (D10).
func TestD10NoIndex(t *testing.T) {
	r := newRig(t, openMem)
	r.o.Index = nil
	must(t, r.Flush(t.Context(), r.inserted(keyed(entry.TelegramThought, "p", "", text("tide")))))
	r.now = r.now.Add(claimTime)
	if n, err := r.FlushOutbox(t.Context()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	r.o.Index = &r.index
	r.flushedAll()
}

// TestD10Tier1 checks that a model's description of an entry is searched after the next FlushOutbox, and that asking
// the model changes nothing (D10).
func TestD10Tier1(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		s, res := r.In(Production), r.inserted(keyed(entry.TelegramThought, "p", "", text("tide")))
		id := res.Entry.Text("id")
		must(t, r.Flush(t.Context(), res))
		_, read, err := s.Read(t.Context(), id)
		must(t, err)
		must(t, s.Describe(t.Context(), id, read, entry.Fields{"tier1_status": "pending"}))
		if left := r.outboxed(); len(left) != 0 {
			t.Errorf("in the outbox: %v", left)
		}
		for range 2 { // the second finds it in the outbox already
			_, read, err = s.Read(t.Context(), id)
			must(t, err)
			must(t, s.Describe(t.Context(), id, read, entry.Fields{"tier1_status": "enriched", "gist": "It rises.",
				"keywords": `["spring"]`}))
		}
		if n, err := r.FlushOutbox(t.Context()); n != 1 || err != nil {
			t.Errorf("%d flushed (%v)", n, err)
		}
		var have []string
		for _, c := range r.index.pages[id].Chunks {
			have = append(have, c.Text)
		}
		if want := []string{"tide", "It rises.\n\nspring"}; !slices.Equal(have, want) {
			t.Errorf("have %q, want %q", have, want)
		}
		r.flushedAll()
	})
}

// TestAZ2FreedOutbox checks AZ2: when it is known that nobody works on the store, the outbox entries of a process that
// died need not wait for the end of their claims.
func TestAZ2FreedOutbox(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		must(t, Free(t.Context(), r.store))
		r.inserted(entry.Fields{"source": "notes", "clean_text": "ebb"})
		if n, err := r.FlushOutbox(t.Context()); n != 0 || err != nil {
			t.Errorf("FlushOutbox takes %d that somebody has claimed (%v)", n, err)
		}
		must(t, Free(t.Context(), r.store))
		if n, err := r.FlushOutbox(t.Context()); n != 1 || err != nil {
			t.Errorf("FlushOutbox takes %d that nobody has claimed any more (%v)", n, err)
		}
	})
}
