package notify

import (
	"reflect"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// W19: TestW19SecondNames checks that a rule may be sent with either name of a field, or with both if they agree, and
// that an answer may be sent back.
func TestW19SecondNames(t *testing.T) {
	yes, no := true, false
	for name, tt := range map[string]struct {
		item, itemID string
		enabled      *bool
		off          bool
		wrong        string
	}{
		"no name":           {},
		"present names":     {itemID: "url_a", off: true},
		"second names":      {item: "url_a", enabled: &no},
		"both":              {item: "url_a", itemID: "url_a", enabled: &no, off: true},
		"enabled":           {enabled: &yes},
		"two items":         {item: "url_a", itemID: "url_b", wrong: "filter.item"},
		"enabled, but off":  {enabled: &yes, off: true, wrong: "enabled"},
		"disabled, not off": {enabled: &no},
	} {
		s := api.RuleSpec{Filter: api.RuleFilter{Item: tt.item, ItemID: tt.itemID}, Enabled: tt.enabled, Off: tt.off}
		got, err := canonical(s)
		if fault.FieldOf(err) != tt.wrong {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		off := tt.off || tt.enabled == &no
		if got.Off != off || got.Filter.ItemID != tt.item+tt.itemID && tt.item != tt.itemID {
			t.Errorf("%s: %+v", name, got)
		}
		answer := withAllNames(got)
		if answer.Filter.Item != got.Filter.ItemID {
			t.Errorf("%s: the answer is %+v", name, answer)
		}
		both := api.RuleSpec{Off: true, Enabled: &yes} // a client sends an answer back, and has changed one of the two
		if on, off := over(both, api.RuleSpec{Off: true}), over(both, api.RuleSpec{}); on.Off || !off.Off {
			t.Errorf("a change switches the rule on: %t, off: %t", !on.Off, off.Off)
		}
		if again, err := canonical(answer); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: the answer is read as %+v, %v", name, again, err)
		}
	}
}
