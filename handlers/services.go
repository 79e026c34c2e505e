package handlers

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/tidemark/tidemark/handlers/agent"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/answer"
	"github.com/tidemark/tidemark/pkg/registry/compare"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// Services are all services that answer invocations. Each area gets only those that it needs; see [Services.areas].
type Services struct {
	Store     storage.Store
	Registry  *registry.Registry
	Feed      *feed.Feed // the feed of changes
	Snapshots *snapshot.Store
	Manifests *index.Manifests
	Worker    *crawl.Worker
	Browser   *render.Renderer // renders pages; nil if there is no browser
	Index     search.Index
	// Vectors returns the vectors of texts by the model that is configured; nil if there is none.
	Vectors func(ctx context.Context, texts []string) ([][]float32, error)
	// Advance is work of each minute beside that of the handlers.
	Advance   []func(context.Context) (int, error)
	Documents *document.Reader
	Files     *file.Client
	Admit     func(url string) error   // returns why a URL would never be fetched, or nil; if unset, all are admitted
	Schemes   *fetch.SchemeGuesser     // finds the schemes of addresses without one; nil in some tests
	Setting   func(name string) string // returns a setting of the app, such as a credential; "" if it is not set
	Rebuilds  *rebuild.Service
	Bulk      *bulk.Service
	Migrate   *migrate.Service
	Backfill  *backfill.Service
	Polls     *sitepoll.Service
	Entries   *entries.Store
	Enrich    *enrich.Service
	Imports   *mailimport.Service
	Lists     *listimport.Service
	Notify    *notify.Notifier
	Activity  *activity.Log
	Indexes   *activity.Indexes // nil where all instances share an index
	Keys      *keys.Ring
	Undo      *undo.Log
	Config    map[string]string // the settings, without the values of secrets
	Settings  sources           // where the settings come from
	Rules     source.Rules
	Version   string
	Instance  string        // identifies the host instance; empty if unknown
	PurgeGone time.Duration // how long tombstones are kept; 0 means for ever

	KeepChanges time.Duration // how long the feed keeps changes

	Generations generationSet // those of the index; nil where it has none and is filled in place
	Model       string        // the model whose vectors the settings ask for; "" for none
}

// An area is a part of the API, with the services that it needs.
type area interface{ Routes() []wire.Route }

// A worker does work that no request starts, with the services that it needs.
type worker interface {
	Triggers() map[string]wire.Trigger
}

// areas gives each area and each worker the services that it needs, and no others.
func (v *Services) areas(s *server) (areas []area, workers []worker) {
	found, past, log := registry.NewLookup(v.Registry.Items, v.Rules), v.history(), s.Log
	view := itemView{Tags: v.Registry.Tags, Hosts: v.Registry.Hosts, Browser: v.Browser}
	whole := &filling{Rebuilds: v.Rebuilds}
	work := &runHandlers{Rebuilds: v.Rebuilds, Bulk: v.Bulk, Migrate: v.Migrate, Backfill: v.Backfill, Polls: v.Polls,
		Schemes: v.Schemes, Mails: v.Imports, Lists: v.Lists, Lookup: found, Log: log}
	pushes := &entryHandlers{Entries: v.Entries, Enrich: v.Enrich, Lookup: found, Rules: v.Rules, Log: log}
	changed := &changeHandlers{Feed: v.Feed, Notify: v.Notify, Items: v.Registry.Items, History: past, Undo: v.Undo,
		Log: log}
	settings := &itemSettings{itemView: view, Items: v.Registry.Items, Bulk: v.Bulk}
	areas = []area{
		&itemHandlers{itemView: view, Items: v.Registry.Items, Lookup: found, History: past,
			Fields: v.Registry.Fields(), Tags: v.Registry.Tags, Rules: v.Notify.Follower, Undo: v.Undo, Log: log},
		&registration{itemView: view, Items: v.Registry.Items, Sources: v.sources(), Log: log},
		settings,
		&captureHandlers{History: past, Compare: compare.New(v.Registry.Items, v.Registry.Tags, v.Registry.Fields(), past),
			Feed: v.Feed},
		&indexedContent{Items: v.Registry.Items, Manifests: v.Manifests, Entries: v.Entries, Index: v.Index,
			Vectors: v.Vectors, Images: v.Worker.Images, Filling: whole},
		&searchHandlers{Answers: v.answers(past, log), Index: v.Index, Set: v.Generations, Lookup: found, Filling: whole,
			Log: log},
		&generationHandlers{Set: v.Generations, Model: v.Model},
		changed, pushes, work,
		&undoHandlers{itemSettings: settings, Changed: changed, Log: v.Undo, Store: v.Store},
		&appState{Hosts: v.Registry.Hosts, Jobs: v.Registry.Jobs, Rebuilds: v.Rebuilds, Filling: whole, Migrate: v.Migrate,
			Storage: v.Store, Index: v.Index, Generations: v.Generations, Indexes: v.Indexes, Worker: v.Worker,
			Browser: v.Browser, Metrics: s.Metrics, Version: v.Version, Log: log},
		&processHandlers{Metrics: s.Metrics, Activity: v.Activity, Settings: v.Config, Sources: v.Settings},
		&keyHandlers{Ring: v.Keys, Log: log},
		apiDescription{},
		&agent.Handlers{API: s.served, Lookup: found, Version: v.Version, Log: log, Keys: s.Access != Open},
	}
	afterSweep := []func(context.Context) (int, error){changed.Follow, v.Rebuilds.RequeueStalled, v.Bulk.RequeueStalled,
		v.Imports.RequeueStalled, v.Backfill.RequeueStalled, v.Polls.RequeueStalled, v.Migrate.Advance,
		v.Registry.Hosts.Recount}
	return areas, []worker{
		&checkQueue{Worker: v.Worker, Instance: v.Instance, Process: rand.Text()[:8], Log: log},
		&checkTimers{Jobs: v.Registry.Jobs, Hosts: v.Registry.Hosts, Items: v.Registry.Items, Worker: v.Worker,
			Metrics: s.Metrics, Activity: v.Activity, Feed: v.Feed, Index: v.Index,
			Deliveries: v.Notify.Worker, Rules: v.Notify.Follower, Undo: v.Undo, Bulk: v.Bulk,
			PurgeGone: v.PurgeGone, KeepChanges: v.KeepChanges, Log: log,
			AfterSweep: append(afterSweep, v.Advance...)},
		changed, pushes, work,
	}
}

func (v *Services) sources() itemSources {
	return itemSources{Rules: v.Rules, Admit: v.Admit, Files: v.Files, Schemes: v.Schemes, Setting: v.Setting}
}

func (v *Services) history() *history.History {
	return history.New(v.Registry.Items, v.Registry.Moves, v.Snapshots, v.Documents)
}

func (v *Services) answers(past *history.History, log *slog.Logger) *answer.Answers {
	return answer.New(answer.Options{Index: v.Index, Items: v.Registry.Items, Entries: v.Entries, Chunks: v.Manifests,
		History: past, Log: log})
}

// A bound holds all routes and triggers, each with the services that it uses, and the services that
// every invocation needs.
type bound struct {
	of       *Services
	routes   map[*api.Endpoint]wire.Route
	triggers map[string]wire.Trigger
	keys     *keys.Ring
}

// open opens the services and binds routes and triggers to them. It reuses the binding while Open
// returns the same services.
func (s *server) open(ctx context.Context) (*bound, error) {
	v, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	if b := s.last.Load(); b != nil && b.of == v {
		return b, nil
	}
	b := v.bind(s)
	s.last.Store(b)
	return b, nil
}

// bind makes the routes and triggers of all areas.
func (v *Services) bind(s *server) *bound {
	b := &bound{of: v, routes: map[*api.Endpoint]wire.Route{}, triggers: map[string]wire.Trigger{}, keys: v.Keys}
	areas, workers := v.areas(s)
	for _, a := range areas {
		for _, r := range a.Routes() {
			b.routes[r.Endpoint] = r
		}
	}
	for _, w := range workers {
		maps.Copy(b.triggers, w.Triggers())
	}
	return b
}

// flushed makes all deferred writes durable before an invocation that may write is answered, so
// that no answer speaks of what may be lost. It returns the given error, or else its own.
func (b *bound) flushed(ctx context.Context, err error) error {
	return cmp.Or(err, b.of.Store.Flush(context.WithoutCancel(ctx)))
}

// flush writes the activity log and the record of the index in use, if either is due. It only logs
// an error, because the host would repeat the whole invocation if flush reported the error.
func (b *bound) flush(ctx context.Context, log *slog.Logger) {
	_, failed := b.of.Indexes.Check(ctx)
	if err := errors.Join(b.of.Activity.Flush(ctx), failed); err != nil {
		log.WarnContext(ctx, "activity not written; a later invocation will", "kind", fault.KindOf(err), "err", err)
	}
}
