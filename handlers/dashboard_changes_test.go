package handlers

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
)

// TestU1WhatChanged checks that the first page lists changes by day and highlights unread ones, that its filters are
// addresses, and that hostile text is escaped.
func TestU1WhatChanged(t *testing.T) {
	r := newRig(t)
	r.reachable()
	one := "https://port.example/ok/one"
	id := idOf(t, one)
	shows(t, r, "/api/ui", `name="url"`, `action="/api/ui/tell"`)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+one+`","tags":["sea"]}`)
	r.work()
	r.say(id, "The lock is &lt;b&gt;closed&lt;/b&gt; on Mondays.")
	body := shows(t, r, "/api/ui", "1 not seen yet", `data-live="10"`,
		`<ins class="plus">The lock is &lt;b&gt;closed&lt;/b&gt; on Mondays.</ins>`,
		"<ins>The lock is &lt;b&gt;closed&lt;/b&gt; on Mondays.</ins>",
		"Not told. “What is gone”: it asks only for pages that are gone", "all as seen",
		"/api/ui/items/"+id+"/diff?from=", "/api/ui/items/"+id+"/ignore?from=", "/api/ui/tell?item="+id,
		`name="itemId" value="`+id+`">Mute a week`)
	if n := strings.Count(body, `class="row new"`); n != 1 {
		t.Errorf("%d unread", n)
	}
	if strings.Contains(body, "You have seen what is below") {
		t.Error("there is nothing below")
	}
	if body := shows(t, r, "/api/ui/?kind=new&tag=sea", `href="/api/ui/?kind=field&amp;tag=sea"`,
		`href="/api/ui/?kind=new">sea`, `<option value="content,reverted">text</option>`); strings.Contains(body, "on Mondays") {
		t.Error("the filter lets another kind through")
	}
	shows(t, r, "/api/ui/?kind=gone", "No matching changes")
}

// TestU1MarkedAsRead checks that changes are marked as read one by one and all at once, and that the form returns to
// the same page.
func TestU1MarkedAsRead(t *testing.T) {
	r := newRig(t)
	fill(t, r, 60)
	unread := func() int { return strings.Count(shows(t, r, "/api/ui", "What changed"), "row new") }
	if n := unread(); n != changesOnPage {
		t.Fatalf("%d unread", n)
	}
	body := shows(t, r, "/api/ui", "There is more that you have not seen")
	if strings.Contains(body, "You have seen what") {
		t.Error("the mark stands above what was not seen")
	}
	newest := listed(t, r, "top=1")
	to := send(t, r, "/api/ui/read", url.Values{"id": {newest.Changes[0].ID}, "query": {"host=a.example&done=x"}})
	if to != "/api/ui/?host=a.example#c"+strings.ReplaceAll(newest.Changes[0].ID, ".", "-") ||
		unread() != changesOnPage-1 {
		t.Errorf("leads to %s, %d unread", to, unread())
	}
	if to := send(t, r, "/api/ui/read", url.Values{"upTo": {newest.Cursor}}); ledTo(to) != "/api/ui/?done=seen" ||
		unread() != 0 {
		t.Errorf("leads to %s, %d unread", to, unread())
	}
	if w := post(t, r, "/api/ui/read", "same-origin", url.Values{}); w.Code != http.StatusBadRequest {
		t.Errorf("nothing to mark: %d", w.Code)
	}
	shows(t, r, "/api/ui", "Earlier", "Page 59")
	after := listed(t, r, "top=30").Continuation
	shows(t, r, "/api/ui/?after="+after, "Newest", "Page 29", "Page 0")
	const alternate = `<link rel="alternate" type="application/atom+xml" title="Tidemark: what has changed" href="`
	shows(t, r, "/api/ui/?host=port.example&unread=true", alternate+`/api/changes.atom?host=port.example"`)
	shows(t, r, "/api/ui/items", alternate+`/api/changes.atom"`)
}

// changesOnPage is how many changes the first page lists.
const changesOnPage = 30

// TestU1Attention checks that problems for a person are counted on the first page, and listed with their solutions.
func TestU1Attention(t *testing.T) {
	r := newRig(t)
	shows(t, r, "/api/ui/attention", "Messages without links", `href="/api/ui/notifications/address"`)
	r.reachable()
	shows(t, r, "/api/ui/attention", "every page can be read")
	one := "https://port.example/ok/one"
	id := idOf(t, one)
	do(t, r, "POST", "/api/AddUrlDocument", `{"urls":["`+one+`","https://port.example/broken"]}`)
	r.work()
	r.watchPart(id, &api.Watch{Include: []string{".price"}})
	r.say(id, "Seen by 12 people.")
	shows(t, r, "/api/ui", `<span class="badge bad">2</span>`)
	shows(t, r, "/api/ui/?kind=gone,failing,watchBroken", "2 problems now", `href="/api/ui/attention"`)
	shows(t, r, "/api/ui/attention", "What is watched is not there", "the part that is watched is no longer on the page", `value="accept"`,
		"/api/ui/items/"+id+"/pick")
	if body := shows(t, r, "/api/ui/attention", "Pages that cannot be read", "does not accept connections", `value="check"`); strings.
		Contains(body, "connection refused") {
		t.Error("an error in the words of the program")
	}
	send(t, r, "/api/ui/items/"+id, url.Values{"do": {"accept"}})
	r.work()
	if body := shows(t, r, "/api/ui/attention", "Pages that cannot be read"); strings.Contains(body,
		"What is watched is not there") {
		t.Error("what was accepted is broken still")
	}
}

// TestW17DashboardSaysWhy checks that a change shows its ignored lines with the rule that ignored them, and the
// notified channels.
func TestW17DashboardSaysWhy(t *testing.T) {
	r := newRig(t)
	must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: "g", Changes: []feed.Change{{At: r.now,
		Kind: feed.Content, ItemID: "url_a", Title: "<Prices>", Silenced: true,
		Ignored: []feed.Ignored{{Hunk: "Seen by <5>", Op: feed.Added, Rule: "ignore: ^Seen"}}}}}))
	page := listed(t, r, "silenced=only")
	path := "/api/ui/changes/" + page.Changes[0].ID
	shows(t, r, path, "&lt;Prices&gt;", "hide this change", "<ins>Seen by &lt;5&gt;</ins></span>",
		"<small>lines like “Seen…”</small>",
		"What is gone", "ignore: ^Seen", `ignored</span>`)
	if body := shows(t, r, "/api/ui"); strings.Contains(body, "Prices") {
		t.Error("what is silenced is shown unasked")
	}
	shows(t, r, "/api/ui/?silenced=true", path, "<small>ignored</small>")
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://hooks.example/"}`)
	do(t, r, "POST", "/api/rules", `{"name":"All of it","channels":["ops"],"filter":{"silenced":"true"}}`)
	shows(t, r, path, "All of it")
	for state, want := range map[string]int{"notMet": 1, "told": 0} {
		if got := listed(t, r, "silenced=true&top=1&state="+state); len(got.Changes) != want {
			t.Errorf("%d changes are %s", len(got.Changes), state)
		}
	}
	if w := do(t, r, "GET", "/api/changes?state=glad", ""); w.Code != http.StatusBadRequest {
		t.Errorf("no such outcome: %d", w.Code)
	}
	shows(t, r, "/api/ui/?told=1", "No matching changes")
	if w := do(t, r, "GET", "/api/ui/changes/1.999.1", ""); w.Code != http.StatusNotFound {
		t.Errorf("no such change: %d", w.Code)
	}
}

// TestU3SavedFilters checks that a filter is saved for its reader, shown on its list, and deleted (U3).
func TestU3SavedFilters(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/fail/here"}`)
	r.work()
	for _, tt := range []struct{ list, path, query string }{
		{"items", "/api/ui/items", "host=port.example&status=Error"}, {"changes", "/api/ui/", "kind=new&unread=1"},
	} {
		form := url.Values{"list": {tt.list}, "query": {tt.query}, "name": {"  My <b>own</b> "}}
		shows(t, r, tt.path+"?"+tt.query+"&after=", "Save this filter as")
		to := send(t, r, "/api/ui/filters", form)
		shown := shows(t, r, to, "The filter is saved", "My &lt;b&gt;own&lt;/b&gt;", "Delete this filter",
			html.EscapeString(tt.path+"?"+tt.query))
		if strings.Contains(shown, "Save this filter as") {
			t.Errorf("%s can be saved again", tt.list)
		}
		if body := shows(t, r, tt.path, "My &lt;b&gt;own"); strings.Contains(body, "Delete this filter") {
			t.Errorf("what is not shown can be forgotten on %s", tt.path)
		}
	}
	form := url.Values{"list": {"items"}, "name": {"My <b>own</b>"}, "do": {"forget"}}
	body := shows(t, r, send(t, r, "/api/ui/filters", form), "The filter is deleted")
	if strings.Contains(body, "My &lt;b") {
		t.Error("a filter that was forgotten is shown")
	}
	shows(t, r, "/api/ui/", "My &lt;b&gt;own")
	long := url.Values{"list": {"items"}, "query": {"q=x"}, "name": {strings.Repeat("n", 61)}}
	if w := post(t, r, "/api/ui/filters", "same-origin", long); w.Code != http.StatusBadRequest {
		t.Errorf("a name of 61 letters: %d", w.Code)
	}
}
