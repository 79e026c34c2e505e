package crawl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// passagesTold returns the changes in the feed since the last call that readers see, with their passages.
func (r *rig) passagesTold(after *feed.Position) string {
	r.t.Helper()
	var out []string
	for _, c := range r.feedOf(after) {
		if c.Silenced {
			continue
		}
		text := string(c.Kind)
		for _, p := range c.Passages {
			text += map[feed.Op]string{feed.Added: " +", feed.Removed: " -"}[p.Op] + p.Text
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func asMain(text string) string { return "<main><h1>Page</h1>" + text + "</main>" }

func asHead(text string) string {
	return "<html><head><title>Page</title>" + text + "</head><body><main><h1>Page</h1></main></body></html>"
}

// emptied are watches of parts that are empty for a while, and of elements whose text is not in the text of the page.
// The first of the pages is read before the part is watched, and again after that.
var emptied = []struct {
	name    string
	include string
	pages   []string
	told    []string // of each page but the first
}{
	{"5: entries", ".slots li", []string{asMain("<ul class=slots><li>12:30 free</ul>"), asMain("<ul class=slots></ul>"),
		asMain("<ul class=slots><li>09:00 free</ul>")}, []string{"content -12:30 free", "content +09:00 free"}},
	{"5: the list", ".slots", []string{asMain("<ul class=slots><li>12:30 free</ul>"), asMain("<ul class=slots></ul>"),
		asMain("<ul class=slots><li>09:00 free</ul>")}, []string{"content -- 12:30 free", "content +- 09:00 free"}},
	{"5: JSON", "$[?length(@.times)>0]", []string{`[{"day":"Mon","times":["12:30"]}]`, `[{"day":"Mon","times":[]}]`,
		`[{"day":"Mon","times":["09:00"]}]`}, []string{"content -- times: 12:30 -- day: Mon -day: Mon",
		"content +- times: 09:00 +- day: Mon +day: Mon"}},
	{"18: hidden", ".h", []string{asMain("<p class=h hidden>12</p>"), asMain("<p class=h hidden>15</p>")},
		[]string{"content -12 +15"}},
	{"18: meta", "meta[name=description]", []string{asHead("<meta name=description content=twelve>"),
		asHead("<meta name=description content=fifteen>")}, []string{"content -twelve +fifteen"}},
	{"18: template", "template", []string{asMain("<template><p>12</p></template>"),
		asMain("<template><p>15</p></template>")}, []string{"content -12 +15"}},
	{"18: script", "script#d", []string{asMain(`<script id=d type=application/json>{"price":12}</script>`),
		asMain(`<script id=d type=application/json>{"price":15}</script>`)}, []string{"content -{\"price\":12} +{\"price\":15}"}},
	{"18: an empty div", ".h", []string{asMain("<div class=h></div>"), asMain("<div class=h></div>")}, []string{""}},
	{"18: title", "title", []string{asHead(""), strings.Replace(asHead(""), "Page<", "Other<", 1)},
		[]string{"content -Page +Other"}},
	{"18: dialog", "dialog", []string{asMain("<dialog>12</dialog>"), asMain("<dialog>15</dialog>")},
		[]string{"content -12 +15"}},
	{"18: input", "input", []string{asMain("<input type=text value=12>"), asMain("<input type=text value=15>")},
		[]string{"content -12 +15"}},
	{"18: hidden by a style, three times", ".h", []string{asMain("<p class=h style='display: none'>12</p>"),
		asMain("<p class=h style='display: none'>15</p>"), asMain("<p class=h style='display: none'>18</p>")},
		[]string{"content -12 +15", "content -15 +18"}},
	{"18: a label", ".h", []string{asMain("<span class=h role=img aria-label='4 of 5'></span>"),
		asMain("<span class=h role=img aria-label='2 of 5'></span>")}, []string{"content -4 of 5 +2 of 5"}},
	{"18: hidden input", "input", []string{asMain("<input type=hidden value=12>"),
		asMain("<input type=hidden value=15>")}, []string{"content -12 +15"}},
}

// W16: TestW16EmptyParts checks what is told of parts that are empty for a while, and of elements that readers of the
// page do not see.
func TestW16EmptyParts(t *testing.T) {
	for _, tt := range emptied {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			served := func(body string) page {
				if strings.HasPrefix(tt.include, "$") {
					return page{body: body}.set("Content-Type", "application/json")
				}
				return page{body: body}
			}
			r.site.put("/p", served(tt.pages[0]))
			r.first("/p")
			r.set("/p", &api.Watch{Include: []string{tt.include}})
			r.next("/p")
			at, err := r.feed.End(t.Context())
			must(t, err)
			for i, body := range tt.pages[1:] {
				r.site.put("/p", served(body))
				it := r.next("/p")
				if have := r.passagesTold(&at); have != tt.told[i] {
					t.Errorf("page %d: %q, want %q: %+v", i+1, have, tt.told[i], it.Watched)
				}
			}
		})
	}
}

// rebuilt is a page in whose place another one has come.
const rebuilt = `<div id=app class="shell grid"><section class=hero><h2>Book online</h2><p class=lead>Our new booking
is here.</p></section><section class=steps><p class=step>Choose a doctor.</p><p class=step>Choose a day.</p></section>`

// freeSlots is a page with a list that may be empty, and with what is around it.
func freeSlots(text string) page {
	return page{body: `<html lang=en><title>Doctor</title><nav class=menu><a href=/>Home</a></nav><main class=content>
<h1 class=title>Appointments</h1><p class=intro>` + brass + `</p><ul class=slots>` + text + `</ul>
<p class=hint>Call us if you need help.</p></main>`}
}

// emptied watches a list that has been checked with an entry and then with the earlier contents, and serves it with
// others.
func (r *rig) emptied(text, index string, earlier ...string) {
	r.site.put("/p", freeSlots("<li>09:00 free"))
	r.first("/p")
	r.set("/p", &api.Watch{Include: []string{".slots li"}, Index: index})
	r.next("/p")
	for _, s := range earlier {
		r.site.put("/p", freeSlots(s))
		if s == rebuilt {
			r.site.put("/p", page{body: rebuilt})
		}
		r.next("/p")
	}
	r.site.put("/p", freeSlots(text))
}

// slotSteps serves pages, makes a check of each, and compares what is told.
func (r *rig) slotSteps(at *feed.Position, all ...[2]string) {
	r.t.Helper()
	for i, s := range all {
		body := page{body: s[0]}
		if s[0] != rebuilt {
			body = freeSlots(s[0])
		}
		r.site.put("/p", body)
		it := r.next("/p")
		if have := r.passagesTold(at); have != s[1] {
			r.t.Errorf("check %d: %q, want %q: %+v", i+1, have, s[1], it.Watched)
		}
	}
}

// W16: TestW16EmptyThenRebuilt checks that a part that is empty breaks when the page is rebuilt, that it is told with
// its text when it is there again, also if it stood there before it was empty, and that only text which differs from
// what stood before the break is told after it.
func TestW16EmptyThenRebuilt(t *testing.T) {
	const nine, ten = "<li>09:00 free", "<li>10:00 free"
	for _, index := range []string{options.IndexPage, options.IndexWatched} {
		t.Run(index, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", freeSlots(nine))
			r.first("/p")
			r.set("/p", &api.Watch{Include: []string{".slots li"}, Index: index})
			r.next("/p")
			at, err := r.feed.End(t.Context())
			must(t, err)
			r.slotSteps(&at, [2]string{"", "content -09:00 free"}, [2]string{nine, "content +09:00 free"},
				[2]string{"", "content -09:00 free"}, [2]string{"", ""}, [2]string{nine, "content +09:00 free"},
				[2]string{rebuilt, "watchBroken"}, [2]string{rebuilt, ""}, [2]string{nine, "watchRestored"},
				[2]string{rebuilt, "watchBroken"},
				[2]string{nine + ten, "content +10:00 free; watchRestored"}, [2]string{"", "content -09:00 free -10:00 free"})
			if held := r.index.pages[string(r.source("/p").ID())]; index == options.IndexWatched &&
				(len(held.Chunks) != 1 || held.Chunks[0].Text != "Doctor") {
				t.Errorf("an empty part has %+v in the index", held.Chunks)
			}
			r.slotSteps(&at, [2]string{rebuilt, "watchBroken"}, [2]string{rebuilt, ""},
				[2]string{ten, "content +10:00 free; watchRestored"})
			r.site.put("/p", page{body: strings.ReplaceAll(freeSlots(ten).body, "class=", "class=new")})
			if r.next("/p"); r.passagesTold(&at) != "watchBroken" {
				t.Error("other classes are not told")
			}
			r.slotSteps(&at, [2]string{ten + "<li>11:00 free", "content +11:00 free; watchRestored"})
		})
	}
}

// W16: TestW16LongEmpty checks that a part which is empty for 30 days is said to be, once, in a change that no reader
// gets unasked, and that a person who accepts it hears no more of it.
func TestW16LongEmpty(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", freeSlots("<li>09:00 free"))
	r.first("/p")
	r.set("/p", &api.Watch{Include: []string{".slots li"}})
	r.next("/p")
	r.site.put("/p", freeSlots(""))
	since := r.next("/p").Watched.Since
	at, err := r.feed.End(t.Context())
	must(t, err)
	var named []string
	for range 60 {
		it := r.next("/p")
		for _, c := range r.feedOf(&at) {
			named = append(named, fmt.Sprint(c.Kind, " ", c.Silenced, c.At.Sub(since) >= api.EmptyFor))
		}
		if it.Watched.Long && len(named) == 0 {
			t.Fatal("nothing is said")
		}
		if it.Watched.Long && it.LastChecked.Sub(since) > 2*api.EmptyFor {
			break
		}
	}
	if want := []string{"watchBroken true true"}; !slices.Equal(named, want) {
		t.Errorf("named: %q", named)
	}
	it, err := r.reg.Items.AcceptWatch(t.Context(), r.source("/p").ID())
	must(t, err)
	if it.Watched.Long || !it.Watched.Since.IsZero() || !it.Watched.Empty {
		t.Errorf("accepted: %+v", it.Watched)
	}
}

// W16: TestW16PartsOfBefore checks that what an older release knows of a part goes on: one that is broken stays so, one
// that somebody accepts as empty is told with its text, and text that is read only now is no change.
func TestW16PartsOfBefore(t *testing.T) {
	const key, version = "485df577ae1af033", "http_snapshot_url_v2_text_v5" // of .price, in the older release
	hidden := page{body: strings.Replace(lamp("EUR 12", brass, "", "a").body, "class=price", "class=price hidden", 1)}
	cost := page{body: strings.Replace(hidden.body, "class=price", "class=cost", 1)}
	for name, tt := range map[string]struct {
		served page
		known  registry.Watched
		told   [2]string
	}{
		"broken": {cost, registry.Watched{Broken: "the selector matches nothing", Letters: 5},
			[2]string{"", "content +EUR 13; watchRestored"}},
		"accepted": {freeSlots(""), registry.Watched{Empty: true}, [2]string{"", "content +EUR 13"}},
		"hidden":   {hidden, registry.Watched{States: make([]byte, 8)}, [2]string{"", "content -EUR 12 +EUR 13"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", tt.served)
			it := r.first("/p")
			if name == "broken" {
				tt.known.BrokenRaw = it.RawHash
			}
			r.set("/p", price())
			tt.known.Key = key
			text, err := json.Marshal(tt.known)
			must(t, err)
			_, err = r.store.Table(registry.DefaultTable).Transact(t.Context(), storage.Op{Kind: storage.Merge,
				Entity: storage.Entity{Key: storage.Key{Partition: it.Partition(), Row: it.Hash()}, ETag: storage.AnyETag,
					Props: storage.Properties{"watched": string(text), "normalizationVersion": version}}})
			must(t, err)
			at, err := r.feed.End(t.Context())
			must(t, err)
			r.next("/p")
			if have := r.passagesTold(&at); have != tt.told[0] {
				t.Errorf("as before: %q: %+v", have, r.item("/p").Watched)
			}
			r.site.put("/p", page{body: strings.Replace(hidden.body, "EUR 12", "EUR 13", 1)})
			r.next("/p")
			if have := r.passagesTold(&at); have != tt.told[1] {
				t.Errorf("then: %q: %+v", have, r.item("/p").Watched)
			}
		})
	}
}
