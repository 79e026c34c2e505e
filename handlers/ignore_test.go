package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
)

// ignoring sends a request for lines to ignore.
func ignoring(t *testing.T, r *rig, id, body string, status int) (out api.IgnoreResult) {
	t.Helper()
	w := do(t, r, "POST", "/api/items/"+id+"/ignore", body)
	if w.Code != status {
		t.Fatalf("%s: %d %s", body, w.Code, w.Body)
	}
	if status == 200 {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Q11: TestQ11NothingElseIsSilenced checks that a rule made from a line in which only a counter moves keeps the fee
// beside it, at every door; and that a change of the fee is told after the rule was saved.
func TestQ11NothingElseIsSilenced(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	const line, rule = "Read %d times. The fee is %d EUR a month.", `^Read \d+ times\. The fee is 12 EUR a month\.$`
	for i := range 6 {
		r.say(id, fmt.Sprintf(line, 4148+i, 12))
	}
	var it api.ItemDetail
	if err := json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &it); err != nil {
		t.Fatal(err)
	}
	if it.Offer != nil && it.Offer.Ignore != rule {
		t.Errorf("the offer is %+v", it.Offer)
	}
	for _, body := range []string{`{"text":"Read 4150 times. The fee is 12 EUR a month.","preview":true}`,
		`{"hunk":1,"preview":true}`, `{"hunk":1}`} {
		out := ignoring(t, r, id, body, 200)
		if len(out.Rules) != 1 || out.Rules[0] != rule || out.Changes < 6 || len(out.Silenced) != 5+1 {
			t.Errorf("%s: %+v", body, out)
		}
	}
	r.say(id, fmt.Sprintf(line, 4160, 12))
	told := func() int { return strings.Count(do(t, r, "GET", "/api/changes", "").Body.String(), `"kind":`) }
	before := told()
	r.say(id, fmt.Sprintf(line, 4161, 99))
	if have := told(); have != before+1 {
		t.Errorf("%d changes are told after the fee has changed, and %d before", have, before)
	}
}

// TestQ12EachLineHasItsRule checks that each changed line of a hunk has a rule of its own; that a line with a fact is
// not chosen unasked; that a counter that moves at most checks is no fact; and that a line which is new, or of which no
// form is known, gets a rule for exactly that line.
func TestQ12EachLineHasItsRule(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	page := func(seen, price int, weather, also string) {
		r.say(id, fmt.Sprintf("<ul><li>Seen by %d people</li><li>Lamp No. 4: %d EUR</li><li>Weather: %s today</li>%s</ul>",
			seen, price, weather, also))
	}
	for i := range 6 {
		page(100+i, 79, "sunny", "")
	}
	page(110, 84, "rainy", "<li>Pool closed</li>")
	out := ignoring(t, r, id, `{"hunk":1,"preview":true}`, 200)
	want := []api.IgnoreLine{
		{Was: "- Seen by 105 people", Is: "- Seen by 110 people", Moves: []string{"number"}, Pattern: `^Seen by \d+ people$`},
		{Was: "- Lamp No. 4: 79 EUR", Is: "- Lamp No. 4: 84 EUR", Fact: true, Moves: []string{"number"},
			Pattern: `^Lamp No\. 4: \d+ EUR$`},
		{Was: "- Weather: sunny today", Is: "- Weather: rainy today", Moves: []string{"word"},
			Pattern: `^Weather: \S+ today$`},
		{Is: "- Pool closed", Fact: true, Moves: []string{}, Pattern: `^Pool closed$`},
	}
	if diff := cmp.Diff(want, out.Lines); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{want[0].Pattern, want[2].Pattern}, out.Rules); diff != "" {
		t.Error(diff)
	}
	out = ignoring(t, r, id, `{"text":"Nothing like it, 12 times","preview":true}`, 200)
	if diff := cmp.Diff([]string{`^Nothing like it, 12 times$`}, out.Rules); diff != "" {
		t.Error(diff)
	}
	if out = ignoring(t, r, id, `{"hunk":1,"lines":[2,3]}`, 200); len(out.Rules) != 2 || out.Rules[0] != want[1].Pattern {
		t.Errorf("by number: %q", out.Rules)
	}
	out = ignoring(t, r, id, `{"undo":true,"patterns":["^Lamp No\\. 4: \\d+ EUR$","^Weather: \\S+ today$"]}`, 200)
	if len(out.Ignore) != 0 {
		t.Errorf("left: %q", out.Ignore)
	}
	ignoring(t, r, id, `{"hunk":1,"lines":[5]}`, 400)
	ignoring(t, r, id, `{"text":"a line","lines":[1]}`, 400)
}
