package discover

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// result is one line of the golden file.
type result struct {
	Found
	Error string `json:",omitempty"`
}

const sitemapBase = "https://port.example/maps/sitemap.xml"

func resultOf(body []byte) result {
	found, err := Sitemap(body, sitemapBase, Bounds{})
	if err != nil {
		return result{Error: fmt.Sprintf("%s: %v", fault.KindOf(err), err)}
	}
	return result{Found: found}
}

// TestE8Sitemaps reads the sitemaps and feeds of testdata/sitemap, real and malformed, each named for its oddity;
// golden.json lists the expected results.
func TestE8Sitemaps(t *testing.T) {
	const golden = "testdata/sitemap.golden.json"
	have := map[string]result{}
	for _, path := range corpus(t) {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		have[filepath.Base(path)] = resultOf(body)
	}
	data, err := json.MarshalIndent(have, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	goldentest.Compare(t, golden, string(data)+"\n")
}

func corpus(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/sitemap/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	return paths
}

// urlset is a sitemap of n pages.
func urlset(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for i := range n {
		fmt.Fprintf(&b, "<url><loc>https://port.example/notices/%d</loc><lastmod>2024-06-30</lastmod></url>\n", i)
	}
	b.WriteString("</urlset>")
	return b.Bytes()
}

func zip(t testing.TB, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestE8SitemapBounds checks that reading ends at each bound, and that the result so far is kept.
func TestE8SitemapBounds(t *testing.T) {
	long := "https://port.example/" + strings.Repeat("a", 3*source.MaxRaw)
	for _, row := range []struct {
		name      string
		body      []byte
		o         Bounds
		links     int
		truncated string
	}{
		{"one more than the protocol allows", urlset(50_001), Bounds{}, 50_000, "more than 50000 addresses"},
		{"exactly the addresses", urlset(3), Bounds{MaxLinks: 3}, 3, ""},
		{"addresses", urlset(10), Bounds{MaxLinks: 3}, 3, "more than 3 addresses"},
		{"bytes", urlset(10), Bounds{MaxBytes: 300}, 2, "more than 300 bytes"},
		{"bytes, unpacked", zip(t, urlset(1000)), Bounds{MaxBytes: 300}, 2, "more than 300 bytes"},
		{"exactly the bytes", urlset(10), Bounds{MaxBytes: int64(len(urlset(10)))}, 10, ""},
		{"a bomb in gzip", zip(t, zip(t, append(urlset(1), bytes.Repeat([]byte(" "), 80<<20)...))), Bounds{}, 1, ""},
		{"a bomb in gzip, before the root ends", zip(t,
			bytes.Replace(urlset(1), []byte("</urlset>"), bytes.Repeat([]byte(" "), 60<<20), 1)), Bounds{}, 1,
			"more than 52428800 bytes"},
		{"depth", []byte("<urlset><url><loc>https://port.example/</loc></url>" + strings.Repeat("<a>", 2_000_000)), Bounds{},
			1, "elements nest deeper than 64"},
		{"an endless address", []byte("<urlset><url><loc>" + long + "</loc></url><url><loc>/a</loc></url></urlset>"),
			Bounds{}, 1, ""},
		{"an endless name", []byte("<urlset><" + long + "/><url><loc>/a</loc></url></urlset>"), Bounds{}, 1, ""},
		{"attributes without end", []byte("<urlset " + strings.Repeat("a=1 ", 100_000) +
			"><url><loc>/a</loc></url></urlset>"), Bounds{}, 1, ""},
		{"one address again and again", []byte("<urlset>" + strings.Repeat("<url><loc>/a</loc></url>", 30)),
			Bounds{MaxLinks: 10}, 1, "more than 20 entries"},
		{"no address again and again", []byte("<urlset><url><loc>/a</loc></url>" + strings.Repeat("<url></url>", 30)),
			Bounds{MaxLinks: 10}, 1, "more than 20 entries"},
		{"lines without end", []byte("https://port.example/\n" + strings.Repeat("x\n", 30)), Bounds{MaxLinks: 10}, 1,
			"more than 20 entries"},
	} {
		t.Run(row.name, func(t *testing.T) {
			found, err := Sitemap(row.body, sitemapBase, row.o)
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Links) != row.links || found.Truncated != row.truncated {
				t.Errorf("%d links, truncated %q; want %d, %q", len(found.Links), found.Truncated, row.links, row.truncated)
			}
			if len(found.Problems) > maxProblems {
				t.Errorf("%d problems", len(found.Problems))
			}
		})
	}
}

func TestE8Alternates(t *testing.T) {
	body, err := os.ReadFile("testdata/sitemap/alternates.xml")
	if err != nil {
		t.Fatal(err)
	}
	found, err := Sitemap(body, sitemapBase, Bounds{Alternates: true})
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, l := range found.Links {
		have = append(have, l.URL+" "+l.LastMod.Format("2006-01-02"))
	}
	want := []string{"https://port.example/en/ 2024-06-30", "https://port.example/de/ 2024-06-30"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

// FuzzSitemap checks that any result is within bounds, well formed, and repeatable.
func FuzzSitemap(f *testing.F) {
	for _, path := range corpus(f) {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	for _, row := range wildForms {
		f.Add([]byte(row.body))
	}
	o := Bounds{MaxBytes: 1 << 20, MaxLinks: 50, MaxDepth: 10, Alternates: true}
	f.Fuzz(func(t *testing.T, body []byte) {
		found, err := Sitemap(body, sitemapBase, o)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("error %v", err)
			}
			return
		}
		checkFound(t, found, o)
		again, err := Sitemap(body, sitemapBase, o)
		if diff := cmp.Diff(found, again); diff != "" || err != nil {
			t.Errorf("read again: %v %s", err, diff)
		}
	})
}

// checkFound holds for everything found.
func checkFound(t *testing.T, found Found, o Bounds) {
	t.Helper()
	if n := len(found.Links) + len(found.Maps); n > o.MaxLinks || len(found.Problems) > maxProblems || found.Kind == "" {
		t.Errorf("%d addresses, %d problems, kind %q", n, len(found.Problems), found.Kind)
	}
	seen := map[string]bool{}
	for _, l := range found.Links {
		if form, err := source.FetchForm(l.URL); err != nil || form != l.URL || seen[l.URL] {
			t.Errorf("%q: form %q, error %v, or repeated", l.URL, form, err)
		}
		if l.Span < 0 || l.LastMod.Year() > maxYear {
			t.Errorf("time %v and %v", l.LastMod, l.Span)
		}
		seen[l.URL] = true
	}
}

func BenchmarkSitemap(b *testing.B) {
	body := urlset(50_000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := Sitemap(body, sitemapBase, Bounds{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestE8ManyRoots checks that a body of very many documents is read only to a bound (E8).
func TestE8ManyRoots(t *testing.T) {
	one := "<urlset><url><loc>https://port.example/a</loc></url></urlset>"
	found, err := Sitemap([]byte(strings.Repeat(one, 5*maxRoots)), "https://port.example/sitemap.xml", Bounds{})
	if err != nil || found.Entries > maxRoots+1 || found.Truncated == "" {
		t.Errorf("%d entries, %q, %v", found.Entries, found.Truncated, err)
	}
}

// TestE8DatesInAddresses checks that a date after a comma ends an address only if it is a column (E8).
func TestE8DatesInAddresses(t *testing.T) {
	for line, want := range map[string]string{
		"https://x.example/archive,2024-01-02.html":      "https://x.example/archive,2024-01-02.html",
		"https://x.example/a,2024-01-02-x":               "https://x.example/a,2024-01-02-x",
		"https://x.example/a,2024-01-02":                 "https://x.example/a",
		`"https://x.example/a","2024-01-02T10:00:00Z",1`: "https://x.example/a",
		"https://x.example/a; 2024-01-02 10:00":          "https://x.example/a",
	} {
		if have := addressesOf(line); len(have) != 1 || have[0] != want {
			t.Errorf("%s: have %q", line, have)
		}
	}
}
