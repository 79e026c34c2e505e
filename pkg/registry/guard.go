package registry

import (
	"context"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// ReserveLoss reserves one tombstone for a batch, if the mass-removal guard leaves its host any. The losses
// are those of the host without it. It costs two requests, for each page that goes.
func (r *Hosts) ReserveLoss(ctx context.Context, b *Batch,
	guard schedule.Config) (l schedule.Losses, taken bool, err error) {
	err = r.s.changeHost(ctx, hostID{b.Partition, b.Host}, func(_ context.Context, h *hostEntry) (*change, error) {
		l = h.Policy.Lost(r.s.now(), h.there())
		if taken = h.Policy.ReserveLoss(b.owner, l, guard); !taken {
			return nil, nil
		}
		return &change{}, nil
	})
	return l, taken && err == nil, err
}
