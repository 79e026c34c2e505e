package sentinel

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/discover"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// firstPause is that before a document is asked for again, doubled by each further one.
	firstPause = 30 * time.Second
	// maxTries is how often a document is asked for that its site fails to give.
	maxTries = 3
	// maxWait bounds how long a step waits for a host before it looks again.
	maxWait = time.Hour
	// maxDepth is how deep sitemaps may nest. The protocol has one level; sites have two.
	maxDepth = 3
)

// Step does what a message asks for and sends the next. Its errors are Invalid for a message that is
// none, else a failure of our own after which calling again is right.
func (s *Service) Step(ctx context.Context, body []byte) (err error) {
	var m message
	if json.Unmarshal(body, &m) != nil || m.Site == "" || storage.CheckKey(key(siteRows+m.Site)) != nil {
		return fault.New(fault.Invalid, "sentinel step: the message names no site")
	}
	defer fault.Wrap(&err, "look at %s", m.Site)
	st, err := s.load(ctx, m.Site)
	if err != nil || st.Now == nil || st.step != m.Step {
		return err // done already
	}
	if early := st.NotBefore.Sub(s.now()); early > 0 {
		s.send(ctx, st, early)
		return nil
	}
	found := s.o.Sites.Find(m.Site)
	if why := s.over(found, st); why != "" {
		st.Now.Note = "ended early: " + why
		return s.lost(ctx, st, s.end(ctx, st))
	}
	if len(st.Docs) == 0 {
		return s.finish(ctx, st, nil)
	}
	st.Now.Note = ""
	ops, wait, err := s.advance(ctx, found, st)
	if errors.Is(err, errDone) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(st.Docs) == 0 {
		return s.finish(ctx, st, ops)
	}
	return s.goOn(ctx, st, ops, wait)
}

// over says why a look does not go on, if it does not.
func (s *Service) over(found *site.Site, st *state) string {
	switch {
	case found == nil:
		return "the site file does not have the site any more"
	case s.o.PerDay == 0:
		return "looks at sites are switched off"
	case s.now().Sub(st.Now.BeganAt) > longest:
		return tooLong
	}
	return ""
}

// goOn ends a step after which another follows.
func (s *Service) goOn(ctx context.Context, st *state, ops []storage.Op, wait time.Duration) error {
	now := s.now()
	st.step++
	st.NotBefore, st.UpdatedAt = now.Add(wait), now
	op, err := st.op()
	if err != nil {
		return err
	}
	if _, err := s.rows.Transact(ctx, append([]storage.Op{op}, ops...)...); err != nil {
		return s.lost(ctx, st, err)
	}
	s.send(ctx, st, wait)
	return nil
}

// finish ends the last step of a look.
func (s *Service) finish(ctx context.Context, st *state, ops []storage.Op) error {
	if st.Now.Kind == Full {
		if err := s.dropDocuments(ctx, st.slug); err != nil {
			return err
		}
	}
	look := *st.Now
	closing, err := st.ended(s.now())
	if err != nil {
		return err
	}
	if _, err := s.rows.Transact(ctx, append(closing, ops...)...); err != nil {
		return s.lost(ctx, st, err)
	}
	s.o.Log.InfoContext(ctx, "look ended", "site", st.slug, "look", look.ID, "kind", look.Kind, "documents", look.Documents,
		"unmodified", look.Unmodified, "new", look.New, "later", look.Later, "hastened", look.Hastened, "errors", look.Errors)
	return nil
}

// lost tells whether a transaction failed because somebody else did the same step first; then nothing
// of this one counts, and that is no error.
func (s *Service) lost(ctx context.Context, st *state, err error) error {
	if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
		return err
	}
	cur, loadErr := s.load(ctx, st.slug)
	if loadErr != nil {
		return loadErr
	}
	if cur.etag != st.etag {
		return nil
	}
	return err
}

// errDone says that somebody else did this step since the site's row was read. What is remembered of the
// document is of after that step, so going on would register what the next one is to count.
var errDone = errors.New("the step is done")

// advance reads the next document of a look, and gives what is to be written with the site's row.
func (s *Service) advance(ctx context.Context, found *site.Site, st *state) (ops []storage.Op, wait time.Duration, err error) {
	d := st.Docs[0]
	held, err := s.loadDocument(ctx, found, d.URL)
	if err != nil {
		return nil, 0, err
	}
	if held.step >= st.step {
		return nil, 0, errDone
	}
	page, err := s.web.Visit(ctx, crawl.Visit{URL: d.URL, ETag: held.ETag, LastModified: held.LastModified, FinalURL: held.FinalURL})
	st.Now.Requests += page.Requests
	var refused *crawl.SiteError
	switch {
	case fault.Is(err, fault.Throttled):
		st.Now.Note = clip("waits for the site: "+err.Error(), maxMessage)
		return nil, min(max(fault.RetryAfter(err), time.Second), maxWait), nil
	case errors.As(err, &refused):
		return nil, s.giveUp(st, err), nil
	case err != nil:
		return nil, 0, err
	}
	return s.take(ctx, found, st, held, page)
}

// giveUp notes that a document could not be read: to try again soon if that may help, else in the
// next look.
func (s *Service) giveUp(st *state, why error) (wait time.Duration) {
	d := &st.Docs[0]
	if d.Tries++; fault.Is(why, fault.Unavailable) && d.Tries < maxTries {
		return firstPause << (d.Tries - 1)
	}
	st.Now.failed(s.now(), d.URL, why.Error())
	st.Docs = st.Docs[1:]
	return 0
}

// take deals with what a document gave. Beyond the step's time nothing is lost when it is cut off:
// it is done again.
func (s *Service) take(ctx context.Context, found *site.Site, st *state, held document, page crawl.Visited) ([]storage.Op, time.Duration, error) {
	d := st.Docs[0]
	got, err := parse(d, held, page, found)
	if err != nil {
		return nil, s.giveUp(st, err), nil
	}
	st.Docs = st.Docs[1:]
	if d.Again == 0 {
		st.Now.Documents++
	}
	if got.same {
		st.Now.Unmodified++
		s.takeMaps(found, st, d, held.Maps)
		if s.now().Sub(held.CheckedAt) < refreshAfter {
			return nil, 0, nil
		}
		held.CheckedAt = s.now()
		return []storage.Op{held.op(st)}, 0, nil
	}
	if got.Truncated != "" {
		st.Now.failed(s.now(), d.URL, "not read to its end: "+got.Truncated)
	}
	next := document{
		URL: d.URL, ETag: page.ETag, LastModified: page.LastModified, FinalURL: page.FinalURL, Body: got.digest,
		Rules: held.Rules, CheckedAt: s.now(), Maps: bounded(got.Maps), seen: seen{},
	}
	s.takeMaps(found, st, d, got.Maps)
	again, err := s.links(ctx, found, st, held, &next, got)
	if err != nil {
		return nil, 0, err
	}
	if again && d.Again < maxAgain {
		d.Again++
		st.Docs = append([]doc{d}, st.Docs...)
	}
	return []storage.Op{next.op(st)}, 0, nil
}

// takeMaps has the sitemaps of an index, or of robots.txt, read later; those that changed last first,
// for what is new is there.
func (s *Service) takeMaps(found *site.Site, st *state, d doc, maps []discover.Link) {
	if d.Again > 0 {
		return
	}
	if d.Kind == docRobots && len(maps) == 0 && len(found.Feeds) == 0 {
		st.push(doc{URL: "https://" + found.Domain + "/sitemap.xml", Kind: docMap})
	}
	maps = slices.Clone(maps)
	slices.SortStableFunc(maps, func(a, b discover.Link) int { return b.LastMod.Compare(a.LastMod) })
	for i, m := range maps {
		switch {
		case d.Depth+1 > maxDepth:
			st.Now.failed(s.now(), d.URL, "sitemaps nest too deep; the deepest are passed over")
			return
		case d.Kind == docMap && !found.Near(m.URL, d.URL):
			st.Now.failed(s.now(), m.URL, "a sitemap on another host than the one that names it")
		case st.push(doc{URL: m.URL, Kind: docMap, Depth: d.Depth + 1}):
			st.Now.failed(s.now(), d.URL, tooMany(len(maps)-i))
			return
		}
	}
}
