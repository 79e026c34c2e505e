package pdf

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
)

var (
	cache  string // compiled once for all tests
	engine *Engine
)

func TestMain(m *testing.M) {
	// This is the folder of package document, so that PDFium is compiled once for the tests of all packages.
	cache = filepath.Join(os.TempDir(), fmt.Sprint("tidemark-pdf-", os.Getuid()))
	if err := os.MkdirAll(cache, 0o700); err != nil {
		panic(err)
	}
	var err error
	if engine, err = Open(cache); err != nil {
		panic(err)
	}
	code := m.Run()
	engine.Close()
	os.Exit(code)
}

func load(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func options() Options {
	return Options{BaseURL: "https://harbour.example/docs/report.pdf"}
}

// TestA17Golden compares whole documents with their golden files.
func TestA17Golden(t *testing.T) {
	for _, name := range []string{"columns", "office", "form", "loop", "turned"} {
		t.Run(name, func(t *testing.T) {
			doc, err := engine.Extract(load(t, name+".pdf"), options())
			if err != nil {
				t.Fatal(err)
			}
			goldentest.Compare(t, filepath.Join("testdata", name+".golden"), show(doc))
		})
	}
}

// H5: TestH5LettersBeyondTheBasicPlane checks letters that PDFium returns as two halves.
func TestH5LettersBeyondTheBasicPlane(t *testing.T) {
	doc, err := engine.Extract(load(t, "beyond.pdf"), options())
	if want := "The tide \U0001d400\U0001d401\U0001d402 is high, \ufffd is broken."; err != nil || doc.Text != want {
		t.Errorf("have %q, %v, want %q", doc.Text, err, want)
	}
}

func show(doc extract.Document) string {
	var out strings.Builder
	fmt.Fprintf(&out, "title %q, language %q, truncated %v\n", doc.Title, doc.Language, doc.Truncated)
	for _, b := range doc.Blocks {
		fmt.Fprintf(&out, "\n[%s %d]\n%s\n", b.Kind, b.Level, b.Text)
	}
	for _, l := range doc.Links {
		fmt.Fprintf(&out, "\n-> %s (%s)", l.URL, l.Text)
	}
	fmt.Fprintf(&out, "\n\nvisible:\n%s\n", doc.VisibleText)
	return out.String()
}

// TestA17Oracle compares the words with those that another PDF reader finds.
func TestA17Oracle(t *testing.T) {
	for _, name := range []string{"columns", "office"} {
		doc, err := engine.Extract(load(t, name+".pdf"), options())
		if err != nil {
			t.Fatal(err)
		}
		if f := wordF1(doc.VisibleText, string(load(t, name+".words"))); f < 0.99 {
			t.Errorf("%s: word F1 of the visible text is %.3f, want 0.99", name, f)
		}
		if f := wordF1(doc.Text, string(load(t, name+".words"))); f < 0.97 {
			t.Errorf("%s: word F1 of the content is %.3f, want 0.97", name, f)
		}
	}
}

func TestA17Refusals(t *testing.T) {
	whole := load(t, "columns.pdf")
	for _, c := range []struct {
		name string
		body []byte
		kind fault.Kind
		want string
	}{
		{"a password", load(t, "locked.pdf"), fault.Blocked, "protected by a password"},
		{"only images", load(t, "scan.pdf"), fault.Invalid, "needs text recognition"},
		{"nothing", nil, fault.Invalid, "broken"},
		{"no PDF", []byte("<html><p>Not found</p></html>"), fault.Invalid, "broken"},
		{"the first eighth", whole[:len(whole)/8], fault.Invalid, "broken"},
	} {
		doc, err := engine.Extract(c.body, options())
		if !fault.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: have %v and %d blocks, want the kind %s and %q", c.name, err, len(doc.Blocks), c.kind, c.want)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%s: more than one line: %q", c.name, err)
		}
	}
}

func TestA17Bounds(t *testing.T) {
	body := load(t, "columns.pdf")
	for _, c := range []struct {
		name  string
		bound func(*Options)
		size  func(extract.Document) int
		most  int
	}{
		{"pages", func(o *Options) { o.MaxPages = 1 },
			func(d extract.Document) int { return strings.Count(d.VisibleText, "Conclusion") }, 0},
		{"text", func(o *Options) { o.Limits.MaxBytes = 10 },
			func(d extract.Document) int { return strings.Count(d.VisibleText, "Conclusion") }, 0},
		{"blocks", func(o *Options) { o.Limits.MaxBlocks = 4 }, func(d extract.Document) int { return len(d.Blocks) }, 4},
	} {
		o := options()
		c.bound(&o)
		doc, err := engine.Extract(body, o)
		if err != nil || !doc.Truncated || c.size(doc) > c.most || doc.VisibleText == "" {
			t.Errorf("%s: have %d, truncated %v, error %v; want at most %d and truncated", c.name, c.size(doc), doc.Truncated,
				err, c.most)
		}
	}
}

// TestDamage cuts and garbles a file at many positions, and checks that each result is an error or a document.
func TestDamage(t *testing.T) {
	whole := load(t, "office.pdf")
	for i := range 4 {
		cut := whole[:len(whole)*(i+1)/5]
		garbled := append([]byte{}, whole...)
		for at := i * 37; at < len(garbled); at += 997 {
			garbled[at] ^= 0x55
		}
		for _, body := range [][]byte{cut, garbled} {
			if _, err := engine.Extract(body, options()); err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("damage %d: have the kind %s, want Invalid: %v", i, fault.KindOf(err), err)
			}
		}
	}
}

// TestUnusableCache checks a cache path that is a file.
func TestUnusableCache(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles PDFium")
	}
	e, err := Open(filepath.Join("testdata", "form.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if doc, err := e.Extract(load(t, "form.pdf"), options()); err != nil || doc.Title != "Mooring permit" {
		t.Errorf("have %q, %v", doc.Title, err)
	}
}

// H6: TestH6EveryDocumentHasAnInstanceOfItsOwn checks that no document affects the PDFium of the next one. Every test
// here shares the engine; this one reads the same document in a new engine, and between broken documents.
func TestH6EveryDocumentHasAnInstanceOfItsOwn(t *testing.T) {
	body, whole := load(t, "columns.pdf"), load(t, "office.pdf")
	e, err := Open(cache)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	want, err := e.Extract(body, options())
	if err != nil {
		t.Fatal(err)
	}
	for i, other := range [][]byte{whole[:len(whole)/2], load(t, "locked.pdf"), load(t, "loop.pdf"), whole, nil} {
		_, _ = engine.Extract(other, options())
		got, err := engine.Extract(body, options())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("after document %d: error %v; want -, have +:\n%s", i, err, diff)
		}
	}
}

func TestWarm(t *testing.T) {
	if err := Warm(cache); err != nil {
		t.Fatal(err)
	}
	found := 0
	_ = filepath.WalkDir(cache, func(_ string, d os.DirEntry, _ error) error {
		if info, err := d.Info(); err == nil && info.Size() > 1<<20 {
			found++
		}
		return nil
	})
	if found == 0 {
		t.Error("no compiled module is in the cache")
	}
}

// wordF1 returns the harmonic mean of precision and recall of words, counted with their repetitions.
func wordF1(have, want string) float64 {
	a, b := words(have), words(want)
	hit, sum := 0, 0
	for w, n := range a {
		hit += min(n, b[w])
		sum += n
	}
	for _, n := range b {
		sum += n
	}
	return 2 * float64(hit) / float64(sum)
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+`)

func words(text string) map[string]int {
	all := map[string]int{}
	for _, w := range wordPattern.FindAllString(strings.ToLower(text), -1) {
		all[w]++
	}
	return all
}

// TestB6GoldensKeepTheirVersion protects requirement B6, as extract/web does for pages: what these files say of texts
// was made by the rules that lineage.Current names.
func TestB6GoldensKeepTheirVersion(t *testing.T) {
	const version, digest = "text_v6", 0xdf8d9bcf8434dcd5
	h := fnv.New64a()
	goldens, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(goldens) == 0 {
		t.Fatalf("%d golden files, %v", len(goldens), err)
	}
	for _, name := range goldens {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(h, name, len(text))
		h.Write(text)
	}
	if have := h.Sum64(); have != digest || lineage.Current.Component("text") != version {
		t.Errorf("the digest is %#x: raise the text component of lineage.Current, and write both here", have)
	}
}

// TestA17PagesAreAnchors checks that each block of a file of several pages leads to the page on which it begins (A17).
func TestA17PagesAreAnchors(t *testing.T) {
	for name, want := range map[string][]string{"office": {""}, "columns": {"page=1", "page=2", "page=3", "page=4"}} {
		doc, err := engine.Extract(load(t, name+".pdf"), options())
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, b := range doc.Blocks {
			have = append(have, b.Anchor)
		}
		if have = slices.Compact(have); !slices.Equal(have, want) {
			t.Errorf("%s: %q, want %q", name, have, want)
		}
	}
}
