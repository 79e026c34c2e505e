package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/telemetry"
)

// counted is the outcome that a check is counted by.
func (c *check) counted() string {
	switch {
	case c.purged:
		return "purged"
	case c.paid && c.outcome != schedule.Failed:
		return "indexed"
	default:
		return string(c.outcome)
	}
}

// count counts what was committed just now.
func (t *task) count() {
	for _, outcome := range t.outcomes {
		t.o.Metrics.Checks.Add(1, outcome)
		if outcome == string(schedule.Changed) {
			t.o.Metrics.Changes.Add(1)
		}
	}
	t.outcomes = nil
}

// observed is a pause that is told of: pauses are made for the pace of hosts only.
func observed(sleep func(context.Context, time.Duration) error, m *telemetry.Metrics) func(context.Context, time.Duration) error {
	return func(ctx context.Context, d time.Duration) error {
		m.PolitenessWait.Observe(d.Seconds())
		return sleep(ctx, d)
	}
}
