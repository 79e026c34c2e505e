package office

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

func packODF(t testing.TB, content, meta string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, part := range [][2]string{{"content.xml", content}, {"meta.xml", meta}} {
		w, err := z.Create(part[0])
		if err == nil {
			_, err = io.WriteString(w, part[1])
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

func file(body string) string {
	return `<office:document-content><office:automatic-styles><text:list-style style:name="L1">` +
		`<text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style></office:automatic-styles>` +
		`<office:body><office:text>` + body + `</office:text></office:body></office:document-content>`
}

// A17: TestA17OpenDocument checks the text of each kind of element.
func TestA17OpenDocument(t *testing.T) {
	for name, tt := range map[string]struct{ mimeType, body, want string }{
		"text": {TextType, `<text:h text:outline-level="2">Rules <text:span>here</text:span></text:h>` +
			`<text:p>One<text:s/>two` +
			`<text:tab/>x<text:line-break/>line</text:p>`, "## Rules here\n\nOne two x\nline"},
		"numbers": {TextType, `<text:list text:style-name="L1"><text:list-item><text:p>A</text:p><text:list>` +
			`<text:list-item>` +
			`<text:p>B</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>C</text:p>` +
			`<text:p>D</text:p>` +
			`</text:list-item></text:list>`, "1. A\n  - B\n2. C\n  D"},
		"deletions": {TextType, `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>` +
			`<text:p>here</text:p>`, "here"},
		"a note": {TextType, `<text:p>Fee<text:note><text:note-citation>1</text:note-citation><text:note-body>` +
			`<text:p>in EUR</text:p></text:note-body></text:note> due</text:p>`, "Fee[^1] due\n\n[^1]: in EUR"},
		"a comment": {TextType, `<text:p>Fee<office:annotation><dc:creator>Ann</dc:creator><text:p>why?</text:p>` +
			`</office:annotation></text:p>`, "Fee\n\nComment Ann: why?"},
		"a table": {TextType, `<table:table table:name="T"><table:table-row><table:table-cell><text:p>a</text:p>` +
			`</table:table-cell>` +
			`<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`, "a | b"},
		"a sheet": {SpreadsheetType, `<table:table table:name="Fees"><table:table-row><table:table-cell><text:p>x</text:p>` +
			`</table:table-cell><table:table-cell table:number-columns-repeated="2"/><table:table-cell office:value="12.5">` +
			`<text:p>12,50 €</text:p></table:table-cell></table:table-row><table:table-row ` +
			`table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>` +
			`</table:table>`, "# Fees\n\nx |  |  | 12,50 €"},
		"a slide": {PresentationType, `<draw:page draw:name="Intro"><draw:frame><draw:text-box><text:p>Hello</text:p>` +
			`</draw:text-box></draw:frame><presentation:notes><text:p>say it</text:p></presentation:notes></draw:page>`,
			"## Intro\n\nHello\n\nsay it"},
	} {
		doc, err := ODF(packODF(t, file(tt.body), `<m><office:meta><dc:title>Title</dc:title>`+
			`<dc:language>de-DE</dc:language>`+
			`<meta:initial-creator>Ann</meta:initial-creator></office:meta></m>`), tt.mimeType, extract.Limits{})
		if diff := cmp.Diff(tt.want, extract.Markdown(doc.Blocks)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		if doc.Title != "Title" || doc.Language != "de" || doc.Metadata.Author != "Ann" {
			t.Errorf("%s: have %q %q %q", name, doc.Title, doc.Language, doc.Metadata.Author)
		}
	}
}

// A17: TestA17OpenDocumentIsBounded checks repetitions, and files that are broken.
func TestA17OpenDocumentIsBounded(t *testing.T) {
	cell := `<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>`
	doc, err := ODF(packODF(t, file(`<table:table>`+strings.Repeat(`<table:table-row table:number-rows-repeated="99999">`+
		cell+`</table:table-row>`, 20)+`</table:table>`), ""), SpreadsheetType, extract.Limits{MaxBytes: 1 << 20})
	if err != nil || len(doc.Text) > 1<<20 {
		t.Errorf("%v, %d bytes", err, len(doc.Text))
	}
	for name, body := range map[string][]byte{"nothing": nil, "no parts": packODF(t, "", ""), "broken": packODF(t,
		"<a><b>", "")} {
		if _, err := ODF(body, TextType, extract.Limits{}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: have %v", name, err)
		}
	}
}

// FuzzOpenDocument checks that no content makes the reader panic, or give two results.
func FuzzOpenDocument(f *testing.F) {
	f.Add(`<text:list><text:list-item><text:p>A<text:note><text:p>x`)
	f.Add(`<table:table><table:table-row><table:table-cell><table:table><text:list>`)
	f.Fuzz(func(t *testing.T, body string) {
		one, err := ODF(packODF(t, file(body), ""), SpreadsheetType, extract.Limits{})
		two, again := ODF(packODF(t, file(body), ""), SpreadsheetType, extract.Limits{})
		if (err == nil) != (again == nil) || one.Text != two.Text {
			t.Errorf("%q is read in two ways", body)
		}
	})
}
