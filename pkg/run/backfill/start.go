package backfill

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/storage"
)

const maxRunBy = 200

// Start begins a run. When it returns, the run is durable and continues by itself. Errors: Blocked while backfill is
// disabled (E6), Invalid for a field with an impossible value, Conflict while maxActive other runs are active.
func (s *Service) Start(ctx context.Context, req Request) (Run, error) {
	if err := s.allowed(); err != nil {
		return Run{}, err
	}
	now := s.runs.Now()
	sites, err := s.Sites(ctx)
	if err != nil {
		return Run{}, err
	}
	if req, err = s.o.complete(sites, req, now); err != nil {
		return Run{}, err
	}
	if err := s.runs.CheckRoom(ctx); err != nil {
		return Run{}, err
	}
	one := Run{ID: idPrefix + now.Format(idLayout) + "-" + s.o.Token(), Request: req, Status: Pending, CreatedAt: now,
		UpdatedAt: now}
	for _, slug := range req.Sources {
		one.Progress = append(one.Progress, Progress{Source: slug, State: SourceWaiting})
	}
	ops, begun := one.activate(now)
	if err := s.runs.Begin(ctx, &one, ops...); err != nil {
		return Run{}, err
	}
	s.o.Log.InfoContext(ctx, "backfill begun", "run", one.ID, "mode", one.Mode, "sources", len(one.Sources), "dryRun",
		one.DryRun, "by", one.RunBy)
	s.enqueue(ctx, one.ID, begun)
	return one, nil
}

// activate starts as many sources as may run at the same time. It returns the sources that begin, and the operations
// that write checkpoints for those sources that have none.
func (r *Run) activate(now time.Time) (ops []storage.Op, begun []string) {
	running := 0
	for _, p := range r.Progress {
		if p.State == SourceRunning {
			running++
		}
	}
	for i := range r.Progress {
		p := &r.Progress[i]
		if p.State != SourceWaiting || running >= r.Concurrency {
			continue
		}
		running++
		begun = append(begun, p.Source)
		if !p.Begun {
			ops = append(ops, newCheckpoint(r.ID, p.Source, now).op())
		}
		p.State, p.Begun = SourceRunning, true
	}
	return ops, begun
}

// complete checks a request and replaces its empty fields by the values of the settings.
func (o *Options) complete(sites site.List, req Request, now time.Time) (Request, error) {
	req.Mode = cmp.Or(req.Mode, Sitemap)
	for _, n := range []struct {
		field, setting string
		value          *int
		def, limit     int
	}{
		{"maxUrls", maxRunSetting, &req.MaxURLs, o.MaxURLs, o.MaxURLs},
		{"maxUrlsPerSource", maxSourceSetting, &req.MaxPerSrc, min(o.MaxPerSource, orMax(req.MaxURLs)), o.MaxPerSource},
		{"concurrency", "BACKFILL_MAX_CONCURRENCY", &req.Concurrency, o.MaxConcurrency, o.MaxConcurrency},
	} {
		if *n.value < 0 || *n.value > n.limit {
			return req, fault.Field(n.field, "%s is %d: allowed is 1 to %d, which %s sets", n.field, *n.value, n.limit,
				n.setting)
		}
		*n.value = cmp.Or(*n.value, n.def)
	}
	switch {
	case len(req.RunBy) > maxRunBy:
		return req, fault.Field("runBy", "runBy is longer than %d bytes", maxRunBy)
	case !req.Dates.From.IsZero() && !req.Dates.To.IsZero() && !req.Dates.From.Before(req.Dates.To):
		return req, fault.Field("dateTo", "dateTo is not after dateFrom")
	}
	return req, checkSources(sites, req, now)
}

func orMax(n int) int {
	if n > 0 {
		return n
	}
	return int(^uint(0) >> 1)
}

// checkSources returns an error for sources that do not exist or do not support the mode.
func checkSources(sites site.List, req Request, now time.Time) error {
	if len(req.Sources) == 0 || len(req.Sources) > MaxSources {
		return fault.Field("sources", "sources has %d entries: name 1 to %d sites, such as %s",
			len(req.Sources), MaxSources, someSlugs(sites))
	}
	for i, slug := range req.Sources {
		found := sites.Find(slug)
		switch {
		case found == nil:
			return fault.Field("sources", "there is no site %.70q; known sites: %s", slug, someSlugs(sites))
		case slices.Contains(req.Sources[:i], slug):
			return fault.Field("sources", "%s is named twice", slug)
		}
		if err := serves(found, req.Mode, rangeOf(req, now)); err != nil {
			return err
		}
	}
	return nil
}

func someSlugs(sites site.List) string {
	const some = 10
	var slugs []string
	for _, found := range sites {
		slugs = append(slugs, found.Slug)
	}
	switch {
	case len(slugs) == 0:
		return "none, add one or see BACKFILL_SITES_FILE"
	case len(slugs) > some:
		return fmt.Sprintf("%s and %d more", strings.Join(slugs[:some], ", "), len(slugs)-some)
	}
	return strings.Join(slugs, ", ")
}

// rangeOf returns the range of dates of a request. The range always has an end, because archive pages can be
// enumerated only over a closed range.
func rangeOf(req Request, begun time.Time) discover.Dates {
	d := req.Dates
	if d.To.IsZero() {
		d.To = begun
	}
	return d
}

// serves returns an error when a site cannot be backfilled in a mode.
func serves(found *site.Site, mode Mode, dates discover.Dates) error {
	templates := 0
	switch mode {
	case Sitemap, Links:
		return nil // if the site file has no sitemaps, robots.txt may name some; and each site has a first page
	case Archive:
		templates = len(found.Archives)
		for _, t := range found.Archives {
			if _, err := t.Pages(dates); err != nil {
				return fault.Field("dateFrom", "%s: %s: %w", found.Slug, t, err)
			}
		}
	case Pagination:
		templates = len(found.Listings)
		for _, l := range found.Listings {
			if _, err := l.URL.Pages(dates); err != nil {
				return fault.Field("dateFrom", "%s: %s: %w", found.Slug, l.URL, err)
			}
		}
	case Container:
		templates = len(found.Containers)
	}
	if templates == 0 {
		return fault.Field("mode", "the site file lists nothing for %s of %s", mode, found.Slug)
	}
	return nil
}

// ModesOf lists the modes in which a site can be backfilled.
func ModesOf(found *site.Site) []Mode {
	out := []Mode{Sitemap}
	for i, n := range []int{len(found.Archives), len(found.Listings), len(found.Containers)} {
		if n > 0 {
			out = append(out, Modes[i+1])
		}
	}
	return append(out, Links)
}
