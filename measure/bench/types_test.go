package main

import (
	"os"
	"testing"
)

// TestSamplesAreThere checks that the sample files exist. Otherwise only the next run of the bench would miss a moved
// one.
func TestSamplesAreThere(t *testing.T) {
	t.Chdir("../..")
	for _, k := range kinds {
		samples, err := k.samples()
		if err != nil || size(samples) == 0 {
			t.Errorf("%s: %d bytes in %d files, %v", k.name, size(samples), len(samples), err)
		}
	}
}

// TestA21StoredOfEveryDocument checks that the blobs and rows of all documents are added up, and that a document
// which is not stored is an error.
func TestA21StoredOfEveryDocument(t *testing.T) {
	b := &bench{ctx: t.Context(), dir: t.TempDir()}
	page, err := os.ReadFile("../../testdata/site/index.html")
	if err != nil {
		t.Fatal(err)
	}
	s := sample{"index.html", "text/html", page}
	one, err := b.storedOf([]sample{s})
	if err != nil || one.blobs == 0 || one.blobs >= len(page) || one.rows == 0 {
		t.Fatalf("one page of %d bytes: %+v, %v", len(page), one, err)
	}
	other := sample{"other.html", "text/html", append(page, "<p>More.</p>"...)}
	if two, err := b.storedOf([]sample{s, other}); err != nil || two.blobs < 2*one.blobs || two.rows <= one.rows {
		t.Errorf("two pages: %+v, %v; one has %+v", two, err, one)
	}
	again := sample{"again.html", "text/html", page}
	if _, err := b.storedOf([]sample{s, again}); err == nil {
		t.Error("two pages with one body count as two captures")
	}
}
