package part_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// W25: TestW25EntriesOfEachType checks the entries of pages, feeds and JSON: their absolute addresses and titles.
func TestW25EntriesOfEachType(t *testing.T) {
	const page = `<html lang=en><base href="/docs/"><nav><a href=/about>About</a></nav><main><h1>Minutes</h1>
<p>The minutes of all meetings of the council, as they were approved, and the dates of those to come.</p>
<ul><li><a href="1"><img alt=""></a> <a href="1">First meeting</a> <a href="1#top">More</a></li><li><a href="https://b.example/2">Second</a></li>
<li><a href="mailto:a@b.example">Write to us</a></li></ul><p><a href="/lamps?page=2">2</a> <a href="/lamps?page=3">Older</a></p></main>`
	for name, tt := range map[string]struct {
		links             []string
		text, contentType string
		want, why         string
	}{
		"a page":        {nil, page, "text/html", "https://shop.example/docs/1=First meeting https://b.example/2=Second", ""},
		"links":         {[]string{"nav a"}, page, "text/html", "https://shop.example/about=About", ""},
		"what holds":    {[]string{"li:first-child"}, page, "text/html", "https://shop.example/docs/1=First meeting", ""},
		"nothing":       {[]string{".jobs"}, page, "text/html", "", "the list has no entries"},
		"not for pages": {[]string{"$..url"}, page, "text/html", "", "use a CSS selector"},
		"RSS": {nil, `<rss><channel><title>N</title><item><title>One</title><link>/1</link></item><item><title>Two</title>` +
			`<guid>https://b.example/2</guid></item></channel></rss>`, "application/rss+xml",
			"https://shop.example/1=One https://b.example/2=Two", ""},
		"Atom": {nil, `<feed><title>F</title><entry><title>E</title><link rel="self" href="/x"/><link rel="alternate" href="/e"/>` +
			`</entry></feed>`, "application/atom+xml", "https://shop.example/e=E", ""},
		"objects": {[]string{"$.items[*]"}, `{"items":[{"name":"A","url":"/a"},{"name":"B","link":"b"}]}`, "application/json",
			"https://shop.example/a=A https://shop.example/b=B", ""},
		"addresses": {[]string{"$..url"}, `[{"title":"A","url":"/a"},{"title":"B","url":"/b"}]`, "application/json",
			"https://shop.example/a=A https://shop.example/b=B", ""},
		"no path": {nil, lamps, "application/json", "", "needs a JSONPath"},
		"a JSON Feed": {nil, `{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"/a","title":"A"}]}`,
			"application/feed+json", "https://shop.example/a=A", ""},
		"no address": {[]string{"$.items[*]"}, lamps, "application/json", "", "none of the values"},
		"a table":    {nil, "a,b", "text/csv", "", "it has no entries"},
	} {
		p := readJSON(t, watch.Spec{List: &watch.List{Links: tt.links}}, tt.text, tt.contentType)
		var have []string
		for _, e := range p.List.All {
			have = append(have, e.URL+"="+e.Title)
		}
		if strings.Join(have, " ") != tt.want || !strings.Contains(p.List.Why, tt.why) {
			t.Errorf("%s: %v, %q", name, have, p.List.Why)
		}
	}
}
