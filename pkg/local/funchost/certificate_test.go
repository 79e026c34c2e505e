package funchost

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// writeCertificate writes a new certificate for 127.0.0.1 and its key.
func writeCertificate(t *testing.T, chain, key string, serial int64) *x509.Certificate {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "tide"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	must(t, os.WriteFile(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	c, err := x509.ParseCertificate(der)
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestL4Certificate checks that a replaced certificate is used, that an unreadable replacement is not, and that the
// host does not start without a readable one.
func TestL4Certificate(t *testing.T) {
	dir := t.TempDir()
	chain, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if _, err := LoadCertificate(chain, key, nil); !fault.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), "TLS_CERT_FILE") {
		t.Errorf("no files: %v", err)
	}
	writeCertificate(t, chain, key, 1)
	c, err := LoadCertificate(chain, key, nil)
	must(t, err)
	serial := func() int64 {
		c.readAt = time.Time{}
		got, err := c.get(nil)
		must(t, err)
		return got.Leaf.SerialNumber.Int64()
	}
	writeCertificate(t, chain, key, 2)
	must(t, os.Chtimes(chain, time.Time{}, time.Now().Add(time.Minute)))
	if n := serial(); n != 2 {
		t.Errorf("certificate %d after it was replaced", n)
	}
	must(t, os.WriteFile(chain, []byte("half of a file"), 0o600))
	if n := serial(); n != 2 {
		t.Errorf("certificate %d while the files are written", n)
	}
	writeCertificate(t, chain, key, 3)
	if n := serial(); n != 3 {
		t.Errorf("certificate %d in the end", n)
	}
}

// TestL4TLS checks TLS with HTTP/2: the handler receives the client's scheme, and the management API is off with
// keys.
func TestL4TLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chain, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := x509.NewCertPool()
	pool.AddCert(writeCertificate(t, chain, key, 1))
	c, err := LoadCertificate(chain, key, nil)
	must(t, err)
	r := started(t, helloApp.with(timerApp("0 0 0 1 1 *", "")), with(func(o *Options) {
		o.Certificate, o.Keys, o.Proxies = c, true, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	}), withCall(func(int, call) reply { return reply{Status: 200, Body: "hello"} }))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool},
		ForceAttemptHTTP2: true}}
	send := func(method, path string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, "https://"+r.host.Addr()+path, strings.NewReader("{}"))
		must(t, err)
		req.Header.Set("X-Forwarded-For", "198.51.100.7")
		req.Header.Set("X-Forwarded-Host", "tidemark.example")
		resp, err := client.Do(req)
		must(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		must(t, err)
		return resp, string(body)
	}
	resp, body := send("POST", "/api/hello/bob")
	if resp.ProtoMajor != 2 || body != "hello" {
		t.Errorf("%s: %d %s", resp.Proto, resp.StatusCode, body)
	}
	for name, want := range map[string]string{forwardedFor: "198.51.100.7", forwardedHost: "tidemark.example",
		forwardedProto: "https"} {
		if have := r.waitCalls(t, 1)[0].Header.Values(name); len(have) != 1 || have[0] != want {
			t.Errorf("%s: %q, want %q", name, have, want)
		}
	}
	if resp, body := send("POST", "/admin/functions/T"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the management API: %d %s", resp.StatusCode, body)
	}
	if resp, err := http.Get("http://" + r.host.Addr() + "/api/hello/bob"); err == nil {
		if resp.Body.Close(); resp.StatusCode == http.StatusOK {
			t.Error("in the clear")
		}
	}
}
