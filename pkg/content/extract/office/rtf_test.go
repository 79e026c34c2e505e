package office

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// A17: TestA17RichText checks the text of each kind of control word.
func TestA17RichText(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"paragraphs":     {`\pard One {\b bold} two\par Second\line line\par`, "One bold two\n\nSecond\nline"},
		"a code page":    {`\ansicpg1251 \'cf\'f0\'e8\par`, "При"},
		"a font":         {`{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}}\f0 \'e9 \f1 \'cf\par`, "é П"},
		"two bytes":      {`\ansicpg932 \'93\'fa\'96\'7b\par`, "日本"},
		"Unicode":        {`\uc1 \u8364?5 \u-10179?\u-8704?\par`, "€5 😀"},
		"Unicode, uc0":   {`\uc0 \u8364 x\par`, "€x"},
		"no pictures":    {`a{\pict\pngblip 89504e}{\*\unknown b}{\header c}{\object{\*\objdata d}}e\par`, "ae"},
		"hidden":         {`a{\v b}c{\deleted d}\par`, "ac"},
		"a table":        {`\trowd\intbl a\cell b\par c\cell\row\pard d\par`, "a | b c\n\nd"},
		"a style":        {`{\stylesheet{\s1\outlinelevel1 heading 2;}}\pard\s1 Title\par\pard text\par`, "## Title\n\ntext"},
		"a level":        {`\pard\outlinelevel0 Title\par\pard text\par`, "# Title\n\ntext"},
		"a link":         {`{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}\par`, "link"},
		"a note":         {`Fee{\footnote in EUR} due\par`, "Fee (in EUR) due"},
		"characters":     {`a\~b\_c\emdash d\{\}\\\par`, `a b-c—d{}\`},
		"binary data":    {`a{\pict\bin3 }}}}b\par`, "ab"},
		"marks of lists": {`{\pntext 1.\tab}One\par`, "1. One"},
	} {
		doc, err := RTF([]byte(`{\rtf1\ansi{\info{\title A title}{\author Ann}}`+tt.body+`}`), extract.Limits{})
		if diff := cmp.Diff(tt.want, extract.Markdown(doc.Blocks)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		if doc.Title != "A title" || doc.Metadata.Author != "Ann" {
			t.Errorf("%s: have %q %q", name, doc.Title, doc.Metadata.Author)
		}
	}
	if _, err := RTF([]byte("<p>"), extract.Limits{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("another format: %v", err)
	}
}

// A17: TestA17RichTextIsBounded checks a document that nests groups.
func TestA17RichTextIsBounded(t *testing.T) {
	deep := strings.Repeat("{", 1<<20)
	doc, err := RTF([]byte(RTFMagic+deep+"one"), extract.Limits{})
	if err != nil || !strings.Contains(doc.CutWhy(), "1,000 levels") {
		t.Errorf("%v, cut: %s", err, doc.CutWhy())
	}
	if other, _ := RTF([]byte(RTFMagic+deep+"two"), extract.Limits{}); other.Beyond == doc.Beyond {
		t.Error("a change beyond the bound is not seen")
	}
}

// FuzzRichText checks that no document makes the reader panic, or give two results.
func FuzzRichText(f *testing.F) {
	f.Add(`{\fonttbl{\f0\fcharset128 x;}}\'8a\u-1?{\*\x}\bin9`)
	f.Fuzz(func(t *testing.T, body string) {
		one, err := RTF([]byte(RTFMagic+body), extract.Limits{})
		two, again := RTF([]byte(RTFMagic+body), extract.Limits{})
		if err != nil || again != nil || one.Text != two.Text || len(one.Text) > 10*len(body)+100 {
			t.Errorf("%q: %v %q", body, err, one.Text)
		}
	})
}
