package mail

import (
	"encoding/base64"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html/charset"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// encodePart returns a text in the form in which a mail program sends it.
func encodePart(t *rapid.T, text string) string {
	label := rapid.SampledFrom([]string{"utf-8", "iso-8859-1", "windows-1252", "utf-16be"}).Draw(t, "charset")
	enc, _ := charset.Lookup(label)
	body, err := enc.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	transfer := rapid.SampledFrom([]string{"8bit", "base64", "quoted-printable", "Base64"}).Draw(t, "transfer")
	switch {
	case transfer == "quoted-printable":
		var out strings.Builder
		w := quotedprintable.NewWriter(&out)
		w.Binary = label == "utf-16be"
		_, _ = w.Write([]byte(body))
		_ = w.Close()
		body = out.String()
	case transfer != "8bit" || label == "utf-16be":
		transfer, body = "base64", base64.StdEncoding.EncodeToString([]byte(body))
	}
	return fmt.Sprintf("Content-Type: text/plain; charset=%s\nContent-Transfer-Encoding: %s\n\n%s", label, transfer, body)
}

// tree returns a mail of the given texts, in multiparts of any shape.
func tree(t *rapid.T, texts []string, boundary string) string {
	if len(texts) == 1 {
		return encodePart(t, texts[0])
	}
	var parts []string
	for len(texts) > 0 {
		n := rapid.IntRange(1, max(1, len(texts)-1)).Draw(t, "in one part")
		parts = append(parts, tree(t, texts[:n], fmt.Sprint(boundary, ".", len(parts))))
		texts = texts[n:]
	}
	return multipart("mixed", boundary, parts...)
}

// TestA17EveryText checks that every text appears once and in order, whatever the encodings and multiparts.
func TestA17EveryText(t *testing.T) {
	text := rapid.StringMatching(`[a-zäéß]{1,9}( [a-zäéßÜ=?.-]{1,9}){0,20}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(text, 1, 8).Draw(t, "texts")
		subject := text.Draw(t, "subject")
		// No text contains the boundary B, as mail programs ensure.
		body := "Subject: " + mime.QEncoding.Encode("utf-8", subject) + "\n" + tree(t, texts, "B")
		if rapid.Bool().Draw(t, "CRLF") {
			body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\n", "\r\n")
		}
		doc, err := Extract([]byte(body), base, extract.Limits{})
		if err != nil || doc.Title != dom.Fold(subject) || doc.Truncated {
			t.Fatalf("title %q, truncated %v, error %v", doc.Title, doc.Truncated, err)
		}
		if diff := cmp.Diff(strings.Join(texts, "\n\n"), doc.Text); diff != "" {
			t.Errorf("want -, have +:\n%s", diff)
		}
	})
}

// FuzzExtract checks that Extract returns a document within its bounds or an error of its kind, the same each time.
func FuzzExtract(f *testing.F) {
	for _, path := range files(f) {
		f.Add([]byte(load(f, path)))
	}
	f.Add([]byte(multipart("digest", "b", "Content-Type: message/rfc822\n\nSubject: a\n\nb")))
	for _, body := range []string{
		"Subject: =?GB2312?B?1tDO?= =?GB2312?B?xMTqyrw=?= =?x?Q?=_?=\nContent-Type: text plain; charset=utf-7\n\na+APw-",
		"Content-Type: multipart boundary=b\nContent-Transfer-Encoding: x-base64;\n\nLS1iCgphCi0tYi0t\n_\nfooter",
		"Microsoft\nSubject : a\nb\nContent-Transfer-Encoding: quoted-printable\n\na= \n=C3",
		"Content-Disposition: attachment; filename*0*=koi8-r''%D0; filename*1=x\nContent-Type: text/x; delsp=yes\n\na \nb",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		lim := extract.Limits{MaxBytes: 1 << 16, MaxBlocks: 100}
		doc, err := Extract(body, base, lim)
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("an error of another kind: %v", err)
		}
		if !utf8.ValidString(doc.Text) || !utf8.ValidString(doc.Title) || len(doc.Blocks) > lim.MaxBlocks {
			t.Errorf("%d blocks, title %q", len(doc.Blocks), doc.Title)
		}
		if len(doc.Text) > lim.MaxBytes+2*lim.MaxBlocks {
			t.Errorf("%d bytes of text", len(doc.Text))
		}
		again, _ := Extract(body, base, lim)
		if diff := cmp.Diff(doc, again); diff != "" {
			t.Errorf("not the same again: %s", diff)
		}
	})
}
