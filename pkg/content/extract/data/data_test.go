package data

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// A17: TestA17DataAreReadAsText checks the text form of each format.
func TestA17DataAreReadAsText(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"values keep their order and digits": {`{"shop":"X","price":12.50,"id":123456789012345678901234567890,"none":null}`,
			"- shop: X\n- price: 12.50\n- id: 123456789012345678901234567890\n- none: null"},
		"objects are sections": {`{"a":{"b":{"c":1}},"d":2}`, "# a\n\n## b\n\n- c: 1\n\n# d\n\n- 2"},
		"objects in arrays are sections": {`{"items":[{"name":"Lamp","price":5},{"id":7},{"x":[1,2]}]}`,
			"# items\n\n## Lamp\n\n- name: Lamp\n- price: 5\n\n## id: 7\n\n- id: 7\n\n## 3\n\n- x: 1, 2"},
		"equal names": {`[{"name":"A"},{"name":"A"}]`, "# A\n\n- name: A\n\n# A (2)\n\n- name: A"},
		"tables":      {`{"m":[[1,2],[3,4]]}`, "# m\n\n1 | 2\n3 | 4"},
		"empty":       {`{"a":[],"b":{},"c":""}`, "- a: []\n- b: {}\n- c:"},
		"only a list": {`[]`, "- []"},
		"deeper than headings": {`{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}`,
			"# a\n\n## b\n\n### c\n\n#### d\n\n##### e\n\n###### f\n\n###### f.g\n\n- h: 1"},
		"an element with attributes": {`<r><fee c="EUR">5</fee><e a="1"/></r>`, "- fee.c: EUR\n- fee: 5\n- e.a: 1"},
		"paragraphs":                 {`<r><p>One</p><para id="x">Two</para></r>`, "- One\n- id: x\n- Two"},
		"text between elements":      {`<r><note>Hi <b>all</b> there</note></r>`, "- note: Hi all there"},
		"elements of the same name": {`<r><b><title>X</title></b><b><title>Y</title></b></r>`,
			"# b: X\n\n- title: X\n\n# b: Y\n\n- title: Y"},
		"RSS": {`<rss><channel><title>N</title><lastBuildDate>x</lastBuildDate><item><title>One</title>` +
			`<description>&lt;Body></description><guid>1</guid><price>12</price></item></channel></rss>`,
			"# N\n\n## One\n\n- price: 12\n- <Body>"},
		"RSS 1.0": {`<rdf:RDF><channel><title>N</title></channel><item about="x"><title>One</title></item></rdf:RDF>`,
			"# N\n\n## One"},
		"Atom": {`<feed><title>F</title><updated>1</updated><entry><title>E</title><author><name>Ann</name></author>` +
			`<summary>S</summary><content>S and more</content></entry></feed>`,
			"# F\n\n## E\n\n- author.name: Ann\n- S and more"},
		"a calendar": {"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTAMP:20260101T000000Z\r\n" +
			"DTSTART;TZID=Europe/Oslo:20260301T100000" +
			"\r\nSUMMARY:Regatta\\, big\r\nDESCRIPTION:long li\r\n ne\r\nEND:VEVENT\r\nEND:VCALENDAR",
			"# vevent\n\n- dtstart (Europe/Oslo): 2026-03-01 10:00\n- summary: Regatta, big\n- description: long line"},
	} {
		doc, ok := read(tt.text, Options{})
		if diff := cmp.Diff(tt.want, extract.Markdown(doc.Blocks)); !ok || diff != "" {
			t.Errorf("%s: %v %s", name, ok, diff)
		}
	}
}

func read(text string, o Options) (extract.Document, bool) {
	switch text[:min(len(text), 1)] {
	case "<":
		return XML(text, o)
	case "B":
		return Calendar(text, "text/calendar", o)
	}
	return JSON(text, false, o)
}

// A17: TestA17LinesAreItems checks JSON Lines, including a line that is not JSON.
func TestA17LinesAreItems(t *testing.T) {
	doc, ok := JSON("{\"id\":1}\n\n{\"id\":2}\nbroken\n", true, Options{})
	want := "# id: 1\n\n- id: 1\n\n# id: 2\n\n- id: 2\n\n# 3\n\n- broken"
	if diff := cmp.Diff(want, extract.Markdown(doc.Blocks)); !ok || diff != "" {
		t.Error(ok, diff)
	}
}

// A17: TestA17OtherTextIsRefused checks that a broken document is left to the reader of plain text, as a whole.
func TestA17OtherTextIsRefused(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2)
	for _, text := range []string{`{"a":1`, `{"a":1,}`, `x`, ``, deep, `[` + strings.Repeat("1,", maxNodes) + `1]`,
		`<a><b></a>`, `<a>`, `<`, strings.Repeat("<a>", maxDepth+2) + strings.Repeat("</a>", maxDepth+2),
		"BEGIN:VCALENDAR", "B"} {
		if doc, ok := read(text, Options{}); ok {
			t.Errorf("%.40q is read as %.100q", text, doc.Text)
		}
	}
	if doc, ok := read(`{"a":1,"b":"x`, Options{Cut: true}); !ok || doc.Text != "- a: 1" {
		t.Errorf("the beginning of a document: %v %q", ok, doc.Text)
	}
	if doc, ok := read(`<a><b>1</b><c>x`, Options{Cut: true}); !ok || !strings.HasPrefix(doc.Text, "- b: 1") {
		t.Errorf("the beginning of a document: %v %q", ok, doc.Text)
	}
}

// A17: TestA17NoValueIsLost checks that every name and value of any JSON is in the text, and that a change of one
// value changes the hash.
func TestA17NoValueIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := anyValue(t, 4)
		text, _ := json.Marshal(value)
		doc, ok := JSON(string(text), false, Options{})
		if !ok {
			t.Fatalf("%s is not read", text)
		}
		for _, leaf := range leaves(value) {
			if !strings.Contains(doc.Text, leaf) {
				t.Errorf("%s: %q is missing in %q", text, leaf, doc.Text)
			}
			changed, _ := JSON(strings.Replace(string(text), leaf, leaf+"7", 1), false, Options{})
			if changed.ContentHash() == doc.ContentHash() {
				t.Errorf("%s: a change of %s is not seen", text, leaf)
			}
		}
	})
}

func anyValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
	case kind == 0 && depth > 0:
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return anyValue(t, depth-1) }), 0, 4).Draw(t, "list")
	case kind == 1 && depth > 0:
		return rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}`),
			rapid.Custom(func(t *rapid.T) any { return anyValue(t, depth-1) }), 0, 4).Draw(t, "object")
	case kind == 2:
		return rapid.StringMatching(`[A-Za-z]{1,8} downloads`).Draw(t, "text")
	}
	return rapid.IntRange(1000, 1_000_000).Draw(t, "number")
}

func leaves(value any) (all []string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			all = append(all, leaves(item)...)
		}
	case map[string]any:
		for name, item := range v {
			all = append(append(all, leaves(item)...), name)
		}
		return all
	default:
		text, _ := json.Marshal(v)
		return []string{strings.Trim(string(text), `"`)}
	}
	return all
}

// FuzzData checks that no text makes a reader panic, and that the same text gives the same document.
func FuzzData(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"<p>x"}]}`, `<a x="1">t<b>c</b></a>`, `<rss><channel><item><title>x`,
		"BEGIN:VCARD\nFN:A\nEND:VCARD", "B\n:;\"", `<feed><entry><content type="xhtml"><div>x</div>`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, cut := range []bool{false, true} {
			one, ok := read(text, Options{Cut: cut})
			two, again := read(text, Options{Cut: cut})
			if ok != again || one.ContentHash() != two.ContentHash() {
				t.Errorf("%q is read in two ways", text)
			}
			if most := 200 * (len(text) + 100); len(one.Text) > most {
				t.Errorf("%d bytes from %d", len(one.Text), len(text))
			}
		}
	})
}
