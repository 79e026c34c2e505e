package sentinel

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/site"
)

// Site is how far the looks at one site are.
type Site struct {
	*site.Site
	Watched    bool      // whether it is looked at, see [Watched]
	NextLookAt time.Time // of a full look; past: with the next hour. Zero when it is not looked at
	Now        *Look     // the one that goes on, nil if none
	Last       *Look     // the full one that ended last, nil before the first
	LastFeeds  *Look     // the look at feeds that ended last, likewise
	NewToday   int       // registered on this day (UTC), at most Options.PerDay
	LastMod    registry.LastModRecord
}

// All tells of every site of the site file, in its order. It costs a query, and a read for each site.
func (s *Service) All(ctx context.Context) ([]Site, error) {
	states, err := s.states(ctx)
	if err != nil {
		return nil, err
	}
	var out []Site
	for _, found := range s.o.Sites.All() {
		st := states[found.Slug]
		if st == nil {
			st = &state{slug: found.Slug}
		}
		one, err := s.view(ctx, found, st)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Get tells of one site; NotFound for a slug that the site file does not have.
func (s *Service) Get(ctx context.Context, slug string) (Site, error) {
	found := s.o.Sites.Find(slug)
	if found == nil {
		return Site{}, unknownSite(slug)
	}
	st, err := s.load(ctx, slug)
	if err != nil {
		return Site{}, err
	}
	return s.view(ctx, found, st)
}

func (s *Service) view(ctx context.Context, found *site.Site, st *state) (out Site, err error) {
	out = Site{Site: found, Now: st.Now, Last: st.Last, LastFeeds: st.LastFeeds, NewToday: st.Day.on(s.now()).New}
	if out.Watched = Watched(found) && s.o.PerDay > 0; out.Watched {
		if out.NextLookAt = dueAt(st.lookedAt()); out.NextLookAt.IsZero() {
			out.NextLookAt = s.now().Truncate(time.Hour).Add(time.Hour)
		}
	}
	out.LastMod, err = s.reg.LastModRecord(ctx, s.home(found))
	return out, err
}
