package notify

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Two fields of a rule have a second name each: filter.item is filter.itemId, and enabled is the opposite of off. A
// request may have either name, or both if they agree. An answer has both.

// canonical returns the rule without the second names. Errors: Invalid, with the name of a field, if two names of one
// field say different things.
func canonical(s api.RuleSpec) (api.RuleSpec, error) {
	if s.Filter.Item != "" && s.Filter.ItemID != "" && s.Filter.Item != s.Filter.ItemID {
		return s, fault.Field("filter.item", "filter.item and filter.itemId are two names of one field, and differ")
	}
	if s.Filter.ItemID == "" {
		s.Filter.ItemID = s.Filter.Item
	}
	if s.Enabled != nil && *s.Enabled && s.Off {
		return s, fault.Field("enabled", "enabled and off say the opposite of each other: leave one of them out")
	}
	s.Off = s.Off || s.Enabled != nil && !*s.Enabled
	s.Filter.Item, s.Enabled = "", nil
	return s, nil
}

// over returns a rule as a change of an older one. Of enabled and off, if they disagree, that counts which is new: the
// other one is what an answer has had, and clients may send back all of an answer.
func over(s, old api.RuleSpec) api.RuleSpec {
	if s.Enabled != nil && *s.Enabled && s.Off {
		s.Off, s.Enabled = !old.Off, nil
	}
	return s
}

// withAllNames returns a rule that has no second names with that of its page, for an answer. Its enabled stands in
// [api.Rule].
func withAllNames(s api.RuleSpec) api.RuleSpec {
	s.Filter.Item = s.Filter.ItemID
	return s
}
