package source_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

func Example() {
	s, _ := source.DefaultRules().ParseURL("HTTPS://Bücher.example:443/a/../neu/?utm_source=mail&q=%c3%bc#top")
	fmt.Println(s.Normalized)
	fmt.Println(s.Display)
	fmt.Println(s.ID(), "in", s.Partition(source.ByHost))
	// Output:
	// https://xn--bcher-kva.example/neu?q=%C3%BC
	// https://bücher.example/neu?q=ü
	// url_e2s3zwmetsqmrnwk4c6sqfugn6 in xn--bcher-kva.example
}

func ExampleFetchForm() {
	form, _ := source.FetchForm("https://me:pw@shop.example/b/?z=1&a=2&access_token=x#reviews")
	fmt.Println(form)
	// Output: https://shop.example/b/?z=1&a=2
}

func parseURL(t testing.TB, raw string) source.Source {
	t.Helper()
	s, err := source.DefaultRules().ParseURL(raw)
	if err != nil {
		t.Fatalf("ParseURL(%q): %v", raw, err)
	}
	return s
}

func TestParseURLRefuses(t *testing.T) {
	long := strings.Repeat("a", source.MaxNormalized)
	for name, row := range map[string]struct{ raw, reason string }{
		"A1 empty":                 {"", "no scheme"},
		"A1 only blanks":           {" \t\n", "no scheme"},
		"A1 no scheme":             {"example.com/page", "no scheme"},
		"A1 network path":          {"//example.com/page", "no scheme"},
		"A1 only a path":           {"/page", "no scheme"},
		"A1 host and port":         {"localhost:7071/page", "neither http nor https"},
		"A1 ftp":                   {"ftp://example.com/", "neither http nor https"},
		"A1 file":                  {"file:///etc/passwd", "neither http nor https"},
		"A1 mail":                  {"mailto:a@example.com", "neither http nor https"},
		"A1 javascript":            {"javascript:alert(1)", "neither http nor https"},
		"A1 data":                  {"data:text/html,x", "neither http nor https"},
		"A1 web socket":            {"wss://example.com/", "neither http nor https"},
		"A1 view-source":           {"view-source:https://example.com/", "neither http nor https"},
		"A1 no host":               {"https://", "no host"},
		"A1 no host but a path":    {"https:///", "no host"},
		"A1 no host but a port":    {"https://:8080/", "no host"},
		"A1 no host but a query":   {"https://?a=1", "no host"},
		"A1 no host but a user":    {"https://user:pw@/x", "no host"},
		"host with a space":        {"https://exa mple.com/", "unparsable host"},
		"host with an escape":      {"https://exa%zzmple.com/", "unparsable host"},
		"host with escaped slash":  {"https://a%2Fb/", "unparsable host"},
		"host that is no UTF-8":    {"https://\xe9.example/", "unparsable host"},
		"host of a soft hyphen":    {"https://\u00ad/", "unparsable host"},
		"host with braces":         {"https://{host}/", "cannot be requested"},
		"broken punycode":          {"https://xn--a/", "unparsable host"},
		"IPv4 too large":           {"https://256.1.1.1/", "unparsable host"},
		"IPv4 with five parts":     {"https://1.2.3.4.5/", "unparsable host"},
		"IPv4 with a sign":         {"https://-1/", "unparsable host"},
		"IPv4 with an octal sign":  {"https://0+1/", "unparsable host"},
		"IPv4 with a hex sign":     {"https://1.2.3.0x-1/", "unparsable host"},
		"IPv4 with a hidden sign":  {"https://0%2B1/", "unparsable host"},
		"IPv4 with a wide sign":    {"https://0＋1/", "unparsable host"},
		"IPv4 with an early sign":  {"https://-1.2.3.4./", "unparsable host"},
		"IPv6 unclosed":            {"https://[::1/", "unparsable host"},
		"IPv6 in two brackets":     {"https://[[::1]]/", "unparsable host"},
		"IPv6 opened twice":        {"https://[[::1]/", "unparsable host"},
		"IPv6 closed twice":        {"https://[::1]]/", "unparsable host"},
		"IPv6 with a zone":         {"https://[fe80::1%25eth0]/", "unparsable host"},
		"port too large":           {"https://example.com:65536/", "port"},
		"port no number":           {"https://example.com:http/", "port"},
		"host longer than DNS":     {"https://" + strings.Repeat("a.", 127) + "a/", "host is too long"},
		"credentials too long":     {"https://" + strings.Repeat("@", 1200) + "example.com/", "host and credentials"},
		"raw too long":             {"https://example.com/#" + strings.Repeat("a", source.MaxRaw), "too long"},
		"normalized too long":      {"https://example.com/" + long, "too long"},
		"normalized one too long":  {"https://e.com/" + long[14-1:], "too long"},
		"too long once escaped":    {"https://example.com/" + strings.Repeat("é", source.MaxNormalized/6), "too long"},
		"secrets are not repeated": {"https://user:hunter2@{/?sig=hunter2", "cannot be requested"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := source.DefaultRules().ParseURL(row.raw)
			if err == nil {
				t.Fatalf("have %+v, want it refused", s)
			}
			if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != "url" {
				t.Errorf("have %s of field %q, want Invalid of url", fault.KindOf(err), fault.FieldOf(err))
			}
			if !strings.Contains(err.Error(), row.reason) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("have %q, want the reason %q and no input", err, row.reason)
			}
			if _, err := source.FetchForm(row.raw); err == nil && !strings.Contains(name, "too long") {
				t.Error("FetchForm accepts it")
			}
		})
	}
}

func TestBoundsAreReached(t *testing.T) {
	for name, raw := range map[string]string{
		"normalized":     "https://e.com/" + strings.Repeat("a", source.MaxNormalized-14),
		"raw":            "https://e.com/#" + strings.Repeat("a", source.MaxRaw-15),
		"many trackers":  "https://e.com/?" + strings.Repeat("utm_a=1&", 1000),
		"longest host":   "https://" + strings.Repeat("a.", 126) + "a/",
		"@ in a path":    "https://e.com/" + strings.Repeat("@", source.MaxNormalized-14),
		"its dot":        "https://" + strings.Repeat("a.", 127) + "/",
		"highest port":   "https://e.com:65535/",
		"secrets inside": "https://e.com/?api_key=" + strings.Repeat("a", source.MaxNormalized),
	} {
		t.Run(name, func(t *testing.T) { parseURL(t, raw) })
	}
}

func TestResolve(t *testing.T) {
	const base = "https://me:pw@example.com:8443/a/b/?q=1#top"
	for name, row := range map[string]struct{ ref, normalized, form string }{
		"A1 empty is the page": {"", "https://example.com:8443/a/b?q=1", "https://example.com:8443/a/b/?q=1"},
		"A1 sibling":           {"c", "https://example.com:8443/a/b/c", "https://example.com:8443/a/b/c"},
		"A1 parent":            {"../c/", "https://example.com:8443/a/c", "https://example.com:8443/a/c/"},
		"A1 above the root":    {"../../../../c", "https://example.com:8443/c", "https://example.com:8443/c"},
		"A1 absolute path": {"/c?z=1&a=2", "https://example.com:8443/c?a=2&z=1",
			"https://example.com:8443/c?z=1&a=2"},
		"A1 network path":          {"//other.example/c", "https://other.example/c", "https://other.example/c"},
		"A1 only a query":          {"?p=2", "https://example.com:8443/a/b?p=2", "https://example.com:8443/a/b/?p=2"},
		"A1 only a fragment":       {"#x", "https://example.com:8443/a/b?q=1", "https://example.com:8443/a/b/?q=1"},
		"A1 absolute":              {"http://x.example", "http://x.example/", "http://x.example/"},
		"backslashes":              {`\c\d`, "https://example.com:8443/c/d", "https://example.com:8443/c/d"},
		"scheme without slashes":   {"https:c", "https://example.com:8443/a/b/c", "https://example.com:8443/a/b/c"},
		"Latin-1 from a Location":  {"/caf\xe9", "https://example.com:8443/caf%E9", "https://example.com:8443/caf%E9"},
		"line ends inside":         {"c\n d", "https://example.com:8443/a/b/c%20d", "https://example.com:8443/a/b/c%20d"},
		"user of another is gone":  {"//you:pw@example.com/c", "https://example.com/c", "https://example.com/c"},
		"signature is gone":        {"/c/?sv=1&sig=x", "https://example.com:8443/c", "https://example.com:8443/c/"},
		"stray percent is escaped": {"100%", "https://example.com:8443/a/b/100%25", "https://example.com:8443/a/b/100%25"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := source.DefaultRules().Resolve(base, row.ref)
			if err != nil || s.Normalized != row.normalized {
				t.Errorf("Resolve: have %q, %v; want %q", s.Normalized, err, row.normalized)
			}
			form, err := source.ResolveFetchForm(base, row.ref)
			if err != nil || form != row.form {
				t.Errorf("ResolveFetchForm: have %q, %v; want %q", form, err, row.form)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	for name, row := range map[string]struct{ base, ref string }{
		"A1 mail link":           {"https://example.com/", "mailto:a@example.com"},
		"A1 script link":         {"https://example.com/", "javascript:void(0)"},
		"base of another scheme": {"file:///a/b", "https://example.com/"},
		"no base":                {"", "https://example.com/"},
		"base too long":          {"https://e.com/#" + strings.Repeat("a", source.MaxRaw), "x"},
		"ref too long":           {"https://e.com/", "#" + strings.Repeat("a", source.MaxRaw)},
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := source.DefaultRules().Resolve(row.base, row.ref); !fault.Is(err, fault.Invalid) {
				t.Errorf("Resolve: have %+v, %v; want Invalid", s, err)
			}
			if form, err := source.ResolveFetchForm(row.base, row.ref); !fault.Is(err, fault.Invalid) {
				t.Errorf("ResolveFetchForm: have %q, %v; want Invalid", form, err)
			}
		})
	}
}

func TestFetchForm(t *testing.T) {
	for name, row := range map[string]struct{ raw, want string }{
		"slash and order stay":      {"https://e.com/a/?z=1&a=2&&b", "https://e.com/a/?z=1&a=2&&b"},
		"trackers stay":             {"https://e.com/?utm_source=x", "https://e.com/?utm_source=x"},
		"escapes stay":              {"https://e.com/%7e%2f?q=%7e%", "https://e.com/%7e%2f?q=%7e%"},
		"stray percent in the path": {"https://e.com/100%/%zz", "https://e.com/100%25/%25zz"},
		"fragment goes":             {"https://e.com/a#b", "https://e.com/a"},
		"userinfo goes":             {"https://u:p@e.com/a", "https://e.com/a"},
		"secrets go, order stays":   {"https://e.com/a?z=1&api_key=x&a=2", "https://e.com/a?z=1&a=2"},
		"only a secret":             {"https://e.com/a/?api_key=x", "https://e.com/a/"},
		"empty query":               {"https://e.com/a?", "https://e.com/a"},
		"host and port":             {"HTTPS://BÜCHER.example:443/A", "https://xn--bcher-kva.example/A"},
	} {
		t.Run(name, func(t *testing.T) {
			if have, err := source.FetchForm(row.raw); err != nil || have != row.want {
				t.Errorf("have %q, %v; want %q", have, err, row.want)
			}
		})
	}
	if _, err := source.FetchForm("https://e.com/" + strings.Repeat("é", source.MaxRaw/3)); !fault.Is(err, fault.Invalid) {
		t.Errorf("a form that is too long once escaped: have %v, want Invalid", err)
	}
}

func TestPartition(t *testing.T) {
	s := parseURL(t, "https://Bücher.example:8443/a")
	if have, want := s.Partition(source.ByHost), "xn--bcher-kva.example:8443"; have != want {
		t.Errorf("A5 by host: have %q, want %q", have, want)
	}
	if have, want := s.Partition(source.ByScheme), "https"; have != want {
		t.Errorf("A5 by scheme: have %q, want %q", have, want)
	}
}

func TestParseStrategy(t *testing.T) {
	for _, want := range []source.Strategy{source.ByHost, source.ByScheme} {
		if have, err := source.ParseStrategy(string(want)); err != nil || have != want {
			t.Errorf("have %q, %v; want %q", have, err, want)
		}
	}
	for _, bad := range []string{"", "Host", "hash"} {
		if have, err := source.ParseStrategy(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: have %q, %v; want Invalid", bad, have, err)
		}
	}
}

func TestParseID(t *testing.T) {
	s := parseURL(t, "https://example.com/")
	kind, hash, err := source.ParseID(string(s.ID()))
	if err != nil || kind != source.URL || hash != s.Hash() {
		t.Errorf("have %q %q, %v; want the parts of %s", kind, hash, err, s.ID())
	}
	if kind, _, err := source.ParseID("file_" + s.Hash()); err != nil || kind != source.File {
		t.Errorf("have %q, %v; want a file", kind, err)
	}
	for name, id := range map[string]string{
		"empty":              "",
		"no type":            s.Hash(),
		"unknown type":       "mail_" + s.Hash(),
		"upper-case type":    "URL_" + s.Hash(),
		"too short":          "url_" + s.Hash()[1:],
		"too long":           "url_a" + s.Hash(),
		"not base32":         "url_" + strings.Repeat("1", 26),
		"bad in the middle":  "url_aaaaaaaaaaaaa/aaaaaaaaaaaa",
		"upper-case hash":    "url_" + strings.ToUpper(s.Hash()),
		"a second separator": "url__" + s.Hash()[1:],
	} {
		t.Run(name, func(t *testing.T) {
			if kind, hash, err := source.ParseID(id); !fault.Is(err, fault.Invalid) {
				t.Errorf("have %q %q, %v; want Invalid", kind, hash, err)
			}
		})
	}
}

// TestIDIsWhatTheSeedSays checks an id that was computed with sha256sum and base32, because ids must never change.
func TestIDIsWhatTheSeedSays(t *testing.T) {
	s := parseURL(t, "https://contoso.com/blog/post-1")
	if have, want := s.ID(), source.ID("url_eywudzsg3usiliomqccrgi6f6k"); have != want {
		t.Errorf("A4: have %s, want %s", have, want)
	}
	if have, want := s.ContentGroupID(), "cdzqjxarjes2ivsnrh2evxngob"; have != want {
		t.Errorf("A4: have %s, want %s", have, want)
	}
}

func TestContentGroupJoins(t *testing.T) {
	want := parseURL(t, "https://example.com/a").ContentGroupID()
	for name, row := range map[string]struct {
		raw  string
		same bool
	}{
		"A4 http and https":     {"http://example.com/a", true},
		"A4 query":              {"https://example.com/a?b=1", true},
		"A4 slash and fragment": {"https://example.com/a/#b", true},
		"another path":          {"https://example.com/b", false},
		"another host":          {"https://www.example.com/a", false},
		"another port":          {"https://example.com:8443/a", false},
	} {
		t.Run(name, func(t *testing.T) {
			if have := parseURL(t, row.raw).ContentGroupID() == want; have != row.same {
				t.Errorf("same group: have %v, want %v", have, row.same)
			}
		})
	}
}

// requestable fails the test when net/http would not send a request for form unchanged.
func requestable(t interface{ Fatalf(string, ...any) }, form string) {
	req, err := http.NewRequest(http.MethodGet, form, nil)
	if err != nil {
		t.Fatalf("%q cannot be requested: %v", form, err)
		return
	}
	if sent := req.URL.Scheme + "://" + req.URL.Host + req.URL.RequestURI(); sent != form {
		t.Fatalf("%q would be requested as %q", form, sent)
	}
}
