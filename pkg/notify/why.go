package notify

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// whySegments limits the search for digests that contain a change. The search covers this many segments of the
	// feed after the change. Each segment lasts at most a day.
	whySegments = 3
	whyRows     = 1000
)

// Why returns the rules that match a change, and its deliveries (W17).
func (s *Follower) Why(ctx context.Context, id string) (out api.ChangeWhy, err error) {
	out = api.ChangeWhy{Rules: []api.MetRule{}, Deliveries: []api.Delivery{}}
	c, err := s.feed.At(ctx, id)
	if err != nil {
		return out, err
	}
	out.Change = c.JSON()
	rules, err := s.book.under(ctx, "")
	if err == nil && c.ItemID != "" {
		own, failed := s.book.under(ctx, c.ItemID)
		rules, err = append(rules, own...), failed
	}
	if err != nil {
		return out, err
	}
	if c, err = withDifference(ctx, s.feed, c, rules...); err != nil {
		return out, err
	}
	met := map[string]bool{} // for each rule, by its id
	left := maxEffort
	for i := range rules {
		r := &rules[i]
		if met[r.ID], err = r.meets(ctx, c, &left); err != nil {
			return out, err
		}
		if met[r.ID] {
			out.Rules = append(out.Rules, api.MetRule{ID: r.ID, Name: r.Name})
		}
	}
	if out.Mutes, err = s.mutesOf(ctx, c); err != nil {
		return out, err
	}
	out.Deliveries, err = s.deliveriesOf(ctx, c, met)
	return out, err
}

// deliveriesOf lists the deliveries of a change. These include the digests of a matching rule whose range contains
// the change.
func (s *Follower) deliveriesOf(ctx context.Context, c feed.Change, met map[string]bool) ([]api.Delivery, error) {
	out := []api.Delivery{}
	for _, as := range []string{waitingAs, doneAs} {
		later := c.Position
		later.Segment += whySegments
		looked := 0
		for e, err := range s.rows.Query(ctx, storage.Query{Partition: partition, RowFrom: as + order(later),
			RowTo: as + order(c.Position) + "~", Select: shownColumns}) {
			if err != nil {
				return out, err
			}
			if looked++; looked > whyRows {
				break
			}
			if d, err := deliveryRows.Decode(e.Props); err == nil && covers(d, c, met) {
				out = append(out, deliveryJSON(e.Row[1:], d))
			}
		}
	}
	return out, nil
}

// covers reports whether a delivery contains a change. The map says for each rule whether it matches the change.
func covers(d delivery, c feed.Change, met map[string]bool) bool {
	if d.Type == string(api.EventChange) {
		return d.Final == c.Position.String()
	}
	since, err := feed.ParsePosition(d.First)
	last, failed := feed.ParsePosition(d.Final)
	if err != nil || failed != nil || !c.Position.After(since) || c.Position.After(last) {
		return false
	}
	matches, exists := met[d.Rule]
	return matches || !exists // a rule that no longer exists may have matched the change
}
