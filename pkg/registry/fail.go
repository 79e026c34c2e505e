package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/feed"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// Fail records on the items of a job that nobody could process it (A19: the poison queue). Items
// that were processed after all, or that somebody holds, are left alone.
func (r *Jobs) Fail(ctx context.Context, job Job, decide func(it *Item, now time.Time)) error {
	id, token := hostID{job.PartitionKey, job.Host}, r.s.o.Token()
	var written *hostEntry
	err := r.s.changeHost(ctx, id, func(ctx context.Context, h *hostEntry) (*change, error) {
		if err := r.s.announce(ctx, h); err != nil {
			return nil, err // its outbox may be about to be written over
		}
		items, err := r.s.loadItems(ctx, job.PartitionKey, job.Hashes())
		if err != nil {
			return nil, err
		}
		now := r.s.now()
		var c change
		var changes []feed.Change
		var first time.Time
		for _, it := range eligible(items, job.Host, now) {
			before, was, oldDue := *it, tallyOf(it), it.NextCrawlAt
			decide(it, now)
			changes = append(changes, changesOf(&before, &Finding{Item: *it, Failed: true}, now)...)
			it.Rebuilt(false)
			it.IndexPending = false // the snapshot may be what cannot be processed
			h.recount(was, tallyOf(it))
			h.Rates.Add(false, true)
			h.Policy.Count(now, false, true)
			h.Answers = false
			c.ops = append(c.ops, it.Write(oldDue, time.Time{})...)
			first = policy.Earlier(first, it.NextCrawlAt)
		}
		if c.hint = first; c.ops == nil {
			return nil, nil
		}
		if written = h; len(changes) > 0 {
			since, err := r.s.feed.Segment(ctx)
			h.Outbox = feed.Group{ID: token, Since: since, Changes: changes}
			return &c, err
		}
		return &c, nil
	})
	if err == nil && written != nil {
		r.s.announceLater(ctx, written)
	}
	return err
}
