package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// askDelay is how long a rule that asks for the present values of fields may take to be stored.
const askDelay = 10 * time.Second

// AskFields records that a rule asks for the present values of the fields of an item, and brings its next check
// forward. Callers store the rule right afterwards: the check begins some seconds later. A check that nobody may
// request now, because the item is paused, gone or about to be removed, stays when it is. Errors: NotFound.
func (r *Items) AskFields(ctx context.Context, id source.ID, rule string) error {
	found, err := r.Find(ctx, id)
	if err != nil {
		return err
	}
	return r.s.Retry(ctx, func(ctx context.Context) error {
		it, err := r.s.LoadItem(ctx, found.Key())
		if err != nil {
			return err
		}
		if !it.exists() {
			return unknown(id)
		}
		it.Fields.Ask(rule)
		now := r.s.Now()
		was, soon, hint := it.NextCrawlAt, policy.Stamp(now.Add(askDelay)), time.Time{}
		checking := it.LockedUntil.After(now) // and the check that is in progress may answer other rules alone
		if !it.mayVanish() && !it.Paused && (checking || was.After(soon)) {
			it.NextCrawlAt, hint = soon, soon
		}
		_, err = r.s.Hinted(ctx, it.Partition(), hint, it.Write(was, time.Time{}))
		return asConflict(err)
	})
}
