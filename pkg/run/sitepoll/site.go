package sitepoll

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/run/walk"
)

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
