package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

// tab is one page in a browser context of its own.
type tab struct {
	b    *browser
	r    *Renderer
	web  *fetch.Client // answers the page's requests
	page Page
	own  string // the origin of the item
	site string // the site of the item

	context string // the browser context
	wall    *wall  // nil for a browser elsewhere
	ctx     context.Context
	cancel  context.CancelCauseFunc // ends the render
	running sync.WaitGroup          // of requests and of targets that are being guarded
	started time.Time
	permits chan struct{}
	hosts   hostPermits

	mu        sync.Mutex
	sessions  map[string]*session
	main      *session // of the page; nil until it is attached
	ready     chan struct{}
	origins   map[string]string         // of frames
	documents map[string]int            // requested, by frame
	address   string                    // of the main frame
	led       struct{ to, what string } // the last document of the main frame that failed, and how
	loaded    time.Time                 // when the main frame was, or zero
	fired     bool                      // whether its load event was; without it, loaded is when it was complete
	file      string                    // led to while the main frame was being loaded, to be saved
	waiting   map[string]time.Time
	quiet     time.Time // when the last request ended
	plain     bool      // whether the plain response has been given
	stopped   bool      // whether the scripts were stopped
	closing   bool      // whether every further request is refused
	account   *account
}

// session is the connection to one target.
type session struct {
	id   string
	kind string
	to   target
}

// newTab opens an empty page in a new browser context.
func (b *browser) newTab(ctx context.Context, r *Renderer, web *fetch.Client, p Page) (*tab, error) {
	u, err := url.Parse(p.URL)
	if err != nil {
		return nil, err
	}
	t := &tab{b: b, r: r, web: web, page: p, own: originOf(u), site: siteOf(u.Hostname()),
		permits: make(chan struct{}, RequestsAtOne), sessions: map[string]*session{}, ready: make(chan struct{}),
		origins: map[string]string{}, documents: map[string]int{}, waiting: map[string]time.Time{},
		account: &account{maxRequests: r.o.MaxRequests, maxBytes: r.o.MaxBytes, keeps: p.Keep}}
	t.hosts.limit = p.AtOnce
	t.account.out = Rendered{ByHost: map[string]int{}, Browser: b.product}
	t.ctx, t.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	opening, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := t.open(opening); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// open makes the context and its page. The page must be known before the target exists, so that its guard is there
// before it runs.
func (t *tab) open(ctx context.Context) (err error) {
	proxy := devtools.Nowhere
	if t.b.process != nil {
		if t.wall, err = newWall(); err != nil {
			return err
		}
		proxy = t.wall.address()
	}
	var made struct {
		ID string `json:"browserContextId"`
	}
	if err := t.b.dev.Call(ctx, "", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true,
		"proxyServer": "http://" + proxy, "proxyBypassList": "<-loopback>"}, &made); err != nil {
		return err
	}
	t.context = made.ID
	t.b.mu.Lock()
	t.b.tabs[t.context] = t
	t.b.mu.Unlock()
	if err := t.b.dev.Call(ctx, "", "Browser.setDownloadBehavior", map[string]any{"behavior": "deny",
		"browserContextId": t.context}, nil); err != nil {
		return err
	}
	// Without permissions, a page is refused what it would wait for a person to allow.
	if err := t.b.dev.Call(ctx, "", "Browser.grantPermissions", map[string]any{"permissions": []string{},
		"browserContextId": t.context}, nil); err != nil {
		return err
	}
	v := t.view()
	if err := t.b.dev.Call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank",
		"browserContextId": t.context, "width": v.Width, "height": v.Height}, nil); err != nil {
		return err
	}
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the page was not attached: %w", context.Cause(ctx))
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	case <-t.b.dev.Done():
		return t.b.dev.Err()
	}
}

// close ends the page and everything that it started. Requests that it still makes are refused.
func (t *tab) close() error {
	t.mu.Lock()
	t.closing = true
	t.mu.Unlock()
	t.cancel(errClosed)
	var err error
	if t.context != "" && t.b.dev.IsOpen() {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		err = t.b.dev.Call(ctx, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": t.context}, nil)
	}
	t.running.Wait()
	t.b.mu.Lock()
	delete(t.b.tabs, t.context)
	for id, of := range t.b.of {
		if of == t {
			delete(t.b.of, id)
		}
	}
	t.b.mu.Unlock()
	if t.wall != nil {
		t.wall.close()
	}
	return err
}

var errClosed = errors.New("the page is closed")

// render goes to the page and reads it.
func (t *tab) render(ctx context.Context) (Rendered, error) {
	t.started = time.Now()
	stop := context.AfterFunc(ctx, func() { t.cancel(context.Cause(ctx)) })
	defer stop()
	watch, cancel := context.WithCancel(t.ctx)
	defer cancel()
	go t.watchMemory(watch)
	err := (&visit{t}).run()
	if err == nil {
		err = t.read()
	}
	if err == nil {
		err = lost(t)
	}
	return t.result(), t.failure(ctx, err)
}

// lost returns why the document that is shown is not the page: the page's scripts led to one that was refused, or that
// answered with an error. What Chromium shows then is a page of its own.
func lost(t *tab) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, _, _ := strings.Cut(t.address, "#")
	to, _, _ := strings.Cut(t.led.to, "#")
	switch own := strings.HasPrefix(t.address, "chrome-error:"); {
	case t.file != "":
		return pageError("", fault.New(fault.Unavailable, "its scripts led to %.300s, which is a file to be saved", t.file))
	case own && to == "":
		return pageError("", fault.New(fault.Unavailable, "its scripts led to an address that cannot be shown"))
	case own, to != "" && at == to:
		return pageError("", fault.New(fault.Unavailable, "its scripts led to %.300s, which %s", to, t.led.what))
	}
	return nil
}

// failure gives an error its type.
func (t *tab) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(t.ctx); cause != nil && !errors.Is(cause, errClosed) {
		err = cause
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if page, ok := errors.AsType[*PageError](err); ok {
		return page
	}
	if _, ok := errors.AsType[*devtools.LostError](err); ok {
		return browserError(err)
	}
	asking, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if down := t.b.alive(asking); down != nil {
		return browserError(fmt.Errorf("%w; then %w", err, down))
	}
	return pageError("", err)
}

// result returns what is known of the page.
func (t *tab) result() Rendered {
	out := t.account.result()
	if t.wall != nil {
		out.Stopped = t.wall.count()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	out.URL, out.Elapsed = t.address, time.Since(t.started)
	return out
}

// refuse counts what the page did not get. If it is more than most, the scripts are stopped.
func (t *tab) refuse(reason Reason, address string, most int, bound Bound) {
	if n, _ := t.account.refuse(reason, address); n > most {
		t.stopScripts(bound)
	}
}

// stopScripts ends all scripts of the page because of a bound. What there is can still be read.
func (t *tab) stopScripts(bound Bound) {
	t.account.meet(bound)
	t.mu.Lock()
	first := !t.stopped
	t.stopped = true
	sessions := t.pages()
	t.mu.Unlock()
	if !first {
		return
	}
	for _, s := range sessions {
		t.b.dev.Send(s.id, "Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
		t.b.dev.Send(s.id, "Runtime.terminateExecution", nil)
	}
}

// pages returns the sessions of the page and of its frames. The mutex must be held.
func (t *tab) pages() (out []*session) {
	for _, s := range t.sessions {
		if s.kind == "page" || s.kind == "iframe" {
			out = append(out, s)
		}
	}
	return out
}

// view returns the view with its defaults.
func (t *tab) view() View {
	v := t.page.View
	if v.Width <= 0 || v.Height <= 0 {
		v.Width, v.Height = 1280, 1024
	}
	v.Language = cmp.Or(v.Language, "en")
	return v
}

// agent is the User-Agent that scripts see. Requests are sent with that of the fetcher alone.
func (t *tab) agent() string {
	return strings.Replace(t.b.agent, "HeadlessChrome", "Chrome", 1) + " " + t.web.UserAgent()
}

// watchMemory stops the scripts of a page whose processes need more memory than the bound, and ends the largest one if
// they go on. It knows the processes of a Chromium that was started here only; others have to be bounded where they
// run.
func (t *tab) watchMemory(ctx context.Context) {
	if t.b.process == nil {
		return
	}
	most := t.r.o.MaxMemory
	for defaults.Pause(ctx, 100*time.Millisecond) == nil {
		total, _ := t.b.process.Memory()
		if total > most {
			t.stopScripts(BoundMemory)
		}
		if total > most+most/4 {
			t.b.process.KillLargest()
		}
	}
}

// wall is the proxy of one page, which refuses everything. What comes here was missed by the interception of requests.
type wall struct {
	listener net.Listener
	came     atomic.Int64
	done     chan struct{}
}

func newWall() (*wall, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wall{listener: l, done: make(chan struct{})}
	go w.refuse()
	return w, nil
}

func (w *wall) refuse() {
	defer close(w.done)
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.came.Add(1)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // leaves no connection behind
		}
		_ = conn.Close()
	}
}

func (w *wall) address() string { return w.listener.Addr().String() }

func (w *wall) count() int { return int(w.came.Load()) }

func (w *wall) close() {
	_ = w.listener.Close()
	<-w.done
}
