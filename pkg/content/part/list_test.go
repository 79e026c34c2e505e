package part_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/part"
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
		"cards": {[]string{".c"}, `<div class=c><a href=/1><img alt="A picture of it"></a><h3><a href=/1>One</a></h3>` +
			`<a href=/1>Read more</a></div><div class=c><a href=/2>Second</a> <a href=/2>Read more</a></div>`, "text/html",
			"https://shop.example/1=One https://shop.example/2=Second", ""},
		"sessions": {[]string{"a"}, `<a href="/1;jsessionid=0A1B?v=2">A</a>` +
			`<a href="/2?sid=8f14e45fceea167a5a36dedd4bea2543">B</a>`, "text/html",
			"https://shop.example/1?v=2=A https://shop.example/2=B", ""},
		"pages of data": {[]string{"$[*]"}, `[{"title":"A","url":"/api/a","html_url":"/a"}]`, "application/json",
			"https://shop.example/a=A", ""},
		"articles": {nil, `<html lang=en><main><h1>Blog</h1><article><h2><a href=/1>The first post of it</a></h2><p>It ` +
			`speaks of <a href="https://b.example/">another site</a>, and of much else.</p></article>` +
			`<article><h2><a href=/2>The second post</a></h2><p>By <a href=/ann>Ann</a>, who has written of the harbour.</p></article></main>`, "text/html",
			"https://shop.example/1=The first post of it https://shop.example/2=The second post", ""},
		"one article": {nil, `<html lang=en><main><article><h2><a href=/1>The minutes of May</a></h2><p>All of the ` +
			`minutes of the council are on this page: <a href=/2>Those of June</a></p></article></main>`, "text/html",
			"https://shop.example/1=The minutes of May https://shop.example/2=Those of June", ""},
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

// TestW25NumberedList checks that another order of a numbered list is explained by its entries, and another text is not
// (W25).
func TestW25NumberedList(t *testing.T) {
	const above = `<html lang=en><main><h1>Jobs</h1><p>All jobs that the harbour has to offer in this year.</p><ol>`
	page := func(entries ...string) *part.Part {
		text := above + strings.Join(entries, "") + "</ol></main>"
		p := readJSON(t, watch.Spec{List: &watch.List{}}, text, "text/html")
		return &p
	}
	same := func(address string) string { return address }
	const pilot, keeper = "<li><a href=/a>Pilot of a tug</a></li>", "<li><a href=/b>Keeper of the light</a></li>"
	was := page(pilot, keeper)
	if !part.Explained(was, page(keeper, pilot), same) {
		t.Error("another order is not explained")
	}
	if part.Explained(was, page(keeper, "<li><a href=/a>Master of a tug</a></li>"), same) {
		t.Error("another title is explained")
	}
}
