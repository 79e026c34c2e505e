// Package fetch gets URLs that users and unknown hosts choose, without letting them decide how the program uses
// network, memory and time. All access to the web goes through this package.
//
// Every connection is checked when it is dialled, after DNS. So neither a redirect nor a name that changes its address
// can lead to a loopback, private, link-local, metadata or other special address. Only http and https on ports 80 and
// 443 are used. With a [Proxy], CONNECT names the address that was checked. A host in [Config].AllowHosts is exempt if
// the URL uses the name in that list. The operator is responsible for the addresses of such a name. A URL with another
// name for the same address is still refused.
//
// Everything that a server can send is bounded: the bytes of headers, the bytes of bodies before and after decoding,
// layers of encoding, redirects, and the total time.
//
// Errors have kinds of package fault: Invalid for a URL that can never work; Blocked if the guard refuses the first
// URL or a redirect; TooLarge if a limit on bytes, layers or redirects is exceeded; Unavailable for DNS, connect,
// TLS, timeout, or a broken or truncated reply. A status is never an error: 404, 429 and 503 are Responses, and the
// caller decides.
//
// # Alternatives considered
//
// http.Client follows redirects too, but has its own rules for headers, methods and counting, and keeps no record of
// the chain. The loop here is as long as the hooks for http.Client would be. Reading bodies as a stream would save
// one copy, but a page is hashed, stored and parsed as a whole anyway.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

// Limits and defaults.
const (
	DefaultUserAgent    = "Tidemark/dev"
	DefaultMaxBytes     = 20 << 20
	DefaultTimeout      = 30 * time.Second
	DefaultMaxRedirects = 5

	maxURL         = 8 << 10            // bytes of a URL, in a request or in a Location header
	maxHeaderBytes = 256 << 10          // bytes of one response's header
	maxLayers      = 2                  // layers of content encoding
	maxRetryAfter  = 7 * 24 * time.Hour // the upper bound of Response.RetryAfter

	maxMaxBytes     = 1 << 30
	maxMaxRedirects = 20
)

// Config configures a [Client]. The zero value works.
type Config struct {
	// UserAgent is the User-Agent header. It begins with a product token ("Tidemark/1.0"), which the rules of
	// robots.txt are matched with. Empty means DefaultUserAgent.
	UserAgent string
	// Contact is a URL or address that is appended to the user agent as "(+contact)". It may be empty.
	Contact string
	// AcceptLanguage is the Accept-Language header: language ranges with weights (RFC 9110 §12.5.4). Empty sends none.
	AcceptLanguage string
	// AllowHosts lists the hosts that are exempt from the checks of address and port. An entry is "host",
	// "host:port", "*.suffix", a literal IP with or without a port, or a CIDR. IPs and CIDRs match URLs with a
	// literal IP. They never match names that resolve to one.
	AllowHosts []string
	// TLSRSAHosts lists hosts that know no other key exchange than RSA, in the form of AllowHosts. A recorded connection
	// to such a host can be decrypted later with the key of its certificate, so no other host is offered RSA.
	TLSRSAHosts []string
	// MaxBytes bounds the size of a body, both as received and as decoded. It may be up to 1 GiB. Zero means
	// DefaultMaxBytes.
	MaxBytes int64
	// Timeout bounds the time of a Get with all its redirects. The time inside Gate and Large does not count. Zero
	// means DefaultTimeout.
	Timeout time.Duration
	// MaxRedirects limits the number of redirects that are followed, up to 20; a negative value means none. A longer
	// chain is the error TooLarge. Zero means DefaultMaxRedirects.
	MaxRedirects int

	// Proxy is the proxy for all connections. HTTPS_PROXY and the like have no effect.
	Proxy Proxy

	// Resolver looks up names; nil means the system's.
	Resolver *net.Resolver
	// RootCAs verify servers; nil means the system's.
	RootCAs *x509.CertPool
	// Now returns the time, for Elapsed and for dates in Retry-After; nil means time.Now.
	Now func() time.Time
}

// Client fetches URLs. It keeps connections alive between calls and is safe for concurrent use.
type Client struct {
	cfg       Config
	userAgent string
	guard     *guard
	transport *http.Transport
	rsaHosts  allowList
	rsa       *http.Transport // the transport for rsaHosts
}

// New checks the configuration and returns a client. Errors: Invalid, with the name of the field.
func New(cfg Config) (*Client, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	allow, err := parseHosts("AllowHosts", cfg.AllowHosts)
	if err != nil {
		return nil, err
	}
	rsaHosts, err := parseHosts("TLSRSAHosts", cfg.TLSRSAHosts)
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, userAgent: cfg.UserAgent, guard: newGuard(allow, cfg.Resolver), rsaHosts: rsaHosts}
	if cfg.Contact != "" {
		c.userAgent += " (+" + cfg.Contact + ")"
	}
	if c.guard.proxy, err = cfg.Proxy.parse(c.guard.open, &tls.Config{RootCAs: cfg.RootCAs,
		MinVersion: tls.VersionTLS12}); err != nil {
		return nil, err
	}
	c.transport = newTransport(cfg, c.guard)
	c.rsa = newTransport(cfg, c.guard)
	c.rsa.TLSClientConfig.CipherSuites = withRSA()
	return c, nil
}

// withRSA returns the cipher suites of TLS 1.2 that Go offers, and those with RSA key exchange, which it does not.
func withRSA() []uint16 {
	var suites []uint16
	for _, s := range tls.CipherSuites() {
		suites = append(suites, s.ID)
	}
	return append(suites, tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_RSA_WITH_AES_256_CBC_SHA)
}

// transportTo returns the transport for a URL.
func (c *Client) transportTo(u *url.URL) *http.Transport {
	if len(c.rsaHosts) > 0 && c.rsaHosts.match(u.Hostname(), effectivePort(u)) {
		return c.rsa
	}
	return c.transport
}

const (
	// languageRange is one element of Accept-Language: a range of RFC 4647 §2.1, and a weight of RFC 9110 §12.4.2.
	languageRange = `([A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*|\*)([ \t]*;[ \t]*[qQ]=(0(\.[0-9]{0,3})?|1(\.0{0,3})?))?`
	maxLanguages  = 256 // bytes
)

var languages = regexp.MustCompile(`^(` + languageRange + `([ \t]*,[ \t]*` + languageRange + `)*)?$`)

// complete fills in defaults. It returns an error for values out of bounds.
func (cfg *Config) complete() error {
	cfg.UserAgent = cmp.Or(cfg.UserAgent, DefaultUserAgent)
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, DefaultMaxBytes)
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.MaxRedirects = cmp.Or(cfg.MaxRedirects, DefaultMaxRedirects)
	defaults.Clock(&cfg.Now)
	switch {
	case productToken(cfg.UserAgent) == "" || !isHeaderText(cfg.UserAgent):
		return fault.Field("UserAgent", "%q: want a product token, such as Tidemark/1.0", cfg.UserAgent)
	case !isHeaderText(cfg.Contact) || strings.ContainsAny(cfg.Contact, "()"):
		return fault.Field("Contact", "%q: want a URL or an address, without parentheses", cfg.Contact)
	case !languages.MatchString(cfg.AcceptLanguage) || len(cfg.AcceptLanguage) > maxLanguages:
		return fault.Field("AcceptLanguage", "%.80q: want language ranges such as de, en;q=0.8", cfg.AcceptLanguage)
	case cfg.MaxBytes < 0 || cfg.MaxBytes > maxMaxBytes:
		return fault.Field("MaxBytes", "%d: want 1 to %d", cfg.MaxBytes, maxMaxBytes)
	case cfg.Timeout < 0:
		return fault.Field("Timeout", "%v: want more than nothing", cfg.Timeout)
	case cfg.MaxRedirects > maxMaxRedirects:
		return fault.Field("MaxRedirects", "%d: want at most %d", cfg.MaxRedirects, maxMaxRedirects)
	}
	return nil
}

// newTransport returns a transport for many hosts: few idle connections for each, many in total.
func newTransport(cfg Config, g *guard) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // it would hide addresses from the guard, which knows a proxy itself
		DialContext:            g.dial,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{RootCAs: cfg.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    min(10*time.Second, cfg.Timeout),
		ResponseHeaderTimeout:  min(20*time.Second, cfg.Timeout),
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // encodings are decoded here, within limits
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
		// Without pings, a dead idle HTTP/2 connection would fail every request until TCP notices.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second},
	}
}

// Close closes idle connections. The client may still be used.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	c.rsa.CloseIdleConnections()
}

// ProductToken returns the name that robots.txt uses for this crawler: the first token of the user agent.
func (c *Client) ProductToken() string { return productToken(c.userAgent) }

// Exempt reports whether a host is in AllowHosts. The host includes a port, unless that is the scheme's default.
// Exempt hosts have other defaults for politeness.
func (c *Client) Exempt(host string) bool {
	name, port := splitHost(host)
	if port != "" {
		return c.guard.allow.match(name, port)
	}
	return c.guard.allow.match(name, "80") || c.guard.allow.match(name, "443")
}

// Request describes a Get.
type Request struct {
	// URL is absolute, http or https, without userinfo, at most MaxURL bytes. Its fragment is dropped.
	URL string
	// ETag and LastModified are validators of an earlier response. The request is conditional if one of them is set.
	// A value that is not allowed in a header is omitted.
	ETag, LastModified string
	// ValidFor is the FinalURL of the response that had the validators. The validators are sent only to that URL. So
	// a page that now redirects elsewhere cannot get a 304 that is meant for another page. If ValidFor is empty, the
	// validators are sent to every URL of the chain.
	ValidFor string
	// Secret contains headers such as Authorization. They are sent only to the origin of URL. After a redirect to
	// another origin they are never sent again.
	Secret http.Header
	// Head requests only the header.
	Head bool
	// Gate is called with the target of a redirect before the redirect is followed. The caller uses it to check
	// robots.txt and to keep the pace of the target's host. If Gate returns an error, Get returns that error. A nil
	// Gate allows every redirect.
	Gate func(ctx context.Context, target string) error
	// Refresh follows a short page that leads at once to another one of the same site, by a Refresh header or by a meta
	// element, like a redirect. A HEAD request follows none.
	Refresh bool
	// MaxBytes replaces the client's MaxBytes if it is positive.
	MaxBytes int64
	// Large is called before more than [memory.Small] bytes of a body, received or decoded, are held in memory. It is
	// called at most once. It may wait, and this time does not count against Timeout. If Large returns an error, Get
	// returns that error. A nil Large allows every body.
	Large func(ctx context.Context) error
}

// Response is the result of a Get. If Get fails, Requests, FinalURL, Redirects and Elapsed still describe the
// requests that were made before the failure.
type Response struct {
	Status      int
	Header      http.Header
	Body        []byte // the decoded body; nil for HEAD and 304
	Encoding    string // the Content-Encoding of Body, if it could not be decoded
	FinalURL    string // the URL that answered, without fragment
	Requests    int    // number of requests sent or tried, including those for redirects
	Redirects   []Redirect
	Permanent   bool          // there were redirects, and all of them were 301 or 308
	NotModified bool          // the status is 304: the content still matches the validators of the request
	NotFollowed error         // why a refresh of this page was not followed; Unavailable if it may be later
	WireBytes   int64         // received bytes of bodies, those of short pages that led here among them
	Elapsed     time.Duration // duration, without the time spent in Gate and Large
	RetryAfter  time.Duration // the pause that the response asks for, in [0, maxRetryAfter]
}

// OK reports whether the body is the whole content of the page. That is so for 200, and for 203 from a proxy that
// transforms. It is also so for 201, 202, and a 206 with all bytes, unless a header shows that the content comes later
// or only for visitors who pass a check.
func (r Response) OK() bool {
	switch r.Status {
	case http.StatusOK, http.StatusNonAuthoritativeInfo:
		return true
	case http.StatusCreated, http.StatusAccepted:
	case http.StatusPartialContent:
		var last, size int64
		n, err := fmt.Sscanf(r.Header.Get("Content-Range"), "bytes 0-%d/%d", &last, &size)
		if n != 2 || err != nil || last != size-1 {
			return false
		}
	default:
		return false
	}
	for _, name := range []string{"Retry-After", "Refresh", "Location", "WWW-Authenticate", "Cf-Mitigated",
		"X-Amzn-Waf-Action", "X-Datadome"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return true
}

// Redirect is one step of a chain.
type Redirect struct {
	URL      string // the URL that answered
	Status   int
	Location string // the target, resolved against URL, without userinfo and fragment
}

// Get fetches r.URL and follows redirects. See the package comment for errors.
func (c *Client) Get(ctx context.Context, r Request) (Response, error) {
	x := exchange{c: c, req: r, limit: limit{bytes: c.cfg.MaxBytes}, redirects: c.cfg.MaxRedirects}
	if r.MaxBytes > 0 {
		x.limit.bytes = min(r.MaxBytes, maxMaxBytes)
	}
	err := x.run(ctx)
	return x.out, err
}

// Transport returns a transport with the same guard, for clients that make their own requests, such as the SDK of a
// storage service. The transport checks the URL of each request as [Client.Get] does, and the address of each
// connection at dial. Errors are Invalid, Blocked and Unavailable, as for Get. The transport neither follows
// redirects nor decodes bodies. The caller must bound time and size.
func (c *Client) Transport() http.RoundTripper { return guarded{c} }

type guarded struct{ c *Client }

// RoundTrip implements [http.RoundTripper].
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	u := *r.URL // a copy, because a RoundTripper must not change its request
	if err := g.c.guard.admit(&u); err != nil {
		return nil, err
	}
	res, err := g.c.transportTo(&u).RoundTrip(r)
	if err != nil {
		return nil, classify(err)
	}
	return res, nil
}

// retryNumber matches a number, which may have a unit. Where a header occurs twice, the first value counts.
var retryNumber = regexp.MustCompile(`(?i)^(\d+(?:\.\d*)?|\.\d+)\s*(?:(ms|milliseconds?)|(s|secs?|seconds?)?|` +
	`(m|mins?|minutes?)|(h|hrs?|hours?)|(d|days?))\s*(?:[,;].*)?$`)

// retryUnits are the units of [retryNumber], by its groups.
var retryUnits = []time.Duration{2: time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour}

// RetryAfter reads the value of a Retry-After header: seconds or a date (RFC 9110 §10.2.3) relative to now, limited
// to [0, maxRetryAfter]. It also reads other units, times since 1970, and the forms of dates that
// [wallclock.ParseDate] reads.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.Trim(value, " \t\"'")
	at, isTime := wallclock.Epoch(value)
	if m := retryNumber.FindStringSubmatch(value); m != nil && !isTime {
		return retryAfter(m)
	}
	if !isTime {
		if at, _, isTime = wallclock.ParseDate(value); !isTime {
			return 0
		}
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// retryAfter returns the time that a match of [retryNumber] names.
func retryAfter(match []string) time.Duration {
	unit := time.Second
	for i, known := range retryUnits {
		if known != 0 && match[i] != "" {
			unit = known
		}
	}
	number, _ := strconv.ParseFloat(match[1], 64) // +Inf for a number that is too large
	return time.Duration(min(number*float64(unit), float64(maxRetryAfter)))
}

// Hop is one request of a browser, see [Client.Hop].
type Hop struct {
	Method string // GET, HEAD or POST
	// URL is absolute, as in a [Request].
	URL string
	// Header is what the browser sends. The client sets User-Agent and Accept-Encoding itself, and drops what belongs
	// to a connection.
	Header http.Header
	Body   []byte
	// Secret contains headers such as Authorization that take the place of the browser's.
	Secret http.Header
	// MaxBytes replaces the client's MaxBytes if it is positive.
	MaxBytes int64
}

// Hop sends one request of a browser, under the same guard and within the same bounds as [Client.Get]. It follows no
// redirect, because a browser does so itself, with a Hop for each. The body of the response is decoded. Errors: those
// of Get.
func (c *Client) Hop(ctx context.Context, h Hop) (Response, error) {
	u, err := c.guard.target(h.URL)
	if err != nil {
		return Response{}, err
	}
	x := exchange{c: c, browser: &h, limit: limit{bytes: c.cfg.MaxBytes}, first: origin(u)}
	x.req = Request{URL: h.URL, Secret: h.Secret, Head: h.Method == http.MethodHead}
	if h.MaxBytes > 0 {
		x.limit.bytes = min(h.MaxBytes, maxMaxBytes)
	}
	x.out.FinalURL = u.String()
	_, err = x.timed(ctx, u)
	return x.out, err
}

// connectionHeaders are set by the client, or belong to the connection between the browser and its server.
var connectionHeaders = []string{"User-Agent", "Accept-Encoding", "Host", "Connection", "Content-Length", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "If-None-Match",
	"If-Modified-Since"}

// addTo makes a request that of the browser.
func (h *Hop) addTo(r *http.Request) {
	for name, values := range h.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	for _, name := range connectionHeaders {
		delete(r.Header, name)
	}
	for name, values := range maps.Clone(r.Header) {
		for _, value := range values {
			if !isHeaderText(value) {
				delete(r.Header, name)
			}
		}
	}
	r.Method = h.Method
	if len(h.Body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(h.Body))
		r.ContentLength = int64(len(h.Body))
	}
}

// Public returns a client with the same configuration to which no host is exempt from the checks of address and port.
func (c *Client) Public() (*Client, error) {
	cfg := c.cfg
	cfg.AllowHosts = nil
	return New(cfg)
}

// UserAgent returns the User-Agent header, with the contact.
func (c *Client) UserAgent() string { return c.userAgent }
