package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/azureaisearch"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
)

func TestAdded(t *testing.T) {
	for _, tc := range []struct{ name, old, new, want string }{
		{"nothing", "a b c", "a b c", ""},
		{"first version", "", "a b", "a b"},
		{"inserted", "a b c", "a x b y c", "x y"},
		{"deleted", "a b c", "a c", ""},
		{"replaced", "a b c", "a x c", "x"},
		{"moved", "a b c d", "d a b c", "d"},
		{"one of equals", "a a b", "a a a b", "a"},
		{"doubled lines", "a b a b", "b a b a", "a"},
	} {
		got := added(strings.Fields(tc.old), strings.Fields(tc.new))
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: -want +have\n%s", tc.name, diff)
		}
	}
}

// TestC5EditsAreCounted checks that the bench counts the documents that the adapter to Azure AI Search sends, except
// the page's own document.
func TestC5EditsAreCounted(t *testing.T) {
	d := revised{module: "example", path: "README.md"}
	versions := []string{
		"# Tides\n\nThe first.\n\n## Low\n\nThe second.\n\n## High\n\nThe third.\n",
		"# Tides\n\nThe first.\n\n## Low\n\nThe second, edited.\n\n## High\n\nThe third.\n",
		"# Tides\n\nThe first.\n\n## High\n\nThe third.\n",
		"# Other\n\nThe first.\n\n## High\n\nThe third.\n",
	}
	server := aisearch.New(t)
	ix, err := azureaisearch.Open(azureaisearch.Options{Endpoint: server.URL, Index: "pages", Key: aisearch.Key})
	if err != nil {
		t.Fatal(err)
	}
	if err := ix.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	held, known := &search.Contents{}, map[string]bool{}
	for n, version := range versions {
		p, _, err := d.page([]byte(version))
		if err != nil {
			t.Fatal(err)
		}
		sent(server)
		p.Known = held
		if err := ix.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		w := put(held, p, known, false)
		if have, want := w.documents(), sent(server)-1; have != want || want == 0 {
			t.Errorf("version %d: counted %+v, %d documents were sent", n, w, want)
		}
		if w = put(p.Contents(), p, known, false); w != (work{}) {
			t.Errorf("version %d again: %+v", n, w)
		}
		held = p.Contents()
	}
}

// sent is the number of documents that the server has received since the last call.
func sent(s *aisearch.Server) (n int) {
	for _, r := range s.Requests() {
		n += len(r.Actions)
	}
	return n
}

func TestPacked(t *testing.T) {
	paragraph := func(words int) extract.Block {
		return extract.Block{Kind: extract.Paragraph, Text: strings.Repeat("word ", words)}
	}
	heading := func(level int, text string) extract.Block {
		return extract.Block{Kind: extract.Heading, Level: level, Text: text}
	}
	blocks := []extract.Block{heading(1, "A"), paragraph(150), heading(2, "B"), paragraph(150), paragraph(150),
		paragraph(150), heading(2, "C"), paragraph(1)}
	for _, tc := range []struct {
		byHeading bool
		want      []string
	}{
		{true, []string{"A 150", "A › B 300", "A › B 150", "A › C 1"}},
		{false, []string{" 302", " 302"}},
	} {
		var have []string
		for _, c := range packed(blocks, tc.byHeading) {
			have = append(have, c.Heading+" "+whole(float64(chunk.Tokens(c.Text))))
		}
		if diff := cmp.Diff(tc.want, have); diff != "" {
			t.Errorf("by heading %v: -want +have\n%s", tc.byHeading, diff)
		}
	}
}
