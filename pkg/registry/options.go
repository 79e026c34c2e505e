package registry

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// The names of the registry's tables and queues. The names of the tables for pointers and hints are made from the
// name of the items table, so that two registries can share an account.
const (
	DefaultTable = "IngestItems"
	JobQueue     = "crawl-jobs"
	PoisonQueue  = JobQueue + "-poison"
	// SlowQueue is the queue for the jobs of hosts that do not answer.
	SlowQueue       = JobQueue + "-slow"
	SlowPoisonQueue = SlowQueue + "-poison"
)

// Options adjust a registry. The zero value works.
type Options struct {
	Table      string                                     // name of the items table; [DefaultTable] when empty
	Strategy   source.Strategy                            // [source.ByHost] when empty
	Politeness func(host string) policy.Politeness        // pace and quotas of a host; one request a second when nil
	Schedule   schedule.Config                            // for replanned checks; [schedule.Defaults] when zero
	Clock      func() time.Time                           // the wall clock when nil
	Jitter     func() float64                             // returns uniform numbers in [0,1); math/rand when nil
	Token      func() string                              // returns unique names of lock owners; crypto/rand when nil
	Sleep      func(context.Context, time.Duration) error // waits on the wall clock when nil
	Parallel   int                                        // storage requests that one call has in flight; 16 when zero
	Feed       *feed.Feed                                 // for changes of commits; opened over the same store when nil
	Log        *slog.Logger                               // discarded when nil
}

// Tables returns the table names of a registry with the given name of the items table. If the name is empty,
// [DefaultTable] is used.
func Tables(items string) (itemsTable, index, hints string) {
	if items == "" || items == DefaultTable {
		return DefaultTable, "IngestIndex", "DueHints"
	}
	return items, items + "Index", items + "Hints"
}

func withDefaults(o Options) Options {
	o.Table = cmp.Or(o.Table, DefaultTable)
	o.Strategy = cmp.Or(o.Strategy, source.ByHost)
	if o.Politeness == nil {
		o.Politeness = func(string) policy.Politeness {
			return policy.Politeness{MinDelay: time.Second, MaxDelay: 2 * time.Second, MaxConcurrent: 1}
		}
	}
	if o.Schedule == (schedule.Config{}) {
		o.Schedule = schedule.Defaults()
	}
	defaults.Clock(&o.Clock)
	defaults.Jitter(&o.Jitter)
	if o.Token == nil {
		o.Token = rand.Text
	}
	defaults.Sleep(&o.Sleep)
	o.Parallel = cmp.Or(o.Parallel, 16)
	defaults.Log(&o.Log)
	return o
}
