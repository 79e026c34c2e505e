package crawl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// jobs is a page that lists jobs, with navigation and a note.
func jobs(note string, names ...string) page {
	var list strings.Builder
	for _, name := range names {
		path, title, _ := strings.Cut(name, "|")
		if title == "" {
			title = "Job " + path
		}
		fmt.Fprintf(&list, "<li><h3><a href='/jobs/%s'>%s</a></h3><p>A job in the harbour of Port.</p></li>", path, title)
	}
	return page{body: `<html lang=en><title>Jobs</title><nav><a href=/about>About</a></nav><main><h1>Jobs</h1><p>` +
		brass + `</p><p>` + note + `</p><ul>` +
		list.String() + `</ul><p><a href="?page=2" rel=next>Older</a></p></main>`}
}

// listed returns what the feed tells of entries since the last call, and the kinds of the other changes.
func (r *rig) listed(after *feed.Position) string {
	r.t.Helper()
	var out []string
	for _, c := range r.feedOf(after) {
		kind := string(c.Kind)
		switch {
		case c.Entry != nil && c.Entry.More > 0:
			kind = fmt.Sprint("+", c.Entry.More)
		case c.Entry != nil:
			kind = c.Entry.Title
		}
		if c.Silenced {
			kind = "(" + kind + ")"
		}
		out = append(out, kind)
	}
	return strings.Join(out, ", ")
}

// listedOnly is like listed, for the entries alone.
func (r *rig) listedOnly(after *feed.Position) (out string) {
	for _, c := range r.feedOf(after) {
		if c.Entry != nil {
			out += c.Entry.Title + ";"
		}
	}
	return out
}

func aList() *api.Watch { return &api.Watch{List: options.ListOnly} }

// W25: TestW25NewEntriesAreTold checks what is told of a list: new entries alone, each once, whatever their order,
// their titles, the parameters of their addresses, and the pages on which they are.
func TestW25NewEntriesAreTold(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.compared(t, []step{
			{"first", jobs("", "1", "2", "3"), "new", nil},
			{"it becomes a list: no alarm", jobs("", "1", "2", "3"), "", aList()},
			{"a new entry", jobs("", "4", "1", "2", "3"), "(content), Job 4", nil},
			{"the same page", jobs("", "4", "1", "2", "3"), "", nil},
			{"another order", jobs("", "3", "2", "1", "4"), "(content)", nil},
			{"one goes to another page", jobs("", "5", "4", "1", "2"), "(content), Job 5", nil},
			{"it comes back", jobs("", "5", "4", "1", "2", "3"), "(content)", nil},
			{"trackers, and a trailing slash", jobs("", "5?utm_source=a|Job 5", "4/|Job 4", "1", "2", "3"), "", nil},
			{"a title", jobs("", "5", "4|Job 4 in Berlin", "1", "2", "3"), "content", nil},
			{"something else, too", jobs("We move to another pier.", "6", "5", "4|Job 4 in Berlin", "1", "2", "3"),
				"content, Job 6", nil},
			{"two", jobs("We move to another pier.", "8", "7", "6", "5", "4|Job 4 in Berlin", "1"),
				"(content), Job 8, Job 7", nil},
			{"the same words for another entry", jobs("We move to another pier.", "9|Job 8", "7", "6", "5",
				"4|Job 4 in Berlin", "1"), "Job 8", nil},
			{"none", jobs("We move to another pier."), "(content), watchBroken", nil},
			{"there again", jobs("We move to another pier.", "10", "7"), "(content), Job 10, watchRestored", nil},
			{"no list", jobs("We move to another pier.", "10", "7"), "", &api.Watch{}},
			{"no list any more", jobs("We move to another pier.", "11", "10", "7"), "content", nil},
		}, r.listed)
	})
}

// W25: TestW25ManyEntries checks that a check tells twenty entries, then counts, and that the page's first reading as
// a list tells none.
func TestW25ManyEntries(t *testing.T) {
	r := newRig(t)
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprint(100+i))
	}
	r.site.put("/p", jobs("", "1"))
	r.first("/p")
	r.set("/p", aList())
	r.next("/p")
	var at feed.Position
	r.feedOf(&at)
	r.site.put("/p", jobs("", names...))
	r.next("/p")
	var want []string
	for _, name := range names[:feed.MaxListed] {
		want = append(want, "Job "+name)
	}
	if have := r.listed(&at); have != "(content), "+strings.Join(want, ", ")+", +10" {
		t.Error(have)
	}
}

// W25: TestW25EntriesAreRegistered checks which entries are registered, and that refusals are said on the list.
func TestW25EntriesAreRegistered(t *testing.T) {
	for add, want := range map[string]string{options.ListOnly: "", options.ListAdd: "/jobs/3",
		options.ListAddAll: "/jobs/1 /jobs/2 /jobs/3"} {
		r := newRig(t)
		for _, path := range []string{"/jobs/1", "/jobs/2", "/jobs/3"} {
			r.site.put(path, page{body: "<p>" + brass})
		}
		r.site.put("/p", jobs("", "1", "2"))
		r.first("/p")
		r.set("/p", &api.Watch{List: add})
		r.next("/p")
		var at feed.Position
		r.feedOf(&at)
		r.site.put("/p", jobs("", "3", "2", "1"))
		r.next("/p")
		var have []string
		for _, path := range []string{"/jobs/1", "/jobs/2", "/jobs/3"} {
			it, found, err := r.reg.Items.Lookup(t.Context(), r.source(path))
			must(t, err)
			if found && it.DiscoveryMethod == listMethod {
				have = append(have, path)
			}
		}
		if strings.Join(have, " ") != want {
			t.Errorf("%q: %v, want %s", add, have, want)
		}
		for _, c := range r.feedOf(&at) {
			if c.Entry != nil && c.Why != "new in the list: Job 3, "+r.site.URL+"/jobs/3" {
				t.Errorf("%q: %s", add, c.Why)
			}
			if c.Entry != nil && (c.Entry.ID != "") != (add != options.ListOnly) {
				t.Errorf("%q: %+v", add, c.Entry)
			}
		}
	}
}

// W25: TestW25SiteFileIsAsked checks that entries which the site file leaves out are told, and named with the reason
// instead of being registered.
func TestW25SiteFileIsAsked(t *testing.T) {
	r := newRig(t, func(k *knobs) {
		k.crawl.Excluded = func(s source.Source) string {
			if strings.HasSuffix(s.Normalized, "/2") {
				return "exclude: /2$"
			}
			return ""
		}
	})
	r.site.put("/p", jobs("", "1", "2"))
	r.first("/p")
	r.set("/p", &api.Watch{List: options.ListAddAll})
	l := r.next("/p").Listed
	want := []registry.Refused{{URL: r.site.URL + "/jobs/2", Why: "the site file leaves it out, by exclude: /2$"}}
	if diff := cmp.Diff(want, l.Refused); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	for path, want := range map[string]bool{"/jobs/1": true, "/jobs/2": false} {
		if _, found, err := r.reg.Items.Lookup(t.Context(), r.source(path)); err != nil || found != want {
			t.Errorf("%s: %t, %v", path, found, err)
		}
	}
}

// W25: TestW25RefusedEntriesAreKept checks that entries for which the host has no room are named with the reason, at
// most five, and that the others are counted.
func TestW25RefusedEntriesAreKept(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.polite.MaxItems = 2 })
	names := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	for _, name := range names {
		r.site.put("/jobs/"+name, page{body: "<p>" + brass})
	}
	r.site.put("/p", jobs("", names...))
	r.first("/p")
	r.set("/p", &api.Watch{List: options.ListAddAll})
	r.next("/p")
	l := r.item("/p").Listed
	if len(l.Refused) != 5 || l.RefusedMore != 2 || l.Refused[0].URL != r.site.URL+"/jobs/2" ||
		!strings.Contains(l.Refused[0].Why, "has 2 items, the limit is 2") {
		t.Errorf("%+v", l)
	}
}

// definitions is a page with a definition list, of which each entry has this form.
func definitions(begin, form string) func(names ...string) page {
	return func(names ...string) page {
		var list strings.Builder
		for _, name := range names {
			list.WriteString(strings.ReplaceAll(form, "N", name))
		}
		return page{body: `<html lang=en><title>Jobs</title><main><h1>Jobs</h1><p>` + brass + `</p><dl>` + begin +
			list.String() + `</dl></main>`}
	}
}

// W25: TestW25DefinitionListsTellOnce checks that a new entry of a definition list is not also a change of the text:
// its title may be the term, or stand below a date or a year.
func TestW25DefinitionListsTellOnce(t *testing.T) {
	const link, dd = "<a href='/jobs/N'>Job N</a>", "A job in the harbour of Port number N."
	for name, jobs := range map[string]func(...string) page{
		"a term":          definitions("", "<dt>"+link+"</dt><dd>"+dd+"</dd>"),
		"below a date":    definitions("", "<dt>N November</dt><dd>"+link+"</dd><dd>"+dd+"</dd>"),
		"in both":         definitions("", "<dt>"+link+"</dt><dd>"+dd+" <a href='/jobs/N'>more</a></dd>"),
		"below one year":  definitions("<dt>Year 2026</dt>", "<dd>"+link+" "+dd+"</dd>"),
		"groups by a div": definitions("", "<div><dt>N November</dt><dd>"+link+" "+dd+"</dd></div>"),
	} {
		for _, w := range []*api.Watch{aList(), {List: options.ListOnly, Include: []string{"dl"}},
			{List: options.ListOnly, ListLinks: []string{"dl a"}}} {
			t.Run(name, func(t *testing.T) {
				r := newRig(t)
				r.compared(t, []step{
					{"first", jobs("1", "2", "3"), "new", nil},
					{"it becomes a list", jobs("1", "2", "3"), "", w},
					{"a new first one", jobs("4", "1", "2", "3"), "(content), Job 4", nil},
					{"a new last one", jobs("4", "1", "2", "3", "5"), "(content), Job 5", nil},
					{"two", jobs("7", "6", "4", "1", "2", "3", "5"), "(content), Job 7, Job 6", nil},
				}, r.listed)
			})
		}
	}
}
