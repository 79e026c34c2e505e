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
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/run/walk"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
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
