package warc

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func page(uri, body string) Response {
	return Response{
		URI: uri, At: noon, Status: 200, Body: strings.NewReader(body),
		Header: map[string][]string{"Content-Type": {"text/html; charset=utf-8"}},
	}
}

// example is a page checked three times, as it is exported.
func example(t testing.TB, zip bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, zip)
	must(t, w.Info(Info{At: noon, Fields: []Field{{"software", "Tidemark"}, {"description", "Überprüfte Seiten"}}}))
	first, err := w.Response(Response{
		URI: "https://example.com/a?q=a|b", At: noon.Add(250 * time.Millisecond), Status: 200,
		Header: map[string][]string{
			"Content-Type": {"text/html; charset=utf-8"}, "content-length": {"31"}, "Content-Encoding": {"gzip"},
			"Link": {"</a>; rel=next", "</b>; rel=prev"}, "ETag": {`"v1"`}, "X-Latin": {"caf\xe9"},
		},
		Body: strings.NewReader("<p>One.\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n</p>"),
	})
	must(t, err)
	must(t, w.Revisit(Revisit{URI: first.URI, At: noon.Add(time.Hour), NotModified: true, Of: first}))
	must(t, w.Revisit(Revisit{URI: first.URI, At: noon.Add(2 * time.Hour), Of: first}))
	must(t, w.Revisit(Revisit{
		URI: "https://example.com/copy", At: noon.Add(3 * time.Hour), Of: first,
		Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}},
	}))
	must(t, w.Revisit(Revisit{
		URI: first.URI, At: noon.Add(4 * time.Hour), NotModified: true, Of: first,
		Status: 304, Header: map[string][]string{"ETag": {`"v1"`}},
	}))
	_, err = w.Response(Response{URI: "http://[::1]:8080/", At: noon.Add(5 * time.Hour), Status: 599})
	must(t, err)
	return out.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestGolden(t *testing.T) {
	have := example(t, false)
	goldentest.Compare(t, filepath.Join("testdata", "example.warc"), string(have))
	if _, err := readAll(have, false); err != nil {
		t.Error(err)
	}
}

func TestGzipHoldsTheSameRecords(t *testing.T) {
	plain, err := readAll(example(t, false), false)
	must(t, err)
	zipped, err := readAll(example(t, true), true)
	must(t, err)
	if diff := cmp.Diff(plain, zipped); diff != "" {
		t.Errorf("-plain +zipped:\n%s", diff)
	}
}

// TestHeaderFitsTheBody checks that a reader that trusts the header gets the whole body, undecoded.
func TestHeaderFitsTheBody(t *testing.T) {
	r := page("https://example.com/", "decoded")
	r.Header["content-encoding"], r.Header["Transfer-Encoding"] = []string{"br"}, []string{"chunked"}
	r.Header["Content-Length"] = []string{"3"}
	var out bytes.Buffer
	_, err := NewWriter(&out, false).Response(r)
	must(t, err)
	records, err := readAll(out.Bytes(), false)
	must(t, err)
	resp, body, err := records[0].response()
	must(t, err)
	if string(body) != "decoded" || resp.ContentLength != 7 || len(resp.TransferEncoding) > 0 {
		t.Errorf("have body %q, length %d, transfer encoding %q", body, resp.ContentLength, resp.TransferEncoding)
	}
	for name, want := range map[string]string{
		"Content-Encoding": "", "X-Archive-Orig-Content-Encoding": "br",
		"X-Archive-Orig-Transfer-Encoding": "chunked", "X-Archive-Orig-Content-Length": "3",
		"Content-Type": "text/html; charset=utf-8",
	} {
		if have := resp.Header.Get(name); have != want {
			t.Errorf("%s: have %q, want %q", name, have, want)
		}
	}
}

func TestRevisits(t *testing.T) {
	records, err := readAll(example(t, false), false)
	must(t, err)
	first := records[1]
	for i, want := range []map[string]string{
		2: {"WARC-Profile": serverNotModified, "Content-Length": "0"},
		3: {"WARC-Profile": identicalPayload, "Content-Length": "0"},
		4: {"WARC-Profile": identicalPayload, "WARC-Truncated": "length", "WARC-Target-URI": "https://example.com/copy"},
		5: {"WARC-Profile": serverNotModified, "WARC-Date": "2026-11-21T16:00:00Z"},
	} {
		if want == nil {
			continue
		}
		want["WARC-Type"] = "revisit"
		want["WARC-Refers-To"] = first.get("WARC-Record-ID")
		want["WARC-Refers-To-Target-URI"] = first.get("WARC-Target-URI")
		want["WARC-Refers-To-Date"] = first.get("WARC-Date")
		want["WARC-Payload-Digest"] = first.get("WARC-Payload-Digest")
		for name, value := range want {
			if have := records[i].get(name); have != value {
				t.Errorf("record %d: %s: have %q, want %q", i, name, have, value)
			}
		}
		if have := records[i].get("WARC-Truncated"); have != want["WARC-Truncated"] {
			t.Errorf("record %d: have truncated %q", i, have)
		}
	}
}

func TestTargetURI(t *testing.T) {
	for name, row := range map[string]struct{ raw, want string }{
		"as it is":                {"https://example.com/a%20b?q=1&r=%C3%A9", "https://example.com/a%20b?q=1&r=%C3%A9"},
		"no path":                 {"http://example.com", "http://example.com"},
		"query without path":      {"http://example.com?a|b", "http://example.com?a%7Cb"},
		"scheme in capitals":      {"HTTP://example.com/A", "http://example.com/A"},
		"what browsers leave":     {"http://h/a|b^c`d{e}[f]\\?\"<>", "http://h/a%7Cb%5Ec%60d%7Be%7D%5Bf%5D%5C?%22%3C%3E"},
		"percent without meaning": {"http://h/100%?a=%zz&b=%4", "http://h/100%25?a=%25zz&b=%254"},
		"IPv6":                    {"http://[::1]:80/[x]", "http://[::1]:80/%5Bx%5D"},
	} {
		if have, err := targetURI(row.raw); err != nil || have != row.want {
			t.Errorf("%s: have %q, %v; want %q", name, have, err, row.want)
		}
	}
}

func TestDate(t *testing.T) {
	east := time.FixedZone("", 3600)
	for want, at := range map[string]time.Time{
		"2026-11-21T11:00:00Z":        time.Date(2026, 11, 21, 12, 0, 0, 0, east),
		"2026-11-21T12:00:00.25Z":     noon.Add(250 * time.Millisecond),
		"2026-11-21T12:00:00.000001Z": noon.Add(1999 * time.Nanosecond),
	} {
		if have, err := date(at); err != nil || have != want {
			t.Errorf("have %q, %v; want %q", have, err, want)
		}
	}
}

// TestRefused: nothing of what is refused reaches the file, which can be written on.
func TestRefused(t *testing.T) {
	of := Record{ID: "urn:uuid:x", URI: "http://h/", PayloadDigest: "sha256:x", date: "2026-11-21T12:00:00Z"}
	response := func(change func(*Response)) func(*Writer) error {
		return func(w *Writer) error {
			r := page("https://example.com/", "x")
			change(&r)
			_, err := w.Response(r)
			return err
		}
	}
	uri := func(uri string) func(*Writer) error { return response(func(r *Response) { r.URI = uri }) }
	header := func(name, value string) func(*Writer) error {
		return response(func(r *Response) { r.Header[name] = []string{value} })
	}
	info := func(name, value string) func(*Writer) error {
		return func(w *Writer) error { return w.Info(Info{At: noon, Fields: []Field{{name, value}}}) }
	}
	revisit := func(r Revisit) func(*Writer) error { return func(w *Writer) error { return w.Revisit(r) } }
	for name, write := range map[string]func(*Writer) error{
		"line break in a URI":           uri("http://h/\r\nWARC-Type: warcinfo"),
		"line feed in a URI":            uri("http://h/\nx"),
		"space in a URI":                uri("http://h/a b"),
		"letters beyond ASCII in a URI": uri("http://h/ü"),
		"fragment":                      uri("http://h/#x"),
		"userinfo":                      uri("http://u:p@h/"),
		"angle brackets around a URI":   uri("<http://h/>"),
		"angle bracket in a host":       uri("http://h<x/"),
		"no host":                       uri("http:///x"),
		"relative URI":                  uri("/x"),
		"other scheme":                  uri("file://h/x"),
		"no URI":                        uri(""),
		"line break in a value":         header("X-A", "a\r\nX-B: b"),
		"line feed in a value":          header("X-A", "a\n\nbody"),
		"return in a value":             header("X-A", "a\rb"),
		"zero byte in a value":          header("X-A", "a\x00b"),
		"line break in a renamed value": header("Content-Encoding", "gzip\r\n\r\n"),
		"line break in a name":          header("X-A\r\nX-B", "b"),
		"colon in a name":               header("X-A: b\tX", "b"),
		"letter that folds to ASCII":    header("Tran\u017ffer-Encoding", "chunked"),
		"no name":                       header("", "b"),
		"no status":                     response(func(r *Response) { r.Status = 0 }),
		"status of four digits":         response(func(r *Response) { r.Status = 1000 }),
		"interim status":                response(func(r *Response) { r.Status = 100 }),
		"204 with a body":               response(func(r *Response) { r.Status = 204 }),
		"no time":                       response(func(r *Response) { r.At = time.Time{} }),
		"time of five digits":           response(func(r *Response) { r.At = noon.AddDate(9000, 0, 0) }),
		"line break in a warcinfo":      info("software", "x\r\nrobots: none"),
		"separator in a warcinfo":       info("software", "x\u2028y"),
		"broken UTF-8 in a warcinfo":    info("software", "\xff"),
		"colon in a warcinfo's name":    info("a: b", "x"),
		"warcinfo without time":         func(w *Writer) error { return w.Info(Info{}) },
		"revisit of nothing":            revisit(Revisit{URI: "http://h/", At: noon}),
		"line break in a revisit":       revisit(Revisit{URI: "http://h/\r\n", At: noon, Of: of}),
		"304 with the same body":        revisit(Revisit{URI: "http://h/", At: noon, Of: of, Status: 304}),
		"200 that is not modified":      revisit(Revisit{URI: "http://h/", At: noon, Of: of, Status: 200, NotModified: true}),
		"header without a status": revisit(Revisit{URI: "http://h/", At: noon, Of: of,
			Header: map[string][]string{"A": {"b"}}}),
		"line break in a revisit's value": revisit(Revisit{URI: "http://h/", At: noon, Of: of, Status: 200,
			Header: map[string][]string{"A": {"b\r\n"}}}),
	} {
		t.Run(name, func(t *testing.T) { refuses(t, write, fault.Invalid) })
	}
	for name, write := range map[string]func(*Writer) error{
		"endless URI":    uri("http://h/" + strings.Repeat("a", maxURI)),
		"endless header": header("X-A", strings.Repeat("a", maxHeader)),
	} {
		t.Run(name, func(t *testing.T) { refuses(t, write, fault.TooLarge) })
	}
}

// refuses makes sure that write is an error that leaves the file as it was.
func refuses(t *testing.T, write func(*Writer) error, want fault.Kind) {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, false)
	if err := write(w); !fault.Is(err, want) {
		t.Errorf("have %v, want %s", err, want)
	}
	if out.Len() > 0 {
		t.Errorf("wrote %q", out.Bytes())
	}
	if _, err := w.Response(page("https://example.com/", "next")); err != nil {
		t.Errorf("the record after it: %v", err)
	}
}

// brokenBody fails its nth read, or gives another byte in it when err is nil.
type brokenBody struct {
	*strings.Reader
	reads, nth int
	err        error
}

func (b *brokenBody) Read(p []byte) (int, error) {
	if b.reads++; b.reads == b.nth && b.err != nil {
		return 0, b.err
	}
	n, err := b.Reader.Read(p)
	if b.reads == b.nth {
		p[0] ^= 1
	}
	return n, err
}

func TestBodyThatFails(t *testing.T) {
	gone := fault.New(fault.Unavailable, "gone")
	t.Run("when it is first read", func(t *testing.T) {
		var out bytes.Buffer
		w := NewWriter(&out, false)
		r := page("https://example.com/", "")
		r.Body = &brokenBody{Reader: strings.NewReader("body"), nth: 1, err: gone}
		if _, err := w.Response(r); !errors.Is(err, gone) || out.Len() > 0 {
			t.Errorf("have %v and %d bytes, want the body's error and none", err, out.Len())
		}
		if _, err := w.Response(page("https://example.com/", "x")); err != nil {
			t.Errorf("the record after it: %v", err)
		}
	})
	for name, err := range map[string]error{"when it is written": gone, "by changing": nil, "by ending early": io.EOF} {
		t.Run(name, func(t *testing.T) {
			w := NewWriter(io.Discard, true)
			r := page("https://example.com/", "")
			r.Body = &brokenBody{Reader: strings.NewReader("body"), nth: 2, err: err}
			_, first := w.Response(r)
			if _, second := w.Response(page("https://example.com/", "x")); first == nil || second != first {
				t.Errorf("have %v, then %v; want the same error twice", first, second)
			}
		})
	}
}

type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestOutputThatFails(t *testing.T) {
	for _, zip := range []bool{false, true} {
		for room := range 40 {
			w := NewWriter(&full{room}, zip)
			_, first := w.Response(page("https://example.com/", "body"))
			second := w.Info(Info{At: noon})
			if !errors.Is(first, io.ErrShortWrite) || second != first {
				t.Fatalf("gzip %t, %d bytes of room: have %v, then %v", zip, room, first, second)
			}
		}
	}
}

// zeros is a body that is nowhere in memory.
type zeros struct{ *io.SectionReader }

type zeroAt struct{}

func (zeroAt) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }

func TestMemoryIsFlat(t *testing.T) {
	for _, zip := range []bool{false, true} {
		w := NewWriter(io.Discard, zip)
		r := page("https://example.com/", "")
		r.Body = zeros{io.NewSectionReader(zeroAt{}, 0, 16<<20)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := w.Response(r)
		runtime.ReadMemStats(&after)
		must(t, err)
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
			t.Errorf("gzip %t: %d bytes allocated for a body of 16 MiB", zip, n)
		}
	}
}

// TestR4Conversion checks the record of a page as a browser showed it: it refers to the response, and its block is the
// page alone.
func TestR4Conversion(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, false)
	first, err := w.Response(page("https://example.com/", "<div id=root></div>"))
	must(t, err)
	out.Reset()
	of := Conversion{At: noon, Of: first, Type: "text/html; charset=utf-8", Body: strings.NewReader("<p>High water</p>")}
	must(t, w.Conversion(of))
	for _, want := range []string{"WARC-Type: conversion\r\n", "WARC-Refers-To: <" + first.ID + ">\r\n",
		"WARC-Target-URI: https://example.com/\r\n", "Content-Type: text/html; charset=utf-8\r\n",
		"Content-Length: 17\r\n", "\r\n\r\n<p>High water</p>\r\n\r\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	of.Type = "text/html\r\nX: y"
	if err := w.Conversion(of); !fault.Is(err, fault.Invalid) {
		t.Errorf("a type with a line break: %v", err)
	}
	of.Type, of.Of = "text/html", Record{}
	if err := w.Conversion(of); !fault.Is(err, fault.Invalid) {
		t.Errorf("of no response: %v", err)
	}
}
