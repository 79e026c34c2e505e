package crawl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract/head"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/robots"
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

// render lets the browser show a page, while there is time left until the work on its item must end. A decided outcome
// says why it is not shown. An error means that this worker's time is over.
func (o *Options) render(ctx context.Context, p render.Page, left time.Duration) (
	out render.Rendered, failed verdict.Outcome, err error) {
	if o.Browser == nil {
		return out, verdict.FailedBy(errNoBrowser), nil
	}
	if left < o.RenderTime {
		return out, failed, politeness.ErrNotNow
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	out, err = o.Browser.Render(ctx, p)
	if err != nil && ctx.Err() != nil {
		return out, failed, fmt.Errorf("%w: %w", politeness.ErrNotNow, err)
	}
	o.Metrics.Renders.Observe(out.Elapsed.Seconds(), renderOutcome(err))
	if err == nil {
		return out, failed, nil
	}
	return out, verdict.FailedBy(err), nil
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

// pageToRender returns what a browser is asked for: an item's page, whose plain answer is known.
func pageToRender(it *registry.Item, got verdict.Answer, set api.Rendering, site *politeness.Asker,
	setting func(string) string) (p render.Page, err error) {
	plain := got.Response
	p = render.Page{URL: verdict.FetchURL(it), Plain: &plain, Gate: site.Subresources(), AtOnce: site.AtOnce,
		Selector: set.WaitFor, PostHosts: set.PostHosts, View: render.View{
			Language: set.AcceptLanguage, Dark: set.ColorScheme == "dark"}}
	p.View.Width, p.View.Height = form.Size(set.Viewport)
	if it.Credential != "" {
		p.Secret, err = credential.ForPage(setting, it.Credential, p.URL)
	}
	return p, err
}

// shownAs returns an answer whose body is the rendered page. What the page as it was sent forbids stays forbidden, also
// if its scripts remove it.
func shownAs(got verdict.Answer, out render.Rendered, agent string, now time.Time) verdict.Answer {
	got.Plain, got.Sent = got.Raw, got.Response.Body
	sent := robots.ParseDirectives(head.RobotsOf(got.Sent), agent, now)
	body := slices.Clip(out.HTML)
	if sent.NoIndex {
		body = append(body, `<meta name="robots" content="noindex">`...)
	}
	if sent.NoImageIndex {
		body = append(body, `<meta name="robots" content="noimageindex">`...)
	}
	got.Response.Body, got.Raw = body, snapshot.Hash(body)
	return got
}

// renderingOf returns what is recorded of a render.
func renderingOf(out render.Rendered, p render.Page, got verdict.Answer, why string,
	now time.Time) *registry.Rendering {
	r := &registry.Rendering{At: now, Plain: got.Raw, Why: why, PictureOnly: out.PictureOnly, Requests: out.Requests,
		Failed: out.Failed, Waiting: out.Waiting, Errors: out.Errors, Bytes: out.Bytes,
		Millis: out.Elapsed.Milliseconds(), Browser: verdict.Bounded(out.Browser)}
	if to := verdict.PublicURL(out.URL) + source.Route(out.URL); to != verdict.PublicURL(got.Response.FinalURL) {
		r.URL = to
	}
	switch {
	case !out.Waited && p.Selector != "":
		r.NotReady = "nothing matched the selector that it waited for"
	case out.Partly:
		r.NotReady = "it shows only a part of its text at a time, and is read as it begins"
	case out.Changing && out.Waiting == 0:
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
