package sitepoll

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/walk"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// addedRow is the row of a site that was added at run time. It contains a site file with this site alone.
type addedRow struct {
	RowVersion int       `col:"rowVersion"`
	File       string    `col:"file,must"`
	AddedAt    time.Time `col:"addedAt"`
}

var addedRows = row.Of[addedRow]()

// addedSites is the prefix of the keys of these rows. All keys with the prefix sort before addedEnd.
const (
	addedSites = "added|"
	addedEnd   = "added}"
)

// Known are the known sites: those in the site file and those that were added.
type Known struct {
	file site.List
	rows storage.Table
	log  *slog.Logger
}

// All returns the sites in the site file, then those that were added. If a site is in both, the definition in the
// file applies. All costs a query.
func (k Known) All(ctx context.Context) (site.List, error) {
	out := slices.Clip(k.file)
	added, err := k.Added(ctx)
	for _, one := range added {
		if k.file.Find(one.Slug) == nil {
			out = append(out, one)
		}
	}
	return out, err
}

// Added returns the sites that were added, sorted by their names. It costs a query.
func (k Known) Added(ctx context.Context) (out site.List, err error) {
	for e, err := range k.rows.Query(ctx, storage.Query{Partition: partition, RowFrom: addedSites, RowTo: addedEnd}) {
		if err != nil {
			return nil, err
		}
		r, err := addedRows.Decode(e.Props)
		if err != nil {
			return nil, err
		}
		sites, err := site.Parse(e.Key.Row, []byte(r.File))
		if err != nil { // another version wrote it, with other rules; skip it, so that it does not delay the others
			k.log.ErrorContext(ctx, "added site left out", "row", e.Key.Row, "err", err)
			continue
		}
		for _, added := range sites.All() {
			added.Start = added.Following().Start // a site that was added by its sitemap names none
			out = append(out, added)
		}
	}
	return out, nil
}

// Add adds a site and begins a poll of it. The address is the site's domain, the address of its sitemap, or the
// address of a part of the site. Sources may name the documents that list its pages; they replace those of a site that
// was added before. Errors: Invalid for a malformed address, Conflict for a known site, Blocked while polls are
// switched off.
func (s *Service) Add(ctx context.Context, address string, from api.SiteSettings) (Site, error) {
	if s.o.PerDay == 0 {
		return Site{}, errOff
	}
	entry, err := s.entryOf(strings.TrimSpace(address), from)
	if err != nil {
		return Site{}, err
	}
	if strings.HasSuffix(entry.Slug, trialSuffix) {
		return Site{}, fault.Field("url", "the name of the site, %s, would be that of a dry run", entry.Slug)
	}
	all, err := s.Known.All(ctx)
	if err != nil {
		return Site{}, err
	}
	found := all.Find(entry.Slug)
	if found != nil && (!from.Named() || s.o.Sites.Find(entry.Slug) != nil) {
		return Site{}, fault.New(fault.Conflict, "the site %s exists already, with the domain %s; remove it first to "+
			"add it in another way", found.Slug, found.Domain)
	}
	if found == nil && len(all) >= site.MaxSites {
		return Site{}, fault.New(fault.Blocked, "there are %d sites already, which is the most", len(all))
	}
	kind := storage.Insert
	if found != nil {
		kind = storage.Upsert
	}
	return s.define(ctx, kind, addedSites, entry, found == nil)
}

// define writes the definition of a site or a dry run, and begins a poll of it.
func (s *Service) define(ctx context.Context, kind storage.OpKind, prefix string, entry site.Entry,
	fresh bool) (Site, error) {
	op := addedRows.Put(key(prefix+entry.Slug), "", &addedRow{RowVersion: 1, File: entry.File(), AddedAt: s.polls.Now()})
	op.Kind = kind
	if _, err := s.polls.Table.Transact(ctx, op); err != nil {
		return Site{}, err
	}
	return s.beginAnew(ctx, entry.Slug, fresh)
}

// beginAnew begins a full poll of a site whose definition has changed. A poll that goes on under the other definition
// ends, because its message finds another step. A fresh site has no links that were followed before.
func (s *Service) beginAnew(ctx context.Context, slug string, fresh bool) (Site, error) {
	found, err := s.Known.find(ctx, slug)
	if err != nil {
		return Site{}, err
	}
	for range 10 {
		var st state
		if st, err = s.load(ctx, slug); err != nil {
			break
		}
		if fresh {
			st.Walk = nil
		}
		if strings.HasSuffix(slug, trialSuffix) {
			st.Held = Held{Now: st.Now, TrialUntil: s.polls.Now().Add(trialKept)}
		}
		if err = s.begin(ctx, found, &st, Full); err == nil {
			return s.view(ctx, found, &st)
		}
		if !fault.Is(err, fault.Conflict) {
			break
		}
	}
	return Site{}, err
}

// Change changes what is set of a site that was added, and begins a poll of the site under its new definition. Errors:
// NotFound, Invalid, Conflict for a site of the site file, Blocked while polls are switched off.
func (s *Service) Change(ctx context.Context, slug string, by api.Patch) (Site, error) {
	if s.o.PerDay == 0 {
		return Site{}, errOff
	}
	if err := s.Known.checkAdded(slug, "change"); err != nil {
		return Site{}, err
	}
	changed, err := s.change(ctx, slug, by)
	for tries := 0; fault.Is(err, fault.Conflict) && tries < 10; tries++ { // somebody else changed it meanwhile
		changed, err = s.change(ctx, slug, by)
	}
	switch {
	case err != nil:
		return Site{}, err
	case changed:
		return s.beginAnew(ctx, slug, false)
	}
	return s.Get(ctx, slug)
}

// change writes the changed definition of a site, unless it stays the same.
func (s *Service) change(ctx context.Context, slug string, by api.Patch) (changed bool, err error) {
	r, etag, err := addedRows.Load(ctx, s.polls.Table, key(addedSites+slug))
	if err != nil {
		return false, err
	}
	sites, err := site.Parse(slug, []byte(r.File))
	if err != nil || len(sites.All()) == 0 {
		return false, errors.Join(err, unknownSite(slug))
	}
	entry, err := sites.All()[0].Changed(by)
	if err != nil || entry.File() == r.File {
		return false, err
	}
	r.File = entry.File()
	_, err = s.polls.Table.Transact(ctx, addedRows.Put(key(addedSites+slug), etag, &r))
	return true, err
}

// checkAdded refuses a site that is defined elsewhere, and a text that is the name of no site.
func (k Known) checkAdded(slug, do string) error {
	if found := k.file.Find(slug); found != nil {
		return fault.New(fault.Conflict, "%s is in %s: %s it there, and start the app again", slug,
			cmp.Or(found.File, "the site file"), do)
	}
	if checkSlug(slug) != nil {
		return unknownSite(slug)
	}
	return nil
}

// entryOf returns the entry for an address, with the named sources.
func (s *Service) entryOf(address string, from api.SiteSettings) (site.Entry, error) {
	entry, err := site.EntryOf(address)
	if err != nil {
		return entry, fault.Field("url", "%w", err)
	}
	if err := s.o.Admit(entry.Home); err != nil {
		return entry, fault.Field("url", "%w", err)
	}
	return entry.Using(from)
}

// Forget removes a site that was added. The site is no longer polled, and an active poll of the site ends. The pages
// of the site are kept. A dry run ends, and its result is removed. Errors: NotFound for an unknown site, Conflict
// for a site of the site file.
func (s *Service) Forget(ctx context.Context, slug string) error {
	if err := s.Known.checkAdded(slug, "remove"); err != nil {
		return err
	}
	if found, err := s.Known.trial(ctx, slug); err != nil || found != nil {
		return errors.Join(err, s.dropTrial(ctx, slug))
	}
	_, err := s.polls.Table.Transact(ctx, storage.Op{Kind: storage.Delete,
		Entity: storage.Entity{Key: key(addedSites + slug), ETag: storage.AnyETag}})
	if fault.Is(err, fault.NotFound) {
		return unknownSite(slug)
	}
	if err == nil {
		err = walk.Drop(ctx, s.polls.Table, partition, slug, nil)
	}
	return err
}

// find returns the site with a slug. Errors: NotFound.
func (k Known) find(ctx context.Context, slug string) (*site.Site, error) {
	all, err := k.All(ctx)
	if err != nil {
		return nil, err
	}
	if found := all.Find(slug); found != nil {
		return found, nil
	}
	if found, err := k.trial(ctx, slug); err != nil || found != nil {
		return found, err
	}
	return nil, unknownSite(slug)
}

// Site is the state of the polls of one site.
type Site struct {
	*site.Site
	Set        api.SiteSettings // what is set of its sources and its wanted pages
	Added      bool             // whether the site was added at run time, and is not in the site file
	Watched    bool             // whether the site is polled; see the function watched
	NextPollAt time.Time        // time of the next full poll; if past, the poll begins within the hour; zero for none
	Now        *Poll            // the active poll; nil if none
	Last       *Poll            // the full poll that ended last; nil before the first
	LastFeeds  *Poll            // the poll of feeds that ended last; nil before the first
	NewToday   int              // pages registered on this day (UTC), at most Options.PerDay
	LastMod    policy.LastModRecord
	Coverage   Coverage
	Walk       *walk.Walk // progress of following links; nil if they are not followed
	TrialUntil time.Time  // time until which the result of a dry run is kept; zero for a site
}

// All returns all sites, in the order of [Known.All]. It costs two queries, and a read for each site.
func (s *Service) All(ctx context.Context) ([]Site, error) {
	states, err := s.states(ctx)
	if err != nil {
		return nil, err
	}
	var out []Site
	sites, err := s.Known.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, found := range sites {
		st := states[found.Slug]
		one, err := s.view(ctx, found, &st)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Get returns one site. Errors: NotFound for an unknown slug.
func (s *Service) Get(ctx context.Context, slug string) (Site, error) {
	found, err := s.Known.find(ctx, slug)
	if err != nil {
		return Site{}, err
	}
	st, err := s.load(ctx, slug)
	if err != nil {
		return Site{}, err
	}
	return s.view(ctx, found, &st)
}

func (s *Service) view(ctx context.Context, found *site.Site, st *state) (out Site, err error) {
	out = Site{Site: found, Now: st.Now, Last: st.Last, LastFeeds: st.LastFeeds, NewToday: st.Day.on(s.polls.Now()).New,
		Coverage: st.All.plus(st.Now), Added: s.o.Sites.Find(found.Slug) == nil, TrialUntil: st.TrialUntil}
	if out.Set = found.Settings(); out.Added {
		if _, out.Set, err = found.Entry(); err != nil {
			return out, err
		}
	}
	if found.Follow != nil {
		out.Walk = st.Walk
	}
	if out.Watched = watched(found) && s.o.PerDay > 0 && !st.isTrial(); out.Watched {
		if out.NextPollAt = dueAt(st.polledAt()); out.NextPollAt.IsZero() {
			out.NextPollAt = s.polls.Now().Truncate(time.Hour).Add(time.Hour)
		}
	}
	out.LastMod, err = s.reg.Changes.Record(ctx, s.home(found))
	return out, err
}

// home returns a source on the site's host, with which the registry finds its data about the host.
func (s *Service) home(found *site.Site) source.Source {
	src, _ := s.o.Rules.ParseURL(found.Root()) // the domain was validated with the site file
	return src
}

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
