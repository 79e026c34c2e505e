package runtest

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// Reply is a complete answer to a request: a resource and an error.
type Reply struct {
	politeness.Resource
	Err error
}

// Web answers requests from Pages. The type of a page decides the answer: a string is a body with a validator, an int
// is a status, an error is the error of the request, and a [Reply] is a complete answer.
type Web struct {
	mu    sync.Mutex
	Pages map[string]any
	Asked []string // "GET address", or "304 address" if the page had not changed
}

// NewWeb returns a web without pages.
func NewWeb() *Web { return &Web{Pages: map[string]any{}} }

// FetchResource returns the answer to a request for a page.
func (w *Web) FetchResource(_ context.Context, v politeness.ResourceRequest) (politeness.Resource, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := politeness.Resource{Status: http.StatusNotFound, FinalURL: v.URL, Requests: 1}
	switch page := w.Pages[v.URL].(type) {
	case string:
		out.Status, out.Body, out.ContentType, out.ETag = http.StatusOK, []byte(page), "text/html",
			fmt.Sprintf(`"%x"`, []byte(page))
		if strings.Contains(page, "<urlset") {
			out.ContentType = "application/xml"
		}
		if v.ETag == out.ETag {
			w.Asked = append(w.Asked, "304 "+v.URL)
			return politeness.Resource{Status: http.StatusNotModified, NotModified: true, ETag: out.ETag, FinalURL: v.URL,
				Requests: 1}, nil
		}
	case int:
		out.Status = page
	case error:
		w.Asked = append(w.Asked, "GET "+v.URL)
		return politeness.Resource{Requests: 1}, page
	case Reply:
		w.Asked = append(w.Asked, "GET "+v.URL)
		return page.Resource, page.Err
	}
	w.Asked = append(w.Asked, "GET "+v.URL)
	return out, nil
}

// Requests returns the requests that were made since the last call of Requests.
func (w *Web) Requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.Asked
	w.Asked = nil
	return asked
}

// List yields the blobs of a container. The page of the web at the container's address lists them, one per line.
func (w *Web) List(_ context.Context, folder file.Location, _ string) iter.Seq2[file.Entry, error] {
	return func(yield func(file.Entry, error) bool) {
		text, ok := w.Pages[folder.String()].(string)
		if !ok {
			yield(file.Entry{}, fault.New(fault.NotFound, "the container is not there"))
			return
		}
		for name := range strings.FieldsSeq(text) {
			place, err := file.Parse(folder.String() + "/" + name)
			if !yield(file.Entry{Location: place, Refused: err}, nil) {
				return
			}
		}
	}
}

// URLSet returns a sitemap of addresses. If a space and a date follow an address, the date is its lastmod.
func URLSet(urls ...string) string {
	var b strings.Builder
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, u := range urls {
		loc, mod, dated := strings.Cut(u, " ")
		fmt.Fprintf(&b, "<url><loc>%s</loc>", loc)
		if dated {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", mod)
		}
		b.WriteString("</url>")
	}
	return b.String() + "</urlset>"
}

// MapIndex returns an index of sitemaps.
func MapIndex(urls ...string) string {
	return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` +
		strings.Join(urls, "</loc></sitemap><sitemap><loc>") + `</loc></sitemap></sitemapindex>`
}

// Pages returns n addresses that begin with base.
func Pages(base string, n int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("%s%d", base, i))
	}
	return urls
}
