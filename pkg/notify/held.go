package notify

import (
	"context"
	"maps"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

// reportHeld sends a message about each page on which the condition of a rule holds already, except those that are
// muted.
func (s *Book) reportHeld(ctx context.Context, r *rule, pages []Facts) error {
	if len(pages) == 0 {
		return nil
	}
	muted, to, end, err := s.besideFeed(ctx)
	if err != nil {
		return err
	}
	for _, p := range pages {
		if muted.cover(p.Page.ItemID, r.ID, s.now()) {
			continue
		}
		all := map[string]storage.Op{}
		for _, name := range r.Channels {
			id := deliveryID(end, "held:"+api.EventType(p.Page.ItemID), r.ID, name)
			d := s.about(r, name, id, r.present(p, s.now()), to, s.now())
			all[id] = waiting(id, d)
		}
		if err := s.dispatch(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

// besideFeed returns what messages need that are about no change of the feed: the mutes, the links, and the end of the
// feed, of which their ids are made.
func (s *Book) besideFeed(ctx context.Context) (muted muteSet, to links, end feed.Position, err error) {
	if muted, err = s.Mutes.all(ctx); err != nil {
		return muted, to, end, err
	}
	if to, err = s.links(ctx); err != nil {
		return muted, to, end, err
	}
	end, err = s.feed.End(ctx)
	return muted, to, end, err
}

// dispatch writes deliveries, besides other operations, and sends their messages to the queue.
func (s *base) dispatch(ctx context.Context, all map[string]storage.Op, more ...storage.Op) error {
	for op := range maps.Values(all) {
		more = append(more, op)
	}
	if _, err := s.rows.Transact(ctx, more...); err != nil {
		return err
	}
	for id := range all {
		if err := s.enqueue(ctx, id, 0); err != nil {
			return err // resend sends the remaining messages later
		}
	}
	return nil
}

// present is the present value of a page as a change, which stands in no feed and has no id.
func (r *rule) present(p Facts, now time.Time) api.FeedChange {
	kept, _ := p.Fields.Field(r.when.Field())
	c := p.Page
	c.At, c.Kind = now, feed.Field
	out := c.JSON()
	first := field.Change{Name: kept.Name, State: kept.State, Now: kept.Last, First: true, Reported: true}
	lead := feed.FieldJSON(first, now)
	lead.Condition = r.when.Words()
	out.ID, out.Fields = "", []api.ChangedField{lead}
	out.Field = &out.Fields[0]
	return out
}
