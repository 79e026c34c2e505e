package registry

import (
	"context"
	"reflect"
	"time"
)

// resettle replans the next check if options that were set in the meantime require another time. A check that was
// requested keeps its time.
func resettle(ctx context.Context, tags *Tags, it *Item, m meanwhile, now time.Time) error {
	if m.Asked(now) {
		return nil
	}
	before, err := tags.Effective(ctx, m.Read)
	if err != nil {
		return err
	}
	is, err := tags.Effective(ctx, it)
	if err != nil || it.Paused == m.Read.Paused && m.Now.Level == m.Read.Level && reflect.DeepEqual(before, is) {
		return err
	}
	next, resumes := it.NextCrawlAt, it.ResumeAt
	why := replanItem(it, is, tags.s.Options.Schedule, tags.s.Options.Jitter(), now)
	if why != "" && !(it.NextCrawlAt.Equal(next) && it.ResumeAt.Equal(resumes)) {
		it.Record(now, "scheduled", why)
	}
	return nil
}
