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
