package sitepoll

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
)

const (
	// pollHour is the hour at which the daily poll begins, in UTC.
	pollHour = 6
	// feedPause is the time between two polls of feeds. It is a little less than the hour of the timer.
	feedPause = 55 * time.Minute
	// stalled is how long a poll may go without a step before its message counts as lost.
	stalled = 2 * time.Minute
	// longest limits the duration of a poll.
	longest = 20 * time.Hour
)

// dueAt returns the time at which the next full poll begins: the first 06:00 UTC after the beginning of the last
// poll. A site that was never polled has no last poll and is due at once.
func dueAt(last time.Time) time.Time {
	if last.IsZero() {
		return time.Time{}
	}
	at := time.Date(last.Year(), last.Month(), last.Day(), pollHour, 0, 0, 0, time.UTC)
	if !at.After(last) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

// due returns the kind of poll that is due for a site now; "" if none is due.
func due(now time.Time, found *site.Site, st *state) string {
	switch {
	case st.Now != nil || !watched(found):
		return ""
	case !now.Before(dueAt(st.polledAt())):
		return Full
	case len(found.Feeds) == 0:
		return ""
	}
	last := st.polledAt()
	if st.LastFeeds != nil && st.LastFeeds.BeganAt.After(last) {
		last = st.LastFeeds.BeganAt
	}
	if now.Sub(last) < feedPause {
		return ""
	}
	return Feeds
}

// Tick begins the polls that are due. The timer calls it each hour. It costs two queries for the rows of all sites,
// and a transaction and a message for each poll. A poll that cannot begin does not delay those of other sites.
func (s *Service) Tick(ctx context.Context) (begun int, err error) {
	if s.o.PerDay == 0 {
		return 0, nil
	}
	sites, err := s.Known.All(ctx)
	if err == nil {
		err = s.dropTrials(ctx)
	}
	if err != nil || len(sites) == 0 {
		return 0, err
	}
	states, err := s.states(ctx)
	if err != nil {
		return 0, err
	}
	for _, found := range sites {
		st, known := states[found.Slug]
		if !known {
			st = newState(found.Slug)
		}
		kind := due(s.polls.Now(), found, &st)
		if kind == "" {
			continue
		}
		switch failed := s.begin(ctx, found, &st, kind); {
		case failed == nil:
			begun++
		case !fault.Is(failed, fault.Conflict): // Conflict means that another process has just begun the poll
			err = errors.Join(err, fmt.Errorf("%s: %w", found.Slug, failed))
		}
	}
	return begun, err
}

// states returns the rows of all sites, by slug.
func (s *Service) states(ctx context.Context) (map[string]state, error) {
	out := map[string]state{}
	for st, err := range s.polls.All(ctx, s.polls.Prefix(siteRows)) {
		if err != nil {
			return nil, err
		}
		out[st.Slug] = st
	}
	return out, nil
}

func (s *Service) load(ctx context.Context, slug string) (state, error) {
	st, err := s.polls.Get(ctx, slug)
	if fault.Is(err, fault.NotFound) {
		return newState(slug), nil
	}
	return st, err
}

// PollNow begins a full poll of a site. Errors: NotFound for an unknown slug, Conflict while a poll is active,
// Blocked while polls are switched off.
func (s *Service) PollNow(ctx context.Context, slug string) (Site, error) {
	found, err := s.Known.find(ctx, slug)
	if err != nil {
		return Site{}, err
	}
	if s.o.PerDay == 0 {
		return Site{}, errOff
	}
	st, err := s.load(ctx, slug)
	if err != nil {
		return Site{}, err
	}
	if st.Now != nil {
		return Site{}, fault.New(fault.Conflict, "a poll of %s goes on since %s; wait for its end", slug,
			st.Now.BeganAt.Format(time.RFC3339))
	}
	if err := s.begin(ctx, found, &st, Full); err != nil {
		return Site{}, err
	}
	return s.view(ctx, found, &st)
}

var errOff = fault.New(fault.Blocked,
	"polls of sites are switched off: set SENTINEL_MAX_PER_DAY above 0 and restart the app")

func unknownSite(slug string) error {
	return fault.New(fault.NotFound, "there is no site %.70q: it is neither in the site file nor added", slug)
}

// begin writes the row of an active poll, and sends its first message.
func (s *Service) begin(ctx context.Context, found *site.Site, st *state, kind string) error {
	now := s.polls.Now()
	if rules := rulesOf(found); st.All.Rules != rules {
		st.All = Coverage{Rules: rules} // all addresses are evaluated again
	}
	st.Now = &Poll{Look: api.Look{Kind: kind, BeganAt: now,
		ID: fmt.Sprintf("look-%s-%s", now.Format("20060102T150405Z"), s.o.Token())}}
	st.Docs, st.Seen, st.Traps, st.Listed, st.NotBefore, st.UpdatedAt = nil, nil, nil, false, now, now
	st.FeedsAt = now
	if st.Walk != nil {
		st.Walk.Resume()
	}
	st.Step++
	st.first(found, kind)
	if err := s.polls.Begin(ctx, st); err != nil {
		return err
	}
	s.o.Log.InfoContext(ctx, "poll begun", "site", st.Slug, "poll", st.Now.ID, "kind", kind)
	s.polls.Enqueue(ctx, st, 0)
	return nil
}

// first queues the documents that a poll begins with. Feeds come before sitemaps, because they are short and list the
// newest pages.
func (st *state) first(found *site.Site, kind string) {
	if st.isTrial() {
		return // it follows links alone
	}
	for _, address := range found.Feeds {
		st.push(doc{URL: address, Kind: docMap})
	}
	if kind == Feeds {
		return
	}
	for _, address := range found.Sitemaps {
		st.push(doc{URL: address, Kind: docMap})
	}
	for _, l := range found.Listings {
		if l.Poll {
			st.push(doc{URL: l.URL.String(), Kind: docList, From: l.URL.String()})
		}
	}
	if len(found.Sitemaps) == 0 && found.Follow == nil {
		st.push(doc{URL: found.Root() + "robots.txt", Kind: docRobots})
	}
}

// RequeueStalled sends the messages of stalled polls again, and returns their number. It costs one query while no
// poll is active.
func (s *Service) RequeueStalled(ctx context.Context) (sent int, err error) {
	return s.polls.RequeueStalled(ctx)
}

// end closes the active poll.
func (st *state) end(now time.Time) {
	st.Now.EndedAt = now
	st.All = st.All.plus(st.Now)
	if st.Now.Kind == Full {
		st.Last, st.PolledAt = st.Now, st.Now.BeganAt
	} else {
		st.LastFeeds = st.Now
	}
	st.Now, st.Docs, st.Seen, st.Traps, st.Listed = nil, nil, nil, nil, false
}
