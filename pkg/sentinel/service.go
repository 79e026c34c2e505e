package sentinel

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Names of what looks are kept in.
const (
	Table       = "SentinelSites"
	Queue       = "sentinel-steps"
	PoisonQueue = Queue + "-poison"
)

// Method is the discoveryMethod of what a look registers (E14).
const Method = "SENTINEL"

// DefaultPerDay is how many new pages of one site are registered in a day unless it is set.
const DefaultPerDay = 500

// Visitor asks sites, as politely as a crawl does. Errors are a [*crawl.SiteError], which is
// recorded; Throttled when the host is not to be had now; anything else is our own failure.
type Visitor interface {
	Visit(ctx context.Context, v crawl.Visit) (crawl.Visited, error)
}

// Sites are those of the site file, see [site.Sites].
type Sites interface {
	All() []*site.Site
	Find(slug string) *site.Site // nil if there is none
}

// Options adjust a service.
type Options struct {
	Sites  Sites // none when nil
	Rules  source.Rules
	PerDay int              // new pages of a site in a day (UTC); 0: no site is looked at, and no push is taken
	Clock  func() time.Time // the wall clock when nil
	Token  func() string    // makes ids unique; crypto/rand when nil
	Log    *slog.Logger     // discarded when nil
}

// Service begins and advances looks. It is safe for concurrent use by any number of processes.
type Service struct {
	reg   *registry.Registry
	web   Visitor
	rows  storage.Table
	queue storage.Queue
	toxic storage.Queue
	o     Options
}

// New opens the looks of a store. It touches nothing; see [Service.Create].
func New(store storage.Store, reg *registry.Registry, web Visitor, o Options) *Service {
	if o.Sites == nil {
		o.Sites = &site.Sites{}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Token == nil {
		o.Token = token
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{reg: reg, web: web, rows: store.Table(Table), queue: store.Queue(Queue), toxic: store.Queue(PoisonQueue), o: o}
}

func token() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// Create makes the queues and the table if they are missing.
func (s *Service) Create(ctx context.Context) error {
	for _, create := range []func(context.Context) error{s.queue.Create, s.toxic.Create, s.rows.Create} {
		if err := create(ctx); err != nil {
			return err
		}
	}
	return nil
}

// now is the time as rows know it.
func (s *Service) now() time.Time { return s.o.Clock().UTC().Truncate(time.Millisecond) }

// Watched reports whether a site is looked at: it says where it publishes, or nothing but its name,
// so that robots.txt and /sitemap.xml are tried. One that is in the file for its limits or for
// backfills only is not.
func Watched(s *site.Site) bool {
	if len(s.Sitemaps) > 0 || len(s.Feeds) > 0 {
		return true
	}
	return s.Limits == nil && len(s.Archives) == 0 && len(s.Listings) == 0 && len(s.Containers) == 0
}
