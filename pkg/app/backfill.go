package app

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/run/backfill"
)

// Backfill holds the settings of backfills.
type Backfill struct {
	Enabled                               bool
	MaxURLs, MaxPerSource, MaxConcurrency int
	PerMinute, JobsPerMinute, MaxBacklog  int
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
