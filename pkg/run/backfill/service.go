package backfill

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// The names of the table and the queues.
const (
	Table       = "BackfillRuns"
	Queue       = "backfill-steps"
	PoisonQueue = Queue + "-poison"
)

// Method is the discoveryMethod of items that a run registers (E1).
const Method = "BACKFILL"

// maxActive limits the number of active runs; further runs are refused.
const maxActive = 20

// stalled is how long a source may go without a step before its message counts as lost.
const stalled = 2 * time.Minute

// stepTime is how long the steps of one message follow each other. After that, the next message is sent.
const stepTime = 25 * time.Second

// Options adjust a service. If a number is zero, the default in spec 004 INV-5 applies.
type Options struct {
	Enabled        bool // the kill switch (E6): while it is false, nothing starts and every run pauses
	Sites          site.List
	Added          func(context.Context) (site.List, error) // returns further sites; if nil, there are no further sites
	Rules          source.Rules
	MaxURLs        int // limit of addresses for one run (E5); 1000 by default
	MaxPerSource   int // the same limit for each of its sources; 500 by default
	MaxConcurrency int // sources of a run that are read at the same time; 2 by default
	PerMinute      int // items registered in a minute, over all runs (E13); 600 by default
	JobsPerMinute  int // steps that register items in a minute, over all runs (ARC-3); 2 by default
	// MaxBacklog is the number of items of a host that may wait for their first fetch. If there are more, the source
	// waits. The default is 2000.
	MaxBacklog int
	StepTime   time.Duration // how long one message works; 25 s when zero, one step when negative
	// Snapshots has the bodies of pages, whose links are followed, and Agent is the crawler's name in their directives.
	Snapshots *snapshot.Store
	Awaited   discover.Awaited // passes pages from the crawl of this process
	Agent     string
	Pace      func(host string) policy.Politeness // the pace of a host, for estimates; the registry's own when nil
	Clock     func() time.Time                    // the wall clock when nil
	Sleep     func(context.Context, time.Duration) error
	Token     func() string // makes ids unique; crypto/rand when nil
	Log       *slog.Logger  // discarded when nil
}

// Service starts and advances runs. Any number of processes may use the same store concurrently.
type Service struct {
	reg    *registry.Registry
	sites  reader
	runs   run.Runs[Run]
	work   workRows
	poison storage.Queue
	o      Options
}

// New returns the service for the runs of a store. It makes no request; see [Service.Create].
func New(store storage.Store, reg *registry.Registry, web politeness.ResourceFetcher, fs Lister, o Options) *Service {
	o = withDefaults(o)
	s := &Service{reg: reg, sites: reader{web, fs}, poison: store.Queue(PoisonQueue), o: o, runs: run.Runs[Run]{
		Kind: "backfill run", Table: store.Table(Table), Partition: partition,
		Messages:  run.Messages{Queue: store.Queue(Queue), RunName: "run", NumName: "step"},
		MaxActive: maxActive, Stalled: stalled, CheckID: checkID, RowKey: runRow,
		Row: codec{}, Fields: fields, Clock: o.Clock, Log: o.Log,
	}}
	s.work = workRows{&s.runs}
	return s
}

func withDefaults(o Options) Options {
	o.MaxURLs = cmp.Or(o.MaxURLs, 1000)
	o.MaxPerSource = cmp.Or(o.MaxPerSource, 500)
	o.MaxConcurrency = cmp.Or(o.MaxConcurrency, 2)
	o.PerMinute = cmp.Or(o.PerMinute, 600)
	o.JobsPerMinute = cmp.Or(o.JobsPerMinute, 2)
	o.MaxBacklog = cmp.Or(o.MaxBacklog, 2000)
	o.StepTime = cmp.Or(o.StepTime, stepTime)
	if o.Pace == nil {
		o.Pace = func(string) policy.Politeness {
			return policy.Politeness{MinDelay: time.Second, MaxDelay: 2 * time.Second, MaxConcurrent: 1}
		}
	}
	defaults.Sleep(&o.Sleep)
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	return o
}

// Create creates the queues and the table if they are missing. At start-up it also logs whether backfill is switched
// off (INV-6).
func (s *Service) Create(ctx context.Context) error {
	if !s.o.Enabled {
		s.o.Log.InfoContext(ctx, disabledLine)
	}
	return s.runs.Create(ctx, s.poison)
}

// Sites returns the sites for which a run can be requested.
func (s *Service) Sites(ctx context.Context) (site.List, error) {
	if s.o.Added == nil {
		return s.o.Sites, nil
	}
	added, err := s.o.Added(ctx)
	return append(slices.Clip(s.o.Sites), added...), err
}

// Report describes the result of a run in words. For a dry run it describes what a real run would do.
func (s *Service) Report(r Run) []string {
	return reportOf(r, func(source string) policy.Politeness {
		host := "" // a site that was added has no host here, and so the default pace
		if found := s.o.Sites.Find(source); found != nil {
			host = found.Domain
		}
		return s.o.Pace(host)
	})
}

// Enabled reports whether backfill is switched on (E6).
func (s *Service) Enabled() bool { return s.o.Enabled }

// allowed returns Blocked while backfill is switched off.
func (s *Service) allowed() error {
	if s.o.Enabled {
		return nil
	}
	return fault.New(fault.Blocked, "%s", disabledNote)
}

const disabledLine = "[backfill] DISABLED via BACKFILL_ENABLED=false"

const disabledNote = "backfill is disabled: set BACKFILL_ENABLED=true and restart the app to enable it"

// Get reads a run. Errors: NotFound if there is none, Invalid for a malformed id.
func (s *Service) Get(ctx context.Context, id string) (Run, error) { return s.runs.Get(ctx, id) }

// List returns runs, newest first, up to the given number. If after is set, it is the id of a run, and List begins
// with the run that follows it.
func (s *Service) List(ctx context.Context, after string, top int) (out []Run, err error) {
	q := s.runs.Prefix(runRows)
	q.PageSize = min(top, storage.MaxPage)
	if after != "" {
		if err := checkID(after); err != nil {
			return nil, fault.Field("continuation", "%w", err)
		}
		q.RowFrom = runRow(after) + "\x20" // the key just after that run's key
	}
	for one, err := range s.runs.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		if out = append(out, one); len(out) >= top {
			break
		}
	}
	return out, nil
}

// Only the newest finished runs keep their checkpoints, hashes and links (spec 004 ARC-3: removeOnComplete,
// removeOnFail). The rows of the runs themselves are kept, because they are the audit (INV-8).
var (
	keepCompleted = 100 // this includes cancelled runs, which cannot be resumed either
	keepFailed    = 50
)

// maxTidied limits the number of runs whose checkpoints, hashes and links one call removes. Usually one run is due.
const maxTidied = 20

// The states of a run's checkpoints, hashes and links; the empty state means that they are kept.
const (
	workRemoving = "removing"
	workRemoved  = "removed"
)

// tidy removes the checkpoints, hashes and links of finished runs that are no longer among the newest. It is called
// when a run has ended, and costs one read for each thousand runs. If a run cannot be tidied now, that happens when
// the next run ends.
func (s *Service) tidy(ctx context.Context) {
	q := s.runs.Prefix(runRows)
	q.Select = []string{"rowVersion", "id", "status", "work"}
	completed, failed := 0, 0
	old := func(r *Run) bool {
		switch r.Status {
		case Completed, Cancelled:
			completed++
		case Failed:
			failed++
		}
		outlived := r.Status == Failed && failed > keepFailed || r.over() && r.Status != Failed && completed > keepCompleted
		return outlived && r.Work != workRemoved
	}
	if _, err := s.runs.Retire(ctx, q, maxTidied, old, s.removeWork); err != nil {
		s.o.Log.WarnContext(ctx, "rows of finished backfills not removed; the next end of a run tries again", "kind",
			fault.KindOf(err), "err", err)
	}
}

// removeWork removes the checkpoints, hashes and links of a run. It first records that they are being removed, so
// that nobody resumes the run in the meantime.
func (s *Service) removeWork(ctx context.Context, r *Run) error {
	mark := func(what string) error {
		tags, err := s.runs.Table.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{
			Key: key(runRow(r.ID)), ETag: r.etag, Props: storage.Properties{"work": what},
		}})
		if err == nil {
			r.etag = tags[0]
		}
		return err
	}
	if err := mark(workRemoving); err != nil {
		return err // after a conflict, another process is removing the rows or has resumed the run
	}
	if err := errors.Join(s.work.drop(ctx, "lane|"+r.ID+"|"), s.work.dropLinks(ctx, r.ID, "")); err != nil {
		return err
	}
	return mark(workRemoved)
}
