package entries

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"golang.org/x/sync/errgroup"
)

// told reads the feed.
func (r *rig) told() (out []feed.Change) {
	r.Helper()
	for c, err := range r.o.Feed.Oldest(r.Context(), feed.Position{}) {
		must(r.T, err)
		out = append(out, c)
	}
	return out
}

// untold lists the rows of unpublished news.
func (r *rig) untold() (rows []string) {
	r.Helper()
	for e, err := range r.under.Table(tableOf[Production].entries).Query(r.Context(), storage.Query{}) {
		must(r.T, err)
		if strings.HasPrefix(e.Row, newsPrefix) {
			rows = append(rows, e.Partition+" "+e.Row)
		}
	}
	return rows
}

// brief describes a change in a few words.
func brief(c feed.Change) string {
	out := fmt.Sprintf("%s %s %s:", c.Type, c.Host, c.Kind)
	for _, p := range c.Passages {
		out += fmt.Sprintf(" %s %s", p.Op, p.Text)
	}
	return out
}

// TestW1Entries checks that an inserted or updated entry is a change, and that an unchanged entry, an entry for tests
// and a model's description are not (W1).
func TestW1Entries(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		s := r.In(Production)
		mail := entry.Fields{"source": "email", "title": "Tides", "clean_text": "ebb", "url": "https://a.example/x"}
		setKeys(mail, keysOf(entry.EmailThread, "p", ""))
		in := r.inserted(mail)
		id := in.Entry.Text("id")
		must(t, r.Flush(t.Context(), in))
		for _, change := range []entry.Fields{
			{"clean_text": "flood"}, {"clean_text": "flood"}, {"title": "Low tide"}, {"author": "Ann"}, {"quality_score": 0.5},
		} {
			change["id"] = id
			res, err := s.Update(t.Context(), change)
			must(t, err)
			must(t, r.Flush(t.Context(), res))
		}
		_, read, err := s.Read(t.Context(), id)
		must(t, err)
		must(t, s.Describe(t.Context(), id, read, entry.Fields{"tier1_status": "enriched", "gist": "It rises."}))
		res, err := r.In(Testing).Insert(t.Context(), entry.Fields{"source": "notes", "clean_text": "only a test"})
		must(t, err)
		must(t, r.Flush(t.Context(), res))
		r.flushedAll()
		var have []string
		all := r.told()
		for _, c := range all {
			have = append(have, brief(c))
		}
		if diff := cmp.Diff([]string{"entry email new:", "entry email content: removed ebb added flood",
			"entry email title:", "entry email metadata:"}, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		want := feed.Change{At: r.now.Add(-claimTime), Kind: feed.New, EntryID: id, Type: entry.TypeEntry, Host: "email",
			URL: "https://a.example/x", Title: "Tides", Why: "the entry is new", Share: 1, WordsAdded: 1,
			Position: all[0].Position}
		if diff := cmp.Diff(want, all[0]); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		if left := r.untold(); len(left) > 0 {
			t.Errorf("rows are left: %v", left)
		}
	})
}

// TestN7WholeDifference checks that everything that differs in an entry is kept, for one request more, if the passages
// of the change are not all of it.
func TestN7WholeDifference(t *testing.T) {
	r := newRig(t, openMem)
	in := r.inserted(keyed(entry.TelegramThought, "tides", "", text("one")))
	must(t, r.Flush(t.Context(), in))
	requests := map[string]int{}
	r.hook.OnBefore = func(_ context.Context, c storagetest.Call) error { requests[c.Op]++; return nil }
	for i, tt := range []struct {
		text  string
		whole int
	}{{"two", 0}, {"ebb\nflood\nspring\nneap\nslack\nstand", 7}} {
		clear(requests)
		res, err := r.In(Production).Update(t.Context(), entry.Fields{"id": in.Entry.Text("id"), "clean_text": tt.text})
		must(t, err)
		if n := requests["table.Transact"]; n != 1+i {
			t.Errorf("%d transactions", n)
		}
		must(t, r.Flush(t.Context(), res))
		all := r.told()
		c, err := r.o.Feed.WithDifference(t.Context(), all[len(all)-1])
		if must(t, err); len(c.Difference) != tt.whole || tt.whole > 0 && len(c.Passages) != feed.MaxPassages {
			t.Errorf("%s: %+v", tt.text, c)
		}
	}
}

// TestW2EntriesCost checks that publishing an insert costs one request more, and publishing a hundred one for each
// thirty and one to remove the rows (W2).
func TestW2EntriesCost(t *testing.T) {
	r := newRig(t, openMem)
	// The first insert reads the feed's head.
	must(t, r.Flush(t.Context(), r.inserted(keyed(entry.TelegramThought, "first", "", text("tide")))))
	requests := map[string]int{}
	r.hook.OnBefore = func(_ context.Context, c storagetest.Call) error { requests[c.Op]++; return nil }
	for _, test := range []struct {
		entries int
		want    map[string]int
	}{
		{1, map[string]int{"table.Get": 1, "table.Transact": 1 + 1 + 1, "index.Put": 1}},
		{100, map[string]int{"table.Get": 1, "table.Transact": 100 + 4 + 2, "index.Put": 1}},
	} {
		clear(requests)
		session, all := r.In(Production), []Result(nil)
		for i := range test.entries {
			in := keyed(entry.TelegramThought, fmt.Sprint(test.entries, " ", i), "", text("tide"))
			res, err := session.Insert(t.Context(), in)
			must(t, err)
			all = append(all, res)
		}
		must(t, r.Flush(t.Context(), all...))
		if diff := cmp.Diff(test.want, requests); diff != "" {
			t.Errorf("%d entries (-want +have):\n%s", test.entries, diff)
		}
	}
	clear(requests)
	_, err := r.FlushOutbox(t.Context())
	must(t, err)
	if diff := cmp.Diff(map[string]int{"table.Query": 2 + len(seeds)}, requests); diff != "" {
		t.Errorf("nothing is left (-want +have):\n%s", diff)
	}
	if n := len(r.told()); n != 102 {
		t.Errorf("%d changes", n)
	}
}

// checkTold fails unless each change of an entry is in the feed once, in the order of their times: each replaced text
// was published, and the stored text last.
func (r *rig) checkTold() {
	r.Helper()
	told := map[string][]string{}
	all := r.told()
	slices.SortStableFunc(all, func(a, b feed.Change) int { return a.At.Compare(b.At) }) // crashes delay changes
	for _, c := range all {
		of := told[c.EntryID]
		text := map[feed.Op]string{}
		for _, p := range c.Passages {
			text[p.Op] = p.Text
		}
		switch {
		case c.Kind == feed.New && len(of) == 0:
			of = append(of, c.Title)
		case c.Kind == feed.Content && slices.Contains(of, text[feed.Removed]) &&
			!slices.Contains(of, text[feed.Added]):
			of = append(of, text[feed.Added])
		default:
			r.Errorf("%s: after %q comes %s", c.EntryID, of, brief(c))
		}
		told[c.EntryID] = of
	}
	stored := r.rows()
	for _, f := range stored {
		if of := told[f.Text("id")]; len(of) == 0 || of[len(of)-1] != entry.TextOf(f) {
			r.Errorf("%s is %q, and told was %q", f.Text("id"), entry.TextOf(f), of)
		}
	}
	if len(told) != len(stored) {
		r.Errorf("%d entries, %d were told of", len(stored), len(told))
	}
	if left := r.untold(); len(left) > 0 {
		r.Errorf("rows are left: %v", left)
	}
}

// TestW2EntriesFaults checks that each change is in the feed once after any failure, before or after it took effect,
// whether or not the writer lives to publish it (W2).
func TestW2EntriesFaults(t *testing.T) {
	for name, dies := range map[string]bool{"goes on": false, "dies": true} {
		t.Run(name, func(t *testing.T) {
			steps := 0
			for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
				r, count := newRig(t, openMem), 0
				r.hook = failing(nth, after, &count)
				r.hook.OnBefore = later(r, r.hook.OnBefore)
				ctx, s := t.Context(), r.In(Production)
				one, err := s.insertNamed(ctx, "one", keyed(entry.TelegramThought, "p", "", text("ebb")))
				if err != nil { // callers who insert under a name repeat the call
					one, err = s.insertNamed(ctx, "one", keyed(entry.TelegramThought, "p", "", text("ebb")))
				}
				must(t, err)
				two, _ := s.Update(ctx, entry.Fields{"id": one.Entry.Text("id"), "clean_text": "flood"})
				other, _ := s.Insert(ctx, keyed(entry.TelegramLink, "q", "", text("new")))
				three, _ := s.Update(ctx, entry.Fields{"id": one.Entry.Text("id"), "clean_text": "high water"})
				if !dies {
					_ = r.Flush(ctx, one, two, three, other)
				}
				r.now = r.now.Add(claimTime)
				_, _ = r.another().FlushOutbox(ctx)
				if nth == 0 {
					steps = count
				}
				r.hook = storagetest.Hooks{}
				r.now = r.now.Add(claimTime)
				r.Store = r.another()
				if r.flushedAll(); !t.Failed() {
					r.checkTold()
				}
				if t.Failed() {
					t.Fatalf("fault %d (after: %v)", nth, after)
				}
			}
			if steps < 15 {
				t.Errorf("only %d operations were disturbed", steps)
			}
		})
	}
}

// later passes time with each request.
func later(r *rig, hook func(context.Context, storagetest.Call) error) func(context.Context, storagetest.Call) error {
	return func(ctx context.Context, c storagetest.Call) error {
		r.now = r.now.Add(time.Millisecond)
		return hook(ctx, c)
	}
}

// TestW2EntriesRaces checks many concurrent writers, publishers and timers (W2).
func TestW2EntriesRaces(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		var g errgroup.Group
		for i := range 3 {
			g.Go(func() error {
				mine := r.another()
				for j := range 4 {
					res, err := mine.In(Production).Insert(t.Context(), keyed(entry.TelegramThought, fmt.Sprint(i, j), "",
						text(fmt.Sprint("tide ", i, j))))
					if err != nil {
						return err
					}
					late := New(r.under, Options{Feed: feed.Open(r.under, time.Now), Clock: func() time.Time {
						return r.now.Add(claimTime)
					}}) // the timer fires before the writer has published
					if _, err := late.FlushOutbox(t.Context()); err != nil {
						return err
					}
					if err := mine.Flush(t.Context(), res); err != nil {
						return err
					}
				}
				return nil
			})
		}
		must(t, g.Wait())
		r.flushedAll()
		r.checkTold()
	})
}

// TestW1EntriesWithoutIndex checks that changes are published while the index is down, and without an index (W1).
func TestW1EntriesWithoutIndex(t *testing.T) {
	r := newRig(t, openMem)
	r.o.Index = nil
	must(t, r.Flush(t.Context(), r.inserted(keyed(entry.TelegramThought, "p", "", text("tide")))))
	left := r.inserted(keyed(entry.TelegramThought, "q", "", text("ebb"))) // and the process dies
	r.now = r.now.Add(claimTime)
	if _, err := r.FlushOutbox(t.Context()); err != nil || left.Action != Inserted {
		t.Error(err)
	}
	if all := r.told(); len(all) != 2 || len(r.untold()) > 0 {
		t.Errorf("told: %v; left: %v", all, r.untold())
	}
}
