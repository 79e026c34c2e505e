package listimport

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// wide returns a text in UTF-16.
func wide(text string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

// TestY6Lists checks that lists are read as programs write them, and that a bad line costs only itself (Y6).
func TestY6Lists(t *testing.T) {
	a, b := Address{URL: "https://a.example/"}, Address{URL: "https://b.example/"}
	green := Address{URL: "https://o.example/grün"}
	opml := `<?xml version="1.0" encoding="%s"?><opml><body><outline htmlUrl="https://o.example/grün"/></body></opml>`
	latin := strings.ReplaceAll(fmt.Sprintf(opml, "ISO-8859-1"), "ü", "\xfc")
	for name, tt := range map[string]struct {
		text string
		want []Address
	}{
		"a declaration of what it is not": {fmt.Sprintf(opml, "ISO-8859-1"), []Address{green}},
		"Latin-1":                         {latin, []Address{green}},
		"UTF-16":                          {wide(fmt.Sprintf(opml, "UTF-16"), false), []Address{green}},
		"UTF-16, big endian":              {wide("url\nhttps://o.example/grün\n", true), []Address{green}},
		"control characters": {`<opml><outline text="a&#11;` + "\x0b" + `" htmlUrl="https://a.example/"/></opml>`,
			[]Address{a}},
		"ampersands": {`<opml><outline htmlUrl="https://a.example/?a=1&b=2"/></opml>`,
			[]Address{{URL: "https://a.example/?a=1&b=2"}}},
		"a doctype": {`<!DOCTYPE opml><opml><outline htmlUrl="https://a.example/"/></opml>`, []Address{a}},
		"an icon": {`<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://a.example/" ICON="data:image/png;base64,` +
			strings.Repeat("x", 2<<20) + `">A</A></DL>`, []Address{a}},
		"a line that is cut": {`{"url":"https://a.example/"}` + "\n" + `{"url":"https://b` + "\n" +
			`{"url":"https://b.example/"}`, []Address{a, {URL: "line 2", Why: "it is not JSON: unexpected end of JSON input"}, b}},
		"a list in JSON": {`[{"url":"https://a.example/"},"https://b.example/"]`, []Address{a, b}},
		"an open quote": {"url,title\nhttps://a.example/,\"A\nhttps://b.example/,B\n",
			[]Address{{URL: "line 2", Why: "it is not a row of CSV: a quote is not closed"}, b}},
		"semicolons": {"url;\"title, short\";tags\nhttps://a.example/;\"A, B\";x\n",
			[]Address{{URL: "https://a.example/", Tags: []string{"x"}}}},
		"tabs": {"url\ttitle\nhttps://a.example/\tA, \"B\"\n", []Address{a}},
		"a line of Excel": {"sep=;\nurl;tags\nhttps://a.example/;x\n",
			[]Address{{URL: "https://a.example/", Tags: []string{"x"}}}},
		"a title of two lines": {"url,title\nhttps://a.example/,\"A\nand B\"\nhttps://b.example/,B\n", []Address{a, b}},
	} {
		have, err := parse([]byte(tt.text), "")
		if diff := cmp.Diff(tt.want, have); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +have):\n%s", name, err, diff)
		}
	}
}

// TestY6Parts checks that a list of any length is split into lists that can be imported (Y6).
func TestY6Parts(t *testing.T) {
	var b strings.Builder
	b.WriteString("url,tags\n")
	for i := range 3*MaxAddresses + 1 {
		fmt.Fprintf(&b, "https://a.example/%d,x\n", i)
	}
	b.WriteString("https://b.example/,\"open\n")
	parts, refused, err := Parts([]byte(b.String()), "", 1<<20)
	n := 0
	for _, part := range parts {
		all, err := parse([]byte(part), JSONLines)
		if err != nil || len(part) > 1<<20+maxAddress {
			t.Errorf("%d bytes, %v", len(part), err)
		}
		for _, a := range all {
			if a.URL != fmt.Sprintf("https://a.example/%d", n) || len(a.Tags) != 1 {
				t.Fatalf("address %d: %+v", n, a)
			}
			n++
		}
	}
	if n != 3*MaxAddresses+1 || len(refused) != 1 || err != nil {
		t.Errorf("%d addresses, %v refused, %v", n, refused, err)
	}
	feeds := `<opml><body><outline xmlUrl="https://a.example/1"/><outline xmlUrl="https://a.example/2"/></body></opml>`
	parts, refused, err = Parts([]byte(feeds), "", 1<<20)
	if len(parts) != 0 || len(refused) != 2 || err != nil {
		t.Errorf("a list of feeds: %q, %v refused, %v", parts, refused, err)
	}
}
