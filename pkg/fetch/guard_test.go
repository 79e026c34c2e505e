package fetch

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/fetchtest"
)

// open are ordinary addresses adjacent to the special ones.
var open = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.0.0.1", "128.0.0.1",
	"168.63.129.15", "168.63.129.17", "169.253.0.1", "172.15.0.1", "172.32.0.1", "192.167.0.1", "223.255.255.255",
	"2606:4700::1111", "2a00:1450:4001::1", "2400:cb00::1",
}

func TestAddressesAtDial(t *testing.T) { // no request reaches an internal address
	g := newGuard(nil, nil)
	count := 0
	for reason, addresses := range fetchtest.Denied {
		for _, address := range addresses {
			count++
			if err := control(g, address, "443"); err == nil {
				t.Errorf("%s (%s) is not refused at dial", address, reason)
			} else if kind := fault.KindOf(classify(err)); kind != fault.Blocked {
				t.Errorf("%s: have kind %s, want blocked", address, kind)
			}
			_, err := g.target("https://" + joinHost("https", address, "") + "/")
			wantKind(t, err, fault.Blocked, "")
		}
	}
	if count < 48 {
		t.Errorf("have %d addresses, want at least 48", count)
	}
	for _, address := range open {
		if err := control(g, address, "80"); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := control(g, "8.8.8.8", "22"); fault.KindOf(classify(err)) != fault.Blocked {
		t.Errorf("port 22 is not refused at dial: %v", err)
	}
}

// control makes the check that the dialer makes for each address before it connects.
func control(g *guard, address, port string) error {
	network := "tcp4"
	if netip.MustParseAddr(address).Is6() {
		network = "tcp6"
	}
	return g.guardian.Safe(network, net.JoinHostPort(address, port), nil)
}

// TestNamesThatResolveToSpecialAddresses checks that the guard decides by the dialled address, whatever the name
// resolved to before.
func TestNamesThatResolveToSpecialAddresses(t *testing.T) {
	hit := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hit = true }))
	defer server.Close()
	dns := fetchtest.NewNames(map[string][]string{
		"inside.example":   {"127.0.0.1"},
		"mixed.example":    {"10.0.0.1 127.0.0.1 169.254.169.254"},
		"metadata.example": {"169.254.169.254"},
		"agent.example":    {"168.63.129.16"},
	})
	c := newClient(t, Config{Resolver: dns.Resolver(), AllowHosts: []string{"127.0.0.1", "10.0.0.0/8", "169.254.169.254"}})
	for name := range dns.Answers {
		_, err := c.Get(t.Context(), Request{URL: "http://" + name + "/"})
		wantKind(t, err, fault.Blocked, "")
	}
	_, err := c.Get(t.Context(), Request{URL: "http://unknown.example/"})
	wantKind(t, err, fault.Unavailable, "no such host")
	if hit {
		t.Error("a refused server was reached")
	}
}

func TestRebinding(t *testing.T) {
	dns := fetchtest.NewNames(map[string][]string{"flip.example": {"10.255.255.1", "127.0.0.1", "169.254.169.254"}})
	c := newClient(t, Config{Resolver: dns.Resolver()})
	for range 3 { // an earlier public address does not help
		_, err := c.Get(t.Context(), Request{URL: "http://flip.example/"})
		wantKind(t, err, fault.Blocked, "")
	}
	if dns.Asked("flip.example") < 3 {
		t.Errorf("the name was asked for %d times: the test shows nothing", dns.Asked("flip.example"))
	}
}

// TestExemptionIsByName checks that an exempt name may resolve to any address, while another name for the same
// address and port is refused, even when a connection to that address is kept alive.
func TestExemptionIsByName(t *testing.T) {
	server := httptest.NewServer(text("inside"))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	dns := fetchtest.NewNames(map[string][]string{"wiki.intranet": {"127.0.0.1"}, "evil.example": {"127.0.0.1"},
		"a.b.lan": {"127.0.0.1"}, "lan": {"127.0.0.1"}})
	c := newClient(t, Config{Resolver: dns.Resolver(),
		AllowHosts: []string{"Wiki.Intranet:" + port, "*.lan", "evil.example:1"}})
	for _, host := range []string{"wiki.intranet", "WIKI.intranet.", "a.b.lan"} {
		if res, err := c.Get(t.Context(), Request{URL: "http://" + host + ":" + port}); err != nil ||
			string(res.Body) != "inside" {
			t.Errorf("%s: have %q, %v", host, res.Body, err)
		}
	}
	for _, host := range []string{"evil.example", "lan", "127.0.0.1", "localhost", "xn--wiki.intranet"} {
		_, err := c.Get(t.Context(), Request{URL: "http://" + host + ":" + port})
		wantKind(t, err, fault.Blocked, "port "+port)
	}
	// The port is checked first. This checks that the dialer refuses on its own.
	if _, err := c.guard.dial(t.Context(), "tcp", "evil.example:80"); fault.KindOf(classify(err)) != fault.Blocked {
		t.Errorf("have %v, want the address refused", err)
	}
	if !c.Exempt("x.lan:8080") || !c.Exempt("wiki.intranet:"+port) || c.Exempt("wiki.intranet") || c.Exempt("lan") {
		t.Error("Exempt does not tell what the guard does")
	}
}

func TestAllowList(t *testing.T) {
	for _, tc := range []struct {
		entry, host, port string
		want              bool
	}{
		{"a.example", "a.example", "8080", true},
		{"a.example", "A.EXAMPLE.", "80", true},
		{"a.example", "b.a.example", "80", false},
		{"a.example", "xa.example", "80", false},
		{"a.example:81", "a.example", "81", true},
		{"a.example:81", "a.example", "80", false},
		{"*.a.example", "b.a.example", "80", true},
		{"*.a.example", "c.b.a.example", "80", true},
		{"*.a.example", "a.example", "80", false},
		{"*.a.example", "ba.example", "80", false},
		{"*.a.example:81", "b.a.example", "80", false},
		{"bücher.example", "xn--bcher-kva.example", "80", true},
		{"my_host", "my_host", "80", true},
		{"127.0.0.1", "127.0.0.1", "9", true},
		{"127.0.0.1", "127.0.0.2", "9", false},
		{"127.0.0.1", "::ffff:127.0.0.1", "9", false},
		{"127.0.0.1:9", "127.0.0.1", "9", true},
		{"127.0.0.1:9", "127.0.0.1", "8", false},
		{"10.0.0.0/8", "10.9.8.7", "80", true},
		{"10.0.0.0/8", "11.0.0.1", "80", false},
		{"10.0.0.0/8", "ten.example", "80", false},
		{"::1", "::1", "80", true},
		{"[::1]:81", "::1", "81", true},
		{"[::1]:81", "::1", "80", false},
		{"[::1]", "::1", "80", true},
		{"fd00::/8", "fd12::1", "80", true},
	} {
		list, err := parseHosts("AllowHosts", []string{tc.entry})
		if err != nil {
			t.Errorf("%s: %v", tc.entry, err)
		} else if got := list.match(tc.host, tc.port); got != tc.want {
			t.Errorf("%s matches %s port %s: have %v, want %v", tc.entry, tc.host, tc.port, got, tc.want)
		}
	}
}

func TestTarget(t *testing.T) {
	g := newGuard(allowList{{name: "open.example"}}, nil)
	for raw, want := range map[string]string{
		"http://Site.Example":                "http://site.example/",
		"HTTPS://site.example:443/a#b":       "https://site.example/a",
		"http://site.example:80?q":           "http://site.example/?q",
		"http://site.example:443/":           "http://site.example:443/",
		"http://site.example./a":             "http://site.example/a",
		" http://site.example/a b?c d\t":     "http://site.example/a%20b?c%20d",
		"http://site.example/%zz?100%":       "http://site.example/%25zz?100%25",
		"http://bücher.example/ä?ö":          "http://xn--bcher-kva.example/%C3%A4?%C3%B6",
		"http://open.example:8080/":          "http://open.example:8080/",
		"http://[2606:4700::1111]:443/":      "http://[2606:4700::1111]:443/",
		"https://[2606:4700::1111]:443/":     "https://[2606:4700::1111]/",
		"http://under_score.site.example/":   "http://under_score.site.example/",
		"http://2130706433/":                 "http://2130706433/", // a name, which the guard at dial will check
		"http://site.example/a/../b":         "http://site.example/a/../b",
		"http://site.example/%2e%2E/?a=%2f#": "http://site.example/%2e%2E/?a=%2f",
	} {
		if u, err := g.target(raw); err != nil || u.String() != want {
			t.Errorf("target(%q) = %v, %v, want %s", raw, u, err, want)
		}
	}
	for raw, kind := range map[string]fault.Kind{
		"":                                   fault.Invalid,
		"/a":                                 fault.Invalid,
		"site.example":                       fault.Invalid,
		"http:///a":                          fault.Invalid,
		"http:a":                             fault.Invalid,
		"http://":                            fault.Invalid,
		"http://u:secret@site.example/":      fault.Invalid,
		"http://@site.example/":              fault.Invalid,
		"http://site.example:0/":             fault.Invalid,
		"http://site.example:65536/":         fault.Invalid,
		"http://site.example:secret/":        fault.Invalid,
		"http://[fe80::1%25eth0]/":           fault.Invalid,
		"http://a b/":                        fault.Invalid,
		"http://a%00b/":                      fault.Invalid,
		"http://a/\x00":                      fault.Invalid,
		"http://" + strings.Repeat("a", 300): fault.Invalid,
		"http://a/" + strings.Repeat("a", maxURL): fault.Invalid,
		"ftp://site.example/":                     fault.Blocked,
		"file:///etc/passwd":                      fault.Blocked,
		"gopher://site.example/":                  fault.Blocked,
		"http://site.example:22/":                 fault.Blocked,
		"http://127.0.0.1/":                       fault.Blocked,
	} {
		_, err := g.target(raw)
		wantKind(t, err, kind, "")
		if err != nil && strings.Contains(err.Error(), "u:secret") {
			t.Errorf("%q: the error tells a password: %v", raw, err)
		}
	}
}

// TestOddSpellingsOfLoopback checks that odd spellings of loopback never reach it, however they are resolved.
func TestOddSpellingsOfLoopback(t *testing.T) {
	c := newClient(t, Config{})
	for _, host := range []string{"2130706433", "0x7f.1", "0177.0.0.1", "127.1", "localhost", "localhost.",
		"[::ffff:7f00:1]", "①27.0.0.1", "0"} {
		_, err := c.Get(t.Context(), Request{URL: "http://" + host + "/"})
		if kind := fault.KindOf(err); kind != fault.Blocked && kind != fault.Unavailable && kind != fault.Invalid {
			t.Errorf("%s: have %v", host, err)
		}
	}
}
