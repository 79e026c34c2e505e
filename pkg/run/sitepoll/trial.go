package sitepoll

import (
	"context"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/run/walk"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// trialKept is how long the result of a dry run is kept.
	trialKept = 24 * time.Hour
	// trialSuffix ends the slug of a dry run: it is no site, and does not replace one.
	trialSuffix = "-trial"
	// trialRows is the prefix of the rows with the definitions of dry runs.
	trialRows = "trial|"
)

func (st *state) isTrial() bool { return !st.TrialUntil.IsZero() }

// Try begins a dry run: it follows the links of a site, fetches its pages within the limits, and registers nothing.
// What it would register is kept for a day. A dry run of the same site that was begun before is replaced. Errors: as
// those of [Service.Add].
func (s *Service) Try(ctx context.Context, address string, from api.SiteSettings) (Site, error) {
	if s.o.PerDay == 0 {
		return Site{}, errOff
	}
	if from.Follow == nil {
		return Site{}, fault.Field("follow", "a dry run follows links: set follow, which may be empty")
	}
	entry, err := s.entryOf(strings.TrimSpace(address), from)
	if err != nil {
		return Site{}, err
	}
	entry.Slug = words.Clip(entry.Slug, 64-len(trialSuffix)) + trialSuffix
	return s.define(ctx, storage.Upsert, trialRows, entry, true)
}

// trial returns the definition of a dry run whose result is kept; nil if there is none.
func (k Known) trial(ctx context.Context, slug string) (*site.Site, error) {
	if !strings.HasSuffix(slug, trialSuffix) || checkSlug(slug) != nil {
		return nil, nil
	}
	r, etag, err := addedRows.Load(ctx, k.rows, key(trialRows+slug))
	if err != nil || etag == "" {
		return nil, err
	}
	sites, err := site.Parse(slug, []byte(r.File))
	if err != nil {
		return nil, nil // another version wrote it
	}
	return sites.All().Find(slug), nil
}

// dropTrials removes the dry runs that are older than a day.
func (s *Service) dropTrials(ctx context.Context) error {
	q := s.polls.Prefix(trialRows)
	for e, err := range s.polls.Table.Query(ctx, q) {
		if err != nil {
			return err
		}
		r, err := addedRows.Decode(e.Props)
		if err == nil && s.polls.Now().Sub(r.AddedAt) < trialKept {
			continue
		}
		if err := s.dropTrial(ctx, strings.TrimPrefix(e.Row, trialRows)); err != nil {
			return err
		}
	}
	return nil
}

// dropTrial removes a dry run. Its definition goes last, so that a removal that fails is repeated.
func (s *Service) dropTrial(ctx context.Context, slug string) error {
	if err := walk.Drop(ctx, s.polls.Table, partition, slug, nil); err != nil {
		return err
	}
	for _, row := range []string{siteRow(slug), "active|" + slug, trialRows + slug} {
		_, err := s.polls.Table.Transact(ctx, storage.Op{Kind: storage.Delete,
			Entity: storage.Entity{Key: key(row), ETag: storage.AnyETag}})
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// Would returns the addresses that a dry run would register, in the order in which it found them.
func (s *Service) Would(ctx context.Context, of Site) ([]string, error) {
	if of.Walk == nil {
		return nil, nil
	}
	return walk.Found(ctx, s.polls.Table, partition, of.Slug, of.Walk)
}
