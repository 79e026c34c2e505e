package walk

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/registry"
)

// cutBody stands for the body of a page whose links were not all examined. No body has this digest.
const cutBody = "cut"

// bodyOf returns a short digest of the body that the site served last for an item; "" if none is stored.
func bodyOf(it *registry.Item) string {
	hash := it.RawHash
	if it.Validators.Body != "" {
		hash = it.Validators.Body
	}
	if len(hash) < 19 {
		return ""
	}
	return hash[7:19] // behind "sha256:"
}

// pageOf returns the page that the crawl has read, or else reads the stored body of an item; nil if it is no web page,
// or cannot be read, which it reports.
func (s Step) pageOf(ctx context.Context, it *registry.Item) (*discover.Page, error) {
	hash := it.RawHash
	if it.Validators.Body != "" {
		hash = it.Validators.Body
	}
	if page, directives := s.Awaited.Page(it.ID, hash, verdict.BaseURL(it)); page != nil {
		return s.directed(page, directives), nil
	}
	formers, err := s.Moves.Formers(ctx, it)
	if err != nil {
		return nil, err
	}
	capture, body, err := s.Snapshots.LoadOf(ctx, append([]source.ID{it.ID}, formers...), hash)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		s.Report.Unread(verdict.BaseURL(it), "its links are not followed: the page is not stored")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.readBody(body, capture.ContentType(), verdict.BaseURL(it), capture.Header["X-Robots-Tag"]), nil
}

// readBody reads a body; nil if it is no web page, or one that cannot be parsed, which it reports.
func (s Step) readBody(body []byte, contentType, base string, directives []string) *discover.Page {
	page, err := discover.ReadPage(body, contentType, base)
	switch {
	case err != nil && discover.IsPage(contentType):
		s.Report.Unread(base, "its links are not followed: "+err.Error())
		return nil
	case err != nil:
		return nil
	}
	return s.directed(&page, directives)
}

// directed applies the directives of the headers of a page.
func (s Step) directed(page *discover.Page, directives []string) *discover.Page {
	page.NoFollow = page.NoFollow || robots.ParseDirectives(directives, s.Agent, time.Time{}).NoFollow
	return page
}
