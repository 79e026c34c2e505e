package crawl

import (
	"context"
	"time"

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

// hosts asks hosts, only as their robots.txt and their pace allow. It remembers for the process what robots.txt says, and
// what hosts show for pages that do not exist.
type hosts struct {
	rows         *registry.Hosts
	web          Fetcher
	agent        string // product token that robots.txt rules are matched against
	strategy     source.Strategy
	clock        func() time.Time
	sleep        sleeper
	robots       originCache[ruling]
	fingerprints fingerprintCache
}

func newHosts(rows *registry.Hosts, web Fetcher, o Options) *hosts {
	return &hosts{rows: rows, web: web, agent: o.Agent, strategy: o.Strategy, clock: o.Clock, sleep: o.Sleep}
}

// fingerprintCache keeps what origins show for pages that do not exist, and has one request of each origin at a time
// find it out.
type fingerprintCache struct {
	originCache[verdict.Fingerprint]
	turns turns
}
