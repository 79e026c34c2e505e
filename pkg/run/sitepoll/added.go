package sitepoll

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
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
		out = append(out, sites.All()...)
	}
	return out, nil
}

// Add adds a site and begins a poll of it. The address is the site's domain, the address of its sitemap, or the
// address of a part of the site. Errors: Invalid for a malformed address, Conflict for a known site, Blocked while
// polls are switched off.
func (s *Service) Add(ctx context.Context, address string) (Site, error) {
	if s.o.PerDay == 0 {
		return Site{}, errOff
	}
	entry, err := site.EntryOf(strings.TrimSpace(address))
	if err != nil {
		return Site{}, fault.Field("url", "%w", err)
	}
	if err := s.o.Admit(entry.Home); err != nil {
		return Site{}, fault.Field("url", "%w", err)
	}
	all, err := s.Known.All(ctx)
	if err != nil {
		return Site{}, err
	}
	if found := all.Find(entry.Slug); found != nil {
		return Site{}, fault.New(fault.Conflict, "the site %s is there already, with the domain %s; remove it first to "+
			"add it in another way", found.Slug, found.Domain)
	}
	if len(all) >= site.MaxSites {
		return Site{}, fault.New(fault.Blocked, "there are %d sites, and no more are taken", len(all))
	}
	_, err = s.polls.Table.Transact(ctx, addedRows.Put(key(addedSites+entry.Slug), "",
		&addedRow{RowVersion: 1, File: entry.File(), AddedAt: s.polls.Now()}))
	if err != nil {
		return Site{}, err
	}
	added, err := s.PollNow(ctx, entry.Slug)
	if fault.Is(err, fault.Conflict) { // a poll that began before the site was removed is still active
		return s.Get(ctx, entry.Slug)
	}
	return added, err
}

// Forget removes a site that was added. The site is no longer polled, and an active poll of the site ends. The pages
// of the site are kept. Errors: NotFound for an unknown site, Conflict for a site of the site file.
func (s *Service) Forget(ctx context.Context, slug string) error {
	if s.o.Sites.Find(slug) != nil {
		return fault.New(fault.Conflict, "%s is in the site file: remove it there, and start the app again", slug)
	}
	if err := checkSlug(slug); err != nil {
		return unknownSite(slug)
	}
	_, err := s.polls.Table.Transact(ctx, storage.Op{Kind: storage.Delete,
		Entity: storage.Entity{Key: key(addedSites + slug), ETag: storage.AnyETag}})
	if fault.Is(err, fault.NotFound) {
		return unknownSite(slug)
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
	return nil, unknownSite(slug)
}
