package handlers

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// ruleRig is a rig with a channel, and with functions that send the form of its one rule and return the rule.
func ruleRig(t *testing.T) (r *rig, save func(url.Values) api.Rule) {
	t.Helper()
	r = newRig(t)
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
	path := "/api/ui/tell?all=1&more=alert"
	return r, func(condition url.Values) (made api.Rule) {
		t.Helper()
		f := url.Values{"do": {"save"}, "name": {"Cheap"}, "channels": {"ops"}}
		maps.Copy(f, condition)
		send(t, r, path, f)
		var all api.Rules
		must(t, json.Unmarshal(do(t, r, "GET", "/api/rules", "").Body.Bytes(), &all))
		if len(all.Rules) == 0 || all.Rules[0].Name != "Cheap" {
			t.Fatalf("%+v", all)
		}
		path = "/api/ui/tell?more=alert&rule=" + all.Rules[0].ID
		return all.Rules[0]
	}
}

// TestG2ConditionInTheForm checks that the form of a rule reads, keeps and shows a condition, of which it reads only
// what the chosen comparison needs, and removes it (G2).
func TestG2ConditionInTheForm(t *testing.T) {
	r, save := ruleRig(t)
	all := url.Values{"when.field": {"price"}, "when.value": {"80 EUR"}, "when.unit": {""}, "when.from": {"79"},
		"when.to": {"84"}, "when.since": {"first"}, "when.first": {"1"}}
	for _, tc := range []struct {
		op, against string
		want        api.Condition
		shown       string
	}{
		{"<", "", api.Condition{Op: "<", Value: "80 EUR", First: true}, `name="when.value" value="80 EUR"`},
		{"<", "lowest", api.Condition{Op: "<", Against: "lowest", First: true}, `<option value="lowest" data-seen selected>`},
		{"changedBy", "lowest", api.Condition{Op: "changedBy", Value: "80 EUR", Against: "first"}, `value="first" selected>`},
		{"fromTo", "lowest", api.Condition{Op: "fromTo", From: "79", To: "84", First: true}, `name="when.to" value="84"`},
		{"changes", "lowest", api.Condition{Op: "fromTo"}, `<option value="changes" data-needs="" selected>changes`},
		{"appears", "", api.Condition{Op: "appears", First: true}, `name="when.first" value="true" checked`},
	} {
		f := maps.Clone(all)
		f["when.op"], f["when.against"] = []string{tc.op}, []string{tc.against}
		tc.want.Field = "price"
		made := save(f)
		if made.When == nil || *made.When != tc.want {
			t.Errorf("%s %s: the rule has the condition %+v", tc.op, tc.against, made.When)
		}
		shows(t, r, "/api/ui/tell?more=alert&rule="+made.ID, `name="when.field" value="price"`, tc.shown)
	}
	save(url.Values{"when.field": {"price"}, "when.op": {"<"}, "when.value": {"80 EUR"}})
	shows(t, r, "/api/ui/notifications", "when the price is below 80 EUR")
	if made := save(url.Values{"when.value": {"80"}, "when.to": {"84"}}); made.When != nil {
		t.Errorf("the condition is still %+v", made.When)
	}
}

// TestG2WrongConditionInTheForm checks that the form of a rule says at the part of a condition what is wrong with it,
// keeps what was typed, and saves nothing (G2).
func TestG2WrongConditionInTheForm(t *testing.T) {
	r, save := ruleRig(t)
	path := "/api/ui/tell?more=alert&rule=" + save(nil).ID
	for _, tc := range []struct{ field, op, value, at, says string }{
		{"price", "<", "", "when.value", "this must be the value to compare with"},
		{"price", "<", "cheap", "when.value", "this must be a number"},
		{"price", "", "80", "when.op", "choose what has to happen to price"},
		{"", "<", "80", "when.field", "name the value that this is about"},
		{"a/b", "<", "80", "when.field", "is not a field name"},
	} {
		page := post(t, r, path, "same-origin", url.Values{"do": {"save"}, "name": {"Cheap"}, "channels": {"ops"},
			"when.field": {tc.field}, "when.op": {tc.op}, "when.value": {tc.value}})
		_, at, _ := strings.Cut(page.Body.String(), `name="`+tc.at+`"`)
		at, _, _ = strings.Cut(at, "</label>")
		if page.Code != http.StatusBadRequest || !strings.Contains(at, tc.says) || !strings.Contains(at, "aria-invalid") {
			t.Errorf("%+v: status %d, at the part: %s", tc, page.Code, at)
		}
		if !strings.Contains(page.Body.String(), `name="when.value" value="`+tc.value+`"`) {
			t.Errorf("%+v: what was typed is gone", tc)
		}
	}
}
