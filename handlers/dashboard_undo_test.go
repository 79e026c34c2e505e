package handlers

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

var undoForm = regexp.MustCompile(`name="id" value="([^"]+)"><input type="hidden" name="back" value="([^"]+)"><button>Undo`)

// TestUndoInDashboard checks that each action leads to a page with a button that takes it back, that this leads back to
// that page and puts back what was, and that what can be taken back no more says why.
func TestUndoInDashboard(t *testing.T) {
	r := newItemsRig(t)
	one, two, item := idOf(t, pageOne), idOf(t, pageTwo), "/items/"+idOf(t, pageOne)
	r.say(one, "The lock is closed.") // there is something to mark as seen
	r.channelAndRule()
	rules := func() []api.Rule { return get[api.Rules](t, r, "/api/rules").Rules }
	rule := rules()[0].ID // the other one is in a file
	press := func(path string, f url.Values) (undo, back string) {
		t.Helper()
		body := shows(t, r, send(t, r, "/api/ui"+path, f), "Undo")
		found := undoForm.FindStringSubmatch(body)
		if found == nil {
			t.Fatalf("%s %v has no undo: %s", path, f, body)
		}
		return found[1], found[2]
	}
	takeBack := func(undo, back, to string) {
		if at := send(t, r, "/api/ui/undo", url.Values{"id": {undo}, "back": {back}}); at != "/api/ui"+to {
			t.Errorf("taken back, it leads to %s, want %s", at, to)
		}
		shows(t, r, "/api/ui"+to, "It is as it was before.")
	}
	for _, tc := range []struct {
		path string
		form url.Values
		back string
		is   func() bool // whether what was done holds
	}{
		{item, url.Values{"do": {"pause"}}, item, func() bool { return itemAt(t, r, pageOne).Paused }},
		{item, url.Values{"do": {"remove"}}, item, func() bool { return itemAt(t, r, pageOne).RemoveRequested }},
		{item + "/ignore", url.Values{"do": {"ignore"}, "patterns": {"^x$"}}, item, func() bool {
			w := itemAt(t, r, pageOne).Watch
			return w != nil && len(w.Ignore) > 0
		}},
		{"/mute", url.Values{"itemId": {one}, "for": {"week"}, "back": {item}}, item, func() bool {
			return strings.Contains(do(t, r, "GET", "/api/mutes", "").Body.String(), one)
		}},
		{"/notifications", url.Values{"do": {"off"}, "of": {rule}}, "/notifications", func() bool { return rules()[0].Off }},
		{"/notifications/rules/" + rule, url.Values{"do": {"remove"}}, "/notifications",
			func() bool { return len(rules()) == 1 }},
		{"/tags/sea", url.Values{"do": {"save"}, "priority": {"1"}}, "", func() bool {
			return strings.Contains(do(t, r, "GET", "/api/tags/sea", "").Body.String(), `"priority":1`)
		}},
		{"/read", url.Values{"upTo": {listed(t, r, "top=1").Cursor}}, "/", func() bool {
			return strings.Contains(do(t, r, "GET", "/api/readers/me", "").Body.String(), `"unread":0`)
		}},
	} {
		before := tc.is()
		undo, back := press(tc.path, tc.form)
		if before || !tc.is() || tc.back != "" && back != tc.back {
			t.Errorf("%s %v: it held before: %v, and after: %v; back to %s", tc.path, tc.form, before, tc.is(), back)
		}
		to, query, listed := strings.Cut(back, "?")
		if to += "?done=undone"; listed {
			to += "&" + query
		}
		if takeBack(undo, back, to); tc.is() {
			t.Errorf("%s %v still holds", tc.path, tc.form)
		}
	}
	undo, back := press(item, url.Values{"do": {"pause"}})
	send(t, r, "/api/ui/undo", url.Values{"id": {undo}, "back": {back}})
	w := post(t, r, "/api/ui/undo", "same-origin", url.Values{"id": {undo}, "back": {back}})
	says(t, w, http.StatusConflict, "This was taken back already", `href="/api/ui`+item+`"`)
	undo, back = press(item, url.Values{"do": {"remove"}})
	shows(t, r, "/api/ui"+item, "It is being removed.", `name="id" value="`+undo+`"`, "<button>Take it back</button>")
	r.now = r.now.Add(time.Hour)
	to := send(t, r, "/api/ui/undo", url.Values{"id": {undo}, "back": {back}})
	shows(t, r, to, "That can no longer be taken back.")
	undo, back = press("/items/bulk", url.Values{"do": {"resume"}, "id": {two}})
	r.work()
	r.now = r.now.Add(time.Minute)
	shows(t, r, send(t, r, "/api/ui/undo", url.Values{"id": {undo}, "back": {back}}), "It is as it was before.", "Pause")
	r.work()
	if !itemAt(t, r, pageTwo).Paused {
		t.Error("the bulk run is not taken back")
	}
	send(t, r, "/api/ui/items/"+two, url.Values{"do": {"resume"}})
	shows(t, r, "/api/ui/items/"+two+"/experts", "<button>Undo</button>")
}
