package funchost

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

const (
	// activityTimeout ends a proxied request when no byte has been sent or received for this long.
	activityTimeout = 240 * time.Second
	dialAttempts    = 10
	dialPause       = 50 * time.Millisecond
	maxDialPause    = 250 * time.Millisecond
)

var errSilence = fault.New(fault.Unavailable, "nothing moved for %v", activityTimeout)

// newProxyTransport returns a transport that redials when the handler refuses a connection, as it may during a
// restart.
func newProxyTransport() *http.Transport {
	return &http.Transport{
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
		DialContext:         dialPatiently,
	}
}

func dialPatiently(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	for attempt := 1; ; attempt++ {
		conn, err := d.DialContext(ctx, network, addr)
		if err == nil || attempt == dialAttempts || !errors.Is(err, syscall.ECONNREFUSED) {
			return conn, err
		}
		if err := defaults.Pause(ctx, min(time.Duration(attempt)*dialPause, maxDialPause)); err != nil {
			return nil, err
		}
	}
}

// A proxy passes HTTP requests through to the handler.
type proxy struct {
	*invoker
	transport *http.Transport
}

// serve streams a request to the handler, and the handler's response back, whatever its status. The path and the raw
// query stay unchanged. The Host header names the handler, and the original host is in X-Forwarded-*. Any failure
// between host and handler gives an empty 500.
func (p *proxy) serve(w http.ResponseWriter, r *http.Request, f *function) {
	id := uuid.NewString()
	begin := time.Now()
	c, err := p.handler.await(r.Context())
	if err != nil {
		p.report(f, id, begin, err)
		refuse(w, http.StatusServiceUnavailable, "Function host is not running.")
		return
	}
	ctx, cancel := p.limit(r.Context())
	defer cancel()
	ctx, moved := watchActivity(ctx)
	defer moved.stop()
	var failure error
	reverse := &httputil.ReverseProxy{
		Transport:      sendFirst{p.transport},
		FlushInterval:  -1,
		Rewrite:        func(pr *httputil.ProxyRequest) { rewrite(pr, c, id) },
		ModifyResponse: func(resp *http.Response) error { resp.Body = moved.body(resp.Body); return nil },
		ErrorLog:       nil,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			// A client that hung up is not a failure of the function.
			if r.Context().Err() == nil {
				failure = err
			}
			refuseProxied(w, err)
		},
	}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = moved.body(r.Body)
	}
	defer func() {
		switch cause := context.Cause(ctx); cause {
		case errTimeout:
			p.handler.restart(c, "function "+f.name+" "+errTimeout.Error())
			failure = cause
		case errSilence:
			failure = cause
		}
		p.report(f, id, begin, failure)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			p.wake()
		}
	}()
	reverse.ServeHTTP(w, r.WithContext(ctx))
}

func rewrite(pr *httputil.ProxyRequest, c *child, id string) {
	target, _ := url.Parse(c.url())
	pr.Out.URL.Scheme, pr.Out.URL.Host = target.Scheme, target.Host
	pr.Out.URL.RawQuery = pr.In.URL.RawQuery
	pr.Out.Host = target.Host
	// The address of the peer replaces X-Forwarded-For, as in the real host.
	pr.SetXForwarded()
	pr.Out.Header.Set(forwardedProto, pr.In.Header.Get(forwardedProto)) // as the outermost proxy set it
	pr.Out.Header.Set(api.HostSecretHeader, c.secret)
	pr.Out.Header.Set(headerVersion, hostVersion)
	pr.Out.Header.Set(headerInvocation, id)
	pr.Out.Header.Set("X-Ms-Invocation-Id", id)
}

// refuseProxied answers a request that failed. It reports an error to the caller if the caller has caused it; other
// errors are only logged.
func refuseProxied(w http.ResponseWriter, err error) {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge || errors.Is(err, errSlowBody) {
		refuseBody(w, err)
		return
	}
	w.WriteHeader(http.StatusInternalServerError)
}

var errNotTaken = fault.New(fault.Unavailable,
	"the body was not taken: the handler answered without reading it to its end; read on and throw away")

// sendFirst sends the whole body of a request before it reads the answer. The real host does the same, and fails if
// the handler closes the connection earlier. [http.Transport] would return the handler's early answer.
type sendFirst struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t sendFirst) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return t.RoundTripper.RoundTrip(r)
	}
	body := &sending{ReadCloser: r.Body, over: make(chan struct{})}
	r = r.Clone(r.Context())
	r.Body = body
	resp, err := t.RoundTripper.RoundTrip(r)
	if cause := body.failed(); err != nil && cause != nil && cause != io.EOF {
		return nil, cause
	}
	if err != nil {
		return nil, err
	}
	select {
	case <-body.over:
	case <-r.Context().Done():
	}
	if err := body.failed(); err != io.EOF {
		resp.Body.Close()
		return nil, cmp.Or(err, errNotTaken)
	}
	return resp, nil
}

// sending is a request's body while it is sent to the handler.
type sending struct {
	io.ReadCloser
	over chan struct{} // closed when the body has been read to its end, or reading has stopped

	mu    sync.Mutex
	ended bool
	err   error // io.EOF when the whole body was read
}

func (s *sending) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil {
		s.end(err)
	}
	return n, err
}

func (s *sending) Close() error {
	s.end(nil)
	return s.ReadCloser.Close()
}

func (s *sending) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended, s.err = true, err
		close(s.over)
	}
}

// failed returns the error that ended the reading of the body; nil when the body was not the cause.
func (s *sending) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// activity cancels a context when no byte was sent or received for activityTimeout.
type activity struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

func watchActivity(ctx context.Context) (context.Context, *activity) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &activity{timer: time.AfterFunc(activityTimeout, func() { cancel(errSilence) }), cancel: cancel}
}

func (a *activity) stop() {
	a.timer.Stop()
	a.cancel(nil)
}

func (a *activity) body(rc io.ReadCloser) io.ReadCloser { return movingBody{rc, a} }

// movingBody counts each read as activity.
type movingBody struct {
	io.ReadCloser
	*activity
}

func (b movingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.timer.Reset(activityTimeout)
	return n, err
}
