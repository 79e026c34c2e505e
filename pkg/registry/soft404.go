package registry

import (
	"context"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry/store"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Soft404 is what an origin answers for pages that do not exist. Its row is beside that of robots.txt.
type Soft404 struct {
	AskedAt time.Time `col:"askedAt"` // when somebody last went to ask; zero: never
	Page    string    `col:"page"`    // the page it shows instead of 404, described by who asked; empty: none
	Known   bool      `col:"known"`   // whether Page is an answer, or nobody has had one yet
	// Fingerprint names the answer for those who compare with it: as long as it is the same, what was
	// compared with an earlier Page need not be compared again. Empty for an origin that answers 404.
	Fingerprint string `col:"mark"`

	scheme, host string
	before       string // as read
	key          storage.Key
	etag         storage.ETag
}

var soft404Rows = row.Of[Soft404]()

// Soft404 reads what is known of an origin.
func (r *Hosts) Soft404(ctx context.Context, partition, scheme, host string) (Soft404, error) {
	key := storage.Key{Partition: partition, Row: robotsRow(scheme, host) + "|absent"}
	a, etag, err := soft404Rows.Load(ctx, r.s.Items, key)
	a.scheme, a.host, a.before, a.key, a.etag = scheme, host, a.Fingerprint, key, etag
	return a, err
}

// ClaimSoft404 has the caller ask the origin: of several that have read the same, one is told to,
// also when it dies before it knows the answer.
func (r *Hosts) ClaimSoft404(ctx context.Context, a Soft404, now time.Time) (Soft404, bool, error) {
	a.AskedAt = policy.Stamp(now)
	tags, err := r.s.Items.Transact(ctx, soft404Rows.Put(a.key, a.etag, &a))
	if err != nil {
		return a, false, store.IgnoreLost(err)
	}
	a.etag = tags[0]
	return a, true, nil
}

// PutSoft404 stores the answer for who claimed to ask for it, unless somebody has asked since. A new
// fingerprint is in the host's row from the same transaction on, so every later [Batch] knows of it.
func (r *Hosts) PutSoft404(ctx context.Context, a Soft404) error {
	if a.Fingerprint == a.before {
		_, err := r.s.Items.Transact(ctx, soft404Rows.Put(a.key, a.etag, &a))
		return store.IgnoreLost(err)
	}
	outdated := false
	id := store.HostID{Partition: a.key.Partition, Host: a.host}
	return r.s.ChangeHost(ctx, id, func(_ context.Context, h *store.Host) (*store.Change, error) {
		if outdated {
			return nil, nil
		}
		h.Fingerprints = h.Fingerprints.With(a.scheme, a.Fingerprint)
		return &store.Change{Ops: []storage.Op{soft404Rows.Put(a.key, a.etag, &a)}, Conflict: func() { outdated = true }}, nil
	})
}
