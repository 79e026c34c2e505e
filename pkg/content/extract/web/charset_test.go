package web

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// notice15 contains characters that only iso-8859-15 has.
const notice15 = "Le bassin nord est fermé ; l'œuvre du chef de port coûte 120 € par mètre, l'Œil du phare aussi."

// H5: TestH5EveryCharsetHoweverDeclared checks declarations of an encoding in all positions, and which of them count.
func TestH5EveryCharsetHoweverDeclared(t *testing.T) {
	for _, tc := range []struct{ charset, text string }{
		{"utf-8", notices["de"]}, {"windows-1252", notices["fr"] + " – “quai”"}, {"iso-8859-15", notice15},
		{"windows-1250", notices["pl"]}, {"iso-8859-2", notices["cs"]}, {"windows-1251", notices["ru"]},
		{"koi8-r", notices["ru"]}, {"iso-8859-7", notices["el"]}, {"shift_jis", notices["ja"]},
		{"euc-jp", notices["ja"]}, {"euc-kr", notices["ko"]}, {"gb18030", notices["zh"]},
	} {
		meta := "<meta charset=" + tc.charset + ">"
		late := "<script>" + strings.Repeat("var quay = '<meta charset=big5>';\n", 50) + "</script>" + meta
		for _, how := range []struct{ name, contentType, head string }{
			{"header", "text/html; charset=" + tc.charset, ""},
			{"early meta", "text/html", meta},
			{"late meta", "text/html", late},
			{"nothing", "text/html", ""},
			{"false header", "text/html; charset=utf-8", ""},
			{"false header, early meta", "text/html; charset=utf-8", meta},
			{"false header, late meta", "text/html; charset=utf-8", late},
			{"false header and meta", "text/html; charset=utf-8", "<meta charset=utf-8>"},
		} {
			t.Run(tc.charset+", "+how.name, func(t *testing.T) {
				enc, _ := charset.Lookup(tc.charset)
				body, err := enc.NewEncoder().String("<html><head>" + how.head + "</head><body><p>" + tc.text + "</p></body>")
				if err != nil {
					t.Fatal(err)
				}
				doc, err := Extract([]byte(body), how.contentType, goldenBase, extract.Limits{})
				if err != nil || doc.Text != tc.text {
					t.Errorf("read as %s: %.200s, %v", doc.Charset, doc.Text, err)
				}
			})
		}
	}
}

func TestH5WhoIsBelieved(t *testing.T) {
	const latin2, http = "<p>\xb9koda", "<meta http-equiv=Content-Type content="
	for _, tc := range []struct{ name, contentType, body, text, charset string }{
		{"http-equiv", "text/html", http + `"text/html; CHARSET = 'iso-8859-2'">` + latin2, "škoda", "iso-8859-2"},
		{"the first meta that names one", "text/html", "<meta charset=klingon><meta content='charset=koi8-r'>" +
			"<meta charset=iso-8859-2><meta charset=koi8-r>" + latin2, "škoda", "iso-8859-2"},
		{"a meta in a comment", "text/html", "<!-- <meta charset=koi8-r> --><p>Gr\xf6\xdfe", "Größe", "windows-1252"},
		{"a meta that says UTF-16", "text/html", "<meta charset=utf-16le><p>Größe", "Größe", "utf-8"},
		{"UTF-8 under the meta of a template", "text/html", "<meta charset=windows-1252><p>Größe", "Größe", "utf-8"},
		{"a meta in plain text", "text/plain", "<meta charset=koi8-r> for Größe", "<meta charset=koi8-r> for Größe",
			"utf-8"},
		{"a false header, few letters", "text/html; charset=utf-8", "<p>Gr\xf6\xdfe", "Größe", "windows-1252"},
		{"a header that is nearly true", "text/html; charset=utf-8", "<p>Größe\xff", "Größe\ufffd", "utf-8"},
		{"fractions", "text/html", "<p>\xbd l, \xbc l, 1\xbe l", "½ l, ¼ l, 1¾ l", "windows-1252"},
		{"the euro", "text/html", "<p>caf\xe9 3 \xa4", "café 3 €", "iso-8859-15"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := Extract([]byte(tc.body), tc.contentType, goldenBase, extract.Limits{})
			if err != nil || doc.Text != tc.text || doc.Charset != tc.charset {
				t.Errorf("have %q in %s, want %q in %s, %v", doc.Text, doc.Charset, tc.text, tc.charset, err)
			}
		})
	}
}

// H5: TestH5MetaIsLookedForWithinABound checks that only a bounded part of a body is searched for a meta element,
// however often one begins.
func TestH5MetaIsLookedForWithinABound(t *testing.T) {
	for _, filler := range []string{"<meta ", "<meta a=b>", "<!--", "<script>", "x", "<meta content=charset=>"} {
		body := bytes.Repeat([]byte(filler), 1<<20/len(filler))
		body = append(body, "--></script><meta charset=koi8-r>"...)
		if enc, name := metaCharset(body); enc != nil {
			t.Errorf("behind %d KiB of %q: %s", len(body)>>10, filler, name)
		}
	}
	for _, kib := range []int{1, 100, 500} {
		body := fmt.Sprintf("<style>%s</style><meta charset=koi8-r>", strings.Repeat(" ", kib<<10))
		if _, name := metaCharset([]byte(body)); name != "koi8-r" {
			t.Errorf("behind %d KiB: %q", kib, name)
		}
	}
}

// TestLanguageGivesTheCharset checks that the declared language decides between encodings that the bytes leave open.
func TestLanguageGivesTheCharset(t *testing.T) {
	for _, tt := range []struct{ lang, label, text string }{
		{"th", "windows-874", "ท่าเรือปิดจนกว่าจะมีประกาศ"}, {"", "windows-874", "ท่าเรือ ปิดจนกว่า จะมีประกาศ ให้ทราบต่อไป"},
		{"cs", "windows-1250", "Přístav je až do odvolání uzavřen, říká správce"},
		{"tr", "windows-1254", "Liman ikinci bir duyuruya kadar kapalıdır, şimdilik"},
		{"el", "windows-1253", "Το λιμάνι είναι κλειστό"},
	} {
		enc, _ := charset.Lookup(tt.label)
		body, err := enc.NewEncoder().String("<html lang=" + tt.lang + "><p>" + tt.text)
		if tt.lang == "" {
			body = strings.Replace(body, " lang=", "", 1)
		}
		if doc := extractAs(t, "text/html", body); err != nil || doc.Text != tt.text {
			t.Errorf("%s, %s: %v %q in %s", tt.lang, tt.label, err, doc.Text, doc.Charset)
		}
	}
}
