package crawl

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
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
		asMain("<ul class=slots><li>09:00 free</ul>")}, []string{"watchBroken", "watchRestored"}},
	{"5: the list", ".slots", []string{asMain("<ul class=slots><li>12:30 free</ul>"), asMain("<ul class=slots></ul>"),
		asMain("<ul class=slots><li>09:00 free</ul>")}, []string{"watchBroken", "watchRestored"}},
	{"5: JSON", "$[?length(@.times)>0]", []string{`[{"day":"Mon","times":["12:30"]}]`, `[{"day":"Mon","times":[]}]`,
		`[{"day":"Mon","times":["09:00"]}]`}, []string{"watchBroken", "watchRestored"}},
	{"18: hidden", ".h", []string{asMain("<p class=h hidden>12</p>"), asMain("<p class=h hidden>15</p>")}, []string{"content -12 +15"}},
	{"18: meta", "meta[name=description]", []string{asHead("<meta name=description content=twelve>"),
		asHead("<meta name=description content=fifteen>")}, []string{"content -twelve +fifteen"}},
	{"18: template", "template", []string{asMain("<template><p>12</p></template>"),
		asMain("<template><p>15</p></template>")}, []string{"content -12 +15"}},
	{"18: script", "script#d", []string{asMain(`<script id=d type=application/json>{"price":12}</script>`),
		asMain(`<script id=d type=application/json>{"price":15}</script>`)}, []string{"content -{\"price\":12} +{\"price\":15}"}},
	{"18: an empty div", ".h", []string{asMain("<div class=h></div>"), asMain("<div class=h></div>")}, []string{""}},
	{"18: title", "title", []string{asHead(""), strings.Replace(asHead(""), "Page<", "Other<", 1)}, []string{"content -Page +Other"}},
	{"18: dialog", "dialog", []string{asMain("<dialog>12</dialog>"), asMain("<dialog>15</dialog>")}, []string{"content -12 +15"}},
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
