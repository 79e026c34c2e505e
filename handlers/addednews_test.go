package handlers

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestU1WhoAddsAPageKnows checks that the first reading of a page that somebody has added is news neither on the first
// page, nor for an alert, nor in what an alert would have told, and that who asks for new pages is shown it (U1).
func TestU1WhoAddsAPageKnows(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
	do(t, r, "POST", "/api/rules", `{"name":"All","channels":["ops"],"filter":{"tag":"port"}}`)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+pageOne+`","tags":["port"]}`)
	r.work()
	if body := do(t, r, "GET", "/api/ui/", "").Body.String(); strings.Contains(body, "data-change") {
		t.Errorf("the first page has it: %s", body)
	}
	shows(t, r, "/api/ui/?kind=new,listed", "data-change", "added")
	test := asks[api.RuleTest](t, r, "POST", "rules/test", `{"filter":{"tag":"port"}}`, 200)
	messages := asks[api.DeliveryPage](t, r, "GET", "deliveries", "", 200).Deliveries
	if test.Looked == 0 || test.Matched > 0 || len(messages) > 0 {
		t.Errorf("told %v, would have told %+v", messages, test)
	}
}
