package entries

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// each inserts items and returns their results: actions, or kinds of errors.
func each(t *testing.T, s *Session, items []Item) []string {
	t.Helper()
	out := make([]string, len(items))
	must(t, s.InsertEach(t.Context(), items, func(i int, res Result, err error) error {
		if out[i] != "" {
			t.Errorf("item %d is done twice", i)
		}
		out[i] = string(res.Action) + string(fault.KindOf(err))
		return nil
	}))
	return out
}

// TestD3InsertEach checks that the entries of one call are stored concurrently, those that share a key in their
// order, and that a failure does not stop the others (D3, D6).
func TestD3InsertEach(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		item := func(primary, secondary, title string) Item {
			return Item{Fields: keyed(entry.TelegramThought, primary, secondary, entry.Fields{"title": title})}
		}
		var items []Item
		var want []string
		for i := range 40 {
			items = append(items, item("all", "", fmt.Sprint(i)), item(fmt.Sprint("own ", i), "", "own"))
			want = append(want, string(Updated), string(Inserted))
		}
		want[0] = string(Inserted)
		items = append(items, Item{Fields: entry.Fields{"source": "email"}}, item("a", "b", "1"), item("c", "b", "2"),
			Item{Fields: entry.Fields{"source": "notes"}}, item("c", "", "3"))
		want = append(want, string(fault.Invalid), string(Inserted), string(Updated), string(Inserted), string(Updated))
		if diff := cmp.Diff(want, each(t, r.In(Production), items)); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		titles := map[string]string{}
		for _, f := range r.rows() {
			titles[f.Text("idempotency_key_primary")] = f.Text("title")
		}
		if titles["all"] != "39" || titles["c"] != "3" || len(titles) != 43 {
			t.Errorf("%d entries, %v", len(titles), titles)
		}
	})
}

// TestInsertEachAtOnce checks that items without a common key are inserted concurrently, and read their policy once.
func TestInsertEachAtOnce(t *testing.T) {
	r := newRig(t, openMem)
	var met sync.WaitGroup
	met.Add(atOnce)
	r.hook.OnBefore = func(_ context.Context, c storagetest.Call) error {
		if c.Op == "table.Transact" {
			met.Done()
			met.Wait() // blocks unless that many run concurrently
		}
		return nil
	}
	var items []Item
	for i := range atOnce {
		items = append(items, Item{Fields: keyed(entry.TelegramThought, fmt.Sprint(i), "", nil)})
	}
	each(t, r.In(Production), items)
	if n := r.reads.Load(); n != 1 {
		t.Errorf("%d reads", n)
	}
}

// TestInsertEachLooksFirst checks that an item that shares a key with an earlier one looks the key up first, so that
// no transaction fails.
func TestInsertEachLooksFirst(t *testing.T) {
	r := newRig(t, openMem)
	transactions := 0
	r.hook.OnBefore = func(_ context.Context, c storagetest.Call) error {
		if c.Op == "table.Transact" {
			transactions++
		}
		return nil
	}
	items := []Item{{Fields: keyed(entry.TelegramThought, "p", "", entry.Fields{"title": "1"})},
		{Fields: keyed(entry.TelegramThought, "p", "", entry.Fields{"title": "2"})}}
	each(t, r.In(Testing), items)
	if n := r.reads.Load(); n != 3 || transactions != 2 {
		t.Errorf("%d reads and %d transactions; want that of the policy, two of the second, and one each", n, transactions)
	}
}

// TestInsertEachEnds checks that an error from done ends the remaining items.
func TestInsertEachEnds(t *testing.T) {
	r := newRig(t, openMem)
	var items []Item
	for i := range 100 {
		items = append(items, Item{Fields: keyed(entry.TelegramThought, fmt.Sprint(i), "", nil)})
	}
	enough := errors.New("enough")
	r.hook.OnBefore = func(ctx context.Context, c storagetest.Call) error {
		if c.Op != "table.Transact" || c.Ops[0].Entity.Props["idempotency_key_primary"] == "0" {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	err := r.In(Production).InsertEach(t.Context(), items, func(i int, _ Result, err error) error {
		if i == 0 {
			return enough
		}
		return err
	})
	if n := len(r.rows()); !errors.Is(err, enough) || n != 1 {
		t.Errorf("%v, %d entries", err, n)
	}
}

// TestD6InsertEachKeepsPlaces checks that an item that could not be stored keeps its place: the next item with its key
// is not inserted in the meantime, under a name of its own (D6).
func TestD6InsertEachKeepsPlaces(t *testing.T) {
	r := newRig(t, openMem)
	var once sync.Once
	r.hook.OnBefore = func(context.Context, storagetest.Call) (err error) {
		once.Do(func() { err = fault.New(fault.Unavailable, "down") })
		return err
	}
	items := []Item{{Name: "1", Fields: keyed(entry.TelegramThought, "p", "", nil)},
		{Name: "2", Fields: keyed(entry.TelegramThought, "p", "", nil)}}
	err := r.In(Production).InsertEach(t.Context(), items, func(_ int, _ Result, err error) error { return err })
	if n := len(r.rows()); !fault.Is(err, fault.Unavailable) || n != 0 {
		t.Errorf("%v, %d entries", err, n)
	}
}

// TestD6OlderMail checks that the entry of a thread holds the newer of two mails, whichever is imported first (D6).
// An insert by a client always updates, and so does a mail without a date or with one in the future.
func TestD6OlderMail(t *testing.T) {
	const (
		old    = "Sun, 1 Feb 2026 08:00:00 +0000"
		recent = "Sun, 1 Feb 2026 09:30:00 +0100"
		future = "Sun, 1 Feb 2099 08:00:00 +0000"
	)
	mail := func(title, date string) entry.Fields {
		email := map[string]any{"subject_base": "tides"}
		if date != "" {
			email["date"] = date
		}
		f := entry.Fields{"source": "email-batch", "title": title, "metadata": map[string]any{"email": email}}
		setKeys(f, entry.Keys{Policy: entry.EmailThread, Primary: "thread"})
		return f
	}
	for _, tt := range []struct {
		name, stands, comes string
		direct              bool
		want                string
	}{
		{"newer", old, recent, false, "comes"},
		{"older", recent, old, false, "stands"},
		{"older, sent by a client", recent, old, true, "comes"},
		{"as old", old, "2026-02-01T08:00:00Z", false, "comes"},
		{"no date", recent, "", false, "stands"},
		{"none before", "", old, false, "comes"},
		{"no date that can be read", recent, "yesterday", false, "stands"},
		{"after one that is yet to come", future, old, false, "comes"},
		{"one that is yet to come", old, future, false, "comes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, openMem)
			r.inserted(mail("stands", tt.stands))
			name := "import 1"
			if tt.direct {
				name = ""
			}
			have := each(t, r.In(Production), []Item{{Name: name, Fields: mail("comes", tt.comes)}})
			if title := r.rows()[0].Text("title"); have[0] != string(Updated) || title != tt.want {
				t.Errorf("%s: the entry is what %s", have[0], title)
			}
		})
	}
}
