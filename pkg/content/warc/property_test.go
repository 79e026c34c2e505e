package warc

import (
	"bytes"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// anyURI has a host and any printable path and query.
var anyURI = rapid.Custom(func(t *rapid.T) string {
	host := rapid.SampledFrom([]string{"http://example.com", "https://[::1]:8443", "HTTP://xn--bcher-kva.example"}).Draw(t,
		"host")
	begin := rapid.SampledFrom([]string{"", "/", "?"}).Draw(t, "begin")
	if begin == "" {
		return host
	}
	printable := rapid.ByteRange('!', '~').Filter(func(c byte) bool { return c != '#' })
	return host + begin + string(rapid.SliceOfN(printable, 0, 30).Draw(t, "rest"))
})

var anyHeader = rapid.MapOfN(
	rapid.OneOf(
		rapid.StringMatching("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}"),
		rapid.StringMatching("[Cc]ontent-([Ee]ncoding|LENGTH|type)|[tT]ransfer-[eE]ncoding"),
	),
	rapid.SliceOfN(rapid.Map(rapid.SliceOfN(rapid.Byte().Filter(isValueByte), 0, 20),
		func(b []byte) string { return string(b) }), 1, 3),
	0, 6)

func isValueByte(c byte) bool { return isHTTPValue(string([]byte{c})) }

// anyBody is any bytes, often ones that look like the end of something.
var anyBody = rapid.Map(rapid.SliceOfN(rapid.OneOf(
	rapid.SampledFrom([]string{"\r\n", "\r\n\r\n", "WARC/1.1\r\n", "Content-Length: 0\r\n", "0\r\n\r\n", "\x1f\x8b\x08"}),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }),
), 0, 8), func(parts []string) []byte { return []byte(strings.Join(parts, "")) })

var anyTime = rapid.Custom(func(t *rapid.T) time.Time {
	zone := time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600)
	return time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "at")).In(zone)
})

type capture struct {
	uri    string
	at     time.Time
	status int
	header map[string][]string
	body   []byte
}

var anyCapture = rapid.Custom(func(t *rapid.T) capture {
	return capture{
		uri: anyURI.Draw(t, "uri"), at: anyTime.Draw(t, "at"),
		status: rapid.IntRange(200, 999).Filter(func(n int) bool { return n != 204 && n != 304 }).Draw(t, "status"),
		header: anyHeader.Draw(t, "header"), body: anyBody.Draw(t, "body"),
	}
})

func (c capture) response() Response {
	return Response{URI: c.uri, At: c.at, Status: c.status, Header: c.header, Body: bytes.NewReader(c.body)}
}

// write puts captures into a file, each with a revisit of both kinds.
func write(t *rapid.T, captures []capture, zip bool) []byte {
	var out bytes.Buffer
	w := NewWriter(&out, zip)
	for _, c := range captures {
		of, err := w.Response(c.response())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Revisit{
			{URI: c.uri, At: c.at, Of: of, NotModified: true},
			{URI: c.uri, At: c.at, Of: of, Status: c.status, Header: c.header},
		} {
			if err := w.Revisit(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out.Bytes()
}

// TestRoundTrip: what was captured is what a strict reader and the standard library's HTTP find.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		captures := rapid.SliceOfN(anyCapture, 1, 4).Draw(t, "captures")
		zip := rapid.Bool().Draw(t, "gzip")
		file := write(t, captures, zip)
		if !bytes.Equal(file, write(t, captures, zip)) {
			t.Fatal("the same captures gave other bytes")
		}
		records, err := readAll(file, zip)
		if err != nil || len(records) != 3*len(captures) {
			t.Fatalf("%d records, %v", len(records), err)
		}
		for i, c := range captures {
			checkCapture(t, records[3*i], c)
		}
	})
}

func checkCapture(t *rapid.T, r readRecord, c capture) {
	resp, body, err := r.response()
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != c.status || !bytes.Equal(body, c.body) || resp.Uncompressed {
		t.Fatalf("have %d %q, want %d %q", resp.StatusCode, body, c.status, c.body)
	}
	if at, err := time.Parse(time.RFC3339Nano, r.get("WARC-Date")); err != nil || !at.Equal(c.at) {
		t.Fatalf("have date %s, want %s", r.get("WARC-Date"), c.at)
	}
	opts := cmp.Options{cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)}
	if diff := cmp.Diff(expected(c.header), r.httpHeader(), opts); diff != "" {
		t.Fatalf("header: -want +have:\n%s", diff)
	}
	checkURI(t, r.get("WARC-Target-URI"), c.uri)
}

// expected is a header as it should be read again: names in one spelling, wire headers renamed.
func expected(header map[string][]string) map[string][]string {
	out := map[string][]string{}
	for name, values := range header {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if slices.Contains(wireHeaders, name) {
			name = renamed + name
		}
		for _, v := range values {
			out[name] = append(out[name], strings.Trim(v, " \t"))
		}
	}
	return out
}

// checkURI holds the written URI against the one asked for: RFC 3986's characters only, the same
// when percent signs are resolved, and nothing more to encode in it.
func checkURI(t *rapid.T, have, raw string) {
	const legal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$&'()*+,;=%"
	if strings.Trim(have, legal) != "" {
		t.Fatalf("%q is not a URI", have)
	}
	if again, err := targetURI(have); err != nil || again != have {
		t.Fatalf("%q becomes %q, %v", have, again, err)
	}
	_, rest, _ := strings.Cut(raw, "://")
	_, written, _ := strings.Cut(have, "://")
	if plain(written) != plain(rest) {
		t.Fatalf("%q is not %q", have, raw)
	}
}

// plain resolves each percent-encoding, and lets a percent sign that begins none stand.
func plain(s string) string {
	var out strings.Builder
	for s != "" {
		n := 1
		if s[0] == '%' && len(s) > 2 {
			n = 3
		}
		if c, err := url.PathUnescape(s[:n]); err == nil {
			out.WriteString(c)
		} else {
			out.WriteByte(s[0])
			n = 1
		}
		s = s[n:]
	}
	return out.String()
}

// FuzzResponse: whatever a stranger sends is refused without a trace, or is one record.
func FuzzResponse(f *testing.F) {
	f.Add("https://example.com/", 200, "Content-Type", "text/html", []byte("body"), false)
	f.Add("http://h/\r\nWARC-Type: response", 404, "X-A\r\n", "a\r\n\r\nb", []byte("\r\n\r\nWARC/1.1\r\n"), true)
	f.Add("http://[::1]/a|b%2", 999, "transfer-encoding", "chunked", []byte("0\r\n\r\n"), false)
	f.Add("HTTPS://h?{}", 304, "Content-Length", "-1", []byte{}, true)
	f.Fuzz(func(t *testing.T, uri string, status int, name, value string, body []byte, zipped bool) {
		var out bytes.Buffer
		w := NewWriter(&out, zipped)
		c := capture{uri: uri, at: noon, status: status, header: map[string][]string{name: {value}}, body: body}
		if _, err := w.Response(c.response()); err != nil {
			if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.TooLarge || out.Len() > 0 {
				t.Fatalf("%v, and %d bytes", err, out.Len())
			}
			return
		}
		records, err := readAll(out.Bytes(), zipped)
		if err != nil || len(records) != 1 {
			t.Fatalf("%d records, %v", len(records), err)
		}
		resp, have, err := records[0].response()
		if err != nil || resp.StatusCode != status || !bytes.Equal(have, body) {
			t.Fatalf("have %q, %v; want %q", have, err, body)
		}
		if diff := cmp.Diff(expected(c.header), records[0].httpHeader()); diff != "" {
			t.Fatalf("header: -want +have:\n%s", diff)
		}
	})
}
