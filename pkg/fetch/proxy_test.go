package fetch

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/fetchtest"
)

// relay is a proxy that connects each tunnel to one server, whatever address it is given.
type relay struct {
	*httptest.Server
	to, login string
	refuses   string // an address to which it does not connect

	mu    sync.Mutex
	asked []string
}

func newRelay(t *testing.T, to string, secure bool) *relay {
	p := &relay{to: to}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	if secure {
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	return p
}

func (p *relay) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host)
	p.mu.Unlock()
	switch {
	case r.Header.Get("Proxy-Authorization") != p.login:
		w.WriteHeader(http.StatusProxyAuthRequired)
	case r.Method != http.MethodConnect || r.Host == p.refuses:
		w.WriteHeader(http.StatusBadGateway)
	default:
		there, err := net.Dial("tcp", p.to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		here, _, _ := w.(http.Hijacker).Hijack()
		_, _ = io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() {
			_, _ = io.Copy(there, here)
			there.Close()
		}()
		_, _ = io.Copy(here, there)
		here.Close()
	}
}

func (p *relay) seen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := strings.Join(p.asked, ", ")
	p.asked = nil
	return out
}

// proxied is a site with TLS behind a proxy, and the names that lead there.
func proxied(t *testing.T, secure bool) (site *httptest.Server, p *relay, cfg Config) {
	site = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "page of %s", r.Host)
	}))
	t.Cleanup(site.Close)
	p = newRelay(t, site.Listener.Addr().String(), secure)
	roots := x509.NewCertPool() // both servers have this certificate, which is for example.com and 127.0.0.1
	roots.AddCert(site.Certificate())
	dns := fetchtest.NewNames(map[string][]string{"example.com": {"93.184.216.34"}, "inside.example": {"10.0.0.7"},
		"mixed.example": {"10.0.0.7 93.184.216.35"}, "turned.example": {"93.184.216.35 10.0.0.7"},
		"site.lan": {"127.0.0.1"}})
	return site, p, Config{RootCAs: roots, Resolver: dns.Resolver(), Proxy: Proxy{URL: p.URL}}
}

func got(t *testing.T, cfg Config, address string) (string, error) {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.Get(t.Context(), Request{URL: address})
	return string(r.Body), err
}

// TestY13PinHoldsThroughAProxy checks that a proxy is asked for the address that the guard has checked, and for no
// special one, whatever the name and the scheme, over http and https to the proxy (Y13).
func TestY13PinHoldsThroughAProxy(t *testing.T) {
	for _, secure := range []bool{false, true} {
		_, p, cfg := proxied(t, secure)
		if body, err := got(t, cfg, "https://example.com/"); err != nil || body != "page of example.com" {
			t.Errorf("%q %v", body, err)
		}
		if asked := p.seen(); asked != "CONNECT 93.184.216.34:443" {
			t.Errorf("the proxy was asked for %s", asked)
		}
		_, _ = got(t, cfg, "http://mixed.example/") // the site speaks TLS only
		if asked := p.seen(); asked != "CONNECT 93.184.216.35:80" {
			t.Errorf("the proxy was asked for %s", asked)
		}
		p.refuses = "93.184.216.35:443"
		for _, host := range []string{"mixed.example", "turned.example"} {
			if _, err := got(t, cfg, "https://"+host+"/"); !fault.Is(err, fault.Unavailable) || p.seen() == "" {
				t.Errorf("%s, of which one address is special and one does not answer: %v", host, err)
			}
		}
		for _, address := range []string{"https://inside.example/", "https://10.0.0.7/", "http://169.254.169.254/",
			"https://example.com:8443/"} {
			if _, err := got(t, cfg, address); !fault.Is(err, fault.Blocked) {
				t.Errorf("%s: %v", address, err)
			}
		}
		if _, err := got(t, cfg, "https://unknown.example/"); !fault.Is(err, fault.Unavailable) ||
			!strings.Contains(err.Error(), "EGRESS_PROXY_RESOLVES") {
			t.Errorf("a name without an address: %v", err)
		}
		if asked := p.seen(); asked != "" {
			t.Errorf("the proxy was asked for %s", asked)
		}
	}
}

// TestY13NoProxy checks that hosts are reached without the proxy by name, suffix, address and CIDR (Y13).
func TestY13NoProxy(t *testing.T) {
	for except, direct := range map[string]bool{"": false, "other.example, 192.0.2.0/24": false, "site.lan": true,
		".lan": true, "*.lan": true, "lan": true, "*": true, "10.0.0.0/8": true, "10.0.0.7": true, "10.0.0.7:80": false,
		"other.example site.lan\t": true, "[10.0.0.7]": true, "[10.0.0.7]:443": true} {
		p, err := Proxy{URL: "http://proxy.example:3128", Except: except}.parse(net.Dialer{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if have := !p.through("site.lan", "443") || !p.through("10.0.0.7", "443"); have != direct {
			t.Errorf("NO_PROXY=%s: direct is %v", except, have)
		}
	}
	site, p, cfg := proxied(t, false)
	_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
	cfg.AllowHosts, cfg.Proxy.Except = []string{"site.lan"}, "127.0.0.0/8"
	_, _ = got(t, cfg, "https://site.lan:"+port+"/") // the certificate is for another name
	if asked := p.seen(); asked != "" {
		t.Errorf("a name whose address is in NO_PROXY: the proxy was asked for %q", asked)
	}
}

// TestY13ProxyResolves checks that a proxy may get names, that ports and addresses in any form are still checked, and
// that a password is sent to the proxy only (Y13).
func TestY13ProxyResolves(t *testing.T) {
	_, p, cfg := proxied(t, false)
	cfg.Proxy.Resolves, cfg.Resolver = true, fetchtest.NewNames(nil).Resolver()
	cfg.Proxy.Login, p.login = "me:it's %20", "Basic bWU6aXQncyAlMjA="
	if body, err := got(t, cfg, "https://example.com/"); err != nil || body != "page of example.com" {
		t.Errorf("%q %v", body, err)
	}
	if asked := p.seen(); asked != "CONNECT example.com:443" {
		t.Errorf("the proxy was asked for %s", asked)
	}
	for _, address := range []string{"https://127.0.0.1/", "https://[fd00::1]/", "https://example.com:25/"} {
		if _, err := got(t, cfg, address); !fault.Is(err, fault.Blocked) {
			t.Errorf("%s: %v", address, err)
		}
	}
	_ = p.seen()
	for _, host := range []string{"127.1", "2130706433", "0x7f000001", "0177.0.0.1", "a.0X7F."} {
		if _, err := got(t, cfg, "https://"+host+"/"); err == nil || p.seen() != "" {
			t.Errorf("the proxy gets %s: %v", host, err)
		}
	}
	cfg.Proxy.Login = ""
	if _, err := got(t, cfg, "https://example.com/"); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), "EGRESS_PROXY_CREDENTIAL") {
		t.Errorf("without the password: %v", err)
	}
	p.login, p.refuses = "", "example.com:443"
	if _, err := got(t, cfg, "https://example.com/"); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), "HTTP 502") {
		t.Errorf("a tunnel that is refused: %v", err)
	}
	p.Close()
	if _, err := got(t, cfg, "https://example.com/"); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), "EGRESS_PROXY") {
		t.Errorf("no proxy there: %v", err)
	}
}

// TestY13MailThroughAProxy checks that a server that speaks first is heard through a proxy, on the ports of its
// protocol only (Y13).
func TestY13MailThroughAProxy(t *testing.T) {
	mail, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mail.Close()
	go func() {
		conn, err := mail.Accept()
		if err == nil {
			_, _ = io.WriteString(conn, "220 mail.example")
			conn.Close()
		}
	}()
	_, p, cfg := proxied(t, false)
	p.to = mail.Addr().String()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	dial := c.Dialer(587)
	if _, err := dial(t.Context(), "example.com:25"); !fault.Is(err, fault.Blocked) {
		t.Errorf("another port: %v", err)
	}
	conn, err := dial(t.Context(), "example.com:587")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if said, err := io.ReadAll(conn); err != nil || string(said) != "220 mail.example" {
		t.Errorf("%q %v", said, err)
	}
	if asked := p.seen(); asked != "CONNECT 93.184.216.34:587" {
		t.Errorf("the proxy was asked for %s", asked)
	}
}

// TestY13ProxyTalks checks that the answer of a proxy is read up to a limit only, and that a cancelled request does
// not wait for the proxy (Y13).
func TestY13ProxyTalks(t *testing.T) {
	for name, chatty := range map[string]bool{"a head without end": true, "no answer": false} {
		proxy, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer proxy.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			conn, err := proxy.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for chatty && err == nil {
				_, err = io.WriteString(conn, "X-Talk: "+strings.Repeat("x", 1<<10)+"\r\n")
			}
			cancel()
			_, _ = io.Copy(io.Discard, conn)
		}()
		dialer := tunnels{address: proxy.Addr().String()}
		began := time.Now()
		if _, err := dialer.tunnel(ctx, "93.184.216.34:443"); err == nil || time.Since(began) > proxyTime/2 {
			t.Errorf("%s: %v after %s", name, err, time.Since(began))
		}
	}
}

// TestY13Certificates checks that the error of a certificate that is not trusted names the setting for certificates of
// private authorities (Y13).
func TestY13Certificates(t *testing.T) {
	site, _, _ := proxied(t, false)
	_, err := got(t, Config{AllowHosts: []string{"127.0.0.1"}}, site.URL)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "SSL_CERT_FILE") {
		t.Error(err)
	}
}

// TestY13BadProxies checks which settings of a proxy are refused, without repeating a password (Y13).
func TestY13BadProxies(t *testing.T) {
	for _, p := range []Proxy{{URL: "proxy:3128"}, {URL: "socks5://proxy:1080"}, {URL: "http://"},
		{URL: "http://me:secret@proxy:3128"}, {URL: "http://proxy/path"}, {URL: "http://proxy", Login: "secret"},
		{URL: "http://proxy", Login: "me:secret\r\nX: y"}, {URL: "http://proxy", Except: "a.example,10.*"},
		{URL: "http://proxy", Except: "http://a.example"}, {URL: "http://proxy", Except: "10.0.0.0/99"},
		{URL: "http://proxy", Except: "*."}} {
		if _, err := New(Config{Proxy: p}); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
