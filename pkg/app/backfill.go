package app

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/run/backfill"
)

// Backfill is how sites may be backfilled.
type Backfill struct {
	Enabled                               bool
	MaxURLs, MaxPerSource, MaxConcurrency int
	PerMinute, JobsPerMinute, MaxBacklog  int
}

func (s *settings) backfill() Backfill {
	return Backfill{
		Enabled:        s.flag("BACKFILL_ENABLED", false),
		MaxURLs:        s.number("BACKFILL_MAX_URLS_PER_RUN", 1000, 1, 100_000),
		MaxPerSource:   s.number("BACKFILL_MAX_URLS_PER_SOURCE", 500, 1, 100_000),
		MaxConcurrency: s.number("BACKFILL_MAX_CONCURRENCY", 2, 1, 16),
		PerMinute:      s.number("BACKFILL_ITEMS_PER_MINUTE", 600, 1, 100_000),
		JobsPerMinute:  s.number("BACKFILL_JOBS_PER_MINUTE", 2, 1, 100_000),
		MaxBacklog:     s.number("BACKFILL_MAX_BACKLOG", 2000, 50, 1_000_000),
	}
}

func (c *Config) backfill(exempt func(host string) bool, log *slog.Logger) backfill.Options {
	b := c.Backfill
	return backfill.Options{
		Enabled: b.Enabled, Sites: c.Sites.All(), Rules: c.Rules, MaxURLs: b.MaxURLs, MaxPerSource: b.MaxPerSource,
		MaxConcurrency: b.MaxConcurrency,
		PerMinute:      b.PerMinute, JobsPerMinute: b.JobsPerMinute, MaxBacklog: b.MaxBacklog,
		Pace: c.politeness(exempt, c.Sites.Limits), Log: log,
	}
}
