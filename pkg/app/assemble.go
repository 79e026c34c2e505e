package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/app/instrumented"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/llm/openai"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/embed"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/generations"
	"github.com/tidemark/tidemark/pkg/search/written"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// Assemble builds the services on a store and an index, and creates missing tables and queues. What was written to an
// engine that does not tell is kept in the store. Assemble reads credentials through get when they are needed.
func Assemble(ctx context.Context, cfg Config, get func(string) string, store storage.Store, engine search.Engine,
	log *slog.Logger) (*handlers.Services, error) {
	if cfg.Metrics == nil {
		cfg.Metrics = telemetry.New()
	}
	a := assembly{cfg: cfg, get: get, store: instrumented.Store(store, cfg.Metrics), log: log}
	a.undo = undo.New(a.store, time.Now)
	in, err := a.inputs()
	if err != nil {
		return nil, err
	}
	changes := feed.Open(a.store, time.Now)
	reg, known := a.registry(in, changes), a.records()
	out, err := a.index(ctx, engine)
	if err != nil {
		return nil, err
	}
	hosts := a.hosts(in, reg.Hosts)
	browser, err := cfg.Render.Renderer(in.web, browserIn(cfg.Data))
	if err != nil {
		return nil, err
	}
	pushed, err := a.pushed(in, reg.Items, changes, out)
	if err != nil {
		return nil, err
	}
	runs := a.runs(in, reg, known, out, hosts, pushed.entries)
	told, err := a.notifier(changes, reg.Items, reg.Tags, pushed.entries, runs.bulk)
	if err != nil {
		return nil, err
	}
	changes.OnPublish(told.Follower.Soon)
	reg.Items.DemandsBy(told.DemandsOf)
	runs.bulk.DemandsBy(told.Demands)
	worker := a.worker(in, reg, known, out, hosts, browser, runs.sites.Fetched, told.Asking.Asked)
	ring := cfg.ring(a.store, log)
	done := activity.New(a.store, cfg.Metrics, activity.Options{})
	fill := func(ctx context.Context, created search.Index) error {
		return fillIndex(ctx, created, reg.Items, pushed.entries, runs.rebuild)
	}
	if out.lazy != nil {
		out.lazy.created = fill
	}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return migrate.RecordForm(ctx, a.store, cfg.layout()) },
		reg.Create, known.snapshots.Create, known.manifests.Create,
		runs.rebuild.Create, runs.bulk.Create, runs.backfill.Create, runs.sites.Create,
		pushed.entries.Create, pushed.enrich.Create, pushed.imports.Create, done.Create, ring.Create,
		told.Create, told.Reseal, out.engine.Create,
		func(ctx context.Context) error { return known.snapshots.StartRun(ctx, known.run) },
		runs.migrate.Ensure,
		func(ctx context.Context) error { return fill(ctx, out.engine) },
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	services := &handlers.Services{
		Store: a.store, Registry: reg, Feed: changes, Snapshots: known.snapshots, Manifests: known.manifests,
		Worker: worker, Browser: browser, Index: out.searched, Vectors: out.vectorsOf,
		Documents: in.documents, Files: in.files, Admit: in.web.Admit,
		Schemes:  &fetch.SchemeGuesser{Transport: in.web.Transport(), UserAgent: cfg.Fetch.UserAgent},
		Rebuilds: runs.rebuild, Bulk: runs.bulk, Migrate: runs.migrate, Backfill: runs.backfill, Polls: runs.sites,
		Entries: pushed.entries, Enrich: pushed.enrich, Imports: pushed.imports, Lists: a.lists(in, reg.Items),
		Notify: told, Activity: done, Keys: ring, Undo: a.undo,
		Setting: get, Config: shownSettings(get), Rules: cfg.Rules, Version: Version, Instance: instance(get),
		PurgeGone:   cfg.Schedule.PurgeGone,
		KeepChanges: cfg.KeepChanges,
		Model:       cfg.Models.Embeddings,
	}
	if set := out.generations; set != nil {
		services.Generations, services.Advance = set, append(services.Advance, set.Advance)
	}
	return services, nil
}

// An assembly holds the dependencies that all subsystems share.
type assembly struct {
	cfg   Config
	get   func(string) string
	store storage.Store
	undo  *undo.Log
	log   *slog.Logger
}

// inputs are the sources of content: the web, files, and the readers of documents.
type inputs struct {
	web       *fetch.Client
	files     *file.Client
	documents *document.Reader
	awaited   discover.Awaited
}

func (a assembly) inputs() (in inputs, err error) {
	cfg := a.cfg
	in.awaited = discover.NewAwaited()
	if in.web, err = fetch.New(cfg.Fetch); err != nil {
		return in, err
	}
	in.files, err = file.New(file.Config{
		Root: cfg.FileRoot, Setting: a.get, Transport: in.web.Transport(),
		MaxBytes: cfg.Fetch.MaxBytes, Timeout: cfg.Fetch.Timeout,
	})
	in.documents = document.New(document.Options{
		CacheDir: filepath.Join(cfg.Data, "cache"), Memory: cfg.Memory.Reader(), Parallel: cfg.Memory.Readers(),
	})
	return in, err
}

// registry opens the registry. Its commits publish changes to the feed.
func (a assembly) registry(in inputs, changes *feed.Feed) *registry.Registry {
	cfg := a.cfg
	return registry.New(a.store, registry.Options{
		Schedule: cfg.Schedule, Table: cfg.Table, Strategy: cfg.Strategy,
		Politeness: cfg.politeness(in.web.Exempt, cfg.Sites.Limits), Feed: changes,
		Undo: a.undo, Log: a.log,
	})
}

// records are the stored records of items: their captures, and the record of what was written to the index.
type records struct {
	snapshots *snapshot.Store
	manifests *index.Manifests
	run       snapshot.Run // the run to which new captures belong
}

func (a assembly) records() records {
	cfg := a.cfg
	return records{
		snapshots: snapshot.New(a.store), manifests: index.NewManifests(a.store),
		run: snapshot.Run{
			ID:        "crawl-" + cfg.version().String(),
			Collector: "crawl", NormalizationVersion: cfg.version(), StartedAt: time.Now(),
		},
	}
}

// indexed is the search index, for writing and for searching.
type indexed struct {
	engine   search.Index
	lazy     *lazyIndex // the engine, if it is a service that may be down; otherwise nil
	none     bool       // whether no index is configured
	searched search.Index
	vectors  crawl.Embedder // nil if there is no model for vectors
	// vectorsOf returns the vectors of texts; nil if there is no model.
	vectorsOf func(ctx context.Context, texts []string) ([][]float32, error)
	// generations are those of the index on this machine; nil if a service has the index.
	generations *generations.Set
}

func (a assembly) index(ctx context.Context, engine search.Engine) (out indexed, err error) {
	telling, ok := engine.(search.Index)
	if !ok {
		telling = written.New(engine, a.store, time.Now)
	}
	out.engine = telling
	_, out.none = engine.(search.None)
	if a.cfg.Search.Endpoint != "" {
		out.lazy = newLazyIndex(telling, a.log)
		out.engine = out.lazy
	}
	out.searched = out.engine
	if set, ok := engine.(*generations.Set); ok {
		err = a.useGenerations(ctx, set, &out)
		return out, err
	}
	if !out.none && a.cfg.Models.Embeddings != "" {
		err = a.addVectors(ctx, &out)
	}
	return out, err
}

// hosts returns the component that keeps the pace of each host. The worker and the runs share it.
func (a assembly) hosts(in inputs, hosts *registry.Hosts) *politeness.Hosts {
	return politeness.New(hosts, instrumented.Web(in.web, a.cfg.Metrics), politeness.Options{
		Agent: in.web.ProductToken(), Strategy: a.cfg.Strategy, Metrics: a.cfg.Metrics,
		AtOnce: func(host string) int {
			l, _ := a.cfg.Sites.Limits(host)
			return l.MaxConcurrent
		},
	})
}

func (a assembly) worker(in inputs, reg *registry.Registry, known records, out indexed,
	hosts *politeness.Hosts, browser *render.Renderer, fetched func(context.Context, []registry.Item),
	asked crawl.Asked) *crawl.Worker {
	cfg := a.cfg
	pages := crawl.NewPlacement(crawl.PlacementStores{
		Fields: reg.Fields(), Items: reg.Items,
		Aliases: reg.Aliases, Moves: reg.Moves, Snapshots: known.snapshots, Manifests: known.manifests,
		Index: instrumented.Index(out.engine, cfg.Metrics), Vectors: out.vectors,
	}, crawl.PlacementOptions{Log: a.log})
	stores := crawl.Stores{
		Jobs: reg.Jobs, Fields: reg.Fields(),
		Items: reg.Items, Hosts: reg.Hosts, Moves: reg.Moves, Tags: reg.Tags, Snapshots: known.snapshots,
	}
	o := crawl.Options{
		Schedule: cfg.Schedule, Agent: in.web.ProductToken(), Rules: cfg.Rules,
		KeepGone: cfg.KeepGone, Soft404: cfg.Soft404, ReindexOnCanonical: cfg.ReindexOnCanonical,
		RunID: known.run.ID, Version: known.run.NormalizationVersion, Retention: cfg.Retention,
		Documents: in.documents, Room: memory.NewRoom(cfg.Memory, cfg.Fetch.MaxBytes),
		Files: in.files, FileRoot: cfg.FileRoot, Setting: a.get, Log: a.log, Metrics: cfg.Metrics, Fetched: fetched,
		RenderTime: cfg.Render.Timeout + renderMargin, Excluded: cfg.Sites.Judge, Awaited: in.awaited, Asked: asked,
	}
	if browser != nil {
		o.Browser = browser
	}
	return crawl.New(stores, hosts, pages, o)
}

// lists returns the service that imports lists of addresses. It refuses addresses that may never be fetched.
func (a assembly) lists(in inputs, items *registry.Items) *listimport.Service {
	return listimport.New(a.store, items, listimport.Options{Log: a.log, Rules: a.cfg.Rules,
		Parse: func(address string) (source.Source, error) {
			src, err := a.cfg.Rules.ParseURL(address)
			if err == nil {
				err = in.web.Admit(src.Normalized)
			}
			return src, err
		}})
}

// pushed are the services for entries, whose content clients send.
type pushed struct {
	entries *entries.Store
	enrich  *enrich.Service
	imports *mailimport.Service
}

func (a assembly) pushed(in inputs, items *registry.Items, changes *feed.Feed, out indexed) (p pushed, err error) {
	keeping := entries.Options{Links: items, Rules: a.cfg.Rules, Vectors: out.vectors, Log: a.log, Feed: changes}
	if !out.none {
		keeping.Index = instrumented.Index(out.engine, a.cfg.Metrics)
	}
	p.entries = entries.New(a.store, keeping)
	models := enrich.Models{Default: a.cfg.Models.Tier1, Batch: a.cfg.Models.Tier1Batch}
	if a.cfg.Models.BaseURL != "" {
		client, err := a.client()
		if err != nil {
			return p, err
		}
		models.Chat, models.Batches = client, client
	}
	p.enrich = enrich.New(a.store, enrich.Kept{Store: p.entries}, models,
		enrich.Options{Schemas: enrich.Schemas(), Log: a.log})
	// Mail files are read from a root of their own.
	files, err := file.New(file.Config{
		Root: a.cfg.MailRoot.Folder(), RootName: "EMAIL_IMPORT_ROOT", Setting: a.get, Transport: in.web.Transport(),
	})
	p.imports = mailimport.New(a.store, files, p.entries, p.enrich, mailimport.Options{Root: a.cfg.MailRoot, Log: a.log})
	return p, err
}

// notifier returns the service that sends notifications of changes. Its HTTP client is not the crawler's, because
// each of the two clients has an allow-list of its own.
func (a assembly) notifier(changes *feed.Feed, items *registry.Items, tags *registry.Tags,
	pushed *entries.Store, runs *bulk.Service) (*notify.Notifier, error) {
	web, err := fetch.New(fetch.Config{UserAgent: a.cfg.Fetch.UserAgent, AllowHosts: a.cfg.WebhookHosts,
		Timeout: send.Timeout, Proxy: a.cfg.Fetch.Proxy})
	if err != nil {
		return nil, err
	}
	sender := send.New(web, a.cfg.Fetch.UserAgent, time.Now)
	return notify.New(a.store, changes, sender, notify.Options{File: a.cfg.RulesFile, Setting: a.get,
		Keys: a.cfg.secrets(a.get, a.log), Admit: sender.Admit, Page: notify.PageOf(items), Undo: a.undo, Log: a.log,
		AskFields: items.AskFields, Pages: notify.PagesOf(items, tags), Entries: pushed.Any,
		Demand: notify.DemandsIn(items),
		DemandAll: func(ctx context.Context, f registry.Filter) (string, error) {
			begun, err := runs.ApplyDemands(ctx, f)
			return begun.ID, err
		},
		Home: notify.HomeAddress{Set: a.cfg.PublicURL, BasePath: a.cfg.BasePath,
			Nearby: notify.MachineAddresses}, Metrics: a.cfg.Metrics}), nil
}

// runs are the services for long work that proceeds step by step.
type runs struct {
	rebuild  *rebuild.Service
	bulk     *bulk.Service
	migrate  *migrate.Service
	backfill *backfill.Service
	sites    *sitepoll.Service
}

func (a assembly) runs(in inputs, reg *registry.Registry, known records, out indexed, hosts *politeness.Hosts,
	pushed *entries.Store) runs {
	cfg := a.cfg
	rebuilding := rebuild.Options{
		Version: known.run.NormalizationVersion, Entries: pushed, Collisions: known.manifests.Collisions, Log: a.log,
	}
	if !out.none {
		rebuilding.Audit = index.NewAuditor(out.engine, known.manifests, reg.Items, pushed)
	}
	steps := []migrate.Step{migrate.Items(reg.Moves, cfg.Rules), entryKeys(pushed),
		migrate.Chunks(reg.Rebuilds, known.manifests, cfg.FileRoot)}
	polls := sitepoll.New(a.store, reg, hosts, sitepoll.Options{
		Sites: cfg.Sites.All(), Rules: cfg.Rules, PerDay: cfg.SentinelPerDay, Admit: in.web.Admit, Log: a.log,
		Snapshots: known.snapshots, Awaited: in.awaited, Agent: in.web.ProductToken(), Guard: cfg.Schedule,
	})
	backfills := cfg.backfill(in.web.Exempt, a.log)
	backfills.Added, backfills.Snapshots, backfills.Agent = polls.Known.Added, known.snapshots, in.web.ProductToken()
	backfills.Awaited = in.awaited
	return runs{
		sites:   polls,
		rebuild: rebuild.New(a.store, reg, known.snapshots, rebuilding),
		bulk:    bulk.New(a.store, reg.Items, bulk.Options{Undo: a.undo, Waits: reg.Hosts.Waits, Log: a.log}),
		migrate: migrate.New(a.store.Table(snapshot.RunsTable), steps, migrate.Options{
			Empty: func(ctx context.Context) (bool, error) { return isEmpty(ctx, reg.Items, pushed) }, Log: a.log,
		}),
		backfill: backfill.New(a.store, reg, hosts, in.files, backfills),
	}
}

// entryKeys returns the step that gives stored entries the keys that the current normalization makes.
func entryKeys(pushed *entries.Store) migrate.Step {
	return migrate.Step{Name: "entries", Rules: entry.KeyRules,
		Run: func(ctx context.Context, cursor string, dry bool) (p migrate.Progress, next string, done bool, err error) {
			p.Seen, p.Changed, p.Examples, next, done, err = pushed.Rekey(ctx, cursor, dry)
			return p, next, done, err
		}}
}

// client returns a client for the service with the models.
func (a assembly) client() (*openai.Client, error) {
	tokens := a.cfg.Metrics.ModelTokens
	return openai.New(openai.Options{
		BaseURL: a.cfg.Models.BaseURL, Key: string(a.cfg.Models.Key), Log: a.log,
		Used: func(in, out int) {
			tokens.Add(float64(in), "in")
			tokens.Add(float64(out), "out")
		},
	})
}

// useGenerations tells the generations of the index on this machine where models are.
func (a assembly) useGenerations(ctx context.Context, set *generations.Set, to *indexed) error {
	to.vectors, to.vectorsOf, to.generations = set, set.Vectors, set
	if a.cfg.Models.Embeddings == "" { // who takes the model away may mean that no text goes there
		set.Use(func(string) (queries, texts llm.Embedder) { return nil, nil })
		return nil
	}
	client, err := a.client()
	if err != nil {
		return err
	}
	set.Use(func(name string) (queries, texts llm.Embedder) {
		queries = client.Embedder(name)
		return queries, embed.NewCached(embed.NewBreaker(queries), a.store, a.log)
	})
	return embed.NewCached(nil, a.store, a.log).Create(ctx)
}

// addVectors adds vectors to queries and pages.
func (a assembly) addVectors(ctx context.Context, to *indexed) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	model := client.Embedder(a.cfg.Models.Embeddings)
	cached := embed.NewCached(embed.NewBreaker(model), a.store, a.log)
	to.searched, to.vectors = embed.NewHybrid(to.engine, model, a.log), embed.NewPageEmbedder(cached)
	to.vectorsOf = cached.Embed
	return cached.Create(ctx)
}

// A beginner is an index that may be new although items exist. The index on this machine may have been lost, or the
// configured index may replace another index, or none.
type beginner interface {
	// Begun returns the name of this index until Filled has been called with that name, and "" after that. All
	// processes that open the same index get the same name.
	Begun(ctx context.Context) (string, error)
	// Filled records that the index with that name is certain to be filled.
	Filled(ctx context.Context, name string) error
}

// fillIndex starts a run that rebuilds all items and entries when the index is new: its file was lost, damaged or of
// an older version, or the search service had no such index. The run is stored before Filled is called. The run is
// named after the index, so it starts only once even if processes die or start together.
func fillIndex(ctx context.Context, index search.Index, items *registry.Items, pushed *entries.Store,
	rebuilds *rebuild.Service) error {
	b, ok := index.(beginner)
	if !ok {
		return nil
	}
	name, err := b.Begun(ctx)
	if err != nil || name == "" {
		return err
	}
	empty, err := isEmpty(ctx, items, pushed)
	if err != nil {
		return err
	}
	if !empty {
		if err := rebuilds.Fill(ctx, name); err != nil {
			return err
		}
	}
	return b.Filled(ctx, name)
}

// isEmpty reports whether there are neither items nor entries.
func isEmpty(ctx context.Context, items *registry.Items, pushed *entries.Store) (bool, error) {
	known, err := items.Knows(ctx, "")
	if err == nil && !known {
		known, err = pushed.Any(ctx)
	}
	return !known, err
}
