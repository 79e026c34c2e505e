package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// set makes people watch a part of a page; nil for the whole page.
func (r *rig) set(path string, w *api.Watch) {
	r.t.Helper()
	it := r.item(path)
	text, err := json.Marshal(api.Settings{TagSettings: api.TagSettings{Watch: w}})
	must(r.t, err)
	_, err = r.store.Table(registry.DefaultTable).Transact(r.t.Context(), storage.Op{Kind: storage.Merge,
		Entity: storage.Entity{Key: storage.Key{Partition: it.Partition(), Row: it.Hash()},
			ETag: storage.AnyETag, Props: storage.Properties{"options": string(text)}}})
	must(r.t, err)
}

// fed returns the kinds of the changes in the feed since the last call; those that are hidden from readers are in
// brackets.
func (r *rig) fed(after *feed.Position) string {
	r.t.Helper()
	var out []string
	for _, c := range r.feedOf(after) {
		kind := string(c.Kind)
		if c.Silenced {
			kind = "(" + kind + ")"
		}
		out = append(out, kind)
	}
	return strings.Join(out, " ")
}

func (r *rig) feedOf(after *feed.Position) (out []feed.Change) {
	r.t.Helper()
	for c, err := range r.feed.Oldest(context.Background(), *after) {
		must(r.t, err)
		out, *after = append(out, c), c.Position
	}
	return out
}

// lamp is a page with a price, its text, other content, and a menu.
func lamp(price, text, else_, menu string) page {
	return page{body: fmt.Sprintf(`<html lang=en><title>Lamp</title><nav><p id=menu>%s</p></nav><main><h1>Lamp</h1>
<p>%s</p><div class=price>%s</div><p>%s</p></main>`, menu, text, price, else_)}
}

const brass = "A lamp for the desk, made of brass, with a shade of green glass and a long cord, as in old offices."

// step is a check, with its expected results.
type step struct {
	name  string
	serve page
	fed   string
	watch *api.Watch // set before
}

func (r *rig) watched(t *testing.T, all []step) { r.compared(t, all, r.fed) }

// compared makes checks and compares what is told of each.
func (r *rig) compared(t *testing.T, all []step, told func(after *feed.Position) string) {
	var at feed.Position
	for i, s := range all {
		r.site.put("/p", s.serve)
		if s.watch != nil {
			r.set("/p", s.watch)
		}
		if i == 0 {
			r.first("/p")
		} else {
			r.next("/p")
		}
		if have := told(&at); have != s.fed {
			it := r.item("/p")
			t.Errorf("%s: %q, want %q: %+v %+v", s.name, have, s.fed, it.Watched, it.Listed)
		}
	}
}

func price() *api.Watch { return &api.Watch{Include: []string{".price"}} }

// TestW10OnlyThePartIsTold checks that a change outside the watched part is stored and indexed, but not reported.
func TestW10OnlyThePartIsTold(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.watched(t, []step{
			{"first", lamp("EUR 12", brass, "1 visitor", "a"), "new", nil},
			{"a watch is set: no alarm", lamp("EUR 12", brass, "1 visitor", "a"), "", price()},
			{"elsewhere", lamp("EUR 12", brass+" New!", "1 visitor", "a"), "(content)", nil},
			{"the part", lamp("EUR 13", brass+" New!", "1 visitor", "a"), "content", nil},
			{"both", lamp("EUR 14", brass, "1 visitor", "a"), "content", nil},
			{"back, but for the rest", lamp("EUR 13", brass, "2 visitors more", "a"), "reverted", nil},
			{"other rules: no alarm", lamp("EUR 13", brass, "2 visitors more", "a"), "",
				&api.Watch{Include: []string{"#menu"}}},
			{"around the content", lamp("EUR 13", brass, "2 visitors more", "b"), "content", nil},
			{"what was watched before", lamp("EUR 12", brass, "2 visitors more", "b"), "(content)", nil},
			{"no watch: no alarm", lamp("EUR 12", brass, "2 visitors more", "b"), "", &api.Watch{}},
			{"around the content, not watched", lamp("EUR 12", brass, "2 visitors more", "c"), "", nil},
			{"everything counts", lamp("EUR 15", brass, "2 visitors more", "c"), "content", nil},
		})
		if n := len(r.captures("/p")); n != 8 {
			t.Errorf("%d captures", n)
		}
	})
}

// TestW10ChangedRulesHideNoChange checks that a page that changed together with the rules is reported by the new
// rules.
func TestW10ChangedRulesHideNoChange(t *testing.T) {
	r := newRig(t)
	r.watched(t, []step{
		{"first", lamp("EUR 12", brass, "1 visitor", "a"), "new", nil},
		{"set, and changed there", lamp("EUR 13", brass, "1 visitor", "a"), "content", price()},
		{"set, and changed elsewhere", lamp("EUR 13", brass, "2 visitors", "b"), "(content)",
			&api.Watch{Include: []string{"h1"}}},
	})
}

// TestW10IgnoredLines checks that an ignored line makes no change by itself, and that it is reported with its rule
// when another line changes.
func TestW10IgnoredLines(t *testing.T) {
	r := newRig(t)
	ignore := &api.Watch{Ignore: []string{`^\d+ visitors?$`}}
	r.watched(t, []step{
		{"first", lamp("EUR 12", brass, "1 visitor", "a"), "new", nil},
		{"set", lamp("EUR 12", brass, "1 visitor", "a"), "", ignore},
		{"ignored", lamp("EUR 12", brass, "77 visitors", "a"), "(content)", nil},
		{"and another line", lamp("EUR 13", brass, "78 visitors", "a"), "content", nil},
		{"not ignored", lamp("EUR 13", brass, "78 people", "a"), "content", nil},
	})
	var at feed.Position
	all := r.feedOf(&at)
	want := []feed.Ignored{{Hunk: "1 visitor", Op: feed.Removed, Rule: `ignore: ^\d+ visitors?$`},
		{Hunk: "77 visitors", Op: feed.Added, Rule: `ignore: ^\d+ visitors?$`}}
	if diff := cmp.Diff(want, all[1].Ignored); diff != "" {
		t.Errorf("silenced (-want +have):\n%s", diff)
	}
	if c := all[2]; len(c.Ignored) != 2 || c.Ignored[1].Hunk != "78 visitors" ||
		!cmp.Equal(c.Passages, []feed.Passage{{Text: "EUR 12", Op: feed.Removed, Weight: 450, Fact: true},
			{Text: "EUR 13", Op: feed.Added, Weight: 450, Fact: true}}) ||
		c.WordsAdded != 1 || c.WordsRemoved != 1 {
		t.Errorf("told: %+v", c)
	}
}

// TestW10Trigger checks that a change is reported while the trigger matches the text that counts, when the words
// appear and afterwards.
func TestW10Trigger(t *testing.T) {
	r := newRig(t)
	w := price()
	w.Trigger = "(?i)in stock"
	r.watched(t, []step{
		{"first", lamp("sold out", brass, "", "a"), "new", nil},
		{"set", lamp("sold out", brass, "", "a"), "", w},
		{"not there", lamp("sold out, EUR 12", brass, "", "a"), "(content)", nil},
		{"it appears", lamp("EUR 12, in stock", brass, "", "a"), "content", nil},
		{"while it is there", lamp("EUR 13, In Stock", brass, "", "a"), "content", nil},
		{"it goes", lamp("sold out, EUR 13", brass, "", "a"), "(content)", nil},
		{"it comes back", lamp("EUR 13, In Stock", brass, "", "a"), "reverted", nil},
		{"elsewhere", lamp("EUR 13, In Stock", brass+" In stock!", "", "a"), "(content)", nil},
	})
	var at feed.Position
	if c := r.feedOf(&at)[1]; len(c.Ignored) != 1 || c.Ignored[0].Rule != "trigger: not found: (?i)in stock" {
		t.Errorf("%+v", c)
	}
}

// TestW16Broken checks that a broken watch causes one alert, then one report when it works again, and nothing else
// meanwhile.
func TestW16Broken(t *testing.T) {
	for _, index := range []string{options.IndexPage, options.IndexWatched} {
		t.Run(index, func(t *testing.T) {
			r := newRig(t, func(k *knobs) { k.crawl.Retention.SameText = 3 })
			w := price()
			w.Index = index
			gone := func(text string) page {
				return page{body: strings.Replace(lamp("EUR 12", text, "", "a").body, "class=price", "class=cost", 1)}
			}
			r.watched(t, []step{
				{"first", lamp("EUR 12", brass, "", "a"), "new", nil},
				{"set", lamp("EUR 12", brass, "", "a"), "", w},
			})
			at, err := r.feed.End(t.Context())
			must(t, err)
			var alarms []string
			for i, p := range []page{gone(brass), gone(brass + " Two."), gone(brass + " Three."), gone(brass + " Three.")} {
				r.site.put("/p", p)
				it := r.next("/p")
				for _, c := range r.feedOf(&at) {
					if !c.Silenced {
						alarms = append(alarms, fmt.Sprint(i, " ", c.Kind, ": ", c.Why))
					}
				}
				if it.Watched.Broken == "" {
					t.Errorf("check %d: it works", i)
				}
				for _, c := range r.captures("/p") {
					if c.SameTextAs != "" {
						t.Errorf("check %d: a page without what is watched counts as the known text", i)
					}
				}
			}
			if want := []string{"0 watchBroken: the part that is watched is no longer on the page, " +
				"and its text stands elsewhere"}; !cmp.Equal(want, alarms) {
				t.Errorf("alarms: %q", alarms)
			}
			if held := r.index.pages[string(r.source("/p").ID())]; index == options.IndexWatched &&
				(len(held.Chunks) != 1 || held.Chunks[0].Text != "EUR 12") {
				t.Errorf("the index has %+v", held.Chunks)
			}
			r.site.put("/p", lamp("EUR 12", brass, "", "a"))
			if it := r.next("/p"); it.Watched.Broken != "" || !strings.HasSuffix(r.fed(&at), "watchRestored") {
				t.Errorf("restored: %+v", it.Watched)
			}
			r.site.put("/p", lamp("EUR 13", brass, "", "a"))
			if r.next("/p"); r.fed(&at) != "content" {
				t.Error("a change after that is not told")
			}
		})
	}
}

// TestW16APersonAccepts checks that repetition does not make a broken watch accepted; a person can accept it, or set
// another selector.
func TestW16APersonAccepts(t *testing.T) {
	r := newRig(t)
	cost := page{body: strings.Replace(lamp("EUR 12", brass, "", "a").body, "class=price", "class=cost", 1)}
	r.watched(t, []step{
		{"first", lamp("EUR 12", brass, "", "a"), "new", nil},
		{"set", lamp("EUR 12", brass, "", "a"), "", price()},
		{"gone", cost, "watchBroken", nil},
		{"still gone", cost, "", nil},
		{"and again", cost, "", nil},
		{"another selector", cost, "watchRestored", &api.Watch{Include: []string{"h1"}}},
		{"the first one again", cost, "watchBroken", price()},
	})
	at, err := r.feed.End(t.Context())
	must(t, err)
	_, err = r.reg.Items.AcceptWatch(t.Context(), r.source("/p").ID())
	must(t, err)
	r.mustWork()
	if it, fed := r.item("/p"), r.fed(&at); it.Watched.Broken != "" || !strings.HasSuffix(fed, "watchRestored") {
		t.Errorf("accepted: %q, %+v", fed, it.Watched)
	}
	r.site.put("/p", lamp("EUR 9", brass, "", "a"))
	if r.next("/p"); r.fed(&at) != "content" {
		t.Error("what appears after that is not told")
	}
}

// TestW16FailuresWithAWatch checks that an error page is a failed check, and breaks no watch.
func TestW16FailuresWithAWatch(t *testing.T) {
	r := newRig(t)
	r.watched(t, []step{
		{"first", lamp("EUR 12", brass, "", "a"), "new", nil},
		{"set", lamp("EUR 12", brass, "", "a"), "", price()},
		{"an error page", shellError, "", nil},
		{"again", shellError, "", nil},
		{"three times", shellError, "failing", nil},
		{"four times", shellError, "", nil},
		{"it is back", lamp("EUR 12", brass, "", "a"), "recovered", nil},
	})
}

// W24: TestW24ValuesOfJSONAreWatched checks that only changes of the chosen values are told, and that a path that
// finds nothing any more is a broken watch.
func TestW24ValuesOfJSONAreWatched(t *testing.T) {
	r := newRig(t)
	items := func(price, seen string) page {
		return page{body: `{"items":[{"name":"Lamp","price":` + price + `}],"seen":` + seen + `}`}.
			set("Content-Type", "application/json")
	}
	r.watched(t, []step{
		{"first", items("12", "1"), "new", nil},
		{"a watch is set: no alarm", items("12", "1"), "", &api.Watch{Include: []string{"$.items[*].price"}}},
		{"elsewhere", items("12", "2"), "(content)", nil},
		{"the value", items("13", "2"), "content", nil},
		{"it is gone", page{body: `{"things":[1,2,3],"seen":2}`}.set("Content-Type", "application/json"),
			"(content) watchBroken", nil},
		{"it is there again", items("13", "2"), "(reverted) watchRestored", nil},
	})
}
