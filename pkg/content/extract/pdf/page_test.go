package pdf

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klippa-app/go-pdfium/requests"
)

// TestUnitsOfAPage checks that the text of a page has the same characters at the same indexes as reading one by one.
// PDFium writes a hyphen that joined two lines in two ways, and half of a letter as a replacement sign.
func TestUnitsOfAPage(t *testing.T) {
	for _, name := range []string{"columns", "office", "form", "turned", "beyond"} {
		fast, want := unitsOf(t, name)
		for i := range min(len(want), len(fast)) {
			if want[i] == joint || want[i]&0xfc00 == 0xd800 && fast[i] == '\ufffd' {
				want[i] = fast[i]
			}
		}
		if diff := cmp.Diff(want, fast); diff != "" || len(want) == 0 {
			t.Errorf("%s, %d characters: by index -, as text +\n%s", name, len(want), diff)
		}
	}
}

// unitsOf returns the units of the first page of a file, read in both ways.
func unitsOf(t *testing.T, name string) (asText, byIndex []rune) {
	t.Helper()
	p, err := engine.instance()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	body := load(t, name+".pdf")
	opened, err := p.OpenDocument(&requests.OpenDocument{File: &body})
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{pdfium: p, doc: opened.Document}
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: r.doc}}
	loaded, err := p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		t.Fatal(err)
	}
	count, err := p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: loaded.TextPage})
	if err != nil {
		t.Fatal(err)
	}
	if asText, err = r.units(loaded.TextPage, count.Count); err != nil {
		t.Fatal(err)
	}
	if byIndex, err = r.unitsByIndex(loaded.TextPage, count.Count); err != nil {
		t.Fatal(err)
	}
	return asText, byIndex
}
