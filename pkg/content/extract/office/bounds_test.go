package office_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
)

// compound returns the beginning of a file in an older format, with the name of a stream in it.
func compound(stream string) []byte {
	b := append([]byte{0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1}, make([]byte, 504)...)
	for _, c := range []byte(stream) {
		b = append(b, c, 0)
	}
	return b
}

func TestRefusals(t *testing.T) {
	replaced := func(name, content string) []byte { return pack(t, word("", map[string]string{name: content})) }
	without := func(names ...string) []byte {
		parts := word(para("", "a"), nil)
		for _, name := range names {
			delete(parts, name)
		}
		return pack(t, parts)
	}
	entries := word("", nil)
	for i := range 10_000 {
		entries[fmt.Sprint("x/", i)] = ""
	}
	whole := pack(t, word(para("", "a"), nil))
	damaged := bytes.Replace(bytes.Clone(whole), []byte("text/main.xml"), []byte("text/main.xm_"), 2)
	for _, tc := range []struct {
		name string
		body []byte
		kind fault.Kind
		says string
	}{
		{"A17: a password", compound("EncryptedPackage"), fault.Blocked, "password"},
		{"A17: the older format", compound("WordDocument"), fault.Invalid, "binary format"},
		{"nothing", nil, fault.Invalid, "broken"},
		{"no archive", []byte("Dear Sir"), fault.Invalid, "broken"},
		{"cut short", whole[:len(whole)-100], fault.Invalid, "broken"},
		{"no relationships", without("_rels/.rels"), fault.Invalid, "no main part"},
		{"no main part", without("text/main.xml"), fault.Invalid, "missing"},
		{"a main part under another name", damaged, fault.Invalid, "missing"},
		{"XML that ends early", replaced("text/main.xml", "<w:document><w:body>"), fault.Invalid, "EOF"},
		{"XML that is none", replaced("text/main.xml", "<w:document><w:body><<"), fault.Invalid, "syntax"},
		{"an entity of its own", replaced("text/main.xml", `<!DOCTYPE d [<!ENTITY a "b">]><w:document>&a;</w:document>`),
			fault.Invalid, "entity"},
		{"empty", replaced("text/main.xml", ""), fault.Invalid, "EOF"},
		{"another kind of document", replaced("text/main.xml", "<w:glossary/>"), fault.Invalid, "not a word document"},
		{"A17: too many entries", pack(t, entries), fault.TooLarge, "entries"},
		{"A17: too deep", replaced("text/main.xml", "<w:document>"+strings.Repeat("<w:p>", 300)+strings.Repeat("</w:p>",
			300)+"</w:document>"), fault.TooLarge, "deeper"},
		{"A17: too deep in a part that is optional", replaced("text/s.xml", "<w:styles>"+strings.Repeat("<w:p>", 300)),
			fault.TooLarge, "deeper"},
		{"A17: a part that inflates too far", replaced("text/main.xml",
			"<w:document>"+strings.Repeat(" ", 64<<20)+"</w:document>"), fault.TooLarge, "inflates"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := office.DOCX(tc.body, extract.Limits{})
			if fault.KindOf(err) != tc.kind || !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("have %s: %v, want %s: … %s", fault.KindOf(err), err, tc.kind, tc.says)
			}
		})
	}
	if _, err := office.PPTX(whole, extract.Limits{}); !fault.Is(err, fault.Invalid) ||
		!strings.Contains(fmt.Sprint(err), "not a presentation") {
		t.Errorf("have %v, want that it is no presentation", err)
	}
	if _, err := office.DOCX(pack(t, deck(nil, nil, nil)), extract.Limits{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("have %v, want that it is no word document", err)
	}
}

// TestHelpersMayBeBroken checks documents with broken optional parts.
func TestHelpersMayBeBroken(t *testing.T) {
	for _, broken := range []string{"", "<", "<w:styles><w:style", "\x00", "<a/>"} {
		parts := word(para("Heading1", "a")+listed(1, 0, "b")+`<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>`,
			map[string]string{
				"text/s.xml": broken, "text/n.xml": broken, "text/sub/f.xml": broken, "text/sub/_rels/f.xml.rels": broken})
		doc, err := office.DOCX(pack(t, parts), extract.Limits{})
		if have, want := show(doc.Blocks), "heading1: a\nlist: - b"; err != nil || have != want {
			t.Errorf("%q: have %q, %v, want %q", broken, have, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	body := para("", "eins äöü") + para("", "zwei") +
		`<w:p><w:hyperlink r:id="web"><w:r><w:t>x</w:t></w:r></w:hyperlink><w:fldSimple w:instr='HYPERLINK ` +
		`"http://b.example/"'/></w:p>`
	for _, tc := range []struct {
		name      string
		lim       extract.Limits
		want      string
		links     int
		truncated bool
	}{
		{"none", extract.Limits{}, "eins äöü\nzwei\nx", 2, false},
		{"just enough", extract.Limits{MaxBytes: 16, MaxBlocks: 3, MaxLinks: 2}, "eins äöü\nzwei\nx", 2, false},
		{"bytes, at the border of a character", extract.Limits{MaxBytes: 8}, "eins ä", 0, true},
		{"blocks", extract.Limits{MaxBlocks: 2}, "eins äöü\nzwei", 2, true},
		{"links", extract.Limits{MaxLinks: 1}, "eins äöü\nzwei\nx", 1, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := office.DOCX(pack(t, word(body, nil)), tc.lim)
			if err != nil || doc.VisibleText != tc.want || len(doc.Links) != tc.links || doc.Truncated != tc.truncated {
				t.Errorf("have %q, %d links, truncated=%v, %v", doc.VisibleText, len(doc.Links), doc.Truncated, err)
			}
			if doc.Truncated != (doc.CutWhy() != "") { // N6
				t.Errorf("truncated=%v, says %q", doc.Truncated, doc.CutWhy())
			}
		})
	}
}

func TestSlidesWithinLimits(t *testing.T) {
	slides := []string{box("title", ap("one", "", "")), box("title", ap("two", "", "")), "<broken"}
	doc, err := office.PPTX(pack(t, deck(slides, nil, nil)), extract.Limits{MaxBlocks: 1})
	if err != nil || doc.Text != "one" || !doc.Truncated {
		t.Errorf("have %q, truncated=%v, %v; want one slide, and the third not read", doc.Text, doc.Truncated, err)
	}
}

// TestNothingFollowsAGap checks that no notes follow a text that was cut.
func TestNothingFollowsAGap(t *testing.T) {
	body := `<w:p><w:r><w:t>äöü</w:t><w:footnoteReference w:id="1"/></w:r></w:p>`
	note := `<w:footnotes><w:footnote w:id="1"><w:p><w:t>x</w:t></w:p></w:footnote></w:footnotes>`
	doc, err := office.DOCX(pack(t, word(body, map[string]string{"text/sub/f.xml": note})), extract.Limits{MaxBytes: 5})
	if err != nil || doc.Text != "äö" || !doc.Truncated {
		t.Errorf("have %q, truncated=%v, %v", doc.Text, doc.Truncated, err)
	}
}

// TestForms checks several ways to write the same document.
func TestForms(t *testing.T) {
	want := "heading2: a\nparagraph: A footnote.\nparagraph: Its second half."
	body := `<w:p><w:pPr><w:pStyle w:val="berschrift2"/></w:pPr><w:r><w:t>a</w:t><w:footnoteReference w:id="1"/></w:r>` +
		`</w:p>`
	each := func(change func(string) string) map[string]string {
		parts := word(body, nil)
		for name, content := range parts {
			parts[name] = change(content)
		}
		return parts
	}
	upper := map[string]string{}
	for name, content := range word(body, nil) {
		upper[strings.ToUpper(name)] = content
	}
	backslashes := word(body, nil)
	backslashes[`text\main.xml`] = backslashes["text/main.xml"]
	delete(backslashes, "text/main.xml")
	for name, parts := range map[string]map[string]string{
		"transitional": word(body, nil),
		"strict": each(func(s string) string {
			return strings.NewReplacer("http://schemas.openxmlformats.org/officeDocument/2006/relationships",
				"http://purl.oclc.org/ooxml/officeDocument/relationships",
				"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
				"http://purl.oclc.org/ooxml/wordprocessingml/main").Replace(s)
		}),
		"no prefix":      each(strings.NewReplacer("<w:", "<", "</w:", "</", " w:", " ").Replace),
		"other prefixes": each(strings.NewReplacer("w:", "ns0:", "r:id", "ns1:id").Replace),
		"byte order mark": each(func(s string) string {
			return "\ufeff<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n" + s
		}),
		"UTF-16": each(func(s string) string {
			return utf16le("\ufeff<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + s)
		}),
		"upper case":  upper,
		"backslashes": backslashes,
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := office.DOCX(pack(t, maps.Clone(parts)), extract.Limits{})
			if have := show(doc.Blocks); err != nil || have != want {
				t.Errorf("have %q, %v", have, err)
			}
		})
	}
}

// utf16le encodes a text of characters below U+10000.
func utf16le(s string) string {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r), byte(r>>8))
	}
	return string(out)
}
