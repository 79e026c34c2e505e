package crawl

import (
	"strings"
	"testing"
	"time"
)

// saying is a page whose metadata names when it was published and modified, and its author.
func saying(version, published, modified, author string) page {
	head := `<meta property=article:published_time content="` + published + `">` +
		`<meta property=article:modified_time content="` + modified + `">` +
		`<meta name=author content="` + author + `"><meta property=og:site_name content=Port>`
	return page{body: strings.Replace(text(version).body, "<title>", head+"<title>", 1)}
}

// TestH4MetadataIsKept checks H4: a page's metadata is stored with its item and its captures, and given to the index.
// An impossible date counts as missing. When nothing else differs, the item is updated and no capture is changed.
func TestH4MetadataIsKept(t *testing.T) {
	r := newRig(t)
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	r.site.put("/p", saying("v1", "2026-01-02T01:00:00+01:00", "2999-01-01", "Ada"))
	it := r.first("/p")
	if !it.PublishedAt.Equal(day(1, 2)) || !it.ModifiedAt.IsZero() || it.Author != "Ada" || it.SiteName != "Port" {
		t.Errorf("item: published %v, modified %v, by %q at %q", it.PublishedAt, it.ModifiedAt, it.Author, it.SiteName)
	}
	c := r.captures("/p")[0]
	if !c.PublishedAt.Equal(day(1, 2)) || !c.ModifiedAt.IsZero() || c.Author != "Ada" || c.SiteName != "Port" {
		t.Errorf("capture: published %v, modified %v, by %q at %q", c.PublishedAt, c.ModifiedAt, c.Author, c.SiteName)
	}
	if at := r.index.pages[string(it.ID)].PublishedAt; !at.Equal(day(1, 2)) {
		t.Errorf("index: published %v", at)
	}
	r.site.put("/p", saying("v1", "2026-01-02", "2026-01-03", "Bo"))
	if it = r.next("/p"); it.Author != "Bo" || !it.ModifiedAt.Equal(day(1, 3)) {
		t.Errorf("later: modified %v, by %q", it.ModifiedAt, it.Author)
	}
	if all := r.captures("/p"); all[len(all)-1].Author != "Ada" {
		t.Errorf("the first of %d captures is by %q", len(all), all[len(all)-1].Author)
	}
	r.site.put("/p", text("v2"))
	it = r.next("/p")
	if at := r.index.pages[string(it.ID)].PublishedAt; it.Author != "" || !it.PublishedAt.IsZero() || !at.IsZero() {
		t.Errorf("a page that says nothing: published %v, in the index %v, by %q", it.PublishedAt, at, it.Author)
	}
}
