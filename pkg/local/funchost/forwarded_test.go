package funchost

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestL4Forwarded checks that reports of named proxies are believed, as far as they concern what these have seen
// themselves.
func TestL4Forwarded(t *testing.T) {
	ours := proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::1/128")}
	for name, tt := range map[string]struct {
		from                 string
		headers              []string
		client, host, scheme string
		forwarded            bool
	}{
		"nobody":           {"192.0.2.1", nil, "192.0.2.1", "inner", "http", false},
		"port":             {"192.0.2.1", []string{"X-Forwarded-Port", "443"}, "192.0.2.1", "inner", "http", true}, // X18
		"gateway":          {"192.0.2.1", []string{"Via", "1.1 gw"}, "192.0.2.1", "inner", "http", true},
		"content delivery": {"192.0.2.1", []string{"CF-Connecting-IP", "127.0.0.1"}, "192.0.2.1", "inner", "http", true},
		"another one":      {"192.0.2.1", []string{"True-Client-IP", "127.0.0.1"}, "192.0.2.1", "inner", "http", true},
		"stranger": {"192.0.2.1", []string{"X-Forwarded-For", "127.0.0.1", "X-Forwarded-Host", "x"},
			"192.0.2.1", "inner", "http", true},
		"proxy": {"10.0.0.1", []string{"X-Forwarded-For", "198.51.100.7", "X-Forwarded-Host", "t.example",
			"X-Forwarded-Proto", "https"}, "198.51.100.7", "t.example", "https", true},
		"forged before it": {"10.0.0.1", []string{"X-Forwarded-For", "127.0.0.1, 10.9.9.9, 198.51.100.7"},
			"198.51.100.7", "inner",
			"http", true},
		"two proxies": {"10.0.0.1", []string{"X-Forwarded-For", "198.51.100.7, 10.0.0.2"},
			"198.51.100.7", "inner", "http", true},
		"two headers": {"10.0.0.1", []string{"X-Forwarded-For", "127.0.0.1", "X-Forwarded-For", "198.51.100.7"},
			"198.51.100.7", "inner", "http", true},
		"no address": {"10.0.0.1", []string{"X-Forwarded-For", "198.51.100.7, unknown"},
			"10.0.0.1", "inner", "http", true},
		"with a port": {"10.0.0.1", []string{"X-Forwarded-For", "198.51.100.7:4711"},
			"198.51.100.7", "inner", "http", true},
		"IPv6": {"fd00::1", []string{"X-Forwarded-For", "2001:db8::7"}, "2001:db8::7", "inner", "http", true},
		"IPv4 in IPv6": {"::ffff:10.0.0.1", []string{"X-Forwarded-For", "198.51.100.7"},
			"198.51.100.7", "inner", "http", true},
		"no host": {"10.0.0.1", []string{"X-Forwarded-Host", "a b\"<x>", "X-Forwarded-Proto", "gopher"},
			"10.0.0.1", "inner", "http", true},
		"RFC 7239": {"10.0.0.1", []string{"Forwarded", `for="[2001:db8::7]:4711";proto=https;host="t.example"`},
			"2001:db8::7", "t.example", "https", true},
		"RFC 7239, forged": {"10.0.0.1", []string{"Forwarded", "for=127.0.0.1, for=198.51.100.7;PROTO=HTTPS"},
			"198.51.100.7", "inner", "https", true},
		"obfuscated": {"10.0.0.1", []string{"Forwarded", "for=198.51.100.7, for=_hidden"},
			"10.0.0.1", "inner", "http", true},
	} {
		r := httptest.NewRequest("GET", "/api/items", nil)
		r.Host, r.RemoteAddr = "inner", netip.AddrPortFrom(netip.MustParseAddr(tt.from), 4711).String()
		for i := 0; i < len(tt.headers); i += 2 {
			r.Header.Add(tt.headers[i], tt.headers[i+1])
		}
		out, forwarded := ours.behind(r)
		if client := hostOf(out.RemoteAddr); client != tt.client || out.Host != tt.host ||
			out.Header.Get(forwardedProto) != tt.scheme || forwarded != tt.forwarded {
			t.Errorf("%s: from %s to %s by %s, %v", name, client, out.Host, out.Header.Get(forwardedProto), forwarded)
		}
		for _, gone := range []string{forwardedFor, forwardedHost, forwardedAll, "X-Real-Ip"} {
			if out.Header.Get(gone) != "" {
				t.Errorf("%s: %s goes on", name, gone)
			}
		}
	}
}

// TestL4UserHeader checks that only a trusted proxy can name the user of a request, and that nobody can name one in the
// host's own header (L4).
func TestL4UserHeader(t *testing.T) {
	for name, tt := range map[string]struct {
		from    string
		headers []string
		want    string
	}{
		"a proxy":            {"10.0.0.1", []string{"Remote-User", "anna"}, "anna"},
		"a stranger":         {"192.0.2.1", []string{"Remote-User", "anna"}, ""},
		"another header":     {"10.0.0.1", []string{"Remote-Name", "anna"}, ""},
		"two values":         {"10.0.0.1", []string{"Remote-User", "root", "Remote-User", "anna"}, ""},
		"the host's own":     {"10.0.0.1", []string{api.HostUserHeader, "root"}, ""},
		"the host's as well": {"10.0.0.1", []string{api.HostUserHeader, "root", "Remote-User", "anna"}, "anna"},
		"of a stranger":      {"192.0.2.1", []string{api.HostUserHeader, "root", "X-Forwarded-For", "10.0.0.1"}, ""},
	} {
		r := httptest.NewRequest("GET", "/api/ui", nil)
		r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(tt.from), 4711).String()
		for i := 0; i < len(tt.headers); i += 2 {
			r.Header.Add(tt.headers[i], tt.headers[i+1])
		}
		g := gate{sameSite: http.NewCrossOriginProtection(), keys: true, user: "Remote-User",
			proxies: proxies{netip.MustParsePrefix("10.0.0.0/8")}}
		out, why := g.pass(r)
		if said := out.Header.Values(api.HostUserHeader); why != "" || strings.Join(said, ",") != tt.want ||
			out.Header.Get("Remote-User") != "" {
			t.Errorf("%s: user %q, refused for %q", name, said, why)
		}
	}
	r := httptest.NewRequest("GET", "/api/ui", nil)
	r.Header.Set(api.HostUserHeader, "root")
	out, _ := gate{sameSite: http.NewCrossOriginProtection(), keys: true}.pass(r)
	if out.Header.Get(api.HostUserHeader) != "" {
		t.Error("without AUTH_HEADER the host's own header goes on")
	}
}

func FuzzL4Forwarded(f *testing.F) {
	f.Add("198.51.100.7, 10.0.0.2", "t.example", `for="[::1]:1";proto=https`)
	ours := proxies{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, list, host, all string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = "10.0.0.1:1"
		r.Header = http.Header{forwardedFor: {list}, forwardedHost: {host}, forwardedAll: {all}}
		out, _ := ours.behind(r)
		if _, err := netip.ParseAddr(hostOf(out.RemoteAddr)); err != nil {
			t.Errorf("the client is %q", out.RemoteAddr)
		}
		if out.Host != r.Host && hostName(out.Host) == "" {
			t.Errorf("the host is %q", out.Host)
		}
	})
}

// TestL4Gate checks that without keys the host answers to localhost and to no proxy, and with keys under any name. In
// neither case does it answer a page of another site, but for the paths about which the app itself decides.
func TestL4Gate(t *testing.T) {
	for name, tt := range map[string]struct {
		host     string
		header   []string
		open     bool // without keys
		withKeys bool
	}{
		"this machine":  {"localhost:7071", nil, true, true},
		"another name":  {"tidemark.example", nil, false, true},
		"a proxy":       {"localhost:7071", []string{"X-Forwarded-For", "198.51.100.7"}, false, true},
		"another proxy": {"127.0.0.1", []string{"Forwarded", "for=198.51.100.7"}, false, true},
		"another site":  {"localhost:7071", []string{"Sec-Fetch-Site", "cross-site"}, false, false},
		"an old one's":  {"tidemark.example", []string{"Origin", "https://evil.example"}, false, false},
	} {
		for _, keys := range []bool{false, true} {
			want := tt.open
			if keys {
				want = tt.withKeys
			}
			r := httptest.NewRequest("POST", "/api/items", nil)
			r.Host = tt.host
			for i := 0; i < len(tt.header); i += 2 {
				r.Header.Set(tt.header[i], tt.header[i+1])
			}
			g := gate{sameSite: sameSiteBut([]string{"POST /api/ui/m/{token}"}), keys: keys}
			if _, why := g.pass(r); (why == "") != want {
				t.Errorf("%s, with keys %v: %q", name, keys, why)
			}
		}
	}
	for path, want := range map[string]bool{"/api/ui/m/token": true, "/api/ui/m/a/b": false, "/api/ui/m": false} {
		r := httptest.NewRequest("POST", path, nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		g := gate{sameSite: sameSiteBut([]string{"POST /api/ui/m/{token}"}), keys: true}
		if _, why := g.pass(r); (why == "") != want {
			t.Errorf("%s from another site: %q", path, why)
		}
	}
}

// TestL8BelowAPath checks which path callers reach this host below: only a trusted proxy may name one in a header, and
// the base path is taken off the requests of proxies that pass it on.
func TestL8BelowAPath(t *testing.T) {
	ours := proxies{netip.MustParsePrefix("10.0.0.0/8")}
	for name, tt := range map[string]struct {
		from, base, path string
		said             []string // values of X-Forwarded-Prefix
		prefix, inner    string
	}{
		"nothing":               {"192.0.2.1", "", "/api/ui", nil, "", "/api/ui"},
		"a stranger":            {"192.0.2.1", "", "/api/ui", []string{"/evil"}, "", "/api/ui"},
		"a stranger, bad":       {"192.0.2.1", "", "/api/ui", []string{"//evil.example"}, "", "/api/ui"},
		"a proxy":               {"10.0.0.1", "", "/api/ui", []string{"/tide"}, "/tide", "/api/ui"},
		"two parts":             {"10.0.0.1", "", "/api/ui", []string{"/a/tide-1.x_~"}, "/a/tide-1.x_~", "/api/ui"},
		"a slash at its end":    {"10.0.0.1", "", "/api/ui", []string{"/tide/"}, "/tide", "/api/ui"},
		"the root":              {"10.0.0.1", "", "/api/ui", []string{"/"}, "", "/api/ui"},
		"forged before it":      {"10.0.0.1", "", "/api/ui", []string{"/evil", "/tide"}, "/tide", "/api/ui"},
		"forged in one":         {"10.0.0.1", "", "/api/ui", []string{"//evil, /tide"}, "/tide", "/api/ui"},
		"passed on":             {"192.0.2.1", "/tide", "/tide/api/ui", nil, "/tide", "/api/ui"},
		"taken off":             {"192.0.2.1", "/tide", "/api/ui", nil, "/tide", "/api/ui"},
		"its root":              {"192.0.2.1", "/tide", "/tide", nil, "/tide", "/"},
		"its root, with slash":  {"192.0.2.1", "/tide", "/tide/", nil, "/tide", "/"},
		"another word":          {"192.0.2.1", "/tide", "/tidemark/api", nil, "/tide", "/tidemark/api"},
		"once":                  {"192.0.2.1", "/tide", "/tide/tide", nil, "/tide", "/tide"},
		"an escaped rest":       {"192.0.2.1", "/tide", "/tide/a%2Fb", nil, "/tide", "/a%2Fb"},
		"both, taken off":       {"10.0.0.1", "/tide", "/api/ui", []string{"/tide"}, "/tide", "/api/ui"},
		"both, passed on":       {"10.0.0.1", "/tide", "/tide/api/ui", []string{"/tide"}, "/tide", "/api/ui"},
		"an outer one, too":     {"10.0.0.1", "/tide", "/tide/api/ui", []string{"/outer"}, "/outer/tide", "/api/ui"},
		"an outer one, all":     {"10.0.0.1", "/tide", "/api/ui", []string{"/outer/tide"}, "/outer/tide", "/api/ui"},
		"not the end of a part": {"10.0.0.1", "/tide", "/api/ui", []string{"/ebb-tide"}, "/ebb-tide/tide", "/api/ui"},
	} {
		r := httptest.NewRequest("GET", tt.path, nil)
		r.RemoteAddr = tt.from + ":4711"
		r.Header[api.PrefixHeader] = tt.said
		out, why := gate{sameSite: http.NewCrossOriginProtection(), keys: true, proxies: ours, base: tt.base}.pass(r)
		if said := out.Header.Values(api.PrefixHeader); why != "" || strings.Join(said, "+") != tt.prefix ||
			out.URL.EscapedPath() != tt.inner {
			t.Errorf("%s: below %q, path %s, refused %q", name, said, out.URL.EscapedPath(), why)
		}
	}
	for _, bad := range []string{"//evil.example", "/..", "/a/../b", "/./a", "/a//b", "https://evil.example", "tide",
		`/a"><script>`, "/a'b", "/a b", "/a;SameSite=None", "/a\r\nX-Evil: 1", "/a\x00", "/%2e%2e", "/%2f/evil", `/\evil.example`,
		"/a?b", "/a#b", "/ä", "/@evil", "/a:b", "/" + strings.Repeat("x", 200)} {
		r := httptest.NewRequest("GET", "/api/ui", nil)
		r.RemoteAddr = "10.0.0.1:4711"
		r.Header.Set(api.PrefixHeader, bad)
		_, why := gate{sameSite: http.NewCrossOriginProtection(), keys: true, proxies: ours}.pass(r)
		if !strings.Contains(why, "X-Forwarded-Prefix is ") || !strings.Contains(why, "a path such as /tidemark") {
			t.Errorf("%q: refused %q", bad, why)
		}
	}
	r := httptest.NewRequest("POST", "/tide/api/ui/m/token", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	anywhere := sameSiteBut([]string{"POST /api/ui/m/{token}"})
	if _, why := (gate{sameSite: anywhere, keys: true, base: "/tide"}).pass(r); why != "" {
		t.Errorf("the form of a mail program below a path: %q", why)
	}
}
