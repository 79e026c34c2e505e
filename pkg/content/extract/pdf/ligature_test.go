package pdf

import (
	"bytes"
	"strings"
	"testing"
)

// TestLamAlef checks that the two letters of a ligature come in the order of reading.
func TestLamAlef(t *testing.T) {
	doc, err := engine.Extract(load(t, "arabic.pdf"), options())
	if err != nil || doc.Text != "المشكلات" || doc.CutWhy() != "" {
		t.Errorf("%q, %v", doc.Text, err)
	}
}

// TestBrokenEnd checks that a file with a wrong address of its table, without a table or without an end is read, and
// says so if something may be missing.
func TestBrokenEnd(t *testing.T) {
	whole := load(t, "arabic.pdf")
	table := bytes.Index(whole, []byte("xref\n0"))
	for name, tc := range map[string]struct {
		body []byte
		cut  bool
	}{
		"wrong address": {bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n9"), 1), false},
		"no table":      {whole[:table], true},
		"zeros":         {append(bytes.Clone(whole[:table]), make([]byte, 4096)...), true},
	} {
		doc, err := engine.Extract(tc.body, options())
		if err != nil || doc.Text != "المشكلات" || strings.Contains(doc.CutWhy(), "end of the file is missing") != tc.cut {
			t.Errorf("%s: %q, cut %q, %v", name, doc.Text, doc.CutWhy(), err)
		}
	}
	for _, body := range []string{"", "%PDF-1.4\n", "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj", "/Type /Catalog"} {
		if doc, err := engine.Extract([]byte(body), options()); err == nil {
			t.Errorf("%q: %q", body, doc.Text)
		}
	}
}
