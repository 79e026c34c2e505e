package registry

import (
	"context"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// ReserveLoss reserves one tombstone for a batch, if the mass-removal guard allows another tombstone for the host. It
// returns the host's losses without the reserved one. ReserveLoss costs two requests for each page that goes away.
func (r *Hosts) ReserveLoss(ctx context.Context, b *Batch,
	guard schedule.Config) (l schedule.Losses, taken bool, err error) {
	id := hostID{Partition: b.Partition, Host: b.Host}
	err = r.s.ChangeHost(ctx, id, func(_ context.Context, h *Host) (*hostChange, error) {
		l = h.Policy.Lost(r.s.Now(), h.there())
		if taken = h.Policy.ReserveLoss(b.owner, l, guard); !taken {
			return nil, nil
		}
		return &hostChange{}, nil
	})
	return l, taken && err == nil, err
}
