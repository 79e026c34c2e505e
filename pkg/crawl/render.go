package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	opsmemory "github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/content/extract/head"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Browser renders pages, as [render.Renderer] does.
type Browser interface {
	Render(ctx context.Context, p render.Page) (render.Rendered, error)
	ReadsThin() bool // whether it also reads pages for which no setting asks, because they lack text
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

// Asked returns the names of the fields that rules have conditions on, of the rules that are about the page of a
// change. Same reports whether one of these conditions must know of a check that saw the same value as the one before.
// A call may read from the store, so it is made only when a field has changed that readers are not told of. An error
// means that nothing is known; the check is made again.
type Asked func(ctx context.Context, c feed.Change) (fields []string, same bool, err error)

// Options adjust a worker. Schedule and Agent are required; the other fields have defaults.
type Options struct {
	Schedule  schedule.Config
	Agent     string // product token by which robots meta tags address the crawler
	Rules     source.Rules
	Documents *document.Reader         // when nil, a reader with the defaults
	Files     *file.Client             // when nil, files cannot be read
	FileRoot  string                   // the folder of local files, as Files has it
	Room      *opsmemory.Room          // when nil, a room of [opsmemory.DefaultMost]
	Setting   func(name string) string // returns the value of the setting that holds a credential; may be nil
	// Browser renders pages. When nil, none is rendered. RenderTime is the time that a page may take there: with less
	// time left to its lock, an item is given back.
	Browser    Browser
	RenderTime time.Duration
	// Excluded returns why an entry of a list is not registered, or ""; it may be nil.
	Excluded func(source.Source) (why string)
	KeepGone bool // the documents of Gone items stay in the index
	// ReindexOnCanonical makes a check index a page again when only its rel=canonical has changed
	// (FORCE_REINDEX_ON_CANONICAL_CHANGE). A capture records the change either way.
	ReindexOnCanonical bool
	Soft404            bool // workers learn how hosts answer for pages that do not exist
	RunID              string
	Version            lineage.Version // version of the rules for reading texts; [lineage.Current] when empty
	Retention          snapshot.Retention
	Clock              func() time.Time
	Jitter             func() float64
	CommitTime         time.Duration // after this time, the next check that finishes commits; 10 s when zero
	// Behind is the number of checks that may be in progress for each request in flight; 4 when zero. A check waits
	// for storage several times, and meanwhile other checks should use the host.
	Behind int
	// Fetched is called after the commit of items that were fetched for the first time or by force; it may be nil. It
	// returns soon.
	Fetched func(ctx context.Context, items []registry.Item)
	Awaited discover.Awaited // passes pages to the walks that wait for them
	// Asked says what rules ask of the fields of the page of a change. It is nil if there are no rules.
	Asked   Asked
	Started time.Time // when the process started; the time of [New] when zero
	Metrics *telemetry.Metrics
	Log     *slog.Logger
}

func (o Options) withDefaults() Options {
	defaults.Clock(&o.Clock)
	defaults.Jitter(&o.Jitter)
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	if o.Documents == nil {
		o.Documents = document.New(document.Options{})
	}
	if o.Room == nil {
		o.Room = opsmemory.NewRoom(opsmemory.DefaultMost, fetch.DefaultMaxBytes)
	}
	if o.Fetched == nil {
		o.Fetched = func(context.Context, []registry.Item) {}
	}
	if o.Excluded == nil {
		o.Excluded = func(source.Source) string { return "" }
	}
	if o.Setting == nil {
		o.Setting = func(string) string { return "" }
	}
	o.Version = cmp.Or(o.Version, lineage.Current)
	o.Behind = cmp.Or(o.Behind, 4)
	if o.Started.IsZero() {
		o.Started = o.Clock()
	}
	o.CommitTime = cmp.Or(o.CommitTime, 10*time.Second)
	defaults.Log(&o.Log)
	return o
}
