package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

// Defaults and bounds of the settings.
const (
	defaultTimeout     = 30 * time.Second
	defaultMaxRequests = 300
	defaultMaxBytes    = 30 << 20
	defaultMaxMemory   = 1 << 30
	defaultScrolls     = 5

	maxPostBytes  = 64 << 10 // of the body of a POST
	RequestsAtOne = 6        // requests of one page that run at once
)

// Options configure a [Renderer]. Web is required; the other fields have defaults.
type Options struct {
	// Web answers the requests of pages. Its Timeout bounds each of them.
	Web *fetch.Client
	// Endpoint is the address of a browser that runs already: http, https, ws or wss. If it is empty, a Chromium is
	// started on this machine when it is needed.
	Endpoint string
	// Where names the browser in what is said of its trouble.
	Where string
	// Program is that Chromium; empty means one that is found where Chromiums are installed.
	Program string
	// OnlyAsked means that it is for pages for which a setting asks, and not for each page that lacks text.
	OnlyAsked bool
	// Folder is where it keeps its files while it runs. What others left there is removed, so no other process may use
	// it. Empty means the folder for temporary files, where nothing is removed.
	Folder string
	// NoSandbox starts it without its sandbox, as root needs it. Then only the walls around the process are left, so
	// it is for containers ([devtools.InContainer]) and tests.
	NoSandbox bool

	Timeout     time.Duration // of a page, from when the browser has answered; zero means defaultTimeout
	MaxRequests int           // of a page; zero means DefaultMaxRequests
	MaxBytes    int64         // of all answers to a page, decoded; zero means DefaultMaxBytes
	MaxMemory   int64         // of the browser's processes for a page, where that can be measured; zero: DefaultMaxMemory
	AtOnce      int           // pages that are rendered at once, each in a browser of its own; zero means 1
	// Idle is the time after which a Chromium that nobody uses is ended, five minutes if zero, or one elsewhere is left,
	// ten seconds.
	Idle time.Duration
}

// Renderer renders pages. It is safe for concurrent use.
type Renderer struct {
	o      Options
	public *fetch.Client // Web without exempt hosts
	cache  *cache
	slots  chan *slot

	mu      sync.Mutex
	trouble string
}

// New returns a Renderer. It starts and connects nothing. Errors: Invalid.
func New(o Options) (*Renderer, error) {
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.MaxRequests = cmp.Or(o.MaxRequests, defaultMaxRequests)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	o.MaxMemory = cmp.Or(o.MaxMemory, defaultMaxMemory)
	o.AtOnce = cmp.Or(o.AtOnce, 1)
	o.Idle = cmp.Or(o.Idle, idle(o))
	if o.Endpoint != "" {
		if err := devtools.CheckEndpoint(o.Endpoint); err != nil {
			return nil, err
		}
	}
	public, err := o.Web.Public()
	if err != nil {
		return nil, err
	}
	if o.Folder != "" && o.Endpoint == "" {
		if err := os.MkdirAll(o.Folder, 0o700); err != nil {
			return nil, err
		}
		devtools.Sweep(o.Folder)
	}
	r := &Renderer{o: o, public: public, cache: newCache(), slots: make(chan *slot, o.AtOnce)}
	for range o.AtOnce {
		r.slots <- &slot{o: o}
	}
	return r, nil
}

// idle returns how long a browser is kept that nobody uses. One elsewhere may cost money as long as it is connected.
func idle(o Options) time.Duration {
	if o.Endpoint != "" {
		return 10 * time.Second
	}
	return 5 * time.Minute
}

// closeTime is how long Close waits for renders that run. Their browsers end with the process.
const closeTime = 3 * time.Second

// Close ends the browsers that were started, and removes their files. The Renderer must not be used any more. Close of
// nil does nothing.
func (r *Renderer) Close() error {
	if r == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	var err error
	for range r.o.AtOnce {
		s, busy := r.acquire(ctx)
		if busy != nil {
			return errors.Join(err, busy)
		}
		err = errors.Join(err, s.drop())
	}
	return err
}

// ReadsThin reports whether the browser reads each page that lacks text without one; false for nil.
func (r *Renderer) ReadsThin() bool { return r != nil && !r.o.OnlyAsked }

// Missing returns why no browser can be started, for people; "" if one can, or one runs elsewhere.
func (r *Renderer) Missing() string {
	if r == nil {
		return "no browser is set up: start Tidemark with --browser, or set RENDER_ENDPOINT"
	}
	if r.o.Endpoint != "" {
		return ""
	}
	err := devtools.CheckProgram(r.o.NoSandbox)
	if err == nil {
		_, err = devtools.Lookup(cmp.Or(r.o.Program, "auto"))
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// Trouble returns what keeps the browser from being used, as the latest attempt found it, for people; "" if that one
// succeeded, or for nil.
func (r *Renderer) Trouble() string {
	if r == nil {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trouble
}

// noteTrouble remembers whether a browser could be used.
func (r *Renderer) noteTrouble(err error) {
	said := ""
	if lost, is := errors.AsType[*BrowserError](err); is {
		said = fmt.Sprintf("%s cannot be used: %.300s. Pages that need it wait", cmp.Or(r.o.Where, "the browser"),
			lost.Err.Error())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble = said
}

// BrowserError means that no browser could be started or reached, or that it ended or hung twice. It says nothing about
// the page. Its kind is Unavailable, or Blocked if this machine cannot start one.
type BrowserError struct{ Err error }

func (e *BrowserError) Error() string { return fmt.Sprintf("the browser: %v", e.Err) }

// Unwrap returns the cause.
func (e *BrowserError) Unwrap() error { return e.Err }

// PageError means that a browser that works could not render the page. Its kind is that of the cause: what the fetch of
// the page returned, TooLarge if a bound was met before there was anything to read, Unavailable otherwise.
type PageError struct {
	Err   error
	Bound Bound // the bound that the page met, or empty
}

func (e *PageError) Error() string { return fmt.Sprintf("rendering: %v", e.Err) }

// Unwrap returns the cause.
func (e *PageError) Unwrap() error { return e.Err }

// Ping asks a browser which one it is, and starts or connects it if need be. Errors: [*BrowserError]; that of ctx while
// all browsers are busy.
func (r *Renderer) Ping(ctx context.Context) (product string, err error) {
	s, err := r.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer r.release(s)
	b, err := s.get(ctx)
	if err == nil {
		err = b.alive(ctx)
	}
	if err != nil {
		err = browserError(err)
		r.noteTrouble(err)
		return "", errors.Join(err, s.drop())
	}
	r.noteTrouble(nil)
	return b.product, nil
}

func (r *Renderer) acquire(ctx context.Context) (*slot, error) {
	select {
	case s := <-r.slots:
		return s, nil
	case <-ctx.Done():
		return nil, fault.New(fault.Unavailable, "waiting for a browser: %w", context.Cause(ctx))
	}
}

func (r *Renderer) release(s *slot) {
	s.rest()
	r.slots <- s
}

// Render opens a page in a browser, waits until its content is there, and reads it. Nothing of a page is left for the
// next one. A browser that ends or hangs is replaced, and the page rendered once more.
//
// Errors: [*BrowserError], [*PageError], Invalid, or that of ctx.
func (r *Renderer) Render(ctx context.Context, p Page) (Rendered, error) {
	own, err := url.Parse(p.URL)
	if err != nil || own.Host == "" {
		return Rendered{}, fault.New(fault.Invalid, "the address of the page is malformed")
	}
	web := r.public
	if r.o.Web.Exempt(own.Host) {
		web = r.o.Web
	}
	if p.Plain == nil {
		res, err := web.Get(ctx, fetch.Request{URL: p.URL, Secret: p.Secret, Gate: p.Gate, Refresh: true})
		if err != nil {
			return Rendered{Plain: res}, &PageError{Err: err}
		}
		p.Plain = &res
	}
	s, err := r.acquire(ctx)
	if err != nil {
		return Rendered{}, err
	}
	defer r.release(s)
	var out Rendered
	for range 2 {
		out, err = r.try(ctx, s, web, p)
		if _, lost := errors.AsType[*BrowserError](err); !lost || ctx.Err() != nil {
			break
		}
		err = errors.Join(err, s.drop())
	}
	if out.Plain = *p.Plain; ctx.Err() == nil {
		r.noteTrouble(err)
	}
	return out, err
}

// try renders a page once.
func (r *Renderer) try(ctx context.Context, s *slot, web *fetch.Client, p Page) (Rendered, error) {
	b, err := s.get(ctx)
	if err != nil {
		return Rendered{}, browserError(err)
	}
	t, err := b.newTab(ctx, r, web, p)
	if err != nil {
		return Rendered{}, browserError(err)
	}
	out, err := t.render(ctx)
	if closing := t.close(); closing != nil {
		err = errors.Join(err, s.drop()) // nothing of the page may live on
	}
	return out, err
}

// browserError returns a failure of a browser as a [*BrowserError].
func browserError(err error) error {
	if fault.KindOf(err) == fault.Internal {
		err = fault.New(fault.Unavailable, "%w", err)
	}
	return &BrowserError{Err: err}
}

// statusText is what a browser shows beside a status.
func statusText(status int) string { return cmp.Or(http.StatusText(status), "Unknown") }
