package notify

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

// feedEnd is the position that requests the newest changes.
var feedEnd feed.Position

const (
	// whySegments bounds the search for the digest of a change: it looks for digests up to this many segments of the
	// feed, each at most a day long, after the change.
	whySegments = 3
	whyRows     = 1000
)

// Why returns the rules that a change matches, and its deliveries (W17).
func (s *Follower) Why(ctx context.Context, id string) (out api.ChangeWhy, err error) {
	out = api.ChangeWhy{Rules: []api.MetRule{}, Deliveries: []api.Delivery{}}
	c, err := s.feed.At(ctx, id)
	if err != nil {
		return out, err
	}
	out.Change = c.JSON()
	rules, err := s.book.all(ctx)
	if err != nil {
		return out, err
	}
	if c, err = withDifference(ctx, s.feed, c, rules...); err != nil {
		return out, err
	}
	for i := range rules {
		if r := &rules[i]; r.wants(c) {
			out.Rules = append(out.Rules, api.MetRule{ID: r.ID, Name: r.Name})
		}
	}
	out.Deliveries, err = s.deliveriesOf(ctx, c, rules)
	return out, err
}

// deliveriesOf lists the deliveries of a change, including digests of a matching rule whose range contains the change.
func (s *Follower) deliveriesOf(ctx context.Context, c feed.Change, rules []rule) ([]api.Delivery, error) {
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
			if d, err := deliveryRows.Decode(e.Props); err == nil && covers(d, c, rules) {
				out = append(out, deliveryJSON(e.Row[1:], d))
			}
		}
	}
	return out, nil
}

// covers reports whether a delivery includes a change.
func covers(d delivery, c feed.Change, rules []rule) bool {
	if d.Type == string(api.EventChange) {
		return d.Final == c.Position.String()
	}
	since, err := feed.ParsePosition(d.First)
	last, failed := feed.ParsePosition(d.Final)
	if err != nil || failed != nil || !c.Position.After(since) || c.Position.After(last) {
		return false
	}
	for i := range rules {
		if rules[i].ID == d.Rule {
			return rules[i].wants(c)
		}
	}
	return true // the rule was removed, so it may have matched the change
}
