// Package fetch gets URLs that users and unknown hosts choose, and does not let them choose what network, memory and
// time are spent on. It is the only way out to the web.
//
// Every connection is checked at dial, after DNS, so neither a redirect nor a name that changes its
// address reaches a loopback, private, link-local, metadata or otherwise special address; only
// http and https on ports 80 and 443 are used, and no proxy is asked. Hosts in
// [Config].AllowHosts are exempt, by the name that was asked for: the operator answers for what such a
// name resolves to, but another name that resolves to the same address stays refused.
//
// Everything a server can send is bounded: header bytes, body bytes on the wire and decoded,
// layers of encoding, redirects, and the time of it all.
//
// Errors carry kinds of package fault: Invalid for a URL that can never work; Blocked for what the
// guard refuses, on the first URL or behind a redirect; TooLarge for a bound on bytes, layers or
// redirects; Unavailable for DNS, connect, TLS, timeout, or a broken or truncated reply. A status
// is never an error: 404, 429 and 503 are Responses, and the caller decides.
//
// # Alternatives considered
//
// http.Client follows redirects too, but decides about headers, methods and counting itself and
// keeps no record of the chain; the loop here is as long as its hooks would be. Reading bodies as a
// stream would save one copy; a page is hashed, stored and parsed as a whole anyway.
package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Bounds and defaults.
const (
	DefaultUserAgent    = "Tidemark/dev"
	DefaultMaxBytes     = 20 << 20
	DefaultTimeout      = 30 * time.Second
	DefaultMaxRedirects = 5

	MaxURL         = 8 << 10            // bytes of a URL, requested or in a Location
	MaxHeaderBytes = 256 << 10          // of one response
	MaxLayers      = 2                  // of content encoding
	MaxRetryAfter  = 7 * 24 * time.Hour // what Response.RetryAfter is capped at

	maxMaxBytes     = 1 << 30
	maxMaxRedirects = 20
)

// Config is how a [Client] behaves. The zero value works.
type Config struct {
	// UserAgent is the User-Agent header, beginning with a product token ("Tidemark/1.0"); that token
	// is what robots.txt matches. DefaultUserAgent when empty.
	UserAgent string
	// Contact is a URL or address put behind the user agent as "(+contact)". May be empty.
	Contact string
	// AllowHosts are exempt from the address and port guard: "host", "host:port", "*.suffix",
	// a literal IP, with a port if wanted, or a CIDR. IPs and CIDRs match URLs that hold a literal
	// IP, never names that resolve to one.
	AllowHosts []string
	// MaxBytes bounds a body on the wire and decoded, up to 1 GiB. DefaultMaxBytes when zero.
	MaxBytes int64
	// Timeout bounds a Get with all its redirects, the time inside Gate and Large excepted. DefaultTimeout
	// when zero.
	Timeout time.Duration
	// MaxRedirects is how many redirects are followed, up to 20; none when negative. One more is
	// TooLarge. DefaultMaxRedirects when zero.
	MaxRedirects int

	// Resolver looks up names; nil is the system's.
	Resolver *net.Resolver
	// RootCAs verify servers; nil is the system's.
	RootCAs *x509.CertPool
	// Now reads the clock, for Elapsed and dates in Retry-After; nil is time.Now.
	Now func() time.Time
}

// Client fetches. It keeps connections alive between calls and is safe for concurrent use.
type Client struct {
	cfg       Config
	userAgent string
	guard     *guard
	transport *http.Transport
}

// New checks the configuration and makes a client. Errors are Invalid and name the field.
func New(cfg Config) (*Client, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	allow, err := parseAllowList(cfg.AllowHosts)
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, userAgent: cfg.UserAgent, guard: newGuard(allow, cfg.Resolver)}
	if cfg.Contact != "" {
		c.userAgent += " (+" + cfg.Contact + ")"
	}
	c.transport = newTransport(cfg, c.guard)
	return c, nil
}

// complete fills in defaults and refuses what is out of bounds.
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
	case cfg.MaxBytes < 0 || cfg.MaxBytes > maxMaxBytes:
		return fault.Field("MaxBytes", "%d: want 1 to %d", cfg.MaxBytes, maxMaxBytes)
	case cfg.Timeout < 0:
		return fault.Field("Timeout", "%v: want more than nothing", cfg.Timeout)
	case cfg.MaxRedirects > maxMaxRedirects:
		return fault.Field("MaxRedirects", "%d: want at most %d", cfg.MaxRedirects, maxMaxRedirects)
	}
	return nil
}

// newTransport is tuned for many hosts: few idle connections each, many in all.
func newTransport(cfg Config, g *guard) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // a proxy would hide the address from the guard
		DialContext:            g.dial,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{RootCAs: cfg.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    min(10*time.Second, cfg.Timeout),
		ResponseHeaderTimeout:  min(20*time.Second, cfg.Timeout),
		MaxResponseHeaderBytes: MaxHeaderBytes,
		DisableCompression:     true, // encodings are decoded here, within bounds
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
		// An idle HTTP/2 connection that died would otherwise fail every request until TCP notices.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second},
	}
}

// Close drops idle connections. The client may still be used.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// ProductToken is the name that robots.txt uses for this crawler: the first token of the user agent.
func (c *Client) ProductToken() string { return productToken(c.userAgent) }

// Exempt reports whether host, with a port unless it is the scheme's default, is in AllowHosts.
// Politeness defaults differ for such hosts.
func (c *Client) Exempt(host string) bool {
	name, port := splitHost(host)
	if port != "" {
		return c.guard.allow.match(name, port)
	}
	return c.guard.allow.match(name, "80") || c.guard.allow.match(name, "443")
}

// Request is what to get.
type Request struct {
	// URL is absolute, http or https, without userinfo, at most MaxURL bytes. A fragment is
	// dropped.
	URL string
	// ETag and LastModified are validators of an earlier response; the request is conditional when
	// one of them is set. What cannot stand in a header is left out.
	ETag, LastModified string
	// ValidFor is the FinalURL of the response that the validators came with. They are sent to that URL
	// only, so that a page which now redirects elsewhere cannot answer 304 for another. When empty
	// they are sent to every URL of the chain.
	ValidFor string
	// Secret are headers such as Authorization, sent to the origin of URL only; a redirect that
	// leaves the origin leaves them behind for good.
	Secret http.Header
	// Head asks for the header alone.
	Head bool
	// Gate is called before a redirect is followed, with the URL it leads to: the caller
	// checks its robots.txt and keeps the pace of its host. An error ends the Get and is returned. Nil
	// lets everything pass.
	Gate func(ctx context.Context, target string) error
	// MaxBytes overrides the client's, when positive.
	MaxBytes int64
	// Large is called at most once, before more than [memory.Small] bytes of a body are held, on the
	// wire or decoded. It may wait: the time of the Get stands still. An error ends the Get and is returned.
	// Nil lets every body pass.
	Large func(ctx context.Context) error
}

// Response is what came. When Get fails, Requests, FinalURL, Redirects and Elapsed still tell how far
// it went.
type Response struct {
	Status      int
	Header      http.Header
	Body        []byte // decoded; nil for HEAD and 304
	Encoding    string // the Content-Encoding that Body is still in, when it is not a known one
	FinalURL    string // without fragment
	Requests    int    // made or tried, each redirect that was followed one more
	Redirects   []Redirect
	Permanent   bool // there were redirects, and all of them 301 or 308
	NotModified bool // 304: what the validators belong to still stands
	WireBytes   int64
	Elapsed     time.Duration // without the time inside Gate and Large
	RetryAfter  time.Duration // what the response asks for, in [0, MaxRetryAfter]
}

// Redirect is one step of a chain.
type Redirect struct {
	URL      string // that answered
	Status   int
	Location string // resolved against URL, without userinfo and fragment
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
