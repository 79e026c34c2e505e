package handlers

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
)

// TestW1Contract records a conversation about changes (testdata/changes.golden).
func TestW1Contract(t *testing.T) {
	r := newRig(t)
	one := "https://port.example/ok/one"
	id := idOf(t, one)
	var log strings.Builder
	cursor := ""
	for _, step := range []struct{ name, method, path, body string }{
		{"W1 nothing has changed yet", "GET", "/api/changes", ""},
		{"a page is added", "POST", "/api/AddUrlDocument", `{"url":"` + one + `"}`},
		{"the worker works", "", "", ""},
		{"W1 the newest change", "GET", "/api/changes?top=1", ""},
		{"one page changes", "edit", "The lock is closed on Mondays.", ""},
		{"it is checked", "POST", "/api/ReindexItem", `{"id":"` + id + `"}`},
		{"the worker works", "", "", ""},
		{"W1 what came since", "GET", "/api/changes?order=oldest&since=CURSOR", ""},
		{"W1 changes that say something", "GET",
			"/api/changes?q=lock+mondays&kind=content,gone&host=port.example&minShare=0.1", ""},
		{"W1 changes of a time", "GET", "/api/changes?since=2026-03-01&until=2026-03-01T12:00:01Z", ""},
		{"W3 what differs", "GET", "/api/items/" + id + "/diff", ""},
		{"W4 a feed by Atom", "GET", "/api/changes.atom?kind=content", ""},
		{"W4 a JSON feed", "GET", "/api/changes.json?kind=content", ""},
		{"W1 no such kind", "GET", "/api/changes?kind=novel", ""},
		{"W1 no such type", "GET", "/api/changes?type=page", ""},
		{"W1 no such order", "GET", "/api/changes?order=best", ""},
		{"W1 no share", "GET", "/api/changes?minShare=2", ""},
		{"W3 nothing was read", "GET", "/api/items/" + id + "/diff?from=read", ""},
		{"W1 a reader", "GET", "/api/readers/me", ""},
		{"U3 a filter is kept", "PATCH", "/api/readers/me",
			`{"filters":[{"name":"Failing","list":"items","query":"status=Error"}]}`},
		{"U3 no such list", "PATCH", "/api/readers/me", `{"filters":[{"name":"Failing","list":"hosts","query":""}]}`},
		{"W1 the first change is read", "POST", "/api/changes/read", `{"ids":["1.1.1"]}`},
		{"W1 what is unread", "GET", "/api/changes?unread=true&top=1", ""},
		{"W3 what differs from what was read", "GET", "/api/items/" + id + "/diff?from=read", ""},
		{"W1 everything is read", "POST", "/api/changes/read", `{"upTo":"1.2.1"}`},
		{"W1 nothing is unread", "GET", "/api/changes?unread=true&order=oldest", ""},
		{"W3 nothing differs from what was read", "GET", "/api/items/" + id + "/diff?from=read", ""},
		{"Q13 one is unread again", "POST", "/api/changes/read", `{"ids":["1.1.1"],"unread":true}`},
		{"Q13 it is listed", "GET", "/api/changes?unread=true&top=1", ""},
		{"Q13 it is listed in its order", "GET", "/api/changes?unread=true&order=oldest", ""},
		{"Q13 not up to a cursor", "POST", "/api/changes/read", `{"upTo":"1.2.1","unread":true}`},
		{"W1 everything is read again", "POST", "/api/changes/read", `{"upTo":"1.2.1"}`},
		{"W1 neither", "POST", "/api/changes/read", `{}`},
		{"W1 no cursor", "POST", "/api/changes/read", `{"upTo":"yesterday"}`},
		{"W1 no id", "POST", "/api/changes/read", `{"ids":["one"]}`},
		{"another page is added", "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/two"}`},
		{"the worker works", "", "", ""},
		{"a note is inserted", "POST", "/api/db/insert", `{"source":"notes","title":"Tides","clean_text":"Ebb at noon."}`},
		{"W1 an entry is a change, too", "GET", "/api/changes?type=entry", ""},
		{"W3 nothing to compare", "GET", "/api/items/" + idOf(t, "https://port.example/ok/two") + "/diff", ""},
	} {
		fmt.Fprintf(&log, "=== %s\n", step.name)
		r.now = r.now.Add(time.Second)
		switch step.method {
		case "":
			r.work()
			continue
		case "edit":
			r.web.more = map[string]string{"one": step.path}
			continue
		}
		step.path = strings.Replace(step.path, "CURSOR", cursor, 1)
		w := do(t, r, step.method, step.path, step.body)
		answer := w.Body.String()
		if media := w.Header().Get("Content-Type"); strings.Contains(media, "json") {
			answer = pretty(t, w.Body.Bytes())
		}
		var page api.ChangePage
		if json.Unmarshal(w.Body.Bytes(), &page) == nil && page.Cursor != "" {
			cursor = page.Cursor
		}
		fmt.Fprintf(&log, "%s %s\n%s\n%d %s\n%s\n\n", step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), answer)
	}
	golden(t, "changes.golden", log.String())
}

// fill publishes n changes, in groups of seven.
func fill(t *testing.T, r *rig, n int) {
	t.Helper()
	for from := 0; from < n; from += 7 {
		g := feed.Group{ID: fmt.Sprintf("g%d", from)}
		for i := from; i < min(from+7, n); i++ {
			g.Changes = append(g.Changes, feed.Change{At: r.now, Kind: feed.Content, ItemID: fmt.Sprint(i), Host: "a.example",
				Title: fmt.Sprintf("Page %d", i)})
		}
		must(t, r.v.Feed.Publish(t.Context(), g))
		r.now = r.now.Add(time.Hour)
	}
}

func listed(t *testing.T, r *rig, query string) (page api.ChangePage) {
	t.Helper()
	w := do(t, r, "GET", "/api/changes?"+query, "")
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", query, w.Code, w.Body)
	}
	must(t, json.Unmarshal(w.Body.Bytes(), &page))
	return page
}

// TestW1Pages checks that pages follow each other without a gap in both directions, with any filter, and that a
// cursor continues at the reader's position (W1, W2).
func TestW1Pages(t *testing.T) {
	r := newRig(t)
	fill(t, r, 200)
	for _, order := range []string{"newest", "oldest"} {
		var got []string
		q := "top=13&order=" + order
		for next := ""; ; {
			page := listed(t, r, q+"&continuation="+next)
			for _, c := range page.Changes {
				got = append(got, c.ItemID)
			}
			if next = page.Continuation; next == "" {
				break
			}
		}
		if order == "newest" {
			slices.Reverse(got)
		}
		for i, id := range got {
			if id != fmt.Sprint(i) {
				t.Fatalf("%s: change %d is of %s", order, i, id)
			}
		}
		if len(got) != 200 {
			t.Errorf("%s: %d changes", order, len(got))
		}
	}
	cursor := listed(t, r, "top=1").Cursor
	if page := listed(t, r, "order=oldest&since="+cursor); len(page.Changes) > 0 || page.Cursor != cursor {
		t.Errorf("since the cursor: %+v", page)
	}
	must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: "late",
		Changes: []feed.Change{{At: r.now, ItemID: "late"}}}))
	for _, order := range []string{"newest", "oldest"} {
		if page := listed(t, r, "order="+order+"&since="+cursor); len(page.Changes) != 1 || page.Changes[0].ItemID != "late" {
			t.Errorf("since the cursor, %s first: %+v", order, page.Changes)
		}
	}
	page := listed(t, r, "order=oldest&since="+r.now.Add(-4*time.Hour).Format(time.RFC3339))
	if len(page.Changes) != 4*7-3+1 {
		t.Errorf("%d changes of the last four hours", len(page.Changes))
	}
}

// TestW2OldCursor checks that a cursor to deleted changes is answered with 410 and advice (W2).
func TestW2OldCursor(t *testing.T) {
	r := newRig(t)
	fill(t, r, 7)
	cursor := listed(t, r, "").Cursor
	r.now = r.now.Add(48 * time.Hour)
	fill(t, r, 14)
	r.now = r.now.Add(48 * time.Hour)
	must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: "new", Changes: []feed.Change{{ItemID: "new"}}}))
	if n, err := r.v.Feed.Purge(t.Context(), 24*time.Hour); n == 0 || err != nil {
		t.Fatalf("purged %d, %v", n, err)
	}
	w := do(t, r, "GET", "/api/changes?order=oldest&since="+cursor, "")
	if p := problemOf(t, w); w.Code != http.StatusGone || !strings.Contains(p.Detail, "begin anew without a cursor") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestAZ14FeedAddresses checks that feeds have their own address, as the reader knows it but without a key, and that
// of a page.
func TestAZ14FeedAddresses(t *testing.T) {
	const self, home = "https://t.example:8443/api/changes.json?host=a.example&kind=new", "https://t.example:8443/api/ui/"
	r := newRig(t)
	asked := func(path string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		req.Header.Set("X-Forwarded-Host", "t.example:8443")
		req.Header.Set("X-Forwarded-Proto", "https")
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		return w
	}
	for _, path := range []string{"/api/changes.json", "/API/Changes.JSON/"} {
		var f api.JSONFeed
		must(t, json.Unmarshal(asked(path+"?kind=new&host=a.example").Body.Bytes(), &f))
		if f.FeedURL != self || f.HomePageURL != home {
			t.Errorf("%s: feed %s, home page %s", path, f.FeedURL, f.HomePageURL)
		}
	}
	atom := asked("/api/changes.atom?kind=new").Body.String()
	for _, link := range []string{`rel="self" href="https://t.example:8443/api/changes.atom?kind=new"`, `<link href="` + home} {
		if !strings.Contains(atom, link) {
			t.Errorf("no %s in %s", link, atom)
		}
	}
	if w := do(t, r, "GET", strings.TrimPrefix(home, "https://t.example:8443"), ""); w.Code != http.StatusOK {
		t.Errorf("the home page: %d", w.Code)
	}
}

// TestW4Conditional checks that a reader with the present feed gets no body, and that text of third parties is
// escaped in it (W4).
func TestW4Conditional(t *testing.T) {
	r := newRig(t)
	must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: "a", Changes: []feed.Change{{At: r.now,
		Kind: feed.Content, ItemID: "x", URL: "javascript:alert(1)", Title: "</title><script>alert(1)</script>\x01",
		Passages: []feed.Passage{{Text: "]]><b>", Op: feed.Added}}}}}))
	for _, path := range []string{"/api/changes.atom", "/api/changes.json"} {
		first := do(t, r, "GET", path, "")
		etag := first.Header().Get("ETag")
		if first.Code != http.StatusOK || etag == "" {
			t.Fatalf("%s: %d, ETag %q", path, first.Code, etag)
		}
		req := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		req.Header.Set("If-None-Match", `"other", W/`+etag)
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, req); w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != etag {
			t.Errorf("%s again: %d, %d bytes", path, w.Code, w.Body.Len())
		}
		if path == "/api/changes.atom" {
			var f struct {
				Entries []struct {
					Title string `xml:"title"`
					Links []struct {
						Href string `xml:"href,attr"`
					} `xml:"link"`
					Content string `xml:"content"`
				} `xml:"http://www.w3.org/2005/Atom entry"`
			}
			must(t, xml.Unmarshal(first.Body.Bytes(), &f))
			e := f.Entries[0]
			if len(e.Links) != 1 || e.Links[0].Href != "http://example.com/api/ui/changes/1.1.1" ||
				!strings.Contains(e.Title, "<script>") || !strings.Contains(e.Content, "]]&gt;&lt;b&gt;") ||
				strings.Contains(e.Content, "<b>") {
				t.Errorf("%+v", e)
			}
		}
	}
}

// TestChangesOfAnItem checks that the changes of one item are listed without a gap, newest first, whatever else has
// changed meanwhile.
func TestChangesOfAnItem(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	for _, day := range []string{"Mondays", "Tuesdays", "Fridays"} {
		r.say(id, "The lock is closed on "+day+".")
		r.now = r.now.Add(time.Hour)
		fill(t, r, 1)
	}
	var kinds []string
	for next := ""; ; {
		page := listed(t, r, "top=1&outcome=true&itemId="+id+"&continuation="+next)
		for _, c := range page.Changes {
			kinds = append(kinds, string(c.Kind))
			if c.ItemID != id {
				t.Errorf("a change of %s", c.ItemID)
			}
		}
		if next = page.Continuation; next == "" {
			break
		}
	}
	if want := []string{"content", "content", "content", "new"}; !slices.Equal(kinds, want) {
		t.Errorf("%q, want %q", kinds, want)
	}
	if w := do(t, r, "GET", "/api/changes?itemId=url_none", ""); w.Code != http.StatusNotFound &&
		w.Code != http.StatusBadRequest {
		t.Errorf("of no item: %d", w.Code)
	}
}
