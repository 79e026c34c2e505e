package sitepoll

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// firstPause is that before a document is asked for again, doubled by each further one.
	firstPause = 30 * time.Second
	// maxTries is how often a document is asked for that its site fails to give.
	maxTries = 3
	// maxWait bounds how long a step waits for a host before it tries again.
	maxWait = time.Hour
	// maxDepth is how deep sitemaps may nest. The protocol has one level; sites have two.
	maxDepth = 3
)

// Step does what a message asks for and sends the next. Its errors are Invalid for a malformed message; after any
// other error the caller should try again.
func (s *Service) Step(ctx context.Context, body []byte) error {
	st, err := s.polls.Open(ctx, body)
	if err != nil || st == nil {
		return err
	}
	poll := st.Now
	if err := s.polls.Advance(ctx, st, 0, s.advance); err != nil || st.Now != nil {
		return err
	}
	s.o.Log.InfoContext(ctx, "poll ended", "site", st.Slug, "poll", poll.ID, "kind", poll.Kind, "documents",
		poll.Documents,
		"unmodified", poll.Unmodified, "new", poll.New, "later", poll.Later, "expedited", poll.Expedited, "errors",
		poll.Errors)
	return nil
}

// advance does one step of a poll: it reads a document, or ends the poll.
func (s *Service) advance(ctx context.Context, st *state) (next run.Next, err error) {
	sites, err := s.Known.All(ctx)
	if err != nil {
		return next, err
	}
	w := &step{s: s, site: sites.Find(st.Slug), st: st, now: s.polls.Now()}
	if why := w.over(); why != "" {
		st.Now.Note = "ended early: " + why
		st.end(w.now)
		return next, nil
	}
	if len(st.Docs) > 0 {
		st.Now.Note = ""
		if next.Ops, next.Wait, err = w.read(ctx); err != nil || len(st.Docs) > 0 {
			return next, err
		}
	}
	if st.Now.Kind == Full {
		err = s.dropDocuments(ctx, st.Slug)
	}
	st.end(w.now)
	return next, err
}

// step is the work of one step on a site.
type step struct {
	s    *Service
	site *site.Site // nil when the site file does not have it any more
	st   *state
	now  time.Time
	// Of the document that is read: what of it was processed, as the next poll is to know it, and the judge of endless
	// spaces.
	done  seen
	traps *discover.Traps
}

// over says why a poll does not go on, if it does not.
func (w *step) over() string {
	switch {
	case w.site == nil:
		return "the site is not known any more"
	case w.s.o.PerDay == 0:
		return "polls of sites are switched off"
	case w.now.Sub(w.st.Now.BeganAt) > longest:
		return "it lasted 20 hours"
	}
	return ""
}

// read reads the next document of a poll, and gives what is to be written with the site's row.
func (w *step) read(ctx context.Context) (ops []storage.Op, wait time.Duration, err error) {
	d := w.st.Docs[0]
	known, err := w.s.loadDocument(ctx, w.site, d.URL)
	if err != nil {
		return nil, 0, err
	}
	if known.Step >= w.st.Step {
		// Another process has done this step since the site's row was read. What is remembered of the document is of
		// after that step, so going on would register what the next one is to count.
		return nil, 0, run.ErrDone
	}
	page, err := w.s.web.FetchResource(ctx, crawl.ResourceRequest{URL: d.URL, ETag: known.ETag,
		LastModified: known.LastModified, FinalURL: known.FinalURL})
	w.st.Now.Requests += page.Requests
	var refused *crawl.SiteError
	switch {
	case fault.Is(err, fault.Throttled):
		w.st.Now.Note = run.Clip("waits for the site: "+err.Error(), maxMessage)
		return nil, min(max(fault.RetryAfter(err), time.Second), maxWait), nil
	case errors.As(err, &refused):
		return nil, w.giveUp(err), nil
	case err != nil:
		return nil, 0, err
	}
	return w.take(ctx, known, page)
}

// failed counts an error and keeps its text.
func (w *step) failed(url, message string) { w.st.Now.failed(w.now, url, message) }

// giveUp notes that a document could not be read: to try again soon if that may help, else in the
// next poll.
func (w *step) giveUp(why error) (wait time.Duration) {
	d := &w.st.Docs[0]
	if d.Tries++; fault.Is(why, fault.Unavailable) && d.Tries < maxTries {
		return firstPause << (d.Tries - 1)
	}
	w.failed(d.URL, why.Error())
	w.st.Docs = w.st.Docs[1:]
	return 0
}

// take processes what a document gave. When it is cut off, it is done again, and nothing is lost.
func (w *step) take(ctx context.Context, known document, page crawl.Resource) ([]storage.Op, time.Duration, error) {
	st := w.st
	d := st.Docs[0]
	got, err := parse(d, known, page, w.site)
	if err != nil {
		return nil, w.giveUp(err), nil
	}
	st.Docs = st.Docs[1:]
	if d.Again == 0 {
		st.Now.Documents++
	}
	if got.same {
		st.Now.Unmodified++
		w.takeMaps(d, known.Maps)
		if w.now.Sub(known.CheckedAt) < refreshAfter {
			return nil, 0, nil
		}
		known.CheckedAt = w.now
		return []storage.Op{known.op(st)}, 0, nil
	}
	if got.Truncated != "" {
		w.failed(d.URL, "not read to its end: "+got.Truncated)
	}
	next := document{
		RowVersion: 1, URL: d.URL, ETag: page.ETag, LastModified: page.LastModified, FinalURL: page.FinalURL,
		Body:  got.digest,
		Rules: known.Rules, CheckedAt: w.now, Maps: bounded(got.Maps), seen: seen{},
	}
	w.takeMaps(d, got.Maps)
	again, err := w.links(ctx, known.seen, &next, got)
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
func (w *step) takeMaps(d doc, maps []discover.Link) {
	if d.Again > 0 {
		return
	}
	if d.Kind == docRobots && len(maps) == 0 && len(w.site.Feeds) == 0 {
		w.st.push(doc{URL: "https://" + w.site.Domain + "/sitemap.xml", Kind: docMap})
	}
	maps = slices.Clone(maps)
	slices.SortStableFunc(maps, func(a, b discover.Link) int { return b.LastMod.Compare(a.LastMod) })
	for i, m := range maps {
		switch {
		case d.Depth+1 > maxDepth:
			w.failed(d.URL, "sitemaps nest too deep; the deepest are passed over")
			return
		case d.Kind == docMap && !w.site.Near(m.URL, d.URL):
			w.failed(m.URL, "a sitemap on another host than the one that names it")
		case w.st.push(doc{URL: m.URL, Kind: docMap, Depth: d.Depth + 1}):
			w.failed(d.URL, tooMany(len(maps)-i))
			return
		}
	}
}
