package notify

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
)

// TestG2ConditionsNoPageMeets checks which conditions of rules are warned of: those on a value that no page has which
// the rule is for, and those that do not fit the values of any of them (G2).
func TestG2ConditionsNoPageMeets(t *testing.T) {
	r := newRig(t)
	shop := map[string]field.Type{field.Price: field.Money, field.Stock: field.Availability}
	pages := []PageFields{{feed.Change{ItemID: "lamp", Host: "shop.example", Type: "url"}, shop},
		{feed.Change{ItemID: "note", Host: "note.example", Type: "url"},
			map[string]field.Type{"count": field.Number, field.Price: field.Text}},
		{feed.Change{ItemID: "empty", Host: "empty.example", Type: "url"}, nil}}
	whole, fails := true, error(nil)
	r.Book.o.Fields = func(_ context.Context, _ api.RuleFilter, see func(PageFields) bool) (bool, error) {
		for _, p := range pages {
			if !see(p) {
				return true, fails
			}
		}
		return whole, fails
	}
	const below, none = "its condition can never be met: ", ""
	for _, tc := range []struct{ host, name, op, value, want string }{
		{"", "price", "<", "80", none},
		{"", "cost", "<", "80", `no page that it is for has a value named "cost"; there are availability, count, price`},
		{"shop.example", "cost", "<", "80", `the page that it is for has no value named "cost"; there are availability, price`},
		{"empty.example", "cost", "<", "80", `the page that it is for has no value named "cost", nor any other value`},
		{"shop.example", "salePrice", "<", "80", none},
		{"note.example", "price", "<", "80", below + "when.op must be =, fromTo, appears or disappears for the field price"},
		{"shop.example", "availability", "=", "80", below + "when.value is not a value for the field availability"},
		{"shop.example", "version", "<", "80", `the page that it is for has no value named "version"`},
		{"other.example", "cost", "<", "80", none},
	} {
		spec := api.RuleSpec{When: &api.Condition{Field: tc.name, Op: tc.op, Value: api.Constant(tc.value)}}
		spec.Filter.Host = tc.host
		rule := r.rule(spec, "ops")
		test, err := r.TestRule(t.Context(), rule.ID)
		must(t, err)
		read, err := r.Rule(t.Context(), rule.ID)
		must(t, err)
		tried, err := r.PreviewRule(t.Context(), spec)
		must(t, err)
		for _, have := range []string{rule.Warning, test.Warning, read.Warning, tried.Warning} {
			if !strings.HasPrefix(have, tc.want) || tc.want == "" && have != "" {
				t.Errorf("%s of %s: have %q, want %q", tc.name, tc.host, have, tc.want)
			}
		}
	}
	whole = false
	if rule := r.rule(api.RuleSpec{When: &api.Condition{Field: "cost", Op: "<", Value: "1"}}, "ops"); rule.Warning != "" {
		t.Errorf("of pages that were not looked at: %q", rule.Warning)
	}
	fails = fault.New(fault.Unavailable, "no answer")
	spec := api.RuleSpec{Name: "a", Channels: []string{"ops"}, When: &api.Condition{Field: "cost", Op: "<", Value: "1"}}
	if _, err := r.SaveRule(t.Context(), "", spec); !fault.Is(err, fault.Unavailable) {
		t.Errorf("have %v", err)
	}
	if have := noSuchField("a", 2, strings.Fields(fmt.Sprint("1 2 3 4 5 6 7 8 9 10 11"))); !strings.HasSuffix(have,
		"10 and 1 other") {
		t.Errorf("have %q", have)
	}
}
