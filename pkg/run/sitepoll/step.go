package sitepoll

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/walk"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// firstPause is the pause before the first retry of a document. Each further retry doubles the pause.
	firstPause = 30 * time.Second
	// maxTries limits the number of requests for a document that its site fails to return.
	maxTries = 3
	// maxWait limits the time that a step waits for a host before it tries again.
	maxWait = time.Hour
	// maxDepth limits the nesting of sitemaps. The protocol allows one level; some sites have two.
	maxDepth = 3
	// maxNext limits the pages that follow a listing, each read only if the one before listed new pages.
	maxNext = 50
)

// Step performs the step that a message asks for, and sends the next message. It returns Invalid for a malformed
// message. After any other error the caller should retry.
func (s *Service) Step(ctx context.Context, body []byte) error {
	st, err := s.polls.Open(ctx, body)
	if err != nil || st == nil {
		return err
	}
	poll := st.Now
	defer s.hurries.begin(st.Slug)()
	if err := s.polls.Advance(ctx, st, 0, s.advance); err != nil || st.Now != nil {
		return err
	}
	s.o.Log.InfoContext(ctx, "poll ended", "site", st.Slug, "poll", poll.ID, "kind", poll.Kind, "documents",
		poll.Documents,
		"unmodified", poll.Unmodified, "new", poll.New, "later", poll.Later, "expedited", poll.Hastened, "errors",
		poll.Errors)
	return nil
}

// advance performs one step of a poll: it reads a document, or ends the poll.
func (s *Service) advance(ctx context.Context, st *state) (next run.Next, err error) {
	found, err := s.Known.find(ctx, st.Slug)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return next, err
	}
	w := &step{s: s, site: found, st: st, now: s.polls.Now()}
	if why := w.over(); why != "" {
		st.Now.Note = "ended early: " + why
		st.end(w.now)
		if w.site == nil { // it was removed, perhaps while a step wrote what it had found
			st.Walk = nil
			err = walk.Drop(ctx, s.polls.Table, partition, st.Slug, nil)
		}
		return next, err
	}
	if len(st.Docs) > 0 {
		st.Now.Note = ""
		if next.Ops, next.Wait, err = w.read(ctx); err != nil || len(st.Docs) > 0 || w.guess() {
			return next, err
		}
	}
	if st.Now.Kind == Full && w.site.Follow != nil {
		if w.queueFeedsAgain() {
			return next, nil
		}
		following, more, err := w.follow(ctx)
		if next = following; err != nil || more {
			return next, err
		}
	}
	if st.Now.Kind == Full {
		st.Now.Asks = !st.Listed && !w.site.Named() && len(w.site.Start) > 0 && st.All.Found == 0
		if err = s.dropDocuments(ctx, st.Slug); err == nil {
			err = walk.Drop(ctx, s.polls.Table, partition, st.Slug, st.Walk)
		}
	}
	st.end(w.now)
	return next, err
}

// queueFeedsAgain queues the feeds of the site when they are due while links are followed, which may take hours. It
// reports whether there are any.
func (w *step) queueFeedsAgain() bool {
	st := w.st
	if len(w.site.Feeds) == 0 || st.isTrial() || w.now.Sub(st.FeedsAt) < feedPause {
		return false
	}
	st.Seen, st.FeedsAt = nil, w.now
	for _, address := range w.site.Feeds {
		st.push(doc{URL: address, Kind: docMap})
	}
	return true
}

// step is the work of one step on a site.
type step struct {
	s    *Service
	site *site.Site // nil if the site is no longer known
	st   *state
	now  time.Time
	// done and the field after it are the state of the document that is being read: the addresses processed so far,
	// as the next poll will read them, and the detector of endless spaces.
	done  seen
	traps *discover.Traps
}

// over returns the reason why a poll must end now; "" if it continues.
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

// read reads the next document of a poll, and returns the operations to write together with the site's row.
func (w *step) read(ctx context.Context) (ops []storage.Op, wait time.Duration, err error) {
	d := w.st.Docs[0]
	var known document
	if !d.isOffer() {
		if known, err = w.s.loadDocument(ctx, w.site, d.URL); err != nil {
			return nil, 0, err
		}
	}
	if known.Step >= w.st.Step {
		// Another process has performed this step since the site's row was read, and has written the row of the
		// document. If this process continued, it would register addresses that the next step should count.
		return nil, 0, run.ErrDone
	}
	page, err := w.s.web.FetchResource(ctx, politeness.ResourceRequest{URL: d.URL, ETag: known.ETag,
		LastModified: known.LastModified, FinalURL: known.FinalURL})
	w.st.Now.Requests += page.Requests
	var refused *politeness.SiteError
	var down *host.UnreachedError
	switch {
	case errors.As(err, &down) && w.passOver(err):
		return nil, 0, nil
	case fault.Is(err, fault.Throttled):
		w.st.Now.Note = run.Clip("waits for the site: "+err.Error(), maxMessage)
		return nil, min(max(fault.RetryAfter(err), time.Second), maxWait), nil
	case errors.As(err, &refused):
		return nil, w.giveUp(err), nil
	case err != nil:
		return nil, 0, err
	case d.isOffer():
		if err := w.offer(page); err != nil {
			return nil, w.giveUp(err), nil
		}
		return nil, 0, nil
	}
	return w.keep(ctx, known, page)
}

// failed counts an error and records its text.
func (w *step) failed(url, message string) { w.st.Now.failed(w.now, url, message) }

// giveUp records that a document could not be read. If a retry may help, the document is requested again soon; if
// not, the next poll requests it.
func (w *step) giveUp(why error) (wait time.Duration) {
	d := &w.st.Docs[0]
	if d.Tries++; fault.Is(why, fault.Unavailable) && d.Tries < maxTries {
		return firstPause << (d.Tries - 1)
	}
	given := *d
	if w.st.Docs = w.st.Docs[1:]; w.guessed(given) {
		w.pass(given, why)
	} else {
		w.failed(given.URL, why.Error())
	}
	return 0
}

// keep processes the content of a document. If it is interrupted, it is called again, and nothing is lost.
func (w *step) keep(
	ctx context.Context, known document, page politeness.Resource,
) ([]storage.Op, time.Duration, error) {
	st := w.st
	d := st.Docs[0]
	got, err := parse(d, known, page, w.site)
	if err != nil {
		wait := w.giveUp(err)
		if d.Kind == docRobots && wait == 0 {
			w.queueMaps(d, nil) // a site that refuses its robots.txt may have a sitemap nevertheless
		}
		return nil, wait, nil
	}
	st.Docs = st.Docs[1:]
	st.Listed = st.Listed || len(got.Links) > 0 || got.same && known.Addresses > 0
	if d.Again == 0 {
		st.Now.Documents++
	}
	if d.Kind == docRobots && len(w.site.Start) > 0 && len(got.Maps) == 0 && !got.same {
		st.Now.tried(d.URL, "names no sitemap")
	}
	if got.same {
		st.Now.Unmodified++
		w.queueMaps(d, known.Maps)
		if w.now.Sub(known.CheckedAt) < refreshAfter {
			return nil, 0, nil
		}
		known.CheckedAt = w.now
		return []storage.Op{known.op(st)}, 0, nil
	}
	for _, why := range got.unread(d) {
		w.failed(d.URL, why)
	}
	next := document{
		RowVersion: 1, URL: d.URL, ETag: page.ETag, LastModified: page.LastModified, FinalURL: page.FinalURL,
		Body:  got.digest,
		Rules: known.Rules, CheckedAt: w.now, Maps: bounded(got.Maps), seen: seen{},
	}
	w.queueMaps(d, got.Maps)
	before := st.Now.New
	again, err := w.links(ctx, known.seen, &next, got)
	if err != nil {
		return nil, 0, err
	}
	if again && d.Again < maxAgain {
		d.Again++
		st.Docs = append([]doc{d}, st.Docs...)
	} else if d.Kind == docList && st.Now.New > before {
		w.queueNext(d, got.Next)
	}
	return []storage.Op{next.op(st)}, 0, nil
}

// queueNext queues the page that follows a listing.
func (w *step) queueNext(d doc, next string) {
	if next != "" && d.Depth < maxNext && w.site.Near(next, d.URL) {
		w.st.push(doc{URL: next, Kind: docList, Depth: d.Depth + 1, From: d.From})
	}
}

// queueMaps queues the sitemaps that an index or robots.txt lists. The sitemaps that changed last come first, because
// they list the new pages.
func (w *step) queueMaps(d doc, maps []discover.Link) {
	if d.Again > 0 {
		return
	}
	if d.Kind == docRobots && len(maps) == 0 && !w.site.Named() {
		w.st.push(doc{URL: site.SitemapBeside(d.URL), Kind: docMap})
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
