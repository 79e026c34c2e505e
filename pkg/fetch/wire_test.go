package fetch

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// raw starts a server that answers every connection with exactly these bytes and then calls after with it.
func raw(t *testing.T, reply string, after func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.Read(make([]byte, 4096))
				io.WriteString(conn, reply)
				if after != nil {
					after(conn)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

func hang(conn net.Conn) { io.Copy(io.Discard, conn) }

// drip sends a byte now and then until the client disconnects.
func drip(conn net.Conn) {
	for {
		if _, err := conn.Write([]byte("x")); err != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// flood repeats a text until the client disconnects.
func flood(text string) func(net.Conn) {
	return func(conn net.Conn) {
		for {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}
}

func TestBrokenReplies(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, tc := range []struct {
		name  string
		reply string
		after func(net.Conn)
		kind  fault.Kind // empty expects a body of "tide"
	}{
		{"a length that is right", ok + "Content-Length: 4\r\n\r\ntide", nil, ""},
		{"no length, ended by closing", ok + "\r\ntide", nil, ""},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\ntide", nil, ""},
		{"chunks", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nti\r\n2\r\nde\r\n0\r\n\r\n", nil, ""},
		{"a length too small is taken at its word", ok + "Content-Length: 4\r\n\r\ntide and more", nil, ""},
		{"the same length twice", ok + "Content-Length: 4\r\nContent-Length: 4\r\n\r\ntide", nil, ""},
		{"hints before the answer", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + ok + "Content-Length: 4\r\n\r\ntide",
			nil, ""},
		{"nothing", "", nil, fault.Unavailable},
		{"an answer that stalls", "", hang, fault.Unavailable},
		{"another protocol", "SSH-2.0-OpenSSH_9.6\r\n", nil, fault.Unavailable},
		{"half a header", ok + "Content-Le", nil, fault.Unavailable},
		{"a header that stalls", ok + "Content-Le", hang, fault.Unavailable},
		{"a header that drips", ok + "X: ", drip, fault.Unavailable},
		{"a header without end", ok, flood("X: " + strings.Repeat("x", 1000) + "\r\n"), fault.Unavailable},
		{"a header line without end", ok + "X: ", flood(strings.Repeat("x", 1000)), fault.Unavailable},
		{"hints without end", "", flood("HTTP/1.1 103 Early Hints\r\nX: " + strings.Repeat("x", 1000) + "\r\n\r\n"),
			fault.Unavailable},
		{"a body cut short", ok + "Content-Length: 10\r\n\r\ntide", nil, fault.Unavailable},
		{"a body that stalls", ok + "Content-Length: 10\r\n\r\ntide", hang, fault.Unavailable},
		{"a body that drips", ok + "Content-Length: 100000\r\n\r\n", drip, fault.Unavailable},
		{"a body without end", ok + "\r\n", flood(strings.Repeat("x", 1000)), fault.TooLarge},
		{"a length beyond the bound", ok + "Content-Length: 99999999999\r\n\r\n", hang, fault.TooLarge},
		{"a long header", ok + "X: " + strings.Repeat("x", maxHeaderBytes-4096) + "\r\nContent-Length: 4\r\n\r\ntide", nil,
			""},
		{"a header beyond the bound", ok + "X: " + strings.Repeat("x", maxHeaderBytes) + "\r\nContent-Length: 4\r\n\r\ntide",
			nil, fault.Unavailable},
		{"two lengths", ok + "Content-Length: 4\r\nContent-Length: 5\r\n\r\ntides", nil, fault.Unavailable},
		{"a negative length", ok + "Content-Length: -4\r\n\r\ntide", nil, fault.Unavailable},
		{"chunks cut short", ok + "Transfer-Encoding: chunked\r\n\r\n4\r\nti", nil, fault.Unavailable},
		{"chunks without the last", ok + "Transfer-Encoding: chunked\r\n\r\n4\r\ntide\r\n", nil, fault.Unavailable},
		{"chunks of no number", ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\ntide\r\n0\r\n\r\n", nil, fault.Unavailable},
		{"chunks of one byte with long extensions", ok + "Transfer-Encoding: chunked\r\n\r\n",
			flood("1;" + strings.Repeat("e", 2000) + "\r\nx\r\n"), fault.Unavailable},
		{"an unknown transfer encoding", ok + "Transfer-Encoding: tide\r\n\r\ntide", nil, fault.Unavailable},
		{"a protocol we did not ask for", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
			hang, fault.Unavailable},
		{"gzip cut short", ok + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00", nil, fault.Unavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			address := raw(t, tc.reply, tc.after)
			timeout := time.Minute // floods must end by another limit, however slow the machine
			if strings.HasSuffix(tc.name, "stalls") || strings.HasSuffix(tc.name, "drips") {
				timeout = 200 * time.Millisecond
			}
			c := newClient(t, Config{AllowHosts: []string{address}, MaxBytes: 1 << 20, Timeout: timeout})
			res, err := c.Get(t.Context(), Request{URL: "http://" + address})
			wantKind(t, err, tc.kind, "")
			if tc.kind == "" && string(res.Body) != "tide" {
				t.Errorf("have %q", res.Body)
			}
			if len(res.Body) > 0 && tc.kind != "" {
				t.Errorf("an error comes with a body of %d bytes", len(res.Body))
			}
		})
	}
}

// TestTimeoutCoversRedirects checks that one timeout covers the whole chain: redirects do not extend it.
func TestTimeoutCoversRedirects(t *testing.T) {
	var hops int
	c, base := serve(t, Config{Timeout: 200 * time.Millisecond, MaxRedirects: 20}, map[string]http.HandlerFunc{
		"/{n}": func(w http.ResponseWriter, r *http.Request) {
			hops++
			select {
			case <-time.After(60 * time.Millisecond):
			case <-r.Context().Done():
			}
			http.Redirect(w, r, fmt.Sprintf("/%d", hops), http.StatusFound)
		},
	})
	_, err := c.Get(t.Context(), Request{URL: base + "/0"})
	wantKind(t, err, fault.Unavailable, "no complete answer")
}

func TestNobodyListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	c := newClient(t, Config{AllowHosts: []string{address}})
	_, err = c.Get(t.Context(), Request{URL: "http://" + address})
	wantKind(t, err, fault.Unavailable, "fetch "+address)
}

func TestTLS(t *testing.T) {
	plain := httptest.NewServer(text("plain"))
	defer plain.Close()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			http.Redirect(w, r, plain.URL, http.StatusMovedPermanently)
			return
		}
		io.WriteString(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	u, _ := url.Parse(server.URL)
	allow := []string{u.Host, strings.TrimPrefix(plain.URL, "http://")}

	c := newClient(t, Config{AllowHosts: allow, RootCAs: roots})
	if res, err := c.Get(t.Context(), Request{URL: server.URL}); err != nil || string(res.Body) != "HTTP/2.0" {
		t.Errorf("have %q, %v, want HTTP/2", res.Body, err)
	}
	res, err := c.Get(t.Context(), Request{URL: server.URL + "/down"})
	if err != nil || string(res.Body) != "plain" {
		t.Errorf("have %+v, %v, want what a redirect to http leads to", res, err)
	}
	_, err = newClient(t, Config{AllowHosts: allow}).Get(t.Context(), Request{URL: server.URL})
	wantKind(t, err, fault.Unavailable, "certificate")
}

// TestX8RSAHosts checks that RSA key exchange is offered to listed hosts only, and that the error for others names the
// setting (X8).
func TestX8RSAHosts(t *testing.T) {
	server := httptest.NewUnstartedServer(text("old"))
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_256_GCM_SHA384}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	host := strings.TrimPrefix(server.URL, "https://")
	for _, tt := range []struct {
		hosts []string
		err   string
	}{
		{[]string{host}, ""},
		{[]string{"127.0.0.0/8"}, ""},
		{nil, "CRAWL_TLS_RSA_HOSTS"},
		{[]string{"old.example"}, "CRAWL_TLS_RSA_HOSTS"},
	} {
		c := newClient(t, Config{AllowHosts: []string{host}, TLSRSAHosts: tt.hosts, RootCAs: roots})
		res, err := c.Get(t.Context(), Request{URL: server.URL})
		if tt.err != "" {
			wantKind(t, err, fault.Unavailable, tt.err)
		} else if err != nil || string(res.Body) != "old" {
			t.Errorf("%v: %q, %v", tt.hosts, res.Body, err)
		}
	}
	if _, err := New(Config{TLSRSAHosts: []string{"a b"}}); fault.FieldOf(err) != "TLSRSAHosts" {
		t.Errorf("a host with a space: %v", err)
	}
}

// TestConnectionsAreKept checks that a connection is reused after a page, a 304 and a short redirect.
func TestConnectionsAreKept(t *testing.T) {
	remotes := map[string]bool{}
	note := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { remotes[r.RemoteAddr] = true; next(w, r) }
	}
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/a": note(to(302, "/b")),
		"/b": note(text("page")),
		"/c": note(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }),
	})
	for _, path := range []string{"/a", "/b", "/c", "/a"} {
		if _, err := c.Get(t.Context(), Request{URL: base + path, ETag: `"1"`}); err != nil {
			t.Fatal(err)
		}
	}
	if len(remotes) != 1 {
		t.Errorf("%d connections were made, want 1", len(remotes))
	}
}

// TestNoProxy checks that no proxy of the environment is used, because it would connect where the guard cannot check.
func TestNoProxy(t *testing.T) {
	hit := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hit = true }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	c := newClient(t, Config{})
	if c.transport.Proxy != nil {
		t.Error("a proxy may be used")
	}
	c.Get(t.Context(), Request{URL: "http://10.0.0.1/"})
	if hit {
		t.Error("the proxy was asked")
	}
}

func TestLimitRead(t *testing.T) {
	in := []byte("0123456789")
	for _, hint := range []int64{-1, 0, 5, 10, 1 << 40} {
		if out, err := (limit{bytes: 10}).read(bytes.NewReader(in), hint); err != nil || !bytes.Equal(out, in) {
			t.Errorf("hint %d: have %q, %v", hint, out, err)
		}
		_, err := (limit{bytes: 9}).read(bytes.NewReader(in), hint)
		wantKind(t, err, fault.TooLarge, "at most 9")
		if out, err := (limit{bytes: 9, cut: true}).read(bytes.NewReader(in), hint); err != nil ||
			string(out) != "012345678" {
			t.Errorf("hint %d: have %q, %v", hint, out, err)
		}
	}
}

// TestX8RefusedAnswers checks that an answer which net/http refuses fails with what the site has to fix (X8).
func TestX8RefusedAnswers(t *testing.T) {
	const ok, rest = "HTTP/1.1 200 OK\r\n", "\r\n\r\nhello"
	for name, tt := range map[string]struct{ reply, want string }{
		"identity":      {ok + "Transfer-Encoding: identity" + rest, "the header Transfer-Encoding is wrong"},
		"gzip, chunked": {ok + "Transfer-Encoding: gzip, chunked" + rest, "the header Transfer-Encoding is wrong"},
		"chunked twice": {ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked" + rest,
			"the header Transfer-Encoding"},
		"no length":          {ok + "Content-Length:" + rest, "the header Content-Length is wrong"},
		"a list of lengths":  {ok + "Content-Length: 5, 5" + rest, "the header Content-Length is wrong"},
		"two lengths":        {ok + "Content-Length: 5\r\nContent-Length: 6" + rest, "the header Content-Length is wrong"},
		"no colon":           {ok + "X-Powered by" + rest, "a line of the header is malformed"},
		"no name":            {ok + ": x" + rest, "a line of the header is malformed"},
		"a version":          {"HTTP/1 200 OK\r\nA: b" + rest, "the status line is malformed"},
		"a version in lower": {"http/1.1 200 OK\r\nA: b" + rest, "the status line is malformed"},
		"no blank":           {"HTTP/1.1 200OK\r\nA: b" + rest, "the status line is malformed"},
	} {
		c, err := New(Config{AllowHosts: []string{"127.0.0.1"}, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Get(t.Context(), Request{URL: "http://" + raw(t, tt.reply, nil) + "/"})
		wantKind(t, err, fault.Unavailable, tt.want)
		wantKind(t, err, fault.Unavailable, "which the site has to fix")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
