package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// TestJ2PlacesOfRightPages checks the usual measures of search quality, by the rank of the correct page.
func TestJ2PlacesOfRightPages(t *testing.T) {
	dir := t.TempDir()
	const lines = `{"q": "tide", "corpus": "port", "right": ["a.html"]}
{"q": "anchor", "corpus": "port", "right": ["c.html"]}
{"q": "anchor", "corpus": "other", "right": ["c.html"]}
`
	if err := os.WriteFile(filepath.Join(dir, "q.jsonl"), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	questions, err := readQuestions(dir)
	if err != nil || len(questions) != 3 {
		t.Fatal(questions, err)
	}
	ix, err := sqlitesearch.Open(filepath.Join(dir, "search.db"), sqlitesearch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	if err := ix.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{
		"a.html": "<title>Tide</title><p>The tide turns at noon.",
		"b.html": "<title>Anchor</title><p>An anchor holds.",
		"c.html": "<title>Ropes</title><p>Of ropes, chains, rings and much else, such as an anchor, we know little.",
	} {
		p, ok := pageOf("port", path, []byte(body))
		if !ok {
			t.Fatal(path)
		}
		if err := ix.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	var all []asked
	for i, want := range []int{1, 2, 0} {
		a, err := ask(ix, questions[i])
		if err != nil || a.position != want {
			t.Errorf("%s: place %d (%v), want %d", a.Q, a.position, err, want)
		}
		all = append(all, a)
	}
	var out bytes.Buffer
	err = printSearch(&out, all, 3, false)
	if want := "1 first, 2 among three, MRR 0.500, nDCG@10 0.544"; err != nil || !strings.Contains(out.String(), want) {
		t.Errorf("have %s (%v), want %s", out.String(), err, want)
	}
}
