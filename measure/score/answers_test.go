package main

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/content/chunk"
)

func TestJoin(t *testing.T) {
	long := "The table of the tides is printed each year, and each berth has one of its own, with the hours at which " +
		"the water is high or low, the depth at the quay, the names of those who have to be told, and the wind that was " +
		"measured when the water stood highest in the year before, which the master of the harbour signs in May."
	var texts []string
	for _, p := range join([]piece{
		{page: "a", text: "Tides", kind: chunk.Heading}, {page: "a", text: long}, {page: "a", text: long},
		{page: "a", text: long + " They are:"}, {page: "a", text: "high | low"}, {page: "b", text: long},
		{page: "b", text: ": a definition"},
	}) {
		texts = append(texts, p.text)
	}
	want := []string{"Tides\n\n" + long, long, long + " They are:\n\nhigh | low", long + "\n\n: a definition"}
	if len(texts) != len(want) {
		t.Fatalf("%d pieces: %q", len(texts), texts)
	}
	for i := range want {
		if texts[i] != want[i] {
			t.Errorf("piece %d is %q", i, texts[i])
		}
	}
}

func TestDocumentationLeavesOut(t *testing.T) {
	d := documentation{Exclude: []string{"_sources/*", "ch[0-9].html", "[!g]*"}}
	for path, want := range map[string]bool{"_sources/a/b.html": true, "ch1.html": true, "glossary.html": false,
		"g/ch1.html": false} {
		if d.leaves(path) != want {
			t.Errorf("%s: left out is %v", path, !want)
		}
	}
}
