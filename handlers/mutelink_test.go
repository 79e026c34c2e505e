package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
)

// muteLink changes a page, and returns the path of the mute link in the message about it.
func muteLink(t *testing.T, r *rig) (id, path string) {
	t.Helper()
	one := "https://port.example/ok/one"
	id = idOf(t, one)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+one+`"}`)
	r.work()
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://hooks.example/"}`)
	do(t, r, "POST", "/api/rules", `{"name":"<b>All</b>","channels":["ops"]}`)
	r.say(id, "The lock is closed on Mondays.")
	for do(t, r, "POST", "/CrawlTimer", "{}"); r.deliver(notify.Queue, "/DeliveryWorker"); {
	}
	var e api.ChangeEvent
	if len(r.receiver.got) == 0 {
		t.Fatal("no message was sent")
	}
	must(t, json.Unmarshal(r.receiver.got[0].Body, &e))
	links := e.Data.Links
	if !strings.HasPrefix(links.Difference, "https://tide.example/api/ui/items/"+id+"/diff?") ||
		links.Why != "https://tide.example/api/ui/changes/"+e.Data.ID || e.Data.RuleName != "<b>All</b>" {
		t.Errorf("the links are %+v", links)
	}
	path, found := strings.CutPrefix(links.Mute, "https://tide.example")
	if !found {
		t.Fatalf("the link that mutes is %q", links.Mute)
	}
	return id, path
}

// mutes lists the mutes that hold.
func (r *rig) mutes() (all api.Mutes) {
	r.t.Helper()
	must(r.t, json.Unmarshal(do(r.t, r, "GET", "/api/mutes", "").Body.Bytes(), &all))
	return all
}

// W21: TestW21MuteLink checks that the link of a message shows only titles, and mutes only by a form of its own page.
func TestW21MuteLink(t *testing.T) {
	r := newRig(t)
	r.reachable()
	_, link := muteLink(t, r)
	page := shows(t, r, link, "&lt;b&gt;All&lt;/b&gt;", "Mute for a week")
	if strings.Contains(page, "port.example") || strings.Contains(page, `aria-label="Sections"`) {
		t.Errorf("it shows more than titles: %s", page)
	}
	if all := r.mutes().Mutes; len(all) != 0 {
		t.Fatalf("GET has muted: %+v", all)
	}
	for _, length := range []string{"8d", "stop", ""} {
		if w := post(t, r, link, "same-origin", url.Values{"do": {length}}); w.Code != http.StatusBadRequest {
			t.Errorf("%q: %d", length, w.Code)
		}
	}
	for _, form := range []url.Values{{"do": {"week"}}, {"do": {"always"}}, {"List-Unsubscribe": {"yes"}}} {
		if w := post(t, r, link, "cross-site", form); w.Code != http.StatusForbidden {
			t.Errorf("%v from another site: %d", form, w.Code)
		}
	}
	oneClick := url.Values{"List-Unsubscribe": {"One-Click"}}
	if w := post(t, r, link, "cross-site", oneClick); w.Code != http.StatusBadRequest {
		t.Errorf("unsubscribed by a link that does not stop: %d", w.Code)
	}
	if all := r.mutes().Mutes; len(all) != 0 {
		t.Errorf("what was refused has muted: %+v", all)
	}
}

// W21: TestW21MuteAndUndo checks that a link mutes its page for its rule for a week, or for good, and takes it back.
func TestW21MuteAndUndo(t *testing.T) {
	r := newRig(t)
	r.reachable()
	id, link := muteLink(t, r)
	if w := post(t, r, link, "same-origin", url.Values{"do": {"week"}}); w.Code != http.StatusOK ||
		!strings.Contains(w.Body.String(), "Undo") {
		t.Errorf("muted: %d %s", w.Code, w.Body)
	}
	all := r.mutes().Mutes
	if len(all) != 1 || all[0].ItemID != id || all[0].Rule == "" || !all[0].ByLink ||
		all[0].Until.Sub(all[0].From) > 7*24*time.Hour {
		t.Fatalf("the mutes are %+v", all)
	}
	post(t, r, link, "same-origin", url.Values{"do": {"always"}})
	if all := r.mutes().Mutes; len(all) != 1 || !all[0].Until.IsZero() {
		t.Errorf("for good: %+v", all)
	}
	post(t, r, link, "same-origin", url.Values{"do": {"undo"}})
	if all := r.mutes().Mutes; len(all) != 0 {
		t.Errorf("after the undo: %+v", all)
	}
}

// W20: TestW20StopThisMail checks that a mail program stops a mail by the form of RFC 8058, which comes from anywhere
// and without cookies, is answered by a page and not sent elsewhere, and can be taken back; that opening the link
// does nothing; and that this is so for no other form and no other link.
func TestW20StopThisMail(t *testing.T) {
	g := newRig(t)
	g.reachable()
	id, link := muteLink(t, g)
	stop, found := strings.CutPrefix(g.receiver.got[0].Stop, "https://tide.example")
	if !found || len(stop) > 60 || len(link) > 60 || stop == link {
		t.Fatalf("the links are %q and %q", stop, link)
	}
	for _, method := range []string{"GET", "HEAD"} {
		if w := do(t, g, method, stop, ""); w.Code != http.StatusOK || len(g.mutes().Mutes) != 0 {
			t.Fatalf("%s: %d, %+v", method, w.Code, g.mutes())
		}
	}
	changed := stop[:len(stop)-1] + map[bool]string{true: "B", false: "A"}[stop[len(stop)-1] == 'A']
	for path, want := range map[string]int{changed: http.StatusNotFound, link: http.StatusBadRequest} {
		w := post(t, g, path, "cross-site", url.Values{"List-Unsubscribe": {"One-Click"}})
		if w.Code != want || len(g.mutes().Mutes) != 0 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	w := post(t, g, stop, "cross-site", url.Values{"do": {"always"}})
	if w.Code != http.StatusForbidden || len(g.mutes().Mutes) != 0 {
		t.Errorf("the form of the page, sent by another site: %d", w.Code)
	}
	const parts = "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n"
	for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=b"} {
		body := parts
		if !strings.HasPrefix(kind, "multipart") {
			body = "List-Unsubscribe=One-Click"
		}
		w := ask(t, g, "POST", stop, body, "Content-Type", kind, "Origin", "https://mail.example")
		all := g.mutes().Mutes
		if w.Code != http.StatusOK || len(all) != 1 || all[0].ItemID != id || !all[0].Until.IsZero() || !all[0].ByLink ||
			!strings.Contains(w.Body.String(), "<h1>Stopped</h1>") {
			t.Errorf("%s: %d %+v %s", kind, w.Code, all, w.Body)
		}
	}
	if post(t, g, stop, "same-origin", url.Values{"do": {"undo"}}); len(g.mutes().Mutes) != 0 {
		t.Errorf("after the undo: %+v", g.mutes())
	}
}

// W20: TestW20LinksNeedSigningIn checks that the short links of a difference lead to the dashboard, which asks who
// wants to see it, and take no form.
func TestW20LinksNeedSigningIn(t *testing.T) {
	r := newRig(t)
	r.reachable()
	id, _ := muteLink(t, r)
	var found []string
	for line := range strings.Lines(r.receiver.got[0].Mail) {
		if _, link, ok := strings.Cut(line, "https://tide.example"); ok && !strings.HasPrefix(line, "Stop") {
			found = append(found, strings.TrimSpace(link))
		}
	}
	if len(found) != 3 {
		t.Fatalf("%q in %s", found, r.receiver.got[0].Mail)
	}
	for i, want := range []string{"/api/ui/items/" + id + "/diff?", "/api/ui/changes/"} {
		for _, method := range []string{"GET", "POST"} {
			w := ask(t, r, method, found[i], "")
			if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.HasPrefix(to, want) {
				t.Errorf("%s %s: %d to %q", method, found[i], w.Code, to)
			}
		}
	}
}

// W21: TestW21TwoMutes checks what the page of a link says while its mute holds, and one of somebody who has signed in:
// it shows the latter, and an undo ends only its own, and does not say that messages are sent again.
func TestW21TwoMutes(t *testing.T) {
	r := newRig(t)
	r.reachable()
	id, link := muteLink(t, r)
	post(t, r, link, "same-origin", url.Values{"do": {"week"}})
	do(t, r, "POST", "/api/mutes", `{"itemId":"`+id+`","for":"always"}`)
	shows(t, r, link, "any more", "This was set in Tidemark", "Undo")
	w := post(t, r, link, "same-origin", url.Values{"do": {"undo"}})
	if body := w.Body.String(); strings.Contains(body, "are sent again") ||
		!strings.Contains(body, "any more") {
		t.Errorf("after the undo: %s", body)
	}
	var all api.Mutes
	must(t, json.Unmarshal(do(t, r, "GET", "/api/mutes", "").Body.Bytes(), &all))
	if len(all.Mutes) != 1 || all.Mutes[0].ByLink {
		t.Errorf("after the undo: %+v", all.Mutes)
	}
}

// W21: TestW21MuteLinkIsBounded checks that a link changes no mute of somebody who has signed in, that a changed link
// is worth nothing, and that many requests are refused: those for changed links leave a valid one alone.
func TestW21MuteLinkIsBounded(t *testing.T) {
	r := newRig(t)
	r.reachable()
	id, link := muteLink(t, r)
	do(t, r, "POST", "/api/mutes", `{"itemId":"`+id+`","for":"always"}`)
	for _, what := range []string{"day", "undo"} {
		post(t, r, link, "same-origin", url.Values{"do": {what}})
		var all api.Mutes
		must(t, json.Unmarshal(do(t, r, "GET", "/api/mutes", "").Body.Bytes(), &all))
		if len(all.Mutes) != 1 || !all.Mutes[0].Until.IsZero() {
			t.Errorf("%s: %+v", what, all.Mutes)
		}
	}
	if w := do(t, r, "GET", link+"A", ""); w.Code != http.StatusNotFound ||
		!strings.Contains(w.Body.String(), "not valid") {
		t.Errorf("a changed link: %d", w.Code)
	}
	refused := func(link string) (n int) {
		t.Helper()
		for range 20 {
			w := do(t, r, "GET", link, "")
			if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "" {
				n++
			}
		}
		return n
	}
	if n := refused(link + "A"); n < 5 {
		t.Errorf("%d of 20 requests were refused for a changed link", n)
	}
	if w := do(t, r, "GET", link, ""); w.Code != http.StatusOK {
		t.Errorf("after requests of its address for other links: %d", w.Code)
	}
	if n := refused(link); n < 5 {
		t.Errorf("%d of 20 requests were refused", n)
	}
}

// W21: TestW21MuteLinkNeedsNoKey checks that a link works where every page needs a key, and that nothing else does.
func TestW21MuteLinkNeedsNoKey(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	for _, path := range []string{"/api/ui/mute/dXJs.AAAA", "/api/ui/m/AAAAAAAAAAAAAAAAAAAAAAAA"} {
		w := ask(t, g, "GET", path, "")
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "not valid") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for _, path := range []string{"/api/ui/mute/", "/api/ui/mute/a/b", "/api/ui/mute", "/api/ui/m/", "/api/ui/m/a/b"} {
		if w := ask(t, g, "GET", path, ""); w.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// W20: TestW20AddressIsConfirmed checks that the form of a channel proposes the browser's address, warns of one that
// only this machine reaches, and that messages have no links before it is confirmed.
func TestW20AddressIsConfirmed(t *testing.T) {
	r := newRig(t)
	form := regexp.MustCompile(`name="url" value="([^"]*)" inputmode="url"`)
	proposed := func(host string) string {
		t.Helper()
		w := ask(t, r, "GET", newChannel+"?kind=smtp", "", "X-Forwarded-Host", host)
		if found := form.FindStringSubmatch(w.Body.String()); found == nil || found[1] != "http://"+host {
			t.Errorf("the form proposes %q", found)
		}
		return w.Body.String()
	}
	if !strings.Contains(proposed("tide.example"), `target="_blank"`) {
		t.Error("confirming the address loses the channel that is being typed")
	}
	if body := proposed("tide.example"); strings.Contains(body, "Only this machine") {
		t.Error("warned of an address that others reach")
	}
	if body := proposed("localhost:7071"); !strings.Contains(body,
		"Only this machine can open links to http://localhost:7071") {
		t.Error("no warning of an address that only this machine reaches")
	}
	var at api.PublicAddress
	must(t, json.Unmarshal(do(t, r, "GET", "/api/address", "").Body.Bytes(), &at))
	if at.URL != "" {
		t.Fatalf("an address nobody has confirmed: %+v", at)
	}
	shows(t, r, "/api/ui/attention", "Messages without links")
	const page = "/api/ui/notifications/address"
	if w := post(t, r, page, "same-origin", url.Values{"url": {"tide"}, "back": {"/notifications"}}); w.Code != 400 ||
		!strings.Contains(w.Body.String(), "an address such as") {
		t.Errorf("a mistake: %d %s", w.Code, w.Body)
	}
	send(t, r, page, url.Values{"url": {"https://tide.example"}, "back": {"/notifications"}})
	shows(t, r, "/api/ui/notifications/channels", "https://tide.example")
	shows(t, r, "/api/ui/attention", "Nothing needs attention")
}
