package registry

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// isParked reports whether, after a registration with these options, the next check of an item is at [Never].
func (o RegisterOptions) isParked(it *Item) bool {
	paused := it.Paused
	if o.Settings.Paused != nil {
		paused = *o.Settings.Paused
	}
	return paused && !o.Force && !o.asked && !it.mayVanish()
}

// Set changes the settings of an item and at once moves its next check to the time that they require. A forced check
// keeps its time, and so does the next check of an item that is about to be removed. Errors: NotFound; Invalid.
func (r *Items) Set(ctx context.Context, id source.ID, s Settings) (it Item, err error) {
	found, err := r.Find(ctx, id)
	if err != nil {
		return found, err
	}
	err = r.s.Retry(ctx, func(ctx context.Context) error {
		if it, err = r.s.LoadItem(ctx, found.Key()); err != nil {
			return err
		}
		if !it.exists() {
			return unknown(id)
		}
		was, resumes, level := it.NextCrawlAt, it.ResumeAt, it.Level
		tags := it.Tags
		what, err := s.apply(&it)
		if err != nil || what == "" && !s.Replan {
			return err
		}
		now := r.s.Now()
		if !slices.Equal(tags, it.Tags) {
			indexAgain(&it, now)
		}
		why, err := replan(ctx, r.tags, &it, now)
		if err != nil {
			return err
		}
		if moved := !it.NextCrawlAt.Equal(was) || !it.ResumeAt.Equal(resumes); what == "" && !moved && it.Level == level {
			return nil
		}
		if what != "" {
			it.Record(now, "set", what+by(ctx))
		}
		if why != "" {
			it.Record(now, "scheduled", why)
		}
		hint := it.NextCrawlAt
		if !hint.Before(was) {
			hint = time.Time{} // a check that moves to a later time needs no hint
		}
		ops := it.Write(was, time.Time{})
		if it.Level != level && it.NextCrawlAt.Equal(was) {
			ops = append(ops, upsertDue(&it, was, time.Time{})) // two jobs may have the item; one finds it done
		}
		etags, err := r.s.Hinted(ctx, it.Partition(), hint, ops)
		if err == nil {
			it.written(etags[0])
		}
		return asConflict(err)
	})
	return it, err
}

// replan moves the next check of an item to the time that its options require, and returns the reason.
func replan(ctx context.Context, tags *Tags, it *Item, now time.Time) (why string, err error) {
	e, err := tags.Effective(ctx, it)
	if err != nil {
		return "", err
	}
	return replanItem(it, e, tags.s.Options.Schedule, tags.s.Options.Jitter(), now), nil
}
