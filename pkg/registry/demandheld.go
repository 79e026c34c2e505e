package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// heldAfter is how late a check is before something is said to hold it back. A sweep comes once a minute.
const heldAfter = 2 * time.Minute

// Held says what keeps an item with these effective options from being checked as often as a rule wants; "" if nothing
// does, or no rule wants it. It costs at most the read of the host row.
func (r *Hosts) Held(ctx context.Context, it *Item, e options.Effective) (by api.HeldBy, why string, err error) {
	now := r.s.Now()
	demand, most := e.Demand(policy.Later(it.LastChecked, it.FirstSeen))
	switch {
	case demand == nil || it.RemoveRequested:
		return "", "", nil
	case it.Paused:
		return api.HeldByPause, "the page is paused", nil
	case it.Status == OutOfScope && it.AliasOf == "":
		return api.HeldByRobots, it.ErrorMessage, nil
	case e.Schedule != nil:
		return api.HeldBySchedule, e.Scheduled(), nil
	}
	h, err := r.s.LoadHost(ctx, it.Partition(), it.SourceHost)
	if err != nil {
		return "", "", err
	}
	polite := r.s.Options.Politeness(it.SourceHost)
	if until, why := h.Policy.Blocked(now, polite); until.After(policy.Later(now, it.NextCrawlAt)) {
		if until.After(h.Policy.Pace.PausedUntil) {
			return api.HeldByBudget, why, nil
		}
		return api.HeldByPace, why, nil
	}
	next := it.NextCrawlAt
	if it.IndexPending {
		next = it.ResumeAt
	}
	wanted := policy.Later(it.LastChecked, it.FirstSeen).Add(most)
	least, _ := h.Policy.Pace.Delays(polite)
	switch {
	case now.Sub(next) > heldAfter:
		return api.HeldByPace, "the pace of the host: at most one request in " + words.Span(max(least, time.Second)), nil
	case next.Sub(policy.Later(wanted, now)) <= heldAfter:
		return "", "", nil
	case e.ActiveHours != nil:
		return api.HeldByActiveHours, e.Active(), nil
	}
	return api.HeldByPace, "the site asked for a pause", nil
}
