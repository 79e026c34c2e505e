package notify

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
)

// PatchRule changes what a patch names of a rule; see [Book.SaveRule]. Of two patches at once, both hold.
func (s *Book) PatchRule(ctx context.Context, id string, p api.Patch) (api.Rule, error) {
	return again(func() (api.Rule, error) {
		return changeRule(ctx, s, id, func(old api.RuleSpec) (api.RuleSpec, error) {
			old.Filter.Item = "" // an answer has both names of the page
			next, err := patched(old, p)
			if value, named := p["enabled"]; named && value == nil {
				next.Off = false // null stands for what a rule is by default
			}
			form.Tidy(&next)
			return over(next, old), err
		})
	})
}

// PatchChannel changes what a patch names of a channel; see [Book.SaveChannel]. Stored secrets that it does not name
// stay, as long as they are sent to the same place.
func (s *Book) PatchChannel(ctx context.Context, name string, p api.Patch) (api.Channel, error) {
	return again(func() (api.Channel, error) {
		return changeChannel(ctx, s, name, false, func(old channel) (api.ChannelSpec, error) {
			next, err := patched(old.ChannelSettings, p)
			for secret := range old.Sealed {
				value, named := p.Get("fields", secret)
				if !named || value != nil || next.Kind != old.Kind || next.Kind == Webhook {
					continue
				}
				if next.Fields == nil {
					next.Fields = map[string]string{}
				}
				next.Fields[secret] = "" // an empty secret is removed, and one that is left out stays
			}
			return api.ChannelSpec{Name: name, ChannelSettings: next}, err
		})
	})
}

// patched returns settings as a patch changes them.
func patched[T any](old T, p api.Patch) (T, error) {
	err := p.Apply(&old)
	if err != nil {
		err = fault.New(fault.Invalid, "the patch cannot be applied: %w", err)
	}
	return old, err
}

// again reads and writes a row until nobody else has changed it in between.
func again[T any](change func() (T, error)) (out T, err error) {
	for range tries {
		if out, err = change(); !fault.Is(err, fault.Conflict) || fault.FieldOf(err) != "" {
			return out, err
		}
	}
	return out, err
}

// tries is how often a change is made anew before the caller is told.
const tries = 30

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
