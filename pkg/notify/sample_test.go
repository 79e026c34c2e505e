package notify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

// TestQ18SamplesAreSent checks that a preview shows a change that the rule would send, or none (Q18).
func TestQ18SamplesAreSent(t *testing.T) {
	lamp := page("url_lamp", "shop.example", kept(field.Price, "", field.Money, "84 EUR"),
		kept(field.Stock, "", field.Availability, "out of stock"))
	for _, tc := range []struct {
		filter api.RuleFilter
		when   *api.Condition
		want   string // of the first field, or the kind of the change; "" for no sample
	}{
		{api.RuleFilter{}, isBelow("price", "80"), "84 → 76 EUR"},
		{api.RuleFilter{}, &api.Condition{Field: "price", Op: "<", Against: condition.Lowest}, "84 → 79.80 EUR"},
		{api.RuleFilter{}, &api.Condition{Field: "price", Op: "changedBy", Value: "10", Unit: "%"}, "84"},
		{api.RuleFilter{}, &api.Condition{Field: "availability", Op: "fromTo", To: "in stock"}, "in stock"},
		{api.RuleFilter{}, &api.Condition{Field: "price", Op: "disappears"}, "none"},
		{api.RuleFilter{}, nil, "content"},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Kind: "gone"}}, nil, "gone"},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Host: "shop.example", MinShare: 0.5, Q: "harbour"}}, nil, "content"},
		{api.RuleFilter{Added: "harbour"}, nil, "content"},
		{api.RuleFilter{Added: "^x{3}$"}, nil, ""},
	} {
		r := newRig(t)
		r.knows(lamp)
		spec := api.RuleSpec{Name: "r", Filter: tc.filter, When: tc.when, Channels: []string{"ops"}}
		made, errs := compile(spec)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		var found survey
		found.note(&made, lamp, reason{})
		c, ok := made.sample(t.Context(), &found, r.now)
		got := string(c.Kind)
		if c.Field != nil {
			got = c.Field.Text
		}
		if ok != (tc.want != "") || ok && !strings.Contains(got, tc.want) {
			t.Errorf("%s: have %q %t, want %q", fmt.Sprint(tc.filter, tc.when), got, ok, tc.want)
		}
		r.channel("ops")
		tried, err := r.PreviewRule(t.Context(), spec)
		must(t, err)
		if (tried.Preview != nil) != ok || ok && !tried.Preview.Sample {
			t.Errorf("%+v: the preview is %+v", tc.filter, tried.Preview)
		}
	}
}
