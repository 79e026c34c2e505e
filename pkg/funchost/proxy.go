package funchost

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/tidemark/tidemark/pkg/fault"
)

const (
	// activityTimeout ends a proxied request on which nothing has moved for so long.
	activityTimeout = 240 * time.Second
	dialAttempts    = 10
	dialPause       = 50 * time.Millisecond
	maxDialPause    = 250 * time.Millisecond
)

var errSilence = fault.New(fault.Unavailable, "nothing moved for %v", activityTimeout)

// newProxyTransport dials again when the handler refuses, as it may while it restarts.
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
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(time.Duration(attempt)*dialPause, maxDialPause)):
		}
	}
}

// proxy streams a request to the handler and its response back, whatever the status: path and raw
// query unchanged, Host that of the handler, the original in X-Forwarded-*.
func (h *Host) proxy(w http.ResponseWriter, r *http.Request, f *function) {
	id := uuid.NewString()
	begin := h.opt.Now()
	c, err := h.handler.await(r.Context())
	if err != nil {
		h.report(f, id, begin, err)
		http.Error(w, "Function host is not running.", http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := h.limit(r.Context())
	defer cancel()
	ctx, moved := watchActivity(ctx)
	defer moved.stop()
	var failure error
	p := &httputil.ReverseProxy{
		Transport:      h.transport,
		FlushInterval:  -1,
		Rewrite:        func(pr *httputil.ProxyRequest) { rewrite(pr, c, id) },
		ModifyResponse: func(resp *http.Response) error { resp.Body = moved.body(resp.Body); return nil },
		ErrorLog:       nil,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			// A client that hung up is no failure of the function.
			if r.Context().Err() == nil {
				failure = err
			}
			w.WriteHeader(proxyStatus(err))
		},
	}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = moved.body(r.Body)
	}
	defer func() {
		switch cause := context.Cause(ctx); cause {
		case errTimeout:
			h.handler.restart(c, "function "+f.name+" "+errTimeout.Error())
			failure = cause
		case errSilence:
			failure = cause
		}
		h.report(f, id, begin, failure)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.wake()
		}
	}()
	p.ServeHTTP(w, r.WithContext(ctx))
}

func rewrite(pr *httputil.ProxyRequest, c *child, id string) {
	target, _ := url.Parse(c.url())
	pr.Out.URL.Scheme, pr.Out.URL.Host = target.Scheme, target.Host
	pr.Out.URL.RawQuery = pr.In.URL.RawQuery
	pr.Out.Host = target.Host
	pr.SetXForwarded()
	pr.Out.Header.Set(headerVersion, hostVersion)
	pr.Out.Header.Set(headerInvocation, id)
	pr.Out.Header.Set("X-Ms-Invocation-Id", id)
}

func proxyStatus(err error) int {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadGateway
}

// activity cancels a context when nothing has moved for activityTimeout.
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

// movingBody notes each read as activity.
type movingBody struct {
	io.ReadCloser
	*activity
}

func (b movingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.timer.Reset(activityTimeout)
	return n, err
}
