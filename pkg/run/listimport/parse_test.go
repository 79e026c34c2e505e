package listimport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestParse checks that each format gives its addresses once, in order, with the folders that contain them.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format // empty: to be detected
		text   string
		want   []Address
	}{
		{"OPML", "", `<?xml version="1.0" encoding="ISO-8859-1"?><opml><head><title>x</title></head><body>
			<outline text="Ports"><outline text="One" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/>
			<outline text="Feed" xmlUrl="https://b.example/feed"></outline>
			<outline text="Caf` + "\xe9" + `"><outline type="link" url="https://c.example/"/></outline></outline>
			<outline htmlUrl="https://a.example/" category="x"/></body></opml>`, []Address{
			{URL: "https://a.example/", Tags: []string{"Ports"}},
			{URL: "https://b.example/feed", Tags: []string{"Ports"}, Why: onlyFeed},
			{URL: "https://c.example/", Tags: []string{"Ports", "Café"}}}},
		{"bookmarks", "", `<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>Bookmarks</H1><DL><p>
			<DT><A HREF="https://a.example/?a=1&amp;b=2" ADD_DATE="1">A</A>
			<DT><H3 ADD_DATE="1">Sea &amp; land</H3><DL><p><DT><A HREF="https://b.example/" TAGS="one, two">B</A></DL><p>
			<DT><A HREF="place:sort=8">Recent</A><DT><A>none</A></DL>`, []Address{
			{URL: "https://a.example/?a=1&b=2"},
			{URL: "https://b.example/", Tags: []string{"Sea & land", "one", "two"}},
			{URL: "place:sort=8", Why: "it is no address of a page in the web"}}},
		{"CSV with a head", "", "\ufeffTitle,URL,Tags\r\nA,https://a.example/,\"x, y\"\r\nB\r\nC,https://c.example/,\r\n",
			[]Address{{URL: "https://a.example/", Tags: []string{"x", "y"}}, {URL: "https://c.example/"}}},
		{"CSV by semicolons", "", "url;tags\nhttps://a.example/;x\n",
			[]Address{{URL: "https://a.example/", Tags: []string{"x"}}}},
		{"a plain list", "", "https://a.example/\n\n https://b.example/\nhttps://a.example/\n",
			[]Address{{URL: "https://a.example/"}, {URL: "https://b.example/"}}},
		{"JSON Lines", "", `{"url":"https://a.example/","tags":["x"]}` + "\n\n" + `{"displaySource":"https://b.example/"}`,
			[]Address{{URL: "https://a.example/", Tags: []string{"x"}}, {URL: "https://b.example/"}}},
		{"JSON Lines of texts", JSONLines, `"https://a.example/"`, []Address{{URL: "https://a.example/"}}},
	} {
		have, err := parse([]byte(test.text), test.format)
		if diff := cmp.Diff(test.want, have); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +have):\n%s", test.name, err, diff)
		}
	}
}

// TestParseRefuses checks that a text that is not a list, or is too large, gives an error that names the field.
func TestParseRefuses(t *testing.T) {
	var many strings.Builder
	for i := range MaxAddresses + 1 {
		fmt.Fprintf(&many, "https://a.example/%d\n", i)
	}
	for name, test := range map[string]struct {
		format Format
		text   string
	}{
		"nothing": {"", ""}, "no such format": {"word", "a"}, "broken JSON": {JSONLines, `{"url":`},
		"too many": {CSV, many.String()}, "too deep": {OPML, strings.Repeat("<outline>", maxFolders+1)},
		"folders too deep": {Bookmarks, strings.Repeat("<DL>", maxFolders+1)},
	} {
		if _, err := parse([]byte(test.text), test.format); !fault.Is(err, fault.Invalid) || fault.FieldOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	all, err := parse([]byte("https://a.example/"+strings.Repeat("x", maxAddress)), CSV)
	if err != nil || len(all) != 1 || all[0].Why == "" || len(all[0].URL) > maxAddress {
		t.Errorf("an address without an end: %v, %v", all, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, format := range formats {
		f.Add([]byte("https://a.example/"), string(format))
	}
	f.Add([]byte(`<opml><outline text="a" category="x,y"><outline htmlUrl="https://a.example/"/></outline></opml>`),
		"opml")
	f.Add([]byte(`<DL><H3>x</H3><DL><A HREF=https://a.example/ TAGS=a,b></DL></DL>`), "bookmarks")
	f.Add([]byte("url\ttags\n\"https://a.example/\tx"), "csv")
	f.Add([]byte(`{"url":"https://a.example/","tags":["x"]}`), "")
	f.Fuzz(func(t *testing.T, text []byte, format string) {
		all, err := parse(text, Format(format))
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%v", err)
			}
			return
		}
		seen := map[string]bool{}
		for _, a := range all {
			if a.URL == "" || len(a.URL) > maxAddress || seen[a.URL] && a.Why == "" || len(a.Tags) > maxTags {
				t.Errorf("%+v", a)
			}
			seen[a.URL] = true
		}
	})
}
