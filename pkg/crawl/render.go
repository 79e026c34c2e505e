package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Browser renders pages, as [render.Renderer] does.
type Browser interface {
	Render(ctx context.Context, p render.Page) (render.Rendered, error)
}

// renderTime is what must be left of a lock for a page to be rendered: the item is given back otherwise.
const renderTime = render.DefaultTimeout + 15*time.Second

// renderMode returns how the item is to be read. Without a setting, thin pages are rendered where there is a browser.
func (c *check) renderMode() string {
	if c.basis.Options.Render == "" && c.o.Browser != nil {
		return options.RenderThin
	}
	return cmp.Or(c.basis.Options.Render, options.RenderNever)
}

// render reads a page in a browser. The returned answer has the rendered document as its body. A decided outcome says
// why there is none; it never leaves the plain answer in its place. An error means that this worker's time is over.
func (c *check) render(ctx context.Context, got verdict.Answer) (
	verdict.Answer, registry.Rendering, verdict.Outcome, error) {
	var seen registry.Rendering
	if c.o.Browser == nil {
		return got, seen, verdict.Failed("the page is to be read in a browser, and there is none: set RENDER_ENDPOINT"), nil
	}
	if c.lease.Deadline().Sub(c.now()) < renderTime {
		return got, seen, verdict.Outcome{}, politeness.ErrNotNow
	}
	p, err := c.pageToRender(got)
	if err != nil {
		return got, seen, verdict.FailedBy(err), nil
	}
	out, err := c.o.Browser.Render(ctx, p)
	seen = renderingOf(out, got.Raw, c.now())
	if lost, is := errors.AsType[*render.BrowserError](err); is && ctx.Err() == nil {
		return got, seen, verdict.FailedBy(lost), nil
	}
	if failed, is := errors.AsType[*render.PageError](err); is && ctx.Err() == nil {
		return got, seen, verdict.FailedBy(failed), nil
	}
	if err != nil {
		return got, seen, verdict.Outcome{}, fmt.Errorf("%w: %w", politeness.ErrNotNow, err)
	}
	got.Response.Header = renderedHeader(got.Response.Header)
	got.Response.Body, got.Raw = out.HTML, snapshot.Hash(out.HTML)
	return got, seen, verdict.Outcome{}, nil
}

func (c *check) pageToRender(got verdict.Answer) (p render.Page, err error) {
	plain := got.Response
	p = render.Page{URL: verdict.FetchURL(&c.item), Plain: &plain, Gate: c.site.Subresources()}
	if c.item.Credential != "" {
		p.Secret, err = credential.ForPage(c.o.Setting, c.item.Credential, p.URL)
	}
	return p, err
}

// renderedHeader returns the header of a rendered document, which is HTML in UTF-8.
func renderedHeader(h http.Header) http.Header {
	h = maps.Clone(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	return h
}

// renderingOf returns what is recorded of a render.
func renderingOf(out render.Rendered, plain string, now time.Time) registry.Rendering {
	r := registry.Rendering{Plain: plain, At: now, PictureOnly: out.PictureOnly, Requests: out.Requests,
		Failed: out.Failed, Bytes: out.Bytes, Millis: out.Elapsed.Milliseconds()}
	for _, b := range out.Met {
		r.Met = append(r.Met, string(b))
	}
	for _, f := range out.Refused {
		r.Refused = append(r.Refused, registry.RefusedRequests{Reason: string(f.Reason), Count: f.Count,
			Host: verdict.Bounded(f.Host)})
	}
	return r
}
