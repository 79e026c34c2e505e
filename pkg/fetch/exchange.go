package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"code.dny.dev/ssrf"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/publicsuffix"
)

// accept and acceptEncoding are sent with every request. Some servers select a representation by Accept, and treat a
// client that sends only */* as a script.
const (
	accept         = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	acceptEncoding = "gzip, br, zstd, deflate"
)

// limit bounds a body.
type limit struct {
	bytes int64
	cut   bool         // whether to cut a body that exceeds the limit; if false, such a body is an error
	short bool         // whether the body was cut when it was received, so that its encoding may end early
	large func() error // called before more than [memory.Small] bytes are held; may be nil
}

// exchange is one Get: a chain of requests that share one limit of time and redirects.
type exchange struct {
	c         *Client
	req       Request
	browser   *Hop // the request is a browser's, which follows redirects itself; else nil
	limit     limit
	redirects int // the largest number of redirects to follow

	out   Response
	seen  map[string]int // how often each URL was requested since the cookies last changed
	jar   *chainJar      // nil until a redirect sets a cookie
	first string         // the origin of the first URL; empty once a redirect has left it
	asked bool           // Large was called
	ours  error          // an error of Large, or of Gate, for which the site is not the cause
	stub  *stub          // the last short page whose refresh was followed, or nil
}

// run requests the URL and follows its redirects.
func (x *exchange) run(ctx context.Context) (err error) {
	u, err := x.c.guard.target(x.req.URL)
	if err != nil {
		return err
	}
	defer fault.Wrap(&err, "fetch %s", u.Host)
	x.seen, x.first = map[string]int{}, origin(u)
	for u != nil && err == nil {
		x.out.FinalURL = u.String()
		x.seen[x.out.FinalURL]++
		if u, err = x.timed(ctx, u); u != nil && err == nil {
			err = x.prepareHop(ctx, u)
		}
	}
	if ctx.Err() != nil {
		return err
	}
	return x.orStub(err)
}

// timed makes one hop, which may take only the time that is left for the whole exchange.
func (x *exchange) timed(ctx context.Context, u *url.URL) (*url.URL, error) {
	start := x.c.cfg.Now()
	left, waited := x.c.cfg.Timeout-x.out.Elapsed, time.Duration(0)
	hopCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(left, cancel)
	defer timer.Stop()
	if ask := x.req.Large; ask != nil && !x.asked {
		x.limit.large = sync.OnceValue(func() error { // the time that Large takes does not count
			began := x.c.cfg.Now()
			timer.Stop()
			x.asked, x.ours = true, ask(ctx)
			waited = x.c.cfg.Now().Sub(began)
			timer.Reset(left - began.Sub(start))
			return x.ours
		})
	}
	next, err := x.hop(hopCtx, u)
	x.out.Elapsed += x.c.cfg.Now().Sub(start) - waited
	if err != nil && hopCtx.Err() != nil && ctx.Err() == nil {
		late := fault.New(fault.Unavailable, "no complete answer within %v", x.c.cfg.Timeout)
		if un, ok := errors.AsType[*Unreached](err); ok {
			un.Err = late
		} else {
			err = late
		}
	}
	return next, err
}

// prepareHop prepares the next hop. It calls the gate, which checks robots.txt and politeness, and drops credentials
// when the origin changes.
func (x *exchange) prepareHop(ctx context.Context, to *url.URL) error {
	if origin(to) != x.first {
		x.first = ""
	}
	if x.req.Gate == nil {
		return nil
	}
	err := x.req.Gate(ctx, to.String())
	if !fault.Is(err, fault.Blocked) && !fault.Is(err, fault.Invalid) {
		x.ours = err
	}
	return err
}

// hop sends one request. It returns the target of a redirect or a refresh, or nil when the response is final.
func (x *exchange) hop(ctx context.Context, u *url.URL) (*url.URL, error) {
	connected := false
	r, conditional := x.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected = true },
	}), u)
	x.out.Requests++
	x.out.Body, x.out.Encoding = nil, ""
	res, err := x.c.transportTo(u).RoundTrip(r)
	if err != nil {
		if err = classify(err); !connected && fault.Is(err, fault.Unavailable) {
			err = &Unreached{Of: ofUnreached(err), Err: err}
		}
		return nil, err
	}
	defer res.Body.Close()
	x.out.Status, x.out.Header = res.StatusCode, res.Header
	x.out.RetryAfter = RetryAfter(res.Header.Get("Retry-After"), x.c.cfg.Now())
	if x.browser == nil {
		if next, err := x.redirect(u, res); next != nil || err != nil {
			return next, err
		}
	}
	if err := x.finish(res, conditional); err != nil {
		return nil, err
	}
	return x.refreshed(u, res), nil
}

// request makes the request of a hop and reports whether it is conditional.
func (x *exchange) request(ctx context.Context, u *url.URL) (*http.Request, bool) {
	r := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: http.Header{}}).WithContext(ctx)
	if x.req.Head {
		r.Method = http.MethodHead
	}
	r.Header.Set("Accept", accept)
	setHeader(r.Header, "Accept-Language", x.c.cfg.AcceptLanguage)
	if x.browser != nil {
		x.browser.addTo(r)
	}
	r.Header.Set("User-Agent", x.c.userAgent)
	r.Header.Set("Accept-Encoding", acceptEncoding)
	x.jar.addTo(r)
	if x.first != "" {
		for name, values := range x.req.Secret {
			setHeader(r.Header, name, values[0])
		}
	}
	conditional := false
	if x.req.ValidFor == "" || x.req.ValidFor == x.out.FinalURL {
		etag := setHeader(r.Header, "If-None-Match", x.req.ETag)
		conditional = setHeader(r.Header, "If-Modified-Since", x.req.LastModified) || etag
	}
	return r, conditional
}

// finish reads the final response of an exchange.
func (x *exchange) finish(res *http.Response, conditional bool) error {
	switch {
	case res.StatusCode == http.StatusNotModified && !conditional:
		return fault.New(fault.Unavailable, "304 without condition")
	case res.StatusCode == http.StatusNotModified:
		x.out.NotModified = true
		return nil
	case res.StatusCode < 200:
		// Status 101 was not requested, and its body never ends. The transport skips other 1xx responses.
		return fault.New(fault.Unavailable, "status %d is not a final answer", res.StatusCode)
	case x.req.Head:
		return nil
	}
	wire, err := x.read(res)
	if err != nil {
		return err
	}
	x.out.Body, x.out.Encoding, err = unpack(wire, res.Header["Content-Encoding"], res.Header.Get("Content-Type"), x.limit)
	return err
}

// read reads the body as the server sends it. If the announced length is above the limit, it refuses the body. The
// announced length has no other use.
func (x *exchange) read(res *http.Response) ([]byte, error) {
	if res.ContentLength > x.limit.bytes && !x.limit.cut {
		return nil, fault.New(fault.TooLarge, "body of %d bytes: want at most %d", res.ContentLength, x.limit.bytes)
	}
	body, err := x.limit.read(res.Body, res.ContentLength)
	wire := int64(len(body))
	if fault.Is(err, fault.TooLarge) {
		wire = x.limit.bytes + 1 // the number of bytes that were read
	}
	x.out.WireBytes += wire
	x.limit.short = x.limit.cut && wire == x.limit.bytes
	if err != nil && !fault.Is(err, fault.TooLarge) && !fault.Is(err, fault.Unavailable) {
		return nil, fault.New(fault.Unavailable, "broken body after %d bytes: %w", len(body), err)
	}
	return body, err
}

// read reads all of r within the limit. The hint is the probable length. A wrong hint does no harm, because the hint
// only saves copying.
func (l limit) read(r io.Reader, hint int64) ([]byte, error) {
	var buf bytes.Buffer
	buf.Grow(int(min(max(hint, 0), l.bytes, memory.Small)) + bytes.MinRead)
	n, err := buf.ReadFrom(io.LimitReader(r, min(l.bytes, memory.Small)+1))
	if err == nil && n > memory.Small && l.bytes > memory.Small {
		if l.large != nil {
			if err := l.large(); err != nil {
				return nil, err
			}
		}
		var rest int64
		rest, err = buf.ReadFrom(io.LimitReader(r, l.bytes+1-n))
		n += rest
	}
	if n <= l.bytes {
		return buf.Bytes(), err
	}
	if l.cut {
		return buf.Bytes()[:l.bytes], nil
	}
	return nil, fault.New(fault.TooLarge, "body: want at most %d bytes", l.bytes)
}

// Unreached means that a host could not be reached: no request was sent to it. See [Response.Unreached].
type Unreached struct {
	Of  string // what went wrong: dns, tls or connection
	Err error
}

// What keeps a host from being reached.
const (
	unreachedDNS        = "dns"
	unreachedTLS        = "tls"
	UnreachedConnection = "connection"
)

func (u *Unreached) Error() string { return u.Err.Error() }

// Unwrap returns the cause.
func (u *Unreached) Unwrap() error { return u.Err }

// Unreached returns why the host of the requested address could not be reached, from the error that came with the
// response; nil if it was reached, as by a request that it redirects to another host.
func (r Response) Unreached(err error) *Unreached {
	if un, ok := errors.AsType[*Unreached](err); ok && r.Requests == 1 {
		return un
	}
	return nil
}

// ofUnreached says what went wrong before a request was sent.
func ofUnreached(err error) string {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return unreachedDNS
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	if certificate || strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "TLS handshake") {
		return unreachedTLS
	}
	return UnreachedConnection
}

// classify gives an error of the transport its kind of package fault.
func classify(err error) error {
	for _, refused := range []error{ssrf.ErrProhibitedIP, ssrf.ErrProhibitedPort, ssrf.ErrProhibitedNetwork} {
		if errors.Is(err, refused) {
			return fault.New(fault.Blocked, "%w", err)
		}
	}
	if strings.Contains(err.Error(), "tls: handshake failure") {
		return fault.New(fault.Unavailable, "%w: if the server is old and knows no other key exchange than RSA, add the "+
			"host to CRAWL_TLS_RSA_HOSTS", err)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fault.New(fault.Unavailable, "%w; if the server's certificate was issued by your own authority, name a "+
			"file with its certificate and those of the system in SSL_CERT_FILE, and start again", err)
	}
	if what := refusal(err); what != "" {
		return fault.New(fault.Unavailable, "%s, which the site has to fix: %w", what, err)
	}
	return fault.New(fault.Unavailable, "%w", err)
}

// setHeader sets a header unless the value is empty or not allowed in a header.
func setHeader(h http.Header, name, value string) bool {
	if value == "" || !isHeaderText(value) {
		return false
	}
	h.Set(name, value)
	return true
}

func isHeaderText(s string) bool { return httpguts.ValidHeaderFieldValue(s) }

// productToken returns the part of a user agent before the version (RFC 9110 §10.1.5).
func productToken(userAgent string) string {
	end := strings.IndexFunc(userAgent, func(c rune) bool { return !httpguts.IsTokenRune(c) })
	if end >= 0 {
		return userAgent[:end]
	}
	return userAgent
}

// origin returns scheme, host and port.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// refusals are what net/http refuses in an answer, by a part of its error. Nothing that this program does would help.
var refusals = []struct{ text, what string }{
	{"transfer encoding", "the header Transfer-Encoding is wrong"},
	{"Content-Length", "the header Content-Length is wrong"},
	{"malformed MIME header", "a line of the header is malformed"},
	{"malformed HTTP status code", "the status line is malformed"},
	{"malformed HTTP version", "the status line is malformed"},
	{"malformed HTTP response", "the status line is malformed"},
	{"invalid header", "a header has characters that are not allowed"},
	{"malformed chunked encoding", "the chunks of the body are malformed"},
	{"invalid byte in chunk length", "the chunks of the body are malformed"},
}

// refusal returns what the site has to fix, if that is the cause of an error of net/http.
func refusal(err error) string {
	for _, r := range refusals {
		if strings.Contains(err.Error(), r.text) {
			return r.what
		}
	}
	return ""
}

// Bounds of the cookies in one chain of redirects.
const (
	maxCookies     = 20
	maxCookieBytes = 4 << 10 // of one cookie: its name, value and attributes
)

// chainJar holds the cookies that the redirects of one chain set. They are sent to later requests of the chain only,
// and are never stored. A nil jar is empty.
type chainJar struct {
	*cookiejar.Jar
	kept int
}

// keepCookies keeps the cookies of a redirect, and reports whether there was one.
func (x *exchange) keepCookies(from *url.URL, res *http.Response) (kept bool) {
	for _, cookie := range res.Cookies() {
		if len(cookie.Raw) > maxCookieBytes || x.jar != nil && x.jar.kept >= maxCookies {
			continue
		}
		if x.jar == nil {
			jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // never fails
			x.jar = &chainJar{Jar: jar}
		}
		x.jar.SetCookies(from, []*http.Cookie{cookie})
		x.jar.kept++
		kept = true
	}
	return kept
}

// addTo adds the cookies for the URL of a request. Headers that are set later take precedence.
func (j *chainJar) addTo(r *http.Request) {
	if j == nil {
		return
	}
	for _, cookie := range j.Cookies(r.URL) {
		r.AddCookie(cookie)
	}
}
