package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestK15OnThePage checks that the form of a rule proposes how often its page is checked, and says what that costs; and
// that the page says which rule wants that, and what holds it back (K15).
func TestK15OnThePage(t *testing.T) {
	r := newRig(t)
	one := "https://port.example/ok/one"
	id := idOf(t, one)
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+one+`"}`)
	r.work()
	shows(t, r, "/api/ui/tell?when.field=availability&when.op=fromTo&when.to=InStock&item="+id,
		`value="stock" checked`, "The page is checked every 15 minutes: about 96 requests a day")
	if body := shows(t, r, "/api/ui/tell?all=1", `name="check"`); strings.Contains(body, "requests a day") {
		t.Error("a rule for all pages is proposed to cost something")
	}
	send(t, r, "/api/ui/tell?item="+id, url.Values{"do": {"save"}, "name": {"Lamp"}, "channels": {"ops"}, "check": {"1h"}})
	item := func() (it api.ItemDetail) {
		must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &it))
		return it
	}
	it := item()
	if it.Checks == nil || it.Checks.Every != "1h" || it.Checks.Name != "Lamp" || it.Checks.Why != "" ||
		it.NextCrawlAt.Sub(it.LastChecked) != time.Hour {
		t.Errorf("%+v, next check after %v", it.Checks, it.NextCrawlAt.Sub(it.LastChecked))
	}
	shows(t, r, "/api/ui/items/"+id+"/experts", "/api/ui/notifications/rules/"+it.Checks.Rule(),
		"wants a check at least every")
	do(t, r, "PATCH", "/api/items/"+id, `{"paused":true}`)
	if it := item(); it.Checks == nil || it.Checks.Why != "the page is paused" {
		t.Errorf("paused: %+v", it.Checks)
	}
	shows(t, r, "/api/ui/items/"+id, "held back: the page is paused")
	do(t, r, "DELETE", "/api/rules/"+it.Checks.Rule(), "")
	if it := item(); it.Checks != nil {
		t.Errorf("without the rule: %+v", it.Checks)
	}
}

// TestW19FromThePageToTheRule checks the way of a page watcher: from a change to a rule for its page, which says what
// it would have told before it is saved; then a mute, which is shown and can be ended; then a rule switched off.
func TestW19FromThePageToTheRule(t *testing.T) {
	r := newRig(t)
	one := "https://port.example/ok/one"
	id := idOf(t, one)
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+one+`"}`)
	r.work()
	r.say(id, "The lock is closed.")
	from := "/api/ui/tell?item=" + id
	shows(t, r, "/api/ui", from, "Mute a week", "/api/ui/changes/")
	shows(t, r, "/api/ui/changes/"+listed(t, r, "top=1").Changes[0].ID, from, "Mute a week", "Mute a day",
		"Mute until I end it", "Stop watching…", "Watch only a part", "The page as it was then", "The whole difference")
	shows(t, r, "/api/ui/items/"+id, "Tell me when…", "/tell?item="+id, "Mute a week", "Stop watching…")
	form := shows(t, r, from+"&name=one", "Would have told you once", `value="ops" checked`, `value="one"`)
	if strings.Contains(form, `name="filter.host"`) {
		t.Error("a rule for one page asks for a host")
	}
	typed := url.Values{"do": {"save"}, "name": {"one"}, "channels": {"ops"}, "filter.kind": {"new"}}
	refused := post(t, r, from+"&more=alert", "same-origin", typed)
	for _, want := range []string{"it waits for a new page", "What to do: change the filter", "Save anyway", `value="one"`} {
		if !strings.Contains(refused.Body.String(), want) || refused.Code != http.StatusConflict {
			t.Errorf("%d, without %q: %s", refused.Code, want, refused.Body)
		}
	}
	typed.Set("do", "anyway")
	send(t, r, from+"&more=alert", typed)
	var rules api.Rules
	must(t, json.Unmarshal(do(t, r, "GET", "/api/rules?itemId="+id, "").Body.Bytes(), &rules))
	if len(rules.Rules) != 1 || rules.Rules[0].Filter.ItemID != id || rules.Rules[0].URL != one {
		t.Fatalf("%+v", rules)
	}
	rule := "/notifications/rules/" + rules.Rules[0].ID
	shows(t, r, "/api/ui/items/"+id, "Cannot tell you anything:", "/tell?rule="+rules.Rules[0].ID,
		"it waits for a new page")
	shows(t, r, "/api/ui/items/"+id+"/experts", "Alerts for this page", "/api/ui"+rule, "cannot fire",
		"it waits for a new page")
	shows(t, r, "/api/ui/notifications", "It waits for a new page", "/api/ui"+rule)
	to := send(t, r, "/api/ui/mute", url.Values{"itemId": {id}, "for": {"week"}, "back": {"/items/" + id}})
	if ledTo(to) != "/api/ui/items/"+id+"?done=muted" {
		t.Errorf("leads to %s", to)
	}
	body := shows(t, r, "/api/ui/items/"+id, "Tell me again")
	shows(t, r, "/api/ui/notifications", "Muted", "Tell me again")
	newest := listed(t, r, "top=1").Changes[0].ID
	shows(t, r, "/api/ui/changes/"+newest, "Tell me again")
	_, end, _ := strings.Cut(body, `name="end" value="`)
	end, _, _ = strings.Cut(end, `"`)
	send(t, r, "/api/ui/mute", url.Values{"end": {end}, "back": {"//evil.example"}})
	if body := shows(t, r, "/api/ui/items/"+id, "Stop watching…"); strings.Contains(body, "Tell me again") {
		t.Error("it is still muted")
	}
	send(t, r, "/api/ui"+rule, url.Values{"do": {"off"}})
	shows(t, r, "/api/ui/items/"+id, "Switched off")
	shows(t, r, "/api/ui/items/"+id+"/stop", "Stop checking, keep everything", "Alerts for this page stay")
	shows(t, r, "/api/ui/items?find=port", "Tell me when one of these changes…", "/api/ui/tell?q=find%3Dport")
}
