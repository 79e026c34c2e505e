package registry

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// announceAge limits the age of the changes that the daily round compares with the feed. Earlier rounds have compared
// older changes.
const announceAge = 3 * recountEvery

// Announce publishes the changes of a host's last commit, unless this process knows that they are in the feed.
func (r *rowStore) Announce(ctx context.Context, h *Host) error {
	if h.Outbox.ID == "" || r.Options.Feed.Knows(h.Outbox.ID) {
		return nil
	}
	err := r.Options.Feed.Publish(ctx, h.Outbox)
	if r.Options.Feed.Knows(h.Outbox.ID) && err != nil { // the group can never be published, so it is given up
		r.Options.Log.ErrorContext(ctx, "changes were left out of the feed", "host", h.Host, "err", err)
		return nil
	}
	return err
}

// AnnounceLater is like [rowStore.Announce], for callers that may ignore a failure. It skips changes that are older than
// announceAge, because earlier daily rounds have published them.
func (r *rowStore) AnnounceLater(ctx context.Context, h *Host) {
	if len(h.Outbox.Changes) > 0 && r.Now().Sub(h.Outbox.Changes[0].At) > announceAge {
		return
	}
	if err := r.Announce(ctx, h); err != nil {
		r.Options.Log.WarnContext(ctx, "changes are not in the feed yet", "host", h.Host,
			"kind", fault.KindOf(err), "err", err)
	}
}
