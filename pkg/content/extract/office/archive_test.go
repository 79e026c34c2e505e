package office

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// twoSlides returns a presentation in which every part has about a kilobyte.
func twoSlides(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name, content string) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, content+strings.Repeat(" ", 1000-len(content))+"</x>")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("_rels/.rels", `<x><Relationship Id="a" Type="t/officeDocument" Target="p"/>`)
	add("_rels/p.rels", `<x><Relationship Id="a" Type="t/slide" Target="s1"/><Relationship Id="b" Type="t/slide" `+
		`Target="s2"/>`)
	add("p", `<presentation><sldIdLst><sldId r:id="a"/><sldId r:id="b"/><sldId r:id="a"/></sldIdLst>`)
	add("s1", `<sld><p><t>one</t></p>`)
	add("s2", `<sld><p><t>two</t></p>`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestBoundsAddUp lowers bounds that would take seconds to reach (A17).
func TestBoundsAddUp(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lower func(*archive)
		kind  fault.Kind
	}{
		{"within", func(*archive) {}, ""},
		{"exactly", func(a *archive) { a.Bounds = archiveBounds{Part: 1004, Inflated: 4 * 1004, Elements: 14} }, ""},
		{"a part", func(a *archive) { a.Bounds.Part = 1003 }, fault.TooLarge},
		{"all parts", func(a *archive) { a.Bounds.Inflated = 4*1004 - 1 }, fault.TooLarge},
		{"elements", func(a *archive) { a.Bounds.Elements = 13 }, fault.TooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, main, err := open(twoSlides(t))
			if err != nil {
				t.Fatal(err)
			}
			tc.lower(a)
			doc, err := a.pptx(main, extract.Limits{})
			if fault.KindOf(err) != tc.kind {
				t.Errorf("have %q, %v, want %q", doc.Text, err, tc.kind)
			}
			if err == nil && doc.Text != "one\n\ntwo" {
				t.Errorf("have %q, want each slide once", doc.Text)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	for _, tc := range []struct{ name, dir, target, want string }{
		{"beside", "word/", "styles.xml", "word/styles.xml"},
		{"above", "ppt/slides/", "../notes/n.xml", "ppt/notes/n.xml"},
		{"absolute", "word/", "/docProps/core.xml", "docProps/core.xml"},
		{"beyond the root", "word/", "../../../etc/passwd", "etc/passwd"},
		{"backslashes", "ppt/", `slides\s.xml`, "ppt/slides/s.xml"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if have := resolve(tc.dir, tc.target); have != tc.want {
				t.Errorf("have %q, want %q", have, tc.want)
			}
		})
	}
}
