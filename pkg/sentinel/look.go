package sentinel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/telemetry"
)

const (
	// lookHour is when the daily look begins, in UTC.
	lookHour = 6
	// feedPause is between two looks at feeds; a little less than the timer's hour.
	feedPause = 55 * time.Minute
	// stalled is how long a look may stand still before its message is taken for lost.
	stalled = 2 * time.Minute
	// longest is how long a look may last.
	longest = 20 * time.Hour
)

// dueAt is when the next full look begins after one that began at last: 06:00 UTC, or at once for a
// site that was never looked at.
func dueAt(last time.Time) time.Time {
	if last.IsZero() {
		return time.Time{}
	}
	at := time.Date(last.Year(), last.Month(), last.Day(), lookHour, 0, 0, 0, time.UTC)
	if !at.After(last) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

// due is the look that a site is to have now; empty if none.
func due(now time.Time, found *site.Site, st *state) Kind {
	switch {
	case st.Now != nil || !Watched(found):
		return ""
	case !now.Before(dueAt(st.lookedAt())):
		return Full
	case len(found.Feeds) == 0:
		return ""
	}
	last := st.lookedAt()
	if st.LastFeeds != nil && st.LastFeeds.BeganAt.After(last) {
		last = st.LastFeeds.BeganAt
	}
	if now.Sub(last) < feedPause {
		return ""
	}
	return Feeds
}

// Tick begins the looks that are due; the timer calls it each hour. It costs a query of all sites'
// rows, and a transaction and a message for each look. A site whose look cannot begin keeps no other
// from its own.
func (s *Service) Tick(ctx context.Context) (begun int, err error) {
	if s.o.PerDay == 0 || len(s.o.Sites.All()) == 0 {
		return 0, nil
	}
	states, err := s.states(ctx)
	if err != nil {
		return 0, err
	}
	for _, found := range s.o.Sites.All() {
		st := states[found.Slug]
		if st == nil {
			st = &state{slug: found.Slug}
		}
		kind := due(s.now(), found, st)
		if kind == "" {
			continue
		}
		switch _, failed := s.begin(ctx, found, st, kind); {
		case failed == nil:
			begun++
		case !fault.Is(failed, fault.Conflict): // a conflict is somebody who has just begun it
			err = errors.Join(err, fmt.Errorf("%s: %w", found.Slug, failed))
		}
	}
	return begun, err
}

// states are the rows of all sites, by slug.
func (s *Service) states(ctx context.Context) (map[string]*state, error) {
	out := map[string]*state{}
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: partition, RowFrom: siteRows, RowTo: siteRows[:len(siteRows)-1] + afterBar}) {
		if err != nil {
			return nil, err
		}
		st, err := stateOf(e)
		if err != nil {
			return nil, err
		}
		out[st.slug] = st
	}
	return out, nil
}

func (s *Service) load(ctx context.Context, slug string) (*state, error) {
	e, err := s.rows.Get(ctx, key(siteRows+slug))
	if fault.Is(err, fault.NotFound) {
		return &state{slug: slug}, nil
	}
	if err != nil {
		return nil, err
	}
	return stateOf(e)
}

// LookNow begins a full look at a site. Errors: NotFound for a slug that the site file does not have,
// Conflict while a look goes on, Blocked while looks are switched off.
func (s *Service) LookNow(ctx context.Context, slug string) (Site, error) {
	found := s.o.Sites.Find(slug)
	if found == nil {
		return Site{}, unknownSite(slug)
	}
	if s.o.PerDay == 0 {
		return Site{}, errOff
	}
	st, err := s.load(ctx, slug)
	if err != nil {
		return Site{}, err
	}
	if st.Now != nil {
		return Site{}, fault.New(fault.Conflict, "a look at %s goes on since %s; wait for its end", slug, st.Now.BeganAt.Format(time.RFC3339))
	}
	if st, err = s.begin(ctx, found, st, Full); err != nil {
		return Site{}, err
	}
	return s.view(ctx, found, st)
}

var errOff = fault.New(fault.Blocked, "looks at sites are switched off: set SENTINEL_MAX_PER_DAY above 0 and restart the app")

func unknownSite(slug string) error {
	return fault.New(fault.NotFound, "the site file has no site %.70q", slug)
}

// begin writes that a look goes on, and sends its first step.
func (s *Service) begin(ctx context.Context, found *site.Site, st *state, kind Kind) (*state, error) {
	now := s.now()
	st.Now = &Look{ID: fmt.Sprintf("look-%s-%s", now.Format("20060102T150405Z"), s.o.Token()), Kind: kind, BeganAt: now}
	st.Docs, st.Seen, st.Traps, st.NotBefore, st.UpdatedAt = nil, nil, nil, now, now
	st.step++
	st.first(found, kind)
	op, err := st.op()
	if err != nil {
		return nil, err
	}
	active := storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: key(activeRows + st.slug), Props: storage.Properties{}}}
	tags, err := s.rows.Transact(ctx, op, active)
	if err != nil {
		return nil, err
	}
	st.etag = tags[0]
	s.o.Log.InfoContext(ctx, "look begun", "site", st.slug, "look", st.Now.ID, "kind", kind)
	s.send(ctx, st, 0)
	return st, nil
}

// first puts the documents that a look begins with into its frontier: feeds, which are short and
// have what is newest, and then sitemaps.
func (st *state) first(found *site.Site, kind Kind) {
	for _, address := range found.Feeds {
		st.push(doc{URL: address, Kind: docMap})
	}
	if kind == Feeds {
		return
	}
	for _, address := range found.Sitemaps {
		st.push(doc{URL: address, Kind: docMap})
	}
	if len(found.Sitemaps) == 0 {
		st.push(doc{URL: "https://" + found.Domain + "/robots.txt", Kind: docRobots})
	}
}

// message asks for one step of a look.
type message struct {
	Site        string `json:"site"`
	Step        int64  `json:"step"`
	TraceParent string `json:"traceparent,omitempty"` // see package telemetry
}

// send asks for a site's next step. What cannot be sent now a sweep will send.
func (s *Service) send(ctx context.Context, st *state, delay time.Duration) {
	body, _ := json.Marshal(message{st.slug, st.step, telemetry.TraceParent(ctx)}) // always encodes
	if err := s.queue.Send(ctx, body, delay); err != nil {
		s.o.Log.WarnContext(ctx, "step of a look not sent; a sweep will", "site", st.slug, "kind", fault.KindOf(err))
	}
}

// Wake sends the messages of looks that stand still, and ends those that last too long. It is called
// by every sweep, and costs one read while no look goes on and none without a site file.
func (s *Service) Wake(ctx context.Context) (sent int, err error) {
	if len(s.o.Sites.All()) == 0 {
		return 0, nil
	}
	var slugs []string
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: partition, RowFrom: activeRows, RowTo: activeRows[:len(activeRows)-1] + afterBar}) {
		if err != nil {
			return 0, err
		}
		slugs = append(slugs, e.Row[len(activeRows):])
	}
	for _, slug := range slugs {
		st, err := s.load(ctx, slug)
		switch {
		case err != nil:
			return sent, err
		case st.Now == nil:
		case s.now().Sub(st.Now.BeganAt) > longest:
			st.Now.Note = "ended early: " + tooLong
			if err := s.end(ctx, st); err != nil && !fault.Is(err, fault.Conflict) {
				return sent, err
			}
		case s.now().Sub(laterOf(st.NotBefore, st.UpdatedAt)) > stalled:
			s.send(ctx, st, 0)
			sent++
		}
	}
	return sent, nil
}

const tooLong = "it lasted 20 hours"

// end writes that a look has come to its end.
func (s *Service) end(ctx context.Context, st *state) error {
	ops, err := st.ended(s.now())
	if err == nil {
		_, err = s.rows.Transact(ctx, ops...)
	}
	return err
}

// ended closes the look that goes on.
func (st *state) ended(now time.Time) ([]storage.Op, error) {
	look := st.Now
	look.EndedAt = now
	if look.Kind == Full {
		st.Last = look
	} else {
		st.LastFeeds = look
	}
	st.Now, st.Docs, st.Seen, st.Traps, st.UpdatedAt = nil, nil, nil, nil, now
	st.step++
	op, err := st.op()
	gone := storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: key(activeRows + st.slug), ETag: storage.AnyETag}}
	return []storage.Op{op, gone}, err
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
