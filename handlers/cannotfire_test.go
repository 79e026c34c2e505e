package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
)

// TestQ18EachDoorSaysWhy checks that a rule that can never fire is refused with its reason and remedy, in the API and
// in the dashboard, that it is saved anyway, and that it is then shown as such in the list of rules, at its page, in
// what needs attention, and where a page and a change are explained (Q18).
func TestQ18EachDoorSaysWhy(t *testing.T) {
	r := newItemsRig(t)
	r.reachable()
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
	id := idOf(t, pageOne)
	readFields(t, r, id)
	const why, remedy = `the page has no value named &#34;cost&#34;; there are note, price`, "under Values of the page"
	body := `"name":"Cheap","channels":["ops"],"filter":{"itemId":"` + id + `"},` +
		`"when":{"field":"cost","op":"<","value":80}`
	w := do(t, r, "POST", "/api/rules", "{"+body+"}")
	var problem api.Problem
	must(t, json.Unmarshal(w.Body.Bytes(), &problem))
	if w.Code != http.StatusConflict || len(problem.Cannot) != 1 || problem.Cannot[0].Item != id ||
		!strings.Contains(problem.Cannot[0].Remedy, remedy) || !strings.Contains(problem.Detail, "cost") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	typed := url.Values{"do": {"save"}, "name": {"Cheap"}, "channels": {"ops"}, "filter.itemId": {id},
		"when.field": {"cost"}, "when.op": {"<"}, "when.value": {"80"}}
	w = post(t, r, "/api/ui/tell?more=alert&item="+id, "same-origin", typed)
	for _, want := range []string{why, remedy, `<button class="plain" name="do" value="anyway">Save anyway`,
		`value="cost"`, "/api/ui/items/" + id} {
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d, without %q: %s", w.Code, want, w.Body)
		}
	}
	typed.Set("do", "anyway")
	w = post(t, r, "/api/ui/tell?more=alert&item="+id, "same-origin", typed)
	at, _, _ := strings.Cut(w.Header().Get("Location"), "?")
	if w.Code != http.StatusSeeOther || !strings.Contains(at, "/notifications/rules/") {
		t.Fatalf("anyway: %d %s", w.Code, w.Header())
	}
	shows(t, r, at, "It cannot tell you anything at present", why, remedy)
	shows(t, r, "/api/ui/notifications", "Cannot tell you anything", why[1:], remedy)
	shows(t, r, "/api/ui/attention", "Alerts that cannot tell anything", why, remedy)
	shows(t, r, "/api/ui/items/"+id, "Cannot tell you anything:", why, remedy)
	shows(t, r, "/api/ui/items/"+id+"/experts", why, remedy, `<span class="badge bad">cannot fire</span>`)
	var here api.ItemWhy
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id+"/why?top=1", "").Body.Bytes(), &here))
	if len(here.Rules) != 1 || here.Rules[0].State != api.RuleCannot || here.Continuation == "" {
		t.Errorf("why of the page: %+v", here)
	}
	r.now = r.now.Add(time.Minute)
	r.say(id, "The lock is closed.")
	var changes api.ChangePage
	must(t, json.Unmarshal(do(t, r, "GET", "/api/changes?outcome=true", "").Body.Bytes(), &changes))
	if len(changes.Changes) == 0 || len(changes.Changes[0].Outcome) != 2 {
		t.Fatalf("changes: %+v", changes)
	}
	shows(t, r, "/api/ui/changes/"+changes.Changes[0].ID, "Who was told, and why", `<span class="badge bad">cannot fire</span>`,
		"the page has no value named")
	do(t, r, "POST", "/PurgeTimer", `{"Data":{"timer":{}},"Metadata":{}}`)
	for r.deliver(notify.Queue, "/DeliveryWorker") {
	}
	for _, m := range r.receiver.got {
		if strings.Contains(string(m.Body), string(api.EventCannot)) {
			t.Errorf("what was saved anyway is reported: %s", m.Body)
		}
	}
}

// TestQ18WhatHoldsInTheForm checks that the dashboard says that a condition holds already, and sends a message on
// request (Q18).
func TestQ18WhatHoldsInTheForm(t *testing.T) {
	r := newItemsRig(t)
	r.reachable()
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
	id := idOf(t, pageOne)
	readFields(t, r, id)
	typed := url.Values{"do": {"save"}, "name": {"Cheap"}, "channels": {"ops"}, "filter.itemId": {id},
		"when.field": {"price"}, "when.op": {"<"}, "when.value": {"90"}}
	w := post(t, r, "/api/ui/tell?more=alert&item="+id, "same-origin", typed)
	var rules api.Rules
	must(t, json.Unmarshal(do(t, r, "GET", "/api/rules?itemId="+id, "").Body.Bytes(), &rules))
	if w.Code != http.StatusSeeOther || len(rules.Rules) != 1 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	at := "/api/ui/notifications/rules/" + rules.Rules[0].ID
	shows(t, r, at, "it is 84.50 EUR now", `name="do" value="now">Tell me now`)
	before := len(r.receiver.got)
	w = post(t, r, at, "same-origin", url.Values{"do": {"now"}})
	if w.Code != http.StatusSeeOther || !strings.Contains(w.Header().Get("Location"), "done=rule-now") {
		t.Fatalf("%d %s %s", w.Code, w.Header(), w.Body)
	}
	for r.deliver(notify.Queue, "/DeliveryWorker") {
	}
	if n := len(r.receiver.got) - before; n != 1 {
		t.Errorf("%d messages", n)
	}
	shows(t, r, at, "it is 84.50 EUR now", "Its last messages", "Cheap")
}
