package crawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Browser renders pages, as [render.Renderer] does.
type Browser interface {
	Render(ctx context.Context, p render.Page) (render.Rendered, error)
}

// errNoBrowser is why a page that is to be read in a browser fails where there is none.
var errNoBrowser = fault.New(fault.Unavailable, "the page is to be read in a browser, and none is set up: set "+
	"RENDER_ENDPOINT, start with --browser, or set the page's rendering to never")

// readPage reads the answer itself or, if that is what the page needs, what a browser shows of it. In the second case
// the returned answer has the rendered page as its body.
func (c *check) readPage(ctx context.Context, got verdict.Answer) (
	_ verdict.Answer, r verdict.Reading, o verdict.Outcome, err error) {
	how := c.basis.ReaderOf(&c.item, got)
	if how != verdict.ReadRendered {
		r, err = c.read(ctx, got)
		if err != nil || how == verdict.ReadPlain || !c.basis.RendersThin(&c.item, r, c.now()) {
			c.basis.Baseline = c.basis.IsBaseline(&c.item, false)
			c.countSpared(how, r)
			return got, r, o, err
		}
	}
	plain := r
	c.room.end() // memory held while this check waits for a browser could block other checks
	shown, o, err := c.render(ctx, got, plain.Doc.Thin)
	if err != nil || o.Decided() {
		return got, r, o, err
	}
	if r, err = c.read(ctx, shown); err != nil {
		return got, r, o, err
	}
	if how == verdict.ReadIfThin && verdict.SameAsPlain(plain, r, *c.basis.Shown) {
		c.basis.Needless = plain.Hash
		return got, plain, o, nil
	}
	c.basis.Baseline = c.basis.IsBaseline(&c.item, true)
	return shown, r, o, nil
}

// render lets a browser show a page. A decided outcome says why there is no rendered page. An error means that this
// worker's time is over.
func (c *check) render(ctx context.Context, got verdict.Answer, thin string) (
	verdict.Answer, verdict.Outcome, error) {
	if c.o.Browser == nil {
		return got, verdict.FailedBy(errNoBrowser), nil
	}
	if c.lease.Deadline().Sub(c.now()) < c.o.RenderTime {
		return got, verdict.Outcome{}, politeness.ErrNotNow
	}
	p, err := c.pageToRender(got)
	if err != nil {
		return got, verdict.FailedBy(err), nil
	}
	rendering, cancel := context.WithDeadline(ctx, time.Now().Add(c.lease.Deadline().Sub(c.now())))
	defer cancel()
	out, err := c.o.Browser.Render(rendering, p)
	c.site.Rendered(out.ByHost, out.Bytes)
	c.o.Metrics.Renders.Observe(out.Elapsed.Seconds(), renderOutcome(err))
	switch {
	case err == nil:
	case rendering.Err() != nil:
		return got, verdict.Outcome{}, fmt.Errorf("%w: %w", politeness.ErrNotNow, err)
	default:
		return got, verdict.FailedBy(err), nil
	}
	seen := renderingOf(out, got.Response.FinalURL, c.now())
	seen.Plain, seen.Why = got.Raw, c.basis.WhyRendered(&c.item, thin)
	c.basis.Shown = &seen
	got.Plain, got.Sent = got.Raw, got.Response.Body
	got.Response.Body, got.Raw = out.HTML, snapshot.Hash(out.HTML)
	return got, verdict.Outcome{}, nil
}

// pageToRender returns what the browser is asked for.
func (c *check) pageToRender(got verdict.Answer) (p render.Page, err error) {
	plain := got.Response
	set := c.basis.Options.Rendering
	p = render.Page{URL: verdict.FetchURL(&c.item), Plain: &plain, Gate: c.site.Subresources(), AtOnce: c.site.AtOnce,
		Selector: set.WaitFor, PostHosts: set.PostHosts, View: render.View{Language: set.AcceptLanguage, Dark: set.Dark()}}
	p.View.Width, p.View.Height = set.Size()
	if c.item.Credential != "" {
		p.Secret, err = credential.ForPage(c.o.Setting, c.item.Credential, p.URL)
	}
	return p, err
}

// renderingOf returns what is recorded of a render.
func renderingOf(out render.Rendered, answered string, now time.Time) registry.Rendering {
	r := registry.Rendering{At: now, PictureOnly: out.PictureOnly, Requests: out.Requests, Failed: out.Failed,
		Bytes: out.Bytes, Millis: out.Elapsed.Milliseconds(), Browser: verdict.Bounded(out.Browser)}
	if out.URL != answered {
		r.URL = verdict.ShownURL(out.URL)
	}
	switch {
	case !out.Waited:
		r.NotReady = "nothing matched the selector that it waited for"
	case out.Changing:
		r.NotReady = "its content still changed when it was read"
	}
	for _, b := range out.Met {
		r.Met = append(r.Met, string(b))
	}
	for _, f := range out.Refused {
		r.Refused = append(r.Refused, registry.RefusedRequests{Reason: string(f.Reason), Count: f.Count,
			Host: verdict.Bounded(f.Host)})
	}
	return r
}

// renderOutcome returns the name of the outcome of a render that the metrics record.
func renderOutcome(err error) string {
	if _, lost := errors.AsType[*render.BrowserError](err); lost {
		return "browser"
	}
	if err != nil {
		return "page"
	}
	return "ok"
}

// countSpared counts a plain reading of a page that a browser may read.
func (c *check) countSpared(how verdict.Reader, plain verdict.Reading) {
	switch {
	case how == verdict.ReadPlain || plain.Unreadable != nil:
	case plain.Doc.Thin == "":
		c.o.Metrics.Spared.Add(1, "readable")
	default:
		c.o.Metrics.Spared.Add(1, "needless")
	}
}
