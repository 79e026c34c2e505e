package backfill

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"iter"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Names of what runs are kept in.
const (
	Table       = "BackfillRuns"
	Queue       = "backfill-steps"
	PoisonQueue = Queue + "-poison"
)

// Method is the discoveryMethod of what a run registers (E1).
const Method = "BACKFILL"

// MaxActive is how many runs go on at once; more are refused.
const MaxActive = 20

// stalled is how long a lane may stand still before its message is taken for lost.
const stalled = 2 * time.Minute

// Visitor asks sites, as politely as a crawl does (E3). Errors are a [*crawl.SiteError], which is
// recorded; Throttled when the host is not to be had now; anything else is our own failure.
type Visitor interface {
	Visit(ctx context.Context, v crawl.Visit) (crawl.Visited, error)
}

// Lister lists the blobs of a container, see [file.Client.List].
type Lister interface {
	List(ctx context.Context, folder file.Place, credential string) iter.Seq2[file.Entry, error]
}

// Sites are those of the site file, see [site.Sites].
type Sites interface {
	All() []*site.Site
	Find(slug string) *site.Site // nil if there is none
}

// Options adjust a service. Numbers that are zero have the seed's defaults.
type Options struct {
	Enabled        bool  // the kill switch (E6): while false nothing starts and every run pauses
	Sites          Sites // none when nil
	Rules          source.Rules
	MaxURLs        int                                   // addresses of one run (E5); 1000
	MaxPerSource   int                                   // likewise of one of its sources; 500
	MaxConcurrency int                                   // sources of a run at once; 2
	PerMinute      int                                   // items registered in a minute, by all runs together (E13); 600
	MaxBacklog     int                                   // items of a host that wait for their first fetch, above which its source waits; 2000
	Pace           func(host string) registry.Politeness // for estimates; the registry's own
	Clock          func() time.Time                      // the wall clock when nil
	Token          func() string                         // makes ids unique; crypto/rand when nil
	Log            *slog.Logger                          // discarded when nil
}

// Service starts and advances runs. It is safe for concurrent use by any number of processes.
type Service struct {
	reg   *registry.Registry
	web   Visitor
	files Lister
	rows  storage.Table
	queue storage.Queue
	toxic storage.Queue
	o     Options
}

// New opens the runs of a store. It touches nothing; see [Service.Create].
func New(store storage.Store, reg *registry.Registry, web Visitor, files Lister, o Options) *Service {
	return &Service{
		reg: reg, web: web, files: files, rows: store.Table(Table),
		queue: store.Queue(Queue), toxic: store.Queue(PoisonQueue), o: withDefaults(o),
	}
}

func withDefaults(o Options) Options {
	number := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	number(&o.MaxURLs, 1000)
	number(&o.MaxPerSource, 500)
	number(&o.MaxConcurrency, 2)
	number(&o.PerMinute, 600)
	number(&o.MaxBacklog, 2000)
	if o.Sites == nil {
		o.Sites = &site.Sites{}
	}
	if o.Pace == nil {
		o.Pace = func(string) registry.Politeness {
			return registry.Politeness{MinDelay: time.Second, MaxDelay: 2 * time.Second, MaxConcurrent: 1}
		}
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
	return o
}

func token() string {
	var b [6]byte
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

// Sites are those of the site file, in its order.
func (s *Service) Sites() []*site.Site { return s.o.Sites.All() }

// Enabled reports whether runs may go on (E6).
func (s *Service) Enabled() bool { return s.o.Enabled }

// allowed is Blocked while backfill is switched off.
func (s *Service) allowed() error {
	if s.o.Enabled {
		return nil
	}
	return fault.New(fault.Blocked, "%s", disabledNote)
}

const disabledNote = "backfill is disabled: set BACKFILL_ENABLED=true and restart the app to enable it"

// Get reads a run; NotFound if there is none, Invalid for what is no id.
func (s *Service) Get(ctx context.Context, id string) (Run, error) {
	if err := checkID(id); err != nil {
		return Run{}, err
	}
	e, err := s.rows.Get(ctx, runKey(id))
	if fault.Is(err, fault.NotFound) {
		return Run{}, fault.New(fault.NotFound, "no backfill run has the id %s", id)
	}
	if err != nil {
		return Run{}, err
	}
	return runOf(e)
}

// List gives the newest runs, at most top, or those older than the run with the id after.
func (s *Service) List(ctx context.Context, after string, top int) ([]Run, error) {
	q := storage.Query{Partition: partition, RowFrom: runRows, RowTo: "run" + afterBar, PageSize: min(top, storage.MaxPage)}
	if after != "" {
		if err := checkID(after); err != nil {
			return nil, fault.Field("continuation", "%w", err)
		}
		q.RowFrom = runKey(after).Row + "\x20" // just past it
	}
	var out []Run
	for e, err := range s.rows.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		run, err := runOf(e)
		if err != nil {
			return nil, err
		}
		if out = append(out, run); len(out) >= top {
			break
		}
	}
	return out, nil
}

func (s *Service) activeIDs(ctx context.Context) (ids []string, err error) {
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: partition, RowFrom: activeRows, RowTo: "active" + afterBar}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, e.Row[len(activeRows):])
	}
	return ids, nil
}
