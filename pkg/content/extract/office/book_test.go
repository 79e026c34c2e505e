package office

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

func pack(t *testing.T, change map[string]string) []byte {
	t.Helper()
	parts := map[string]string{
		"META-INF/container.xml": `<container><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles></container>`,
		"OPS/p.opf": `<package><metadata><dc:title>Tides</dc:title><dc:creator>Ann Ray</dc:creator><dc:language>en-GB` +
			`</dc:language><dc:date>2024-03-05</dc:date></metadata><manifest>` +
			`<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>` +
			`<item id="a" href="text/one%20.xhtml" media-type="application/xhtml+xml"/>` +
			`<item id="c" href="c.css" media-type="text/css"/></manifest>` +
			`<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/><itemref idref="c"/></spine></package>`,
		"OPS/text/one .xhtml": `<html><body><h1>One</h1><nav>x</nav>` +
			`<p>First <a href="https://a.example/">link</a></p></body></html>`,
		"OPS/two.xhtml": `<html><body><h2>Two</h2><footer>Second</footer></body></html>`, "OPS/c.css": "a{}",
	}
	maps.Copy(parts, change)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, parts[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A17: TestA17BooksAreReadInOrder checks that the chapters come in reading order, once, and as a whole.
func TestA17BooksAreReadInOrder(t *testing.T) {
	doc, err := EPUB(pack(t, nil), extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("# One\n\nx\n\nFirst link\n\n## Two\n\nSecond", extract.Markdown(doc.Blocks)); diff != "" {
		t.Error(diff)
	}
	have := []string{doc.Title, doc.Language, doc.Metadata.Author, doc.Metadata.Published.Format("2006-01-02"),
		doc.Links[0].URL}
	if diff := cmp.Diff([]string{"Tides", "en", "Ann Ray", "2024-03-05", "https://a.example/"}, have); diff != "" {
		t.Error(diff)
	}
}

// A17: TestA17BooksThatAreNotRead checks the reasons why a book is not read.
func TestA17BooksThatAreNotRead(t *testing.T) {
	for name, tt := range map[string]struct {
		change map[string]string
		want   fault.Kind
	}{
		"encrypted": {map[string]string{"OPS/text/one .xhtml": "\x00\x01\x02\x03",
			"OPS/two.xhtml": "\x00\x01\x02\x03"}, fault.Blocked},
		"no package": {map[string]string{"META-INF/container.xml": "<c><r><rootfile full-path='x'/></r></c>"}, fault.Invalid},
		"no chapter": {map[string]string{"OPS/p.opf": "<package><spine/></package>"}, fault.Invalid},
	} {
		if _, err := EPUB(pack(t, tt.change), extract.Limits{}); !fault.Is(err, tt.want) {
			t.Errorf("%s: have %v", name, err)
		}
	}
}
