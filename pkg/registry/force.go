package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// ForceCheck forces a check of an item because another item has changed. No person requested this check. So, unlike
// [Items.Reindex], ForceCheck does not change an item that is paused, gone or about to be removed.
func (r *Items) ForceCheck(ctx context.Context, it Item) error {
	var job []JobItem
	id := hostID{Partition: it.Partition(), Host: it.SourceHost}
	err := r.s.ChangeHost(ctx, id, func(ctx context.Context, h *Host) (*hostChange, error) {
		cur, err := r.s.LoadItem(ctx, it.Key())
		if job = nil; err != nil || !cur.exists() || cur.mayVanish() || cur.Paused {
			return nil, err
		}
		now := r.s.Now()
		as := member{Source: source.Source{Display: cur.DisplaySource}}
		until, hint := cur.claimUntil(now)
		ops := registerOps(now, as, &cur, h, RegisterOptions{Force: true}, until)
		h.Policy.Pace.Claim(now, 1, r.s.Options.Politeness(it.SourceHost))
		job = []JobItem{inJob(&cur)}
		return &hostChange{Ops: ops, Hint: hint}, nil
	})
	if err == nil {
		r.s.Send(ctx, it.Partition(), it.SourceHost, reasonForced, job)
	}
	return err
}

// expedite brings the next check of an item forward to a given time, because something that the item depends on is
// about to change. The caller must commit that change before the given time. The check is not forced, and a sweep
// finds it. Expedite does not change an item that is due sooner, paused, gone or about to be removed.
func (r *Items) expedite(ctx context.Context, it Item, at time.Time) error {
	at = policy.Stamp(at)
	return r.s.Retry(ctx, func(ctx context.Context) error {
		cur, err := r.s.LoadItem(ctx, it.Key())
		if err != nil || !cur.exists() || cur.mayVanish() || cur.Paused || !cur.NextCrawlAt.After(at) {
			return err
		}
		_, err = r.s.Hinted(ctx, it.Partition(), at, expediteItem(&cur, at, storage.Properties{}))
		return asConflict(err)
	})
}
