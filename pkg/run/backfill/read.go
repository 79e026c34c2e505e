package backfill

import (
	"context"
	"fmt"
	"iter"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// maxBlobs limits the number of blobs that are listed of a container.
const maxBlobs = 50_000

// Lister lists the blobs of a container, see [file.Client.List].
type Lister interface {
	List(ctx context.Context, folder file.Location, credential string) iter.Seq2[file.Entry, error]
}

// reading is the result of reading a document.
type reading struct {
	discover.Found
	bytes    int64
	requests int
	missing  bool // the document does not exist, as is usual for a date or a page without entries
}

// templateOf returns the template from which a document's address was made. It returns false if the site file has
// changed and no longer contains that template.
func templateOf(d doc, found *site.Site) (t discover.Template, ok bool) {
	switch {
	case d.Kind == docArchive && d.List < len(found.Archives):
		return found.Archives[d.List], true
	case d.Kind == docListing && d.List < len(found.Listings):
		return found.Listings[d.List].URL, true
	}
	return t, false
}

// reader requests documents from sites.
type reader struct {
	web   politeness.ResourceFetcher
	files Lister
}

// read fetches a document and finds its links.
func (r *reader) read(ctx context.Context, d doc, found *site.Site) (reading, error) {
	if d.Kind == docContainer {
		return r.list(ctx, d)
	}
	page, err := r.web.FetchResource(ctx, politeness.ResourceRequest{URL: d.URL})
	if err != nil {
		return reading{requests: page.Requests}, err
	}
	got := reading{bytes: int64(len(page.Body)), requests: page.Requests}
	_, counted := templateOf(d, found)
	if page.Missing() {
		got.missing = counted && (d.Kind == docArchive || d.Page > 0) || d.Kind == docRobots
	}
	if got.missing {
		return got, nil
	}
	if err = page.Refused(); err == nil {
		got.Found, err = parse(d, page, found)
	}
	if err != nil {
		return got, &politeness.SiteError{Err: err}
	}
	return got, nil
}

// parse finds the links of a document, as the kind of the document requires.
func parse(d doc, page politeness.Resource, found *site.Site) (discover.Found, error) {
	switch d.Kind {
	case docRobots:
		return discover.Robots(page.Body, page.FinalURL), nil
	case docArchive:
		return discover.Listing(page.Body, page.ContentType, page.FinalURL, "", "")
	case docListing:
		if d.List < len(found.Listings) {
			list := found.Listings[d.List]
			return discover.Listing(page.Body, page.ContentType, page.FinalURL, list.Links, list.Next)
		}
		return discover.Found{}, fault.New(fault.Invalid, "the site file does not have that listing any more")
	}
	return discover.Sitemap(page.Body, page.FinalURL, discover.Bounds{Alternates: found.Alternates,
		Charset: page.Charset()})
}

// list reads the names of a container's blobs.
func (r *reader) list(ctx context.Context, d doc) (got reading, err error) {
	place, err := file.Parse(d.URL)
	if err != nil {
		return got, &politeness.SiteError{Err: err}
	}
	got.requests = 1
	for e, err := range r.files.List(ctx, place, "") {
		switch {
		case err != nil && ctx.Err() != nil:
			return got, err
		case err != nil:
			return got, &politeness.SiteError{Err: err}
		case len(got.Links) == maxBlobs:
			got.Truncated = fmt.Sprintf("more than %d blobs", maxBlobs)
			return got, nil
		case e.Refused != nil:
			got.Skipped++
			continue
		}
		got.Links = append(got.Links, discover.Link{URL: e.Location.String(), LastMod: e.LastModified})
	}
	return got, nil
}
