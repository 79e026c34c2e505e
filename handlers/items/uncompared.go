package items

import (
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
)

// showUncompared adds what is not compared of the page, and the offer of a rule for a number that moves each time. An
// offer that was accepted is not shown.
func showUncompared(out *api.Item, it *registry.Item) {
	u := it.Uncompared
	if u.Moved > 0 || len(u.Folded) > 0 || u.Unread != "" {
		out.Uncompared = &api.Uncompared{Moved: u.Moved, Last: u.Last, Unread: u.Unread}
		for _, f := range u.Folded {
			out.Uncompared.Folded = append(out.Uncompared.Folded, api.Folded{Line: f.Line, Rule: f.Rule})
		}
	}
	if rule := it.Moving.Offer(); rule != "" && (out.Watch == nil || !slices.Contains(out.Watch.Ignore, rule)) {
		out.Offer = &api.IgnoreOffer{Line: it.Moving.Line, Times: it.Moving.Times, Ignore: rule}
	}
}
