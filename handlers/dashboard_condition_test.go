package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestG2ConditionInTheForm checks that the form of a rule reads, keeps and shows a condition, says what is wrong with
// it at its field, and removes it (G2).
func TestG2ConditionInTheForm(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
	f := url.Values{"do": {"save"}, "name": {"Cheap"}, "channels": {"ops"}, "when.field": {"price"}, "when.op": {"<"},
		"when.value": {"80 EUR"}, "when.first": {"1"}}
	send(t, r, "/api/ui/notifications/new-rule", f)
	rule := func() api.Rule {
		t.Helper()
		var all api.Rules
		must(t, json.Unmarshal(do(t, r, "GET", "/api/rules", "").Body.Bytes(), &all))
		if len(all.Rules) == 0 || all.Rules[0].Name != "Cheap" {
			t.Fatalf("%+v", all)
		}
		return all.Rules[0]
	}
	want := api.Condition{Field: "price", Op: "<", Value: "80 EUR", First: true}
	made := rule()
	if made.When == nil || *made.When != want {
		t.Errorf("the rule has the condition %+v", made.When)
	}
	path := "/api/ui/notifications/rules/" + made.ID
	shows(t, r, path, `name="when.field" value="price"`, `<option value="&lt;" selected>is below`,
		`name="when.value" value="80 EUR"`, `name="when.first" value="1" checked`)
	for name, mistake := range map[string]string{"when.value": "", "when.op": "is"} {
		wrong := url.Values{}
		for name, values := range f {
			wrong[name] = values
		}
		wrong.Set(name, mistake)
		page := post(t, r, path, "same-origin", wrong)
		if page.Code != http.StatusBadRequest || !strings.Contains(page.Body.String(), name+" must be") {
			t.Errorf("%s=%q: status %d, or nothing at the field", name, mistake, page.Code)
		}
	}
	for name := range f {
		if strings.HasPrefix(name, "when.") {
			f.Del(name)
		}
	}
	send(t, r, path, f)
	if made := rule(); made.When != nil {
		t.Errorf("the condition is still %+v", made.When)
	}
}
