package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

func TestOverlap(t *testing.T) {
	for _, tc := range []struct {
		name, want, have  string
		precision, recall float64
	}{
		{"the same", "a b", "B, a!", 1, 1},
		{"half is missing", "a b", "a", 1, .5},
		{"half is too much", "a", "a b", .5, 1},
		{"words count as often as they stand", "a a b", "a b b", 2. / 3, 2. / 3},
		{"soft hyphens are no letters", "quay", "qu\u00aday", 1, 1},
		{"nothing found", "a", "", 0, 0},
		{"nothing to be found", "", "a", 0, 0},
		{"nothing at all", "", " ", 1, 1},
	} {
		if p, r := overlap(tc.want, tc.have); p != tc.precision || r != tc.recall {
			t.Errorf("%s: have %v %v, want %v %v", tc.name, p, r, tc.precision, tc.recall)
		}
	}
}

func TestLoad(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	pages, err := load(fstest.MapFS{
		"a.html": file("<p>a"), "a.txt": file(""), "sub/b.html": file("<p>b"), "sub/b.keep": file("b\n\n c \n"),
		"sub/b.drop": file("d"), "z.md": file(""),
	}, 0, 1)
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	if !pages[0].hasText || pages[1].hasText || strings.Join(pages[1].keep, "|") != "b|c" || len(pages[1].drop) != 1 {
		t.Errorf("have %+v", pages)
	}
	for name, folder := range map[string]fstest.MapFS{"no ground truth": {"a.html": file("x")},
		"no pages": {"a.txt": file("x")}} {
		if _, err := load(folder, 0, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLayouts checks that published sets are read in their own layouts.
func TestLayouts(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, tc := range map[string]struct {
		folder fstest.MapFS
		want   page
	}{
		"article-extraction-benchmark": {fstest.MapFS{"html/a.html": file("<p>x"),
			"ground-truth.json": file(`{"a": {"articleBody": "x"}}`)}, page{name: "a", text: "x"}},
		"WCXB": {fstest.MapFS{"html/1.html": file("<p>x"), "ground-truth/1.json": file(
			`{"_internal": {"page_type": {"primary": "category"}}, "ground_truth": {"main_content": "x", "with": ["y"]}}`)},
			page{name: "1", kind: "collection", text: "x", keep: []string{"y"}}},
	} {
		tc.want.html, tc.want.hasText = []byte("<p>x"), true
		pages, err := load(tc.folder, 0, 1)
		if diff := cmp.Diff([]page{tc.want}, pages, cmp.AllowUnexported(page{})); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// TestCodeIntact checks a page that loses half of the code in its content. Code outside the content does not count.
func TestCodeIntact(t *testing.T) {
	p := page{html: []byte(`<pre>a = b + 123456</pre><pre>c = d - 567890</pre><pre>around = 90123</pre>`),
		text: "a = b + 123456 c = d - 567890"}
	doc := extract.Document{Blocks: []extract.Block{{Kind: extract.Code, Text: "a = b\n+ 123456"},
		{Kind: extract.Paragraph, Text: "c = d - 567890"}}}
	var l listings
	if l.add(p, doc); l != (listings{all: 2, intact: 1}) {
		t.Errorf("have %+v", l)
	}
}

// TestRun scores a folder of one page, with a command as a third extractor.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	page := `<body><nav>Home page</nav><p>` + strings.Repeat("The lock is closed. ", 20) + `</p></body>`
	for name, data := range map[string]string{"a.html": page, "a.txt": strings.Repeat("The lock is closed. ", 20),
		"a.keep": "lock is", "a.drop": "Home page"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run([]string{"-noise", "-with", "cat=cat", dir}, &out); err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); len(f) > 0 {
			rows[f[0]] = f
		}
	}
	for _, want := range []string{"tidemark 1 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000",
		"visible 1 0.976 1.000 0.988 0.975 1.000 0.987 0.500 1.000 0.667", "footer 0.000 0.000 1.000 1.000"} {
		f := strings.Fields(want)
		if have := rows[f[0]]; len(have) < len(f) || strings.Join(have[:len(f)], " ") != want {
			t.Errorf("want %s, have\n%s", want, out.String())
		}
	}
	if rows["cat"] == nil {
		t.Errorf("no row for the command:\n%s", out.String())
	}
}

// TestNoises checks that each variant changes the page. Otherwise there would be no noise to resist.
func TestNoises(t *testing.T) {
	const page = `<html><body class="a" id="b"><p>a “é”</p><p>2</p></body></html>`
	for _, kind := range noises {
		seen := map[string]bool{}
		for _, variant := range kind.variants {
			seen[variant(page)] = true
		}
		if len(seen) != len(kind.variants) || len(seen) < 2 {
			t.Errorf("%s: %d variants, %d different pages", kind.name, len(kind.variants), len(seen))
		}
	}
}
