package handlers

import (
	"regexp"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
)

// ignores reports whether a watch ignores a line already.
func ignores(w *api.Watch, line string) bool {
	return w != nil && slices.ContainsFunc(w.Ignore, func(rule string) bool {
		found, err := regexp.MatchString(rule, line)
		return err == nil && found
	})
}

// showUncompared adds what is not compared of the page, and the offer of a rule for a number that moves each time. It
// is not shown if the line is ignored already.
func showUncompared(out *api.Item, it *registry.Item) {
	u := it.Uncompared
	if u.Moved > 0 || len(u.Folded) > 0 || u.Unread != "" {
		out.Uncompared = &api.Uncompared{Moved: u.Moved, Last: u.Last, Unread: u.Unread}
		for _, f := range u.Folded {
			out.Uncompared.Folded = append(out.Uncompared.Folded, api.Folded{Line: f.Line, Rule: f.Rule})
		}
	}
	if rule := it.Moving.Offer(); rule != "" && !ignores(out.Watch, it.Moving.Line) {
		out.Offer = &api.IgnoreOffer{Line: it.Moving.Line, Times: it.Moving.Times, Ignore: rule}
	}
}
