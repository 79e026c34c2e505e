package politeness

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Fetcher asks the web. Errors are about the page (see package fetch), never about this program.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (fetch.Response, error)
	Robots(ctx context.Context, r fetch.RobotsRequest) (robots.Reply, error)
}

// Options adjust how hosts are asked. Agent is needed, the rest has defaults.
type Options struct {
	Agent    string // product token that robots.txt rules are matched against
	Strategy source.Strategy
	Clock    func() time.Time
	Sleep    func(ctx context.Context, d time.Duration) error
	Metrics  *telemetry.Metrics // counts the time that requests wait for their start
}

// Hosts asks hosts. It remembers for the process what robots.txt says, and what hosts show for pages that do not exist.
// It is safe for concurrent use.
type Hosts struct {
	rows         *registry.Hosts
	web          Fetcher
	agent        string
	strategy     source.Strategy
	clock        func() time.Time
	sleep        sleeper
	robots       originCache[ruling]
	fingerprints fingerprintCache
}

// New makes hosts that are asked through web.
func New(rows *registry.Hosts, web Fetcher, o Options) *Hosts {
	defaults.Clock(&o.Clock)
	defaults.Sleep(&o.Sleep)
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	return &Hosts{
		rows: rows, web: web, agent: o.Agent, strategy: o.Strategy, clock: o.Clock, sleep: observed(o.Sleep, o.Metrics),
	}
}

// sleeper makes a pause.
type sleeper = func(context.Context, time.Duration) error

// observed is a sleeper whose pauses are counted: pauses are made for the pace of hosts only.
func observed(sleep sleeper, m *telemetry.Metrics) sleeper {
	return func(ctx context.Context, d time.Duration) error {
		m.PolitenessWait.Observe(d.Seconds())
		return sleep(ctx, d)
	}
}

// fingerprintCache keeps what origins show for pages that do not exist. Of several checks that need to know it of an
// origin at the same time, one asks.
type fingerprintCache struct {
	originCache[verdict.Fingerprint]
	mutexes originMutexes
}
