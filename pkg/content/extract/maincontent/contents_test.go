package maincontent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// TestN1TableOfContents checks which lists beside the content repeat its headings, and that nothing else is left out.
func TestN1TableOfContents(t *testing.T) {
	block := func(kind extract.Kind, text string) extract.Block { return extract.Block{Kind: kind, Text: text} }
	content := []extract.Block{block(extract.Heading, "Fees"), block(extract.Paragraph, "Berths"),
		block(extract.Heading, "2. Berths"), block(extract.Heading, "The  Law")}
	caption, list := block(extract.Paragraph, "On this page"), block(extract.List, "- Fees\n  1. berths\n- The Law")
	for name, tt := range map[string]struct{ beside, want []extract.Block }{
		"with a caption": {[]extract.Block{block(extract.Paragraph, "x"), caption, list}, []extract.Block{
			block(extract.Paragraph, "x")}},
		"twice": {[]extract.Block{list, list}, nil},
		"a number above": {[]extract.Block{block(extract.Heading, "3 pages"), list}, []extract.Block{
			block(extract.Heading, "3 pages")}},
		"an item more":     {[]extract.Block{caption, block(extract.List, list.Text+"\n- Closed")}, nil},
		"a line of prose":  {[]extract.Block{block(extract.Paragraph, "Fees")}, nil},
		"too short a list": {[]extract.Block{block(extract.List, "- Fees\n- The Law")}, nil},
	} {
		want := tt.want
		if want == nil && name != "twice" {
			want = tt.beside
		}
		have := withoutContents(append([]extract.Block(nil), tt.beside...), content)
		if diff := cmp.Diff(want, have); diff != "" && len(want)+len(have) > 0 {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
