package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/activity"
	"github.com/tidemark/tidemark/pkg/backfill"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/document"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/index"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/metered"
	"github.com/tidemark/tidemark/pkg/rebuild"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/sentinel"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/telemetry"
)

// App opens the services once, when they are first needed, so that the process is up before its
// dependencies are.
type App struct {
	cfg Config
	get func(string) string
	log *slog.Logger

	turn     chan struct{} // held by whoever opens; waiting for it ends with the caller's context
	services *handlers.Services
}

// New reads the settings as [Load] does. Nothing is opened yet.
func New(get func(string) string, log *slog.Logger, set ...string) (*App, error) {
	cfg, err := Load(get, set...)
	if err != nil {
		return nil, err
	}
	cfg.Metrics = telemetry.New()
	return &App{cfg: cfg, get: get, log: log, turn: make(chan struct{}, 1)}, nil
}

// Metrics are those of what the app does.
func (a *App) Metrics() *telemetry.Metrics { return a.cfg.Metrics }

// Services opens what the handlers need, or returns what is open. After a failure the next call
// tries again. Calls take turns, each for as long as its ctx.
func (a *App) Services(ctx context.Context) (*handlers.Services, error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return nil, fault.New(fault.Unavailable, "waiting for storage and index: %w", ctx.Err())
	}
	if a.services != nil {
		return a.services, nil
	}
	store, err := OpenStore(a.get, a.log)
	if err != nil {
		return nil, err
	}
	engine, err := openIndex(a.cfg, a.log)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	s, err := Assemble(ctx, a.cfg, a.get, store, engine, a.log)
	if err != nil {
		return nil, errors.Join(err, engine.Close(), store.Close())
	}
	a.services = s
	return s, nil
}

// Close closes what was opened.
func (a *App) Close() error {
	a.turn <- struct{}{}
	defer func() { <-a.turn }()
	if a.services == nil {
		return nil
	}
	return errors.Join(a.services.Index.Close(), a.services.Store.Close())
}

// Assemble builds the services over a store and an index and makes what is missing there. Credentials
// are read through get when they are needed.
func Assemble(ctx context.Context, cfg Config, get func(string) string, store storage.Store, engine search.Index, log *slog.Logger) (*handlers.Services, error) {
	if cfg.Metrics == nil {
		cfg.Metrics = telemetry.New()
	}
	store = metered.Store(store, cfg.Metrics)
	web, err := fetch.New(cfg.Fetch)
	if err != nil {
		return nil, err
	}
	files, err := file.New(file.Config{
		Root: cfg.FileRoot, Setting: get, Transport: web.Transport(),
		MaxBytes: cfg.Fetch.MaxBytes, Timeout: cfg.Fetch.Timeout,
	})
	if err != nil {
		return nil, err
	}
	reg := registry.New(store, registry.Options{
		Table: cfg.Table, Strategy: cfg.Strategy, Politeness: cfg.politeness(web.Exempt, cfg.Sites.Limits), Log: log,
	})
	snaps, manifests := snapshot.New(store), index.NewManifests(store)
	run := snapshot.Run{
		ID:        "crawl-" + lineage.Current.String(),
		Collector: "crawl", NormalizationVersion: lineage.Current, StartedAt: time.Now(),
	}
	documents := document.New(document.Options{CacheDir: filepath.Join(cfg.Data, "cache")})
	options := crawl.Options{
		Schedule: cfg.Schedule, Agent: web.ProductToken(), Rules: cfg.Rules, Strategy: cfg.Strategy,
		KeepGone: cfg.KeepGone, Soft404: cfg.Soft404, ReindexOnCanonical: cfg.ReindexOnCanonical, RunID: run.ID, Retention: cfg.Retention, Log: log, Metrics: cfg.Metrics,
		Documents: documents,
		Files:     files, Setting: get,
	}
	var pushed *entries.Store
	var rebuilds *rebuild.Service
	if service := engine; cfg.Search.Endpoint != "" {
		engine = newArriving(service, func(ctx context.Context) error {
			if err := service.Create(ctx); err != nil {
				return err
			}
			return fillIndex(ctx, service, reg, pushed, rebuilds)
		}, log)
	}
	searched, err := withVectors(ctx, cfg.Models, cfg.Metrics, store, engine, &options, log)
	if err != nil {
		return nil, err
	}
	worker := crawl.New(reg, snaps, manifests, metered.Web(web, cfg.Metrics), metered.Index(engine, cfg.Metrics), options)
	keeping := entries.Options{Links: reg, Rules: cfg.Rules, Vectors: options.Vectors, Log: log}
	_, none := engine.(search.None)
	if !none {
		keeping.Index = metered.Index(engine, cfg.Metrics)
	}
	pushed = entries.New(store, keeping)
	rebuilding := rebuild.Options{Of: run.ID, Entries: pushed, Log: log}
	if !none {
		rebuilding.Audit = index.NewAuditor(engine, manifests, reg, pushed)
	}
	rebuilds = rebuild.New(store, reg, snaps, rebuilding)
	runs := backfill.New(store, reg, worker, files, cfg.backfill(web.Exempt, log))
	looks := sentinel.New(store, reg, worker, sentinel.Options{Sites: cfg.Sites, Rules: cfg.Rules, PerDay: cfg.SentinelPerDay, Log: log})
	enriching, err := newEnrich(cfg.Models, cfg.Metrics, store, pushed, log)
	if err != nil {
		return nil, err
	}
	imports, err := newImports(cfg, get, store, pushed, enriching, web.Transport(), log)
	if err != nil {
		return nil, err
	}
	done := activity.New(store, cfg.Metrics, activity.Options{})
	for _, step := range []func(context.Context) error{
		reg.Create, snaps.Create, manifests.Create, rebuilds.Create, runs.Create, looks.Create, pushed.Create, enriching.Create, imports.Create, done.Create, engine.Create,
		func(ctx context.Context) error { return snaps.StartRun(ctx, run) },
		func(ctx context.Context) error { return fillIndex(ctx, engine, reg, pushed, rebuilds) },
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &handlers.Services{
		Store: store, Registry: reg, Snapshots: snaps, Manifests: manifests, Worker: worker, Index: searched, Rebuilds: rebuilds, Backfill: runs, Sentinel: looks, Documents: documents, Files: files, Setting: get,
		Entries: pushed, Config: Shown(get), Enrich: enriching, Imports: imports, Activity: done, Rules: cfg.Rules, Version: Version, PurgeGone: cfg.Schedule.PurgeGone,
	}, nil
}
