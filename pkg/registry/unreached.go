package registry

import (
	"context"
	"slices"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// The due items of a host that cannot be reached wait: they stay due, and get no request and no record. When the host
// has been out of reach for long, they fail for it, each once. They stay due, so that they are checked as soon as the
// host answers.

// mostFailed limits the items that one call of FailUnreached changes. The next try of the host goes on.
const mostFailed = 2000

// FailUnreached records on the due items of a host that it has been out of reach for long, and at least for a while. It
// does nothing if that is not so. It returns the number of items that fail for it from now on.
func (r *Jobs) FailUnreached(ctx context.Context, partition, host string, least time.Duration) (failed int, err error) {
	h, err := r.s.LoadHost(ctx, partition, host)
	u := &h.Policy.Unreached
	if err != nil || !u.Lasts(r.s.Now()) || r.s.Now().Sub(u.Since) < least {
		return 0, err
	}
	waiting, err := r.waiting(ctx, partition, host, u.Since)
	if err != nil {
		return 0, err
	}
	for chunk := range slices.Chunk(waiting, policy.JobItems) {
		n := 0 // of the last try
		fail := func(h *hostRecord, items []Item, now time.Time) []*Item {
			out := h.failUnreached(items, now)
			n = len(out)
			return out
		}
		if err := r.failEach(ctx, hostID{Partition: partition, Host: host}, u.Of, chunk, fail); err != nil {
			return failed, err
		}
		failed += n
	}
	return failed, nil
}

// failUnreached changes the items that wait for the host. It leaves out those that do not ask it, or fail already.
func (h *hostRecord) failUnreached(items []Item, now time.Time) (out []*Item) {
	u := &h.Policy.Unreached
	for i := range items {
		it := &items[i]
		known := it.failsUnreached() && it.UnreachedSince.Equal(u.Since)
		if !u.Lasts(now) || !it.exists() || !it.free(now) || it.AsksNobody() || it.NextCrawlAt.After(now) || known {
			continue
		}
		it.Status, it.UnreachedSince = Error, u.Since
		it.SetError(u.String())
		out = append(out, it)
	}
	return out
}

// waiting returns the hashes of the due items of a host that may not have failed for it yet.
func (r *Jobs) waiting(ctx context.Context, partition, host string, since time.Time) (hashes []string, err error) {
	q := storage.Query{Partition: partition, RowFrom: duePrefix, RowTo: dueRow(r.s.Now(), "") + afterBar}
	for e, err := range r.s.Items.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		_, hash, ok := parseDueRow(e.Row)
		if !ok || e.Props["host"] != host || e.Props["unreached"] == storage.FormatTime(since) {
			continue
		}
		if hashes = append(hashes, hash); len(hashes) == mostFailed {
			break
		}
	}
	return hashes, nil
}

// Unreached says why the host of an item cannot be reached; it is zero if the host answers. It costs the read of the
// host row.
func (r *Hosts) Unreached(ctx context.Context, it *Item) (policy.Unreached, error) {
	h, err := r.s.LoadHost(ctx, it.Partition(), it.SourceHost)
	return h.Policy.Unreached, err
}

// Waits says until when a check waits that a person has just asked for, and why: the site has asked for a pause, a
// budget is spent, or the host was tried a moment ago. The time is zero if the check begins at once.
func (r *Hosts) Waits(ctx context.Context, it *Item) (until time.Time, why string, err error) {
	h, err := r.s.LoadHost(ctx, it.Partition(), it.SourceHost)
	if err != nil {
		return until, why, err
	}
	now := r.s.Now()
	until, why = h.Policy.Blocked(now, r.s.Options.Politeness(it.SourceHost))
	if next := h.Policy.Unreached.Next; until.IsZero() && next.After(now) {
		until, why = next, h.Policy.Unreached.String()
	}
	return until, why, nil
}
