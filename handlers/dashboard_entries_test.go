package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/run/enrich"
)

// entryID returns the id of the first entry of a policy.
func entryID(t *testing.T, h http.Handler, policy string) string {
	t.Helper()
	var list api.EntryPage
	must(t, json.Unmarshal(do(t, h, "GET", "/api/entries?policy="+policy, "").Body.Bytes(), &list))
	if len(list.Entries) == 0 {
		t.Fatalf("no entry of %s", policy)
	}
	return list.Entries[0].ID
}

// TestD10DashboardEntries checks that entries are listed, also by policy, that search results lead to them, and that
// a link's entry leads to its page (D10).
func TestD10DashboardEntries(t *testing.T) {
	r := newRig(t)
	shows(t, r, "/api/ui/entries", "No entries yet")
	r.push(aThought, aMail,
		`{"source":"telegram","idempotency_policy_key":"telegram_link_v1","idempotency_key_primary":"k","title":"A link","url":"https://port.example/ok/one","author":"Ada","clean_char_count":80,"clean_word_count":12,"quality_score":0.5,"low_signal":true,"metadata":{"telegram":{"date":"2026-02-28T08:00:00Z"}}}`)
	r.work()
	if body := shows(t, r, "/api/ui/entries?policy=email_newsletter_v1", "A mail", "email-batch"); strings.Contains(body,
		"A thought") {
		t.Error("the filter lets others through")
	}
	link := "/api/ui/entries/" + entryID(t, r, "telegram_link_v1")
	shows(t, r, "/api/ui/entries", "A thought", "A mail", link)
	shows(t, r, link, "A link", "/api/ui/items/"+idOf(t, "https://port.example/ok/one"), "Ada", "0.50",
		"Low signal</dt><dd>yes", "2026-02-28T08:00:00Z")
	mail := "/api/ui/entries/" + entryID(t, r, "email_newsletter_v1")
	shows(t, r, mail, "News of the harbour.", "No description was requested.")
	shows(t, r, "/api/ui/search?q=news", `href="`+mail+`"`)
	shows(t, r, "/api/ui/search?q=link", `href="`+link+`"`, "its page: ")
	shows(t, r, "/api/ui/items?find=news", "No matches")
	if w := do(t, r, "GET", "/api/ui/entries/entry_nobody-aaaaaaaaaaaaaaaaaaaaaaaaaa", ""); w.Code != http.StatusNotFound {
		t.Errorf("an entry that is none: %d", w.Code)
	}
	if w := post(t, r, mail, "same-origin", url.Values{"do": {"explode"}}); w.Code != http.StatusBadRequest {
		t.Errorf("an action that is none: %d", w.Code)
	}
}

// TestDashboardEntriesPages checks that the next page of the list continues where the last one ended.
func TestDashboardEntriesPages(t *testing.T) {
	r := newRig(t)
	var items []string
	for i := range 51 {
		items = append(items,
			fmt.Sprintf(
				`{"source":"telegram","idempotency_policy_key":"telegram_thought_v1","idempotency_key_primary":"%d","title":"Note %[1]d."}`, i))
	}
	r.push(items...)
	_, doc := dashboardPage(t, r, "/api/ui/entries?policy=telegram_thought_v1")
	next := ""
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && attribute(n, "rel") == "next" {
			next = attribute(n, "href")
		}
	}
	if body := shows(t, r, next, "First page"); strings.Count(body, ">Note ") != 1 {
		t.Errorf("after %q:\n%s", next, body)
	}
}

// TestD9DashboardBatches checks that an entry is described at once or in a batch, and that a batch can be watched and
// cancelled (D8, D9).
func TestD9DashboardBatches(t *testing.T) {
	r, _, ids := newEnrichRig(t, enrich.Models{Default: "tier1", Batch: "tier1"})
	shows(t, r, "/api/ui/entries/batches", "No batches yet")
	one := "/api/ui/entries/" + ids[0]
	if to := send(t, r, one, url.Values{"do": {"describe"}}); to != one+"?done=described" {
		t.Errorf("described leads to %q", to)
	}
	shows(t, r, one, "enriched", "Gist", "tier1")
	do(t, r, "POST", "/api/enrich/tier1/batch", `{"entry_ids":["`+strings.Join(ids,
		`","`)+`","<script>alert(1)</script>/../../x?y"]}`)
	batch := "/api/ui/entries/batches/" + newest(t, r)
	shows(t, r, "/api/ui/entries/batches", batch, "queued")
	shows(t, r, batch, "Batch of 4 entries", `value="cancel"`, "waiting", ids[2])
	harmless(t, r, batch)
	do(t, r, "POST", "/EnrichTimer", `{"Data":{"timer":{}},"Metadata":{}}`)
	shows(t, r, "/api/ui/entries/"+ids[2], "Waiting for its batch.", batch)
	send(t, r, batch, url.Values{"do": {"cancel"}})
	if body := shows(t, r, batch, "Cancellation was requested"); strings.Contains(body, `value="cancel"`) {
		t.Error("it can be cancelled again")
	}
	for range 10 {
		r.now = r.now.Add(time.Hour)
		do(t, r, "POST", "/EnrichTimer", `{"Data":{"timer":{}},"Metadata":{}}`)
	}
	shows(t, r, batch, "done", "<span>cancelled</span>", "cancelled</span></td>")
	for _, tt := range []struct {
		do     string
		status int
	}{{"cancel", http.StatusConflict}, {"explode", http.StatusBadRequest}} {
		if w := post(t, r, batch, "same-origin", url.Values{"do": {tt.do}}); w.Code != tt.status {
			t.Errorf("%s of one that is done: %d", tt.do, w.Code)
		}
	}
}

// TestD6DashboardImports checks that imports are listed and shown with their broken mails (D6).
func TestD6DashboardImports(t *testing.T) {
	r := newRig(t)
	shows(t, r, "/api/ui/entries/imports", "No imports in the last 90 days", "EMAIL_IMPORT_ROOT")
	r.importMails("in.mbox", 14)
	im := importOf(t, do(t, r, "POST", "/api/import/email/mbox", `{"mbox_path":"in.mbox"}`).Body.Bytes())
	shows(t, r, "/api/ui/entries/imports", "/api/ui/entries/imports/"+im.ID, "in.mbox", "done")
	shows(t, r, "/api/ui/entries/imports/"+im.ID, "<b>14</b><span>mails</span>", "Broken mails",
		im.Failures[0].Reason[:10])
}

// TestA18DashboardImages checks that the pictures of an item are named, but loaded from other servers only on request
// (A18).
func TestA18DashboardImages(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	images := "/api/ui/items/" + idOf(t, "https://port.example/ok/one") + "/images"
	shows(t, r, strings.TrimSuffix(images, "/images")+"/experts", images)
	if body := shows(t, r, images, "A crane", "https://port.example/crane.jpg"); strings.Contains(body, "<img") {
		t.Error("the picture is loaded before anybody asked for it")
	}
	shows(t, r, images+"?pictures=1", `<img src="https://port.example/crane.jpg"`)
	if csp := do(t, r, "GET", images, "").Header().Get("Content-Security-Policy"); strings.Contains(csp, "https:") {
		t.Errorf("policy %q", csp)
	}
}

// TestDashboardEscapesEntries checks that entries of unknown senders are shown as escaped text.
func TestDashboardEscapesEntries(t *testing.T) {
	r := newRig(t)
	evil := `\"><script>alert(1)</script><img src=x onerror=alert(1)>`
	r.push(`{"source":"telegram","title":"` + evil + `","author":"` + evil +
		`","url":"javascript:alert(1)","url_canonical":"javascript:alert(2)","clean_text":"harbour ` + evil +
		`","retrieval_excerpt":"` + evil + `","idempotency_policy_key":"telegram_thought_v1","idempotency_key_primary":"` +
		evil + `","metadata":{"` + evil + `":"` + evil + `"}}`)
	entry := "/api/ui/entries/" + entryID(t, r, "telegram_thought_v1")
	shows(t, r, entry, "&lt;script&gt;alert(1)", "onerror=alert(1)&gt;", "javascript:alert(1)")
	for _, path := range []string{entry, "/api/ui/entries", "/api/ui/search?q=harbour&type=entry",
		"/api/ui/entries?policy=%22%3E%3Cscript%3E"} {
		harmless(t, r, path)
	}
}
