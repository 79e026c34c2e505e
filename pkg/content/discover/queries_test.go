package discover

import (
	"strings"
	"testing"
)

// TestE16QueriesInTheirEncoding checks that the query of a link is written in the encoding of its page, as browsers
// write it, and the path in UTF-8 (E16).
func TestE16QueriesInTheirEncoding(t *testing.T) {
	for _, tt := range []struct{ contentType, head, href, want string }{
		{"text/html; charset=windows-1251", "", "/\xf0?q=\xf2\xe5\xf1\xf2&page=2", "/%D1%80?q=%F2%E5%F1%F2&page=2"},
		{"text/html", "<meta charset=windows-1251>", "/a?q=\xf2", "/a?q=%F2"},
		{"text/html", "<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", "/a?q=\x95\x5c",
			"/a?q=%95%5C"},
		{"text/html; charset=iso-8859-1", "", "/a?q=&#1090;", "/a?q=%26%231090%3B"},
		{"text/html; charset=utf-8", "<meta charset=windows-1251>", "/a?q=т", "/a?q=%D1%82"},
		{"text/html", "", "/a?q=т", "/a?q=%D1%82"},
	} {
		body := "<!doctype html><head>" + tt.head + "</head><a href=\"" + tt.href + "\">x</a>"
		page, err := ReadPage([]byte(body), tt.contentType, "https://a.example/")
		if err != nil || len(page.Links) != 1 || page.Links[0].URL != "https://a.example"+tt.want {
			t.Errorf("%s %s %q: %v (%v), want %s", tt.contentType, tt.head, tt.href, page.Links, err, tt.want)
		}
	}
}

// FuzzE16Queries checks that the query of any link is written in ASCII, and its path stays (E16).
func FuzzE16Queries(f *testing.F) {
	f.Add("/a?q=т#ф", "windows-1251")
	f.Add("?\xff\x80", "shift_jis")
	f.Add("?表", "iso-2022-jp")
	f.Fuzz(func(t *testing.T, ref, label string) {
		enc := queryEncoding(nil, "text/html; charset="+label)
		got := encodeQuery(ref, enc)
		address, query, asked := strings.Cut(got, "?")
		query, _, _ = strings.Cut(query, "#")
		if was, _, is := strings.Cut(ref, "?"); address != was || is != asked {
			t.Errorf("%q in %s: %q", ref, label, got)
		}
		if strings.ContainsFunc(query, func(c rune) bool { return c >= 0x80 }) && enc != nil {
			t.Errorf("%q in %s: %q", ref, label, got)
		}
	})
}
