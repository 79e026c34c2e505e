package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/memory"
)

// encoders are the inverse of decoders, with raw deflate as one of its own.
var encoders = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"raw": func(w io.Writer) io.WriteCloser {
		f, _ := flate.NewWriter(w, flate.BestSpeed)
		return f
	},
	"br": func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		return z
	},
}

func encode(name string, body []byte) []byte {
	var out bytes.Buffer
	w := encoders[name](&out)
	w.Write(body)
	w.Close()
	return out.Bytes()
}

// zeros returns n zero bytes, encoded.
func zeros(name string, n int64) []byte {
	var out bytes.Buffer
	w := encoders[name](&out)
	io.CopyN(w, zeroReader{}, n)
	w.Close()
	return out.Bytes()
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

var mib = limit{bytes: 1 << 20}

func TestDecode(t *testing.T) {
	page := []byte(strings.Repeat("the tide rises, the tide falls. ", 100))
	gz, z, raw, br, zst := encode("gzip", page), encode("deflate", page), encode("raw", page), encode("br", page),
		encode("zstd", page)
	latin := bytes.ReplaceAll(page, []byte("tide"), []byte("Fl\xf6\xdfe"))
	for _, tc := range []struct {
		name     string
		body     []byte
		header   string // values separated by |
		want     []byte
		encoding string
	}{
		{"no header", page, "", page, ""},
		{"identity", page, "identity", page, ""},
		{"gzip", gz, "gzip", page, ""},
		{"gzip under its old name", gz, "x-gzip", page, ""},
		{"in any case", gz, " GZip ", page, ""},
		{"next to identity", gz, "identity, gzip,,", page, ""},
		{"deflate as zlib", z, "deflate", page, ""},
		{"deflate without zlib", raw, "deflate", page, ""},
		{"brotli", br, "br", page, ""},
		{"zstd", zst, "zstd", page, ""},
		{"zstd in two frames", append(bytes.Clone(zst), zst...), "zstd", append(bytes.Clone(page), page...), ""},
		{"zstd behind a skippable frame", append([]byte("\x5a\x2a\x4d\x18\x02\x00\x00\x00xx"), zst...), "zstd", page, ""},
		{"two layers", encode("br", gz), "gzip, br", page, ""},
		{"two layers in two headers", encode("br", gz), "gzip|br", page, ""},
		{"the same layer twice", encode("gzip", gz), "gzip, gzip", page, ""},
		{"gzip in two members", append(bytes.Clone(gz), gz...), "gzip", append(bytes.Clone(page), page...), ""},
		{"gzip with an empty member", append(encode("gzip", nil), gz...), "gzip", page, ""},
		{"gzip with padding behind it", append(bytes.Clone(gz), 0, 0, 0), "gzip", page, ""},
		{"gzip with text behind it", append(bytes.Clone(gz), "<!-- cached -->"...), "gzip", page, ""},
		{"unknown over a binary body", zeros("raw", 999), "compress", zeros("raw", 999), "compress"},
		{"unknown above known over a binary body", encode("gzip", zeros("raw", 999)), "gzip, sdch",
			encode("gzip", zeros("raw", 999)), "gzip, sdch"},
		{"unknown over text", page, "compress", page, ""},
		{"unknown above known", gz, "gzip, sdch", page, ""},
		{"unknown in plenty", page, "a, b, c, d", page, ""},
		{"a charset", page, "UTF-8", page, ""},
		{"none", page, "none", page, ""},
		{"a charset over Latin-1", latin, "iso-8859-1", latin, ""},
		{"in quotes", gz, `"gzip"`, page, ""},
		{"with a parameter", gz, "gzip;q=1.0", page, ""},
		{"without a comma", encode("br", gz), "gzip br", page, ""},
		{"with the header's name", gz, "content-encoding: gzip", page, ""},
		{"brotli in full", br, "brotli", page, ""},
		{"brotli as an extension", br, "x-br", page, ""},
		{"deflate by its format", z, "zlib", page, ""},
		{"deflate as an extension", raw, "x-deflate", page, ""},
		{"zstd as an extension", zst, "x-zstd", page, ""},
		{"plain text called brotli", page, "br", page, ""},
		{"Latin-1 called brotli", latin, "br", latin, ""},
		{"plain text called deflate", page, "deflate", page, ""},
		{"HTML called brotli", []byte("<html><p>x"), "br", []byte("<html><p>x"), ""},
		{"gzip called brotli", gz, "br", page, ""},
		{"gzip called deflate", gz, "deflate", page, ""},
		{"zstd called gzip", zst, "gzip", page, ""},
		{"plain text called gzip and brotli", page, "br, gzip", page, ""},
		{"plain text called gzip", page, "gzip", page, ""},
		{"plain text called zstd", page, "zstd", page, ""},
		{"a picture called gzip", []byte("\x89PNG\x0d\x0a\x1a\x0a\x00\x00"), "gzip",
			[]byte("\x89PNG\x0d\x0a\x1a\x0a\x00\x00"), ""},
		{"nothing called gzip", nil, "gzip", nil, ""},
		{"nothing called brotli", nil, "br, br", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, encoding, err := decode(tc.body, strings.Split(tc.header, "|"), mib)
			if err != nil || !bytes.Equal(got, tc.want) || encoding != tc.encoding {
				t.Errorf("have %d bytes, %q, %v, want %d bytes, %q", len(got), encoding, err, len(tc.want), tc.encoding)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	page := []byte(strings.Repeat("the tide rises, the tide falls. ", 100))
	for _, tc := range []struct {
		name   string
		body   []byte
		header string
		kind   fault.Kind
	}{
		{"three layers", page, "gzip, gzip, gzip", fault.TooLarge},
		{"gzip bomb", zeros("gzip", 4<<20), "gzip", fault.TooLarge},
		{"deflate bomb", zeros("deflate", 4<<20), "deflate", fault.TooLarge},
		{"raw deflate bomb", zeros("raw", 4<<20), "deflate", fault.TooLarge},
		{"brotli bomb", zeros("br", 4<<20), "br", fault.TooLarge},
		{"zstd bomb", zeros("zstd", 4<<20), "zstd", fault.TooLarge},
		{"bomb in a bomb", encode("gzip", zeros("gzip", 4<<20)), "gzip, gzip", fault.TooLarge},
		{"bomb of members", bytes.Repeat(zeros("gzip", 64<<10), 20), "gzip", fault.TooLarge},
		{"one byte too many", zeros("gzip", mib.bytes+1), "gzip", fault.TooLarge},
		{"gzip with a wrong checksum", flip(encode("gzip", page), -8), "gzip", fault.Unavailable},
		{"zlib with a wrong checksum", flip(encode("deflate", page), -1), "deflate", fault.Unavailable},
		{"gzip that is broken from the start", flip(encode("gzip", page), 0), "gzip", fault.Unavailable},
		{"gzip that is broken from its second byte", flip(encode("gzip", page), 1), "gzip", fault.Unavailable},
		{"zstd that is broken from the start", flip(encode("zstd", page), 0), "zstd", fault.Unavailable},
		{"gzip whose second member is broken", append(encode("gzip", page), 0x1f, 0x8b, 9), "gzip", fault.Unavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, _, err := decode(tc.body, []string{tc.header}, mib)
			wantKind(t, err, tc.kind, "")
			if out != nil {
				t.Errorf("an error comes with %d bytes", len(out))
			}
		})
	}
	if out, _, err := decode(zeros("gzip", mib.bytes), []string{"gzip"}, mib); err != nil || int64(len(out)) != mib.bytes {
		t.Errorf("what just fits: have %d bytes, %v", len(out), err)
	}
}

// TestZstdWindow checks that a frame may declare a window of 8 MiB and no more (RFC 9659 §3), however small its
// content.
func TestZstdWindow(t *testing.T) {
	for size, kind := range map[int]fault.Kind{8 << 20: "", 16 << 20: fault.TooLarge} {
		var out bytes.Buffer
		w, _ := zstd.NewWriter(&out, zstd.WithWindowSize(size), zstd.WithEncoderConcurrency(1))
		io.CopyN(w, zeroReader{}, 24<<20) // more than the window, so that the frame declares its window
		w.Close()
		_, _, err := decode(out.Bytes(), []string{"zstd"}, limit{bytes: 64 << 20})
		wantKind(t, err, kind, "window")
	}
}

// flip inverts a byte. A negative position counts from the end.
func flip(b []byte, at int) []byte {
	b[(at+len(b))%len(b)] ^= 0xff
	return b
}

// TestTruncatedEncodings checks that a truncated body is an error in every coding, wherever it is cut.
func TestTruncatedEncodings(t *testing.T) {
	page := []byte(strings.Repeat("the tide rises, the tide falls. ", 100))
	for name := range encoders {
		body := encode(name, page)
		header := map[string]string{"raw": "deflate"}[name]
		if header == "" {
			header = name
		}
		for n := 1; n < len(body); n++ {
			if out, _, err := decode(body[:n], []string{header}, mib); err == nil {
				t.Errorf("%s cut to %d of %d bytes gives %d bytes and no error", name, n, len(body), len(out))
			}
		}
	}
}

// TestDecodeUndoesEncode checks that decode restores what was encoded in up to two layers.
func TestDecodeUndoesEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page := rapid.SliceOf(rapid.Byte()).Draw(t, "page")
		layers := rapid.SliceOfN(rapid.SampledFrom([]string{"gzip", "deflate", "br", "zstd"}), 0, maxLayers).Draw(t, "layers")
		body := page
		for _, name := range layers {
			body = encode(name, body)
		}
		got, encoding, err := decode(body, layers, mib)
		if err != nil || encoding != "" || !bytes.Equal(got, page) {
			t.Fatalf("have %q, %q, %v", got, encoding, err)
		}
	})
}

// TestEncodedBodies checks encodings through the client, as on the wire. The limit counts decoded bytes.
func TestEncodedBodies(t *testing.T) {
	page := []byte(strings.Repeat("tide ", 1000))
	c, base := serve(t, Config{MaxBytes: 1 << 20}, map[string]http.HandlerFunc{
		"/{name}": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", r.PathValue("name"))
			w.Write(encode(r.PathValue("name"), page))
		},
		"/bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zeros("gzip", 8<<20))
		},
		"/unknown": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "tide")
			w.Write(zeros("raw", 999))
		},
	})
	for _, name := range []string{"gzip", "deflate", "br", "zstd"} {
		res, err := c.Get(t.Context(), Request{URL: base + "/" + name})
		if err != nil || !bytes.Equal(res.Body, page) || res.WireBytes != int64(len(encode(name, page))) {
			t.Errorf("%s: have %d bytes from %d, %v", name, len(res.Body), res.WireBytes, err)
		}
	}
	_, err := c.Get(t.Context(), Request{URL: base + "/bomb"})
	wantKind(t, err, fault.TooLarge, "gzip")
	if res, err := c.Get(t.Context(), Request{URL: base + "/unknown"}); err != nil || res.Encoding != "tide" ||
		!bytes.Equal(res.Body, zeros("raw", 999)) {
		t.Errorf("have %q, %v", res.Encoding, err)
	}
}

func FuzzDecode(f *testing.F) {
	page := []byte("the tide rises, the tide falls")
	for _, name := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add(encode(name, page), name)
		f.Add(encode("gzip", encode(name, page)), name+", gzip")
		f.Add(zeros(name, 1<<17), name)
	}
	f.Add(encode("raw", page), "deflate")
	f.Add(page, "gzip")
	f.Add(page, "tide, gzip")
	for _, header := range []string{"gzip br", `"gzip";q=1`, "brotli", "x-br, zlib", "content-encoding: x-deflate", "*"} {
		f.Add(encode("gzip", page), header)
	}
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		l := limit{bytes: 1 << 16}
		out, encoding, err := decode(body, []string{header}, l)
		if err != nil {
			if kind := fault.KindOf(err); out != nil || kind != fault.TooLarge && kind != fault.Unavailable {
				t.Errorf("have %d bytes and a %s error", len(out), kind)
			}
			return
		}
		if bound := max(l.bytes, int64(len(body))); int64(len(out)) > bound {
			t.Errorf("have %d bytes, want at most %d", len(out), bound)
		}
		if encoding != "" && !bytes.Equal(out, body) {
			t.Error("a body in an unknown encoding was changed")
		}
		l.cut, l.short = true, true
		if cut, _, err := decode(body, []string{header}, l); err != nil || len(cut) < len(out) {
			t.Errorf("cut: have %d bytes, %v, want %d", len(cut), err, len(out))
		}
	})
}

// TestS2LargeBodiesAsk checks that Large is called once before a large body is held, whether large on the wire or
// decoded, and is not called for a small one.
func TestS2LargeBodiesAsk(t *testing.T) {
	t.Parallel() // this test waits
	big := strings.Repeat("x", memory.Small+1)
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/small": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, big[:memory.Small]) },
		"/plain": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, big) },
		"/zipped": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, big)
			z.Close()
		},
	})
	for path, want := range map[string]int{"/small": 0, "/plain": 1, "/zipped": 1} {
		asked := 0
		r, err := c.Get(t.Context(), Request{URL: base + path, Large: func(context.Context) error { asked++; return nil }})
		if err != nil || asked != want || len(r.Body) != memory.Small+want {
			t.Errorf("%s: asked %d times, %d bytes, %v", path, asked, len(r.Body), err)
		}
		const most = 2 * time.Second
		late := newClient(t, Config{Timeout: most, AllowHosts: []string{strings.TrimPrefix(base, "http://")}})
		r, err = late.Get(t.Context(), Request{URL: base + path,
			Large: func(context.Context) error { time.Sleep(most + most/10); return nil }})
		if err != nil || r.Elapsed > most {
			t.Errorf("%s: waiting counted: %s, %v", path, r.Elapsed, err)
		}
		full := fault.New(fault.Unavailable, "no room")
		_, err = c.Get(t.Context(), Request{URL: base + path, Large: func(context.Context) error { return full }})
		if (want == 1) != errors.Is(err, full) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestX7ForgottenGzip checks that gzip without Content-Encoding is decoded where the declared type is a text, within
// the limit on bytes, and is kept as it is where the result is no text (X7).
func TestX7ForgottenGzip(t *testing.T) {
	page := []byte("<html><p>" + strings.Repeat("the tide rises, the tide falls. ", 100))
	gz := encode("gzip", page)
	bodies := map[string][]byte{"page": page, "gzip": gz, "bomb": zeros("gzip", 8<<20), "large": encode("gzip",
		bytes.Repeat([]byte("tide "), 1<<20)), "binary": encode("gzip", zeros("raw", 999)), "short": gz[:len(gz)/2],
		"twice": encode("gzip", gz)}
	c, base := serve(t, Config{MaxBytes: 1 << 20}, map[string]http.HandlerFunc{
		"/{name}": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", r.URL.Query().Get("type"))
			w.Header()["Content-Encoding"] = r.URL.Query()["coding"]
			if r.PathValue("name") == "twice" {
				w.Header().Set("Content-Encoding", "gzip")
			}
			w.Write(bodies[r.PathValue("name")])
		},
	})
	for _, tt := range []struct{ path, want string }{
		{"gzip?type=text/html", "page"},
		{"gzip?type=Text/HTML%3Bcharset=utf-8", "page"},
		{"gzip?type=text/plain", "page"},
		{"gzip?type=application/json", "page"},
		{"gzip?type=application/xhtml%2Bxml", "page"},
		{"gzip?type=html", "page"},
		{"twice?type=text/html", "page"},
		{"page?type=text/html", "page"},
		{"gzip?type=text/html&coding=utf-8", "page"},
		{"gzip?type=application/json&coding=*", "page"},
		{"gzip?type=application/gzip&coding=aws-chunked", "gzip"},
		{"gzip?type=application/gzip", "gzip"},
		{"gzip?type=application/octet-stream", "gzip"},
		{"gzip?type=application/x-tar", "gzip"},
		{"bomb?type=text/html", "bomb"},
		{"large?type=text/html", "large"},
		{"binary?type=text/plain", "binary"},
		{"short?type=text/html", "short"},
	} {
		res, err := c.Get(t.Context(), Request{URL: base + "/" + tt.path})
		if err != nil || !bytes.Equal(res.Body, bodies[tt.want]) {
			t.Errorf("%s: have %.20q, %v", tt.path, res.Body, err)
		}
	}
}
