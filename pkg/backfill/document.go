package backfill

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/discover"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/robots"
	"github.com/tidemark/tidemark/pkg/site"
)

const (
	// firstPause is that before a document is asked for again, doubled by each further one (seed ARC-3).
	firstPause = 30 * time.Second
	// maxWait bounds how long a step waits for a host before it looks again.
	maxWait = time.Hour
	// maxGivenUp bounds the documents that a resume asks for again.
	maxGivenUp = 500
	// maxBlobs is the most blobs that are listed of a container.
	maxBlobs = 50_000
)

// begin puts the first documents of a source into its frontier.
func (l *lane) begin(mode Mode, found *site.Site, dates discover.Dates) {
	l.Begun = true
	switch mode {
	case Sitemap:
		for _, address := range found.Sitemaps {
			l.push(doc{URL: address, Kind: docMap})
		}
		if len(found.Sitemaps) == 0 {
			l.push(doc{URL: "https://" + found.Domain + "/robots.txt", Kind: docRobots})
		}
	case Archive:
		for i, t := range found.Archives {
			l.pushPage(doc{Kind: docArchive, List: i}, t, dates)
		}
	case Pagination:
		for i, list := range found.Listings {
			l.pushPage(doc{Kind: docListing, List: i}, list.URL, dates)
		}
	case Container:
		for _, address := range found.Containers {
			l.push(doc{URL: address, Kind: docContainer})
		}
	}
}

// pushPage has a page of a template read, if it has that many.
func (l *lane) pushPage(d doc, t discover.Template, dates discover.Dates) {
	pages, err := t.Pages(dates)
	if err != nil || d.Page >= pages.Len() {
		return // templates were checked with their dates when the run began
	}
	d.URL = pages.At(d.Page)
	l.push(d)
}

// reopen lets a source that failed go on: what was given up is asked for again.
func (l *lane) reopen() {
	l.Docs = append(l.Failed, l.Docs...)
	for i := range l.Docs {
		l.Docs[i].Tries = 0
	}
	l.Ended, l.Failed, l.InARow = false, nil, 0
}

// reading is what a document gave.
type reading struct {
	discover.Found
	bytes    int64
	requests int
	missing  bool // it is not there, as is usual for a day or a page without anything
}

// document reads the next document of a source.
func (s *Service) document(ctx context.Context, run *Run, l *lane, found *site.Site) (out outcome, err error) {
	switch {
	case len(l.Docs) == 0 && l.Read == 0:
		return outcome{end: SourceFailed, note: "nothing of it could be read" + l.because()}, nil
	case len(l.Docs) == 0:
		return outcome{end: SourceDone}, nil
	case l.InARow >= maxInARow:
		return outcome{end: SourceFailed, note: fmt.Sprintf("%d documents in a row could not be read%s", maxInARow, l.because())}, nil
	case l.Asked >= MaxDocuments:
		return outcome{end: SourceDone, note: fmt.Sprintf("%d documents were read, and no more are in one run", MaxDocuments)}, nil
	}
	d := l.Docs[0]
	got, err := s.read(ctx, d, found)
	out.add.Requests = got.requests
	var refused *crawl.SiteError
	switch {
	case fault.Is(err, fault.Throttled) && l.patient(s.now()):
		wait := min(max(fault.RetryAfter(err), time.Second), maxWait)
		out.wait, out.note = wait, "waits for the site: "+err.Error()
		return out, nil
	case fault.Is(err, fault.Throttled):
		s.giveUp(l, d, found, run, err, &out)
	case errors.As(err, &refused):
		s.giveUp(l, d, found, run, err, &out)
	case err != nil:
		return out, err
	default:
		if err := s.take(ctx, l, d, got, found, run, &out); err != nil {
			return out, err
		}
	}
	out.wait = max(out.wait, run.Delay)
	return out, nil
}

// because says why the last document could not be read, in parentheses.
func (l *lane) because() string {
	if l.Why == "" {
		return ""
	}
	return " (" + l.Why + ")"
}

// patient reports whether to go on waiting for the next document. Who was paused has not waited.
func (l *lane) patient(now time.Time) bool {
	if l.Since.IsZero() || now.Sub(l.updatedAt) > 2*maxWait {
		l.Since = now
	}
	return now.Sub(l.Since) < maxPatience
}

// giveUp notes that a document could not be read: to try again if that may help, else for good.
func (s *Service) giveUp(l *lane, d doc, found *site.Site, run *Run, why error, out *outcome) {
	l.Asked++
	l.Since = time.Time{}
	d.Tries++
	if fault.Is(why, fault.Unavailable) && d.Tries < maxTries {
		l.Docs[0] = d
		out.wait = firstPause << (d.Tries - 1)
		out.note = fmt.Sprintf("try %d of %s: %v", d.Tries, d.URL, why)
		return
	}
	out.failed(s.now(), l.source, d.URL, why.Error())
	l.Why = clip(why.Error(), maxMessage/2)
	l.Docs = l.Docs[1:]
	l.InARow++
	if len(l.Failed) < maxGivenUp {
		l.Failed = append(l.Failed, d)
	}
	l.after(d, false, found, rangeOf(run.Request, run.CreatedAt))
}

// take keeps what a document gave: further documents in the frontier, pages in rows.
func (s *Service) take(ctx context.Context, l *lane, d doc, got reading, found *site.Site, run *Run, out *outcome) error {
	l.Docs = l.Docs[1:]
	l.Read, l.Asked, l.InARow, l.Since = l.Read+1, l.Asked+1, 0, time.Time{}
	l.Now, l.Fresh, l.Slices, l.Next = &d, 0, 0, got.Next
	out.last = d.URL
	out.add.Bytes = got.bytes
	if !got.missing {
		out.add.Documents = 1
	}
	s.takeMaps(l, d, got, found, run, out)
	var addresses []string
	for _, link := range got.Links {
		if !run.Dates.Want(link) {
			out.add.Excluded++
			out.exclude("outside the dates", 1)
			continue
		}
		addresses = append(addresses, link.URL)
	}
	if got.Truncated != "" {
		out.failed(s.now(), l.source, d.URL, "not read to its end: "+got.Truncated)
	}
	rows, err := s.storeLinks(ctx, l, addresses)
	if err != nil {
		return err
	}
	out.ops = rows
	if l.Slices == 0 {
		l.through(found, rangeOf(run.Request, run.CreatedAt), out, s.now())
	}
	return nil
}

// takeMaps has the sitemaps of an index, or of robots.txt, read later.
func (s *Service) takeMaps(l *lane, d doc, got reading, found *site.Site, run *Run, out *outcome) {
	next := doc{Kind: docMap, Depth: d.Depth + 1}
	for i, m := range got.Maps {
		switch {
		case next.Depth > maxDepth:
			out.failed(s.now(), l.source, d.URL, fmt.Sprintf("sitemaps nest deeper than %d levels; the deepest are passed over", maxDepth))
			return
		case !run.Dates.WantMap(m):
			out.add.Excluded++
			out.exclude("sitemaps from before the dates", 1)
			continue
		case d.Kind == docMap && !found.Near(m.URL, d.URL):
			out.failed(s.now(), l.source, m.URL, "a sitemap on another host than the one that names it")
			continue
		}
		if next.URL = m.URL; l.push(next) {
			out.failed(s.now(), l.source, d.URL, fmt.Sprintf("more sitemaps than are kept; %d are passed over", len(got.Maps)-i))
			return
		}
	}
	if d.Kind == docRobots && len(got.Maps) == 0 {
		l.Read-- // nothing of it is a page
		for _, address := range found.Feeds {
			l.push(doc{URL: address, Kind: docMap})
		}
		if len(found.Feeds) == 0 {
			l.push(doc{URL: "https://" + found.Domain + "/sitemap.xml", Kind: docMap})
		}
	}
}

// through ends the document whose links are all looked at.
func (l *lane) through(found *site.Site, dates discover.Dates, out *outcome, now time.Time) {
	d := *l.Now
	if l.Next != "" && d.Kind != docArchive && !paged(d, found, dates) {
		next := doc{URL: l.Next, Kind: d.Kind, Depth: d.Depth, List: d.List, Page: d.Page}
		switch {
		case !found.Near(l.Next, d.URL):
			out.failed(now, l.source, l.Next, "the next page is on another host")
		case l.push(next):
			out.failed(now, l.source, l.Next, "more documents than are kept; the next page is passed over")
		}
	}
	l.after(d, l.Fresh == 0, found, dates)
	l.Now, l.Next, l.Token, l.Slices, l.Slice, l.Offset = nil, "", "", 0, 0, 0
}

// after has the page after a page of a template read.
func (l *lane) after(d doc, empty bool, found *site.Site, dates discover.Dates) {
	t, ok := templateOf(d, found)
	if !ok {
		return
	}
	pages, err := t.Pages(dates)
	if err != nil {
		return
	}
	d.Page, d.Tries = pages.After(d.Page, empty), 0
	l.pushPage(d, t, dates)
}

// paged reports whether a listing counts its pages itself, so that its links to the next do not matter.
func paged(d doc, found *site.Site, dates discover.Dates) bool {
	t, ok := templateOf(d, found)
	if !ok {
		return false
	}
	pages, err := t.Pages(dates)
	return err == nil && pages.Len() > 1
}

// templateOf is what a document's address was made from. The site file may have changed since.
func templateOf(d doc, found *site.Site) (t discover.Template, ok bool) {
	switch {
	case d.Kind == docArchive && d.List < len(found.Archives):
		return found.Archives[d.List], true
	case d.Kind == docListing && d.List < len(found.Listings):
		return found.Listings[d.List].URL, true
	}
	return t, false
}

// read fetches a document and finds its links.
func (s *Service) read(ctx context.Context, d doc, found *site.Site) (reading, error) {
	if d.Kind == docContainer {
		return s.list(ctx, d)
	}
	page, err := s.web.Visit(ctx, crawl.Visit{URL: d.URL})
	if err != nil {
		return reading{requests: page.Requests}, err
	}
	got := reading{bytes: int64(len(page.Body)), requests: page.Requests}
	_, counted := templateOf(d, found)
	switch {
	case page.Status == http.StatusNotFound || page.Status == http.StatusGone:
		if got.missing = counted && (d.Kind == docArchive || d.Page > 0) || d.Kind == docRobots; got.missing {
			return got, nil
		}
		return got, siteFault(fault.Invalid, "HTTP %d", page.Status)
	case page.Status >= 500:
		return got, siteFault(fault.Unavailable, "HTTP %d", page.Status)
	case page.Status != http.StatusOK:
		return got, siteFault(fault.Invalid, "HTTP %d", page.Status)
	}
	if got.Found, err = parse(d, page, found); err != nil {
		return got, &crawl.SiteError{Err: err}
	}
	return got, nil
}

func siteFault(kind fault.Kind, format string, args ...any) error {
	return &crawl.SiteError{Err: fault.New(kind, format, args...)}
}

// parse finds the links of a document by its kind.
func parse(d doc, page crawl.Visited, found *site.Site) (discover.Found, error) {
	switch d.Kind {
	case docRobots:
		var maps []discover.Link
		for _, address := range robots.Parse(page.Body).Sitemaps() {
			maps = append(maps, discover.Link{URL: address})
		}
		return discover.Found{Maps: maps}, nil
	case docArchive:
		return discover.Listing(page.Body, page.ContentType, page.FinalURL, "", "")
	case docListing:
		if d.List < len(found.Listings) {
			list := found.Listings[d.List]
			return discover.Listing(page.Body, page.ContentType, page.FinalURL, list.Links, list.Next)
		}
		return discover.Found{}, fault.New(fault.Invalid, "the site file does not have that listing any more")
	}
	return discover.Sitemap(page.Body, page.FinalURL, discover.Bounds{Alternates: found.Alternates})
}

// list reads the names of a container's blobs.
func (s *Service) list(ctx context.Context, d doc) (got reading, err error) {
	place, err := file.Parse(d.URL)
	if err != nil {
		return got, &crawl.SiteError{Err: err}
	}
	got.requests = 1
	for e, err := range s.files.List(ctx, place, "") {
		switch {
		case err != nil && ctx.Err() != nil:
			return got, err
		case err != nil:
			return got, &crawl.SiteError{Err: err}
		case len(got.Links) == maxBlobs:
			got.Truncated = fmt.Sprintf("more than %d blobs", maxBlobs)
			return got, nil
		case e.Refused != nil:
			got.Skipped++
			continue
		}
		got.Links = append(got.Links, discover.Link{URL: e.Place.String(), LastMod: e.LastModified})
	}
	return got, nil
}
