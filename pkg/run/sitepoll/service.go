package sitepoll

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Names of the queues and the table of polls.
const (
	Table       = "SentinelSites"
	Queue       = "sentinel-steps"
	PoisonQueue = Queue + "-poison"
)

// method is the discoveryMethod of items that a poll registers (E14).
const method = "SENTINEL"

// DefaultPerDay is the default limit on new pages of one site that are registered in a day.
const DefaultPerDay = 500

// Options adjust a service.
type Options struct {
	Sites  site.List
	Rules  source.Rules
	PerDay int // new pages of a site in a day (UTC); 0 switches polls and pushes off
	// Snapshots has the bodies of pages, whose links are followed, and Agent is the crawler's name in their directives.
	Snapshots *snapshot.Store
	Awaited   discover.Awaited // passes pages from the crawl of this process
	Agent     string
	// MaxOpen and MaxRead bound the steps of following links; see [walk.Step].
	MaxOpen, MaxRead int
	// Guard decides how many pages may lose their last link at once.
	Guard schedule.Config
	// Admit returns an error for an address that can never be fetched. Nil admits every address.
	Admit func(address string) error
	Clock func() time.Time // the wall clock when nil
	Token func() string    // makes ids unique; crypto/rand when nil
	Log   *slog.Logger     // discarded when nil
}

// Service begins and advances polls. It is safe for concurrent use by any number of processes.
type Service struct {
	Known  Known
	reg    *registry.Registry
	web    politeness.ResourceFetcher
	polls  run.Runs[state]
	poison storage.Queue
	o      Options
	// hurries are the steps in progress.
	hurries hurries
}

// New returns the service for the polls of a store. It makes no request; see [Service.Create].
func New(store storage.Store, reg *registry.Registry, web politeness.ResourceFetcher, o Options) *Service {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	if o.Admit == nil {
		o.Admit = func(string) error { return nil }
	}
	known := Known{file: o.Sites, rows: store.Table(Table), log: o.Log}
	return &Service{Known: known, reg: reg, web: web, poison: store.Queue(PoisonQueue), o: o, polls: run.Runs[state]{
		Kind: "poll", Table: store.Table(Table), Partition: partition,
		Messages: run.Messages{Queue: store.Queue(Queue), RunName: "site", NumName: "step"},
		Stalled:  stalled, CheckID: checkSlug, RowKey: siteRow,
		Row: row.Of[state](), Fields: fields, Clock: o.Clock, Log: o.Log,
	}}
}

// Create creates the queues and the table if they are missing.
func (s *Service) Create(ctx context.Context) error { return s.polls.Create(ctx, s.poison) }

// watched reports whether a site is polled: the site file gives its feeds, sitemaps or polled listings, or gives
// nothing but its domain. In the latter case, robots.txt and /sitemap.xml are tried. A site that is in the file only
// for its limits or for backfills is not polled.
func watched(s *site.Site) bool {
	if len(s.Sitemaps) > 0 || s.Named() {
		return true
	}
	return s.Limits == nil && len(s.Archives) == 0 && len(s.Listings) == 0 && len(s.Containers) == 0
}
