package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Wake forces the check of an item because another item has changed. Nobody has asked for it, so
// unlike [Registry.Reindex] it leaves alone an item that is gone or on its way out.
func (r *Registry) Wake(ctx context.Context, it Item) error {
	var job []JobItem
	err := r.onHost(ctx, it.Partition(), it.SourceHost, func(ctx context.Context) error {
		cur, err := r.loadItem(ctx, it.key)
		if err != nil || cur.etag == "" || cur.mayVanish() {
			return err
		}
		if err = r.wake(ctx, &cur); err == nil {
			job = []JobItem{cur.job()}
		}
		return asConflict(err)
	})
	if err == nil && job != nil {
		r.send(ctx, it.Partition(), it.SourceHost, ReasonForced, job)
	}
	return err
}

func (r *Registry) wake(ctx context.Context, it *Item) error {
	host, err := r.loadHost(ctx, it.Partition(), it.SourceHost)
	if err != nil {
		return err
	}
	now := r.now()
	as := member{Source: source.Source{Display: it.DisplaySource}}
	ops := registerOps(now, as, it, &host, RegisterOptions{Force: true}, true)
	host.claim(now, 1, r.o.Politeness(it.SourceHost))
	_, err = r.hinted(ctx, it.Partition(), []time.Time{now.Add(trust)}, append([]storage.Op{host.op()}, ops...))
	return err
}

// Hasten brings the next check of an item forward to a time, because what it depends on changes.
// Nothing is forced, and a sweep finds it: whoever changes that has until then to commit. An item
// that comes sooner, that is gone or on its way out is left alone.
func (r *Registry) Hasten(ctx context.Context, it Item, at time.Time) error {
	at = stamp(at)
	return r.retry(ctx, func(ctx context.Context) error {
		cur, err := r.loadItem(ctx, it.key)
		if err != nil || cur.etag == "" || cur.mayVanish() || !cur.NextCrawlAt.After(at) {
			return err
		}
		_, err = r.hinted(ctx, it.Partition(), []time.Time{at}, hastenOps(&cur, at))
		return asConflict(err)
	})
}

// hastenOps moves an item as it was read, and its due row, to an earlier time.
func hastenOps(it *Item, at time.Time) []storage.Op {
	return []storage.Op{{Kind: storage.Merge, Entity: storage.Entity{
		Key: it.key, ETag: it.etag, Props: storage.Properties{"nextCrawlAt": storage.FormatTime(at)},
	}}, deleteDue(it.key, it.NextCrawlAt), upsertDue(it, at, time.Time{})}
}
