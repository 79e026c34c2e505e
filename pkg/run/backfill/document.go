package backfill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/run"
)

const (
	// firstPause is the pause before the second request for a document. The pause doubles before each further request
	// (spec 004 ARC-3).
	firstPause = 30 * time.Second
	// maxWait limits the time that a step waits for a host before it tries again.
	maxWait = time.Hour
	// maxGivenUp limits the number of failed documents that are requested again when the run is resumed.
	maxGivenUp = 500
)

// begin puts the first documents of a source into its frontier.
func (c *checkpoint) begin(mode Mode, found *site.Site, dates discover.Dates) {
	c.Begun = true
	switch mode {
	case Sitemap:
		for _, address := range found.Sitemaps {
			c.push(doc{URL: address, Kind: docMap})
		}
		if len(found.Sitemaps) == 0 {
			c.push(doc{URL: "https://" + found.Domain + "/robots.txt", Kind: docRobots})
		}
	case Archive:
		for i, t := range found.Archives {
			c.pushPage(doc{Kind: docArchive, List: i}, t, dates)
		}
	case Pagination:
		for i, list := range found.Listings {
			c.pushPage(doc{Kind: docListing, List: i}, list.URL, dates)
		}
	case Container:
		for _, address := range found.Containers {
			c.push(doc{URL: address, Kind: docContainer})
		}
	}
}

// pushPage queues page number d.Page of a template, if the template has that many pages.
func (c *checkpoint) pushPage(d doc, t discover.Template, dates discover.Dates) {
	pages, err := t.Pages(dates)
	if err != nil || d.Page >= pages.Len() {
		return // this was checked when the run began
	}
	d.URL = pages.At(d.Page)
	c.push(d)
}

// reopen prepares a failed source for another attempt: it queues the documents that were given up.
func (c *checkpoint) reopen() {
	c.Docs = append(c.Failed, c.Docs...)
	for i := range c.Docs {
		c.Docs[i].Tries = 0
	}
	c.Ended, c.Failed, c.InARow, c.Since = false, nil, 0, time.Time{}
	switch {
	case c.Walk == nil:
	case c.Walk.Read == 0:
		c.Walk = nil // what was counted is not counted again
	default:
		c.Walk.Resume()
	}
}

// document reads the next document of a source.
func (w *step) document(ctx context.Context) error {
	c := w.at
	switch {
	case len(c.Docs) == 0 && w.guess(): // the document that it queued is read
	case len(c.Docs) == 0 && c.Read == 0:
		return w.end(SourceFailed, "nothing of it could be read"+c.because())
	case len(c.Docs) == 0:
		return w.end(SourceDone, "")
	case c.InARow >= maxInARow:
		return w.end(SourceFailed, fmt.Sprintf("%d documents in a row could not be read%s", maxInARow, c.because()))
	case c.Asked >= maxDocuments:
		return w.end(SourceDone, fmt.Sprintf("%d documents were read, and no more are in one run", maxDocuments))
	}
	d := c.Docs[0]
	got, err := w.s.sites.read(ctx, d, w.site)
	w.out.add.Requests = got.requests
	var refused *politeness.SiteError
	switch {
	case fault.Is(err, fault.Throttled) && !w.elsewhere(d, err) && c.patient(w.now):
		w.out.wait, w.out.note = min(max(fault.RetryAfter(err), time.Second), maxWait), "waits for the site: "+err.Error()
		return nil
	case fault.Is(err, fault.Throttled) || errors.As(err, &refused):
		w.giveUp(d, err)
	case err != nil:
		return err
	default:
		if err := w.keep(ctx, d, got); err != nil {
			return err
		}
	}
	w.out.wait = max(w.out.wait, w.run.Delay)
	return nil
}

// guess queues robots.txt under the site's other name when no document lists any page. It reports whether it did.
func (w *step) guess() bool {
	c := w.at
	first := newCheckpoint("", "", w.now)
	if first.begin(w.run.Mode, w.site, w.dates); c.Listed || c.Guessed || len(first.Docs) != 1 {
		return false
	}
	other := w.site.Robots(first.Docs[0].URL)
	if c.Guessed = true; other != "" {
		c.push(doc{URL: other, Kind: docRobots})
	}
	return len(c.Docs) > 0
}

// elsewhere reports whether the run does not wait for a host whose robots.txt cannot be fetched: the site may be found
// at its other name, or this is the other name, which is only a guess while the given one answers.
func (w *step) elsewhere(d doc, why error) bool {
	var down *host.UnreachedError
	if !errors.As(why, &down) || !w.site.WWW {
		return false
	}
	isRobots := func(d doc) bool { return d.Kind == docRobots }
	return w.site.Robots(d.URL) != "" || isRobots(d) && !slices.ContainsFunc(w.at.Failed, isRobots)
}

// because returns the reason why the last document could not be read, in parentheses.
func (c *checkpoint) because() string {
	if c.Why == "" {
		return ""
	}
	return " (" + c.Why + ")"
}

// patient reports whether to keep waiting for the next document. Time in which the run was paused does not count.
func (c *checkpoint) patient(now time.Time) bool {
	if c.Since.IsZero() || now.Sub(c.UpdatedAt) > 2*maxWait {
		c.Since = now
	}
	return now.Sub(c.Since) < maxPatience
}

// giveUp records that a document could not be read. If a retry may help, the document is requested again; if not, it
// is given up.
func (w *step) giveUp(d doc, why error) {
	c := w.at
	c.Asked++
	c.Since = time.Time{}
	d.Tries++
	if fault.Is(why, fault.Unavailable) && d.Tries < maxTries {
		c.Docs[0] = d
		w.out.wait = firstPause << (d.Tries - 1)
		w.out.note = fmt.Sprintf("try %d of %s: %v", d.Tries, d.URL, why)
		return
	}
	w.failed(d.URL, why.Error())
	c.Why = run.Clip(why.Error(), maxMessage/2)
	c.Docs = c.Docs[1:]
	c.InARow++
	if len(c.Failed) < maxGivenUp {
		c.Failed = append(c.Failed, d)
	}
	if d.Kind == docRobots && fault.Is(why, fault.Invalid) && len(w.site.Feeds) == 0 {
		c.push(doc{URL: site.SitemapBeside(d.URL), Kind: docMap}) // a refused robots.txt does not hide the sitemap
	}
	c.after(d, false, w.site, w.dates)
}

// keep stores what was found in a document. Further documents go into the frontier, and links into rows.
func (w *step) keep(ctx context.Context, d doc, got reading) (err error) {
	c := w.at
	c.Docs = c.Docs[1:]
	c.Read, c.Asked, c.InARow, c.Since = c.Read+1, c.Asked+1, 0, time.Time{}
	c.Now, c.Fresh, c.Slices, c.Next = &d, 0, 0, got.Next
	w.out.last = d.URL
	c.Listed = c.Listed || len(got.Links) > 0
	w.out.add.Bytes = got.bytes
	if !got.missing {
		w.out.add.Documents = 1
	}
	w.queueMaps(d, got)
	var addresses []string
	for _, link := range got.Links {
		if !w.run.Dates.Want(link) {
			w.exclude("outside the dates")
			continue
		}
		addresses = append(addresses, link.URL)
	}
	for _, why := range got.Unread() {
		w.failed(d.URL, why)
	}
	_, most := w.s.o.rate()
	if w.out.ops, err = w.s.work.storeLinks(ctx, c, addresses, most); err == nil && c.Slices == 0 {
		w.finished()
	}
	return err
}

// queueMaps queues the sitemaps that an index, or robots.txt, lists.
func (w *step) queueMaps(d doc, got reading) {
	next := doc{Kind: docMap, Depth: d.Depth + 1}
	for i, m := range got.Maps {
		switch {
		case next.Depth > maxDepth:
			w.failed(d.URL, fmt.Sprintf("sitemaps nest deeper than %d levels; the deepest are passed over", maxDepth))
			return
		case !w.run.Dates.WantMap(m):
			w.exclude("sitemaps from before the dates")
			continue
		case d.Kind == docMap && !w.site.Near(m.URL, d.URL):
			w.failed(m.URL, "a sitemap on another host than the one that names it")
			continue
		}
		if next.URL = m.URL; w.at.push(next) {
			w.failed(d.URL, fmt.Sprintf("more sitemaps than are kept; %d are passed over", len(got.Maps)-i))
			return
		}
	}
	if d.Kind == docRobots && len(got.Maps) == 0 {
		w.at.Read-- // robots.txt does not count as a document that was read
		for _, address := range w.site.Feeds {
			w.at.push(doc{URL: address, Kind: docMap})
		}
		if len(w.site.Feeds) == 0 {
			w.at.push(doc{URL: site.SitemapBeside(d.URL), Kind: docMap})
		}
	}
}

// finished ends the work on a document when all its links are counted.
func (w *step) finished() {
	c := w.at
	d := *c.Now
	if c.Next != "" && d.Kind != docArchive && !paged(d, w.site, w.dates) {
		next := doc{URL: c.Next, Kind: d.Kind, Depth: d.Depth, List: d.List, Page: d.Page}
		switch {
		case !w.site.Near(c.Next, d.URL):
			w.failed(c.Next, "the next page is on another host")
		case c.push(next):
			w.failed(c.Next, "more documents than are kept; the next page is passed over")
		}
	}
	c.after(d, c.Fresh == 0, w.site, w.dates)
	c.Now, c.Next, c.Token, c.Slices, c.Slice, c.Offset = nil, "", "", 0, 0, 0
}

// after queues the page that follows d in the template of d.
func (c *checkpoint) after(d doc, empty bool, found *site.Site, dates discover.Dates) {
	t, ok := templateOf(d, found)
	if !ok {
		return
	}
	pages, err := t.Pages(dates)
	if err != nil {
		return
	}
	d.Page, d.Tries = pages.After(d.Page, empty), 0
	c.pushPage(d, t, dates)
}

// paged reports whether a listing's template numbers its pages. If it does, links to a next page are ignored.
func paged(d doc, found *site.Site, dates discover.Dates) bool {
	t, ok := templateOf(d, found)
	if !ok {
		return false
	}
	pages, err := t.Pages(dates)
	return err == nil && pages.Len() > 1
}
