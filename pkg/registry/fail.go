package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/feed"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// Fail records, on every item of a job, that the job could not be processed (A19: the poison queue). It does not
// change items that a worker has checked in spite of this, or holds now.
func (r *Jobs) Fail(ctx context.Context, job Job, decide func(it *Item, now time.Time)) error {
	id, token := hostID{Partition: job.PartitionKey, Host: job.Host}, r.s.Options.Token()
	var written *Host
	err := r.s.ChangeHost(ctx, id, func(ctx context.Context, h *Host) (*hostChange, error) {
		if err := r.s.Announce(ctx, h); err != nil {
			return nil, err // stop, because the transaction might overwrite the host's outbox
		}
		items, err := r.s.LoadItems(ctx, job.PartitionKey, job.Hashes())
		if err != nil {
			return nil, err
		}
		now := r.s.Now()
		var c hostChange
		var changes []feed.Change
		var first time.Time
		for _, it := range eligible(items, job, now) {
			before, was, oldDue := *it, tallyOf(it), it.NextCrawlAt
			decide(it, now)
			changes = append(changes, changesOf(&before, &Finding{Item: *it, Failed: true}, now)...)
			it.Rebuilt(false)
			it.IndexPending = false // the snapshot may have caused the failure
			h.recount(was, tallyOf(it))
			h.Rates.Add(false, true)
			h.Policy.Count(now, false, true)
			h.Answers = false
			c.Ops = append(c.Ops, it.Write(oldDue, time.Time{})...)
			first = policy.Earlier(first, it.NextCrawlAt)
		}
		if c.Hint = first; c.Ops == nil {
			return nil, nil
		}
		if written = h; len(changes) > 0 {
			since, err := r.s.Options.Feed.Segment(ctx)
			h.Outbox = feed.Group{ID: token, Since: since, Changes: changes}
			return &c, err
		}
		return &c, nil
	})
	if err == nil && written != nil {
		r.s.AnnounceLater(ctx, written)
	}
	return err
}
