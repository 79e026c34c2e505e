package fetch

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"code.dny.dev/ssrf"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"golang.org/x/net/http/httpproxy"
)

// Proxy is the proxy through which all connections are made, by CONNECT (RFC 9110 §9.3.6). The zero value means none.
type Proxy struct {
	URL      string // http or https, with a port unless it is that of the scheme, and without user and password
	Login    string // user:password; may be empty
	Except   string // hosts that are reached without the proxy: names, suffixes, addresses and CIDR, as in NO_PROXY
	Resolves bool   // the proxy gets names instead of addresses; then the guard checks ports and literal addresses only
}

// tunnels makes connections through a proxy. If it is nil, connections are made directly.
type tunnels struct {
	address  string      // host:port of the proxy
	secure   *tls.Config // for a proxy with https, else nil
	login    string      // the header Proxy-Authorization, or ""
	proxied  func(*url.URL) (*url.URL, error)
	resolves bool
	dialer   net.Dialer
}

// check decides whether a connection may be made to an address. It is nil for exempt hosts.
type check func(network, address string, c syscall.RawConn) error

// parse checks the proxy. It returns nil if there is none.
func (p Proxy) parse(dialer net.Dialer, secure *tls.Config) (*tunnels, error) {
	if p.URL == "" {
		return nil, nil
	}
	u, err := url.Parse(p.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.Field("Proxy", "want http://host:port or https://host:port of a proxy, without user and password")
	}
	if strings.ContainsAny(p.Login, "\r\n") || p.Login != "" && !strings.Contains(p.Login, ":") {
		return nil, fault.Field("ProxyLogin", "want user:password")
	}
	t := &tunnels{address: net.JoinHostPort(u.Hostname(), effectivePort(u)), resolves: p.Resolves, dialer: dialer}
	if u.Scheme == "https" {
		t.secure = secure.Clone()
		t.secure.ServerName, t.secure.NextProtos = u.Hostname(), nil
	}
	if p.Login != "" {
		t.login = "Basic " + base64.StdEncoding.EncodeToString([]byte(p.Login))
	}
	except, err := exceptions(p.Except)
	if err != nil {
		return nil, err
	}
	t.proxied = (&httpproxy.Config{HTTPSProxy: p.URL, NoProxy: except}).ProxyFunc()
	return t, nil
}

// exceptions returns a list of exceptions in the form of package httpproxy, which would ignore what it does not
// understand.
func exceptions(list string) (string, error) {
	entries := strings.FieldsFunc(list, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	for i, entry := range entries {
		if strings.HasPrefix(entry, "[") && strings.HasSuffix(entry, "]") {
			entries[i] = entry[1 : len(entry)-1]
		}
		name := strings.TrimPrefix(entry, "*.")
		_, _, cidr := net.ParseCIDR(entry)
		if entry != "*" && (name == "" || strings.Contains(name, "*")) || strings.Contains(entry, "/") && cidr != nil {
			return "", fault.Field("ProxyExcept", "%.80q: want a name, an address, a CIDR, *.name, or * for all", entry)
		}
	}
	return strings.Join(entries, ","), nil
}

// through reports whether connections to a host or an address use the proxy.
func (t *tunnels) through(host, port string) bool {
	if t == nil {
		return false
	}
	u, err := t.proxied(&url.URL{Scheme: "https", Host: net.JoinHostPort(host, port)})
	return err == nil && u != nil
}

// connect connects to a host, through the proxy or directly.
func (g *guard) connect(ctx context.Context, network, address string, allowed check) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !g.proxy.through(host, port) {
		d := g.open
		// Control runs for each address just before the connection, so DNS cannot change the answer between check and
		// use.
		d.Control = allowed
		return d.DialContext(ctx, network, address)
	}
	if _, literal := netip.ParseAddr(host); g.proxy.resolves && literal != nil && !numeric(host) {
		if allowed != nil { // any public address shows whether the port is allowed
			if err := allowed("tcp4", net.JoinHostPort("8.8.8.8", port), nil); err != nil {
				return nil, err
			}
		}
		return g.proxy.tunnel(ctx, address)
	}
	return g.pinned(ctx, host, port, allowed)
}

// numeric reports whether a resolver may read a host as an IPv4 address in another form, such as 127.1 or 0x7f000001:
// whether its last part is a number (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func numeric(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	return strings.HasPrefix(last, "0x") || last != "" && strings.Trim(last, "0123456789") == ""
}

// pinned looks up a host, checks its addresses, and connects to one of them. The proxy gets the address that was
// checked, so DNS cannot change the answer in between.
func (g *guard) pinned(ctx context.Context, host, port string, allowed check) (net.Conn, error) {
	resolver := cmp.Or(g.open.Resolver, net.DefaultResolver)
	found, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil && g.proxy.resolves {
		return nil, err
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "%w; where only the proxy can resolve names, set EGRESS_PROXY_RESOLVES", err)
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	// Proxies without IPv6 are common.
	slices.SortStableFunc(found, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	var failed, refused error // the first of each
	for _, ip := range found {
		network, address := "tcp4", net.JoinHostPort(ip.String(), port)
		if ip.Is6() {
			network = "tcp6"
		}
		if allowed != nil {
			if err := allowed(network, address, nil); err != nil {
				refused = cmp.Or(refused, err)
				continue
			}
		}
		conn, err := g.reach(ctx, network, address, allowed)
		if err == nil || ctx.Err() != nil {
			return conn, err
		}
		failed = cmp.Or(failed, err)
	}
	return nil, cmp.Or(failed, refused, error(&net.DNSError{Err: "no addresses", Name: host}))
}

// reach connects to an address of a host, through the proxy or directly.
func (g *guard) reach(ctx context.Context, network, address string, allowed check) (net.Conn, error) {
	if host, port, _ := net.SplitHostPort(address); g.proxy.through(host, port) {
		return g.proxy.tunnel(ctx, address)
	}
	d := g.open
	d.Control = allowed
	return d.DialContext(ctx, network, address)
}

// tunnel connects to the proxy and asks it for a connection to an address.
func (t *tunnels) tunnel(ctx context.Context, address string) (_ net.Conn, err error) {
	conn, err := t.dialer.DialContext(ctx, "tcp", t.address)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "the proxy of EGRESS_PROXY does not answer: %w", err)
	}
	defer func() {
		if err != nil {
			conn.Close()
		}
	}()
	_ = conn.SetDeadline(time.Now().Add(proxyTime)) // Unreachable: the connection is open
	raw := conn
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) }) // ends reads and writes
	defer stop()
	if t.secure != nil {
		secure := tls.Client(conn, t.secure)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, fault.New(fault.Unavailable, "TLS with the proxy of EGRESS_PROXY: %w", err)
		}
		conn = secure
	}
	limited := &io.LimitedReader{R: conn, N: maxHead}
	out := &tunneled{Conn: conn, r: bufio.NewReader(limited)}
	if err := t.ask(out, address); err != nil {
		return nil, err
	}
	limited.N = math.MaxInt64 // what follows is the other side's
	if !stop() {
		return nil, ctx.Err()
	}
	return out, conn.SetDeadline(time.Time{})
}

// proxyTime limits the time in which a proxy connects.
const proxyTime = 20 * time.Second

// maxHead limits the head of a proxy's answer, in bytes.
const maxHead = 64 << 10

// ask sends CONNECT and reads the answer.
func (t *tunnels) ask(conn *tunneled, address string) error {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if t.login != "" {
		req.Header.Set("Proxy-Authorization", t.login)
	}
	req.Header.Set("User-Agent", "") // none
	if err := req.Write(conn.Conn); err != nil {
		return fault.New(fault.Unavailable, "the proxy of EGRESS_PROXY: %w", err)
	}
	resp, err := http.ReadResponse(conn.r, req)
	if err != nil {
		return fault.New(fault.Unavailable, "the proxy of EGRESS_PROXY: %w", err)
	}
	switch code := resp.StatusCode; {
	case code == http.StatusProxyAuthRequired:
		return fault.New(fault.Unavailable, "the proxy of EGRESS_PROXY asks for a password: check EGRESS_PROXY_CREDENTIAL")
	case code < 200 || code > 299:
		return fault.New(fault.Unavailable, "the proxy of EGRESS_PROXY refuses to connect to %s with HTTP %d", address, code)
	}
	return nil
}

// tunneled is a connection through a proxy. Its reader may hold the first bytes from the other side.
type tunneled struct {
	net.Conn
	r *bufio.Reader
}

func (c *tunneled) Read(b []byte) (int, error) { return c.r.Read(b) }

// wireServer is Azure's host agent, which every instance can reach. It provides an instance's configuration, and no
// registry of special addresses lists it.
var wireServer = netip.MustParsePrefix("168.63.129.16/32")

// guard decides which addresses connections may be made to.
type guard struct {
	allow    allowList
	guardian *ssrf.Guardian
	open     net.Dialer // connects to any address
	proxy    *tunnels
}

func newGuard(allow allowList, resolver *net.Resolver) *guard {
	g := &guard{allow: allow, guardian: ssrf.New(ssrf.WithDeniedV4Prefixes(wireServer))}
	g.open = net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Resolver: resolver}
	return g
}

// dial connects to the host that a URL names. The transport pools connections by that name. So a connection that was
// made for an exempt host is never used for another name.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	var allowed check // of special addresses and ports
	if !g.allow.match(host, port) {
		allowed = g.guardian.Safe
	}
	return g.connect(ctx, network, address, allowed)
}

// Dialer returns a dialer with the same guard for a protocol other than HTTP, such as SMTP, on these ports. Errors:
// Blocked when the guard refuses the address; Unavailable when the server does not answer.
func (c *Client) Dialer(ports ...uint16) func(ctx context.Context, address string) (net.Conn, error) {
	safe := ssrf.New(ssrf.WithDeniedV4Prefixes(wireServer), ssrf.WithPorts(ports...)).Safe
	return func(ctx context.Context, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%.80q: want host:port", address)
		}
		var allowed check
		if !c.guard.allow.match(host, port) {
			allowed = safe
		}
		conn, err := c.guard.connect(ctx, "tcp", address, allowed)
		if err != nil {
			return nil, classify(err)
		}
		return conn, nil
	}
}

// AdmitAddress checks whether the guard would let a connection be made to a host and one of these ports. It looks up
// the name but connects to nobody. The answer can change: [Client.Dialer] checks again. Errors: Blocked if all
// addresses of the host are refused; Unavailable if it has none or they cannot be looked up.
func (c *Client) AdmitAddress(ctx context.Context, address string, ports ...uint16) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fault.New(fault.Invalid, "%.80q: want host:port", address)
	}
	g := c.guard
	if g.allow.match(host, port) {
		return nil
	}
	safe := ssrf.New(ssrf.WithDeniedV4Prefixes(wireServer), ssrf.WithPorts(ports...)).Safe
	var found []netip.Addr
	if literal, err := netip.ParseAddr(host); err == nil {
		found = []netip.Addr{literal}
	} else if g.proxy.through(host, port) && g.proxy.resolves && !numeric(host) {
		found = []netip.Addr{anyPublic} // shows whether the port is allowed
	} else if found, err = cmp.Or(g.open.Resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host); err != nil {
		return fault.New(fault.Unavailable, "the name %s cannot be looked up: %w", host, err)
	}
	for _, ip := range found {
		network := "tcp6"
		if ip = ip.Unmap(); ip.Is4() {
			network = "tcp4"
		}
		if err = safe(network, net.JoinHostPort(ip.String(), port), nil); err == nil {
			return nil
		}
	}
	if err == nil {
		return fault.New(fault.Unavailable, "the name %s has no address", host)
	}
	return classify(err)
}

var anyPublic = netip.MustParseAddr("8.8.8.8")
