package politeness

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Fetcher sends requests to the web. Its errors describe faults of the page, never of this program; see package
// fetch.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (fetch.Response, error)
	Robots(ctx context.Context, r fetch.RobotsRequest) (robots.Reply, error)
}

// Options adjust how hosts are asked. Agent is required; the other fields have defaults.
type Options struct {
	Agent    string // product token that robots.txt rules are matched against
	Strategy source.Strategy
	Clock    func() time.Time
	Sleep    func(ctx context.Context, d time.Duration) error
	// AtOnce returns how many requests a host may have in flight by limits of its own; zero if it has none. It may be nil.
	AtOnce  func(host string) int
	Metrics *telemetry.Metrics // counts the time that requests wait for their start
}

// Hosts sends requests to hosts. As long as the process lives, it caches robots.txt, and how hosts answer for pages
// that do not exist. It is safe for concurrent use.
type Hosts struct {
	rows         *registry.Hosts
	web          Fetcher
	agent        string
	strategy     source.Strategy
	clock        func() time.Time
	sleep        sleeper
	atOnce       func(host string) int
	robots       originCache[ruling]
	fingerprints fingerprintCache
}

// New returns a Hosts that sends its requests through the given Fetcher.
func New(rows *registry.Hosts, web Fetcher, o Options) *Hosts {
	defaults.Clock(&o.Clock)
	defaults.Sleep(&o.Sleep)
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	if o.AtOnce == nil {
		o.AtOnce = func(string) int { return 0 }
	}
	return &Hosts{
		atOnce: o.AtOnce, rows: rows, web: web, agent: o.Agent, strategy: o.Strategy, clock: o.Clock,
		sleep: observed(o.Sleep, o.Metrics),
	}
}

// sleeper sleeps for a duration, or until the context is done.
type sleeper = func(context.Context, time.Duration) error

// observed returns a sleeper that also records the length of each sleep in the metrics. All sleeps serve to keep the
// pace of a host.
func observed(sleep sleeper, m *telemetry.Metrics) sleeper {
	return func(ctx context.Context, d time.Duration) error {
		m.PolitenessWait.Observe(d.Seconds())
		return sleep(ctx, d)
	}
}

// fingerprintCache caches the soft-404 fingerprints of origins. When several checks need the fingerprint of an origin
// at the same time, only one of them asks the origin.
type fingerprintCache struct {
	originCache[verdict.Fingerprint]
	mutexes recent.Map[Origin, Lock] // held by the check that asks an origin, while others wait for its answer
}
