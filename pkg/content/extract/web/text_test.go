package web

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

func extractAs(t testing.TB, contentType, body string) extract.Document {
	t.Helper()
	doc, err := Extract([]byte(body), contentType, goldenBase, extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestA17PlainText checks how lines become blocks.
func TestA17PlainText(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tc := range []struct {
		name, body, title string
		want              []extract.Block
	}{
		{"paragraphs", "Notice\n\nThe lock  is\nclosed.\n\n\n\nUntil May.", "Notice",
			[]extract.Block{{Kind: extract.Paragraph, Text: "Notice"}, {Kind: extract.Paragraph, Text: "The lock is\nclosed."},
				{Kind: extract.Paragraph, Text: "Until May."}}},
		{"ends of lines of all systems", "a\r\nb\rc\fd", "a", []extract.Block{{Kind: extract.Paragraph, Text: "a\nb\nc\nd"}}},
		{"indented text is code", "Run:\n\n    make\n      all\n\tx\n\nDone", "Run:",
			[]extract.Block{{Kind: extract.Paragraph, Text: "Run:"}, {Kind: extract.Code, Text: "    make\n      all\n\tx"},
				{Kind: extract.Paragraph, Text: "Done"}}},
		{"one indented line does not make code of the rest", "    First\nand second", "First",
			[]extract.Block{{Kind: extract.Paragraph, Text: "First\nand second"}}},
		{"a long line is no title", long, "", []extract.Block{{Kind: extract.Paragraph, Text: strings.TrimSpace(long)}}},
		{"HTML is shown, not read", "<b>x</b>", "<b>x</b>", []extract.Block{{Kind: extract.Paragraph, Text: "<b>x</b>"}}},
		{"characters that take no room", "\ufeffa\u200bb\n\x1b", "ab",
			[]extract.Block{{Kind: extract.Paragraph, Text: "ab"}}},
		{"nothing", " \n\t\n", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := extractAs(t, "text/plain; charset=utf-8", tc.body)
			if diff := cmp.Diff(tc.want, doc.Blocks); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
			if doc.Title != tc.title {
				t.Errorf("title %q, want %q", doc.Title, tc.title)
			}
		})
	}
}

// TestPlainTextHashes checks that other line breaks do not change the hashes, and that other words do (A10).
func TestPlainTextHashes(t *testing.T) {
	const text = "Prices\n\nCod is 4.20 a pound, and herring\nis 1.10.\n\n    if x:\n      y\n"
	for _, tc := range []struct {
		name, old, new string
		same           bool
	}{
		{"wrapped elsewhere", "pound, and herring\nis", "pound,\nand herring is", true},
		{"ends of lines of another system", "Prices\n\n", "Prices\r\n\r\n", true},
		{"price", "4.20", "4.30", false},
		{"paragraph border", "\n\nCod", "\nCod", false},
		{"indentation of code", "      y", "     y", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, b := extractAs(t, "text/plain", text), extractAs(t, "text/plain", edit(t, text, tc.old, tc.new))
			if same := a.ContentHash() == b.ContentHash(); same != tc.same {
				t.Errorf("same hash: have %v, want %v\n%q\n%q", same, tc.same, a.Text, b.Text)
			}
		})
	}
}

// TestPlainTextKeepsItsWords draws texts and checks that no word is lost, repeated or moved.
func TestPlainTextKeepsItsWords(t *testing.T) {
	part := rapid.StringMatching(`([a-z<*#|"ä]{1,8}|\n|\r\n| |    |\t|\f){1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		text := part.Draw(t, "text")
		doc := plainText(text, 1000)
		want := strings.Join(strings.Fields(text), " ")
		if have := strings.Join(strings.Fields(doc.Text), " "); have != want {
			t.Fatalf("have %q, want %q", have, want)
		}
		if have := strings.Join(strings.Fields(doc.VisibleText), " "); have != want {
			t.Fatalf("visible: have %q, want %q", have, want)
		}
	})
}

func TestPlainTextIsBounded(t *testing.T) {
	if doc := plainText("a\n\nb\n\nc\n\n", 2); doc.Text != "a\n\nb" || !doc.Truncated {
		t.Errorf("truncated=%v %q", doc.Truncated, doc.Text)
	}
	if doc := plainText("a\n\nb\n\n \n", 2); doc.Truncated {
		t.Error("truncated, though everything is there")
	}
}

// checkPromises checks the promises of Extract about every document.
func checkPromises(t *testing.T, body []byte, contentType string) {
	limits := extract.Limits{MaxBytes: 1 << 16, MaxBlocks: 50, MaxLinks: 5, MaxImages: 3, MaxTags: 2000}
	doc, err := Extract(body, contentType, goldenBase, limits)
	if err != nil {
		t.Fatal(err)
	}
	if doc.VisibleText != "" && doc.Text == "" {
		t.Errorf("no content, visible %q", doc.VisibleText)
	}
	if len(doc.Blocks) > 50 || len(doc.Links) > 5 || len(doc.Images) > 3 || len(doc.Title) > 500 {
		t.Errorf("%d blocks, %d links, %d images, %d bytes of title", len(doc.Blocks), len(doc.Links), len(doc.Images),
			len(doc.Title))
	}
	checkTexts(t, doc)
	again, _ := Extract(body, contentType, goldenBase, limits)
	if again.ContentHash() != doc.ContentHash() || again.TextHash() != doc.TextHash() {
		t.Error("two readings differ")
	}
}

func checkTexts(t *testing.T, doc extract.Document) {
	texts := []string{doc.Text, doc.Title, doc.VisibleText}
	for _, img := range doc.Images {
		texts = append(texts, img.Alt, img.Title, img.Caption)
		if u, err := url.Parse(img.URL); err != nil || !source.IsWeb(u) {
			t.Errorf("image at %q", img.URL)
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			t.Errorf("not UTF-8: %q", s)
		}
	}
	anchors := map[string]bool{}
	for _, b := range doc.Blocks {
		if b.Anchor != "" && (b.Kind != extract.Heading || len(b.Anchor) > maxAnchor || anchors[b.Anchor] ||
			len(strings.Fields(b.Anchor)) != 1 || !utf8.ValidString(b.Anchor)) {
			t.Errorf("anchor %q of %+v", b.Anchor, b)
		}
		anchors[b.Anchor] = true
		if b.Text == "" || b.Level != 0 != (b.Kind == extract.Heading) {
			t.Errorf("block %+v", b)
		}
	}
}

func FuzzPlainText(f *testing.F) {
	for _, seed := range []string{"", "a\n\nb", "    a\n\tb\n", "\xff\xfea\x00", "a\rb\fc", "\x93\xfa\x96\x7b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkPromises(t, body, "text/plain") })
}
