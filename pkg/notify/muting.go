package notify

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
)

// Page says of an item what is shown beside its mutes and rules.
type Page struct{ ID, URL, Title string }

// Mute keeps messages about a page back, those of one rule or of all rules. Errors: Invalid; NotFound for a rule that
// does not exist.
func (s *Book) Mute(ctx context.Context, q api.MuteRequest, of Page) (api.Mute, error) {
	until, err := muteUntil(q.For, s.now())
	if err != nil {
		return api.Mute{}, err
	}
	if q.Rule != "" {
		if _, err := s.rule(ctx, q.Rule); err != nil {
			return api.Mute{}, fault.Field("rule", "rule: %w", err)
		}
	}
	return s.Mutes.Add(ctx, api.Mute{ItemID: q.ItemID, Rule: q.Rule, URL: of.URL, Title: of.Title, Until: until}, s.now())
}

// Unmute ends a mute. Errors: NotFound.
func (s *Book) Unmute(ctx context.Context, id string) (api.Mute, error) {
	return s.Mutes.End(ctx, id, s.now())
}

// Muted lists the mutes that have not ended, of one item or of all.
func (s *Book) Muted(ctx context.Context, item string) (api.Mutes, error) {
	all, err := s.Mutes.all(ctx)
	out := api.Mutes{Mutes: all.active(s.now())}
	if item != "" {
		out.Mutes = slices.DeleteFunc(out.Mutes, func(m api.Mute) bool { return m.ItemID != item })
	}
	return out, err
}

// mutesOf lists the mutes that covered a change, and those of its page that hold now.
func (s *Follower) mutesOf(ctx context.Context, c feed.Change) ([]api.Mute, error) {
	if c.ItemID == "" {
		return nil, nil
	}
	all, err := s.book.Mutes.all(ctx)
	if err != nil {
		return nil, err
	}
	out := all.Of(c.ItemID, c.At)
	for _, m := range all.Of(c.ItemID, s.now()) {
		if !slices.ContainsFunc(out, func(o api.Mute) bool { return o.ID == m.ID }) {
			out = append(out, m)
		}
	}
	for i := range out {
		out[i].Ended = !out[i].Until.IsZero() && !s.now().Before(out[i].Until)
	}
	return out, nil
}
