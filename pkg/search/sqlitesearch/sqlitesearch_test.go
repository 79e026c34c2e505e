package sqlitesearch

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
)

func TestIndex(t *testing.T) {
	searchtest.Index(t, func(t *testing.T) search.Engine { return open(t, filepath.Join(t.TempDir(), "search.db")) })
}

func TestJ9Follow(t *testing.T) {
	searchtest.Follow(t, func(t *testing.T) search.Index { return open(t, filepath.Join(t.TempDir(), "search.db")) })
}

func open(t testing.TB, path string) *Index {
	t.Helper()
	ix, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

// created returns an index with its tables.
func created(t testing.TB, path string) *Index {
	t.Helper()
	ix := open(t, path)
	if err := ix.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ix
}

func put(t testing.TB, ix *Index, pages ...search.Page) {
	t.Helper()
	for _, p := range pages {
		if err := ix.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
}

func count(t testing.TB, ix *Index) int {
	t.Helper()
	n, err := ix.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func somePage(id string, texts ...string) search.Page {
	p := search.Page{ID: id, URL: "https://h/" + id, Host: "h", Type: "page", Title: "Title", IndexedAt: time.Unix(1e9, 0)}
	for i, text := range texts {
		p.Chunks = append(p.Chunks, search.Chunk{Key: fmt.Sprintf("%s-%d", id, i), UID: fmt.Sprintf("ck64:v1:%s:%d", id, i),
			Text: text})
	}
	return p
}

// checkIntegrity compares the words of the index with the texts.
func checkIntegrity(t testing.TB, ix *Index) {
	t.Helper()
	if _, err := Examine(context.Background(), ix.file.Path, true); err != nil {
		t.Errorf("integrity: %v", err)
	}
}

// TestPutWritesOnlyWhatDiffers checks C5 for this adapter, with triggers that watch the rows.
func TestPutWritesOnlyWhatDiffers(t *testing.T) {
	ix := created(t, filepath.Join(t.TempDir(), "search.db"))
	if _, err := ix.write.Exec(`
CREATE TABLE log (line TEXT);
CREATE TRIGGER log_count AFTER UPDATE OF images ON pages BEGIN INSERT INTO log VALUES ('images ' || new.images); END;
CREATE TRIGGER log_image AFTER INSERT ON images BEGIN INSERT INTO log VALUES ('image ' || new.id); END;
CREATE TRIGGER log_image_leaves AFTER DELETE ON images BEGIN INSERT INTO log VALUES ('delete ' || old.id); END;
CREATE TRIGGER log_page AFTER UPDATE OF title, indexed_at ON pages BEGIN INSERT INTO log VALUES ('page'); END;
CREATE TRIGGER log_insert AFTER INSERT ON chunks BEGIN INSERT INTO log VALUES ('insert ' || new.key); END;
CREATE TRIGGER log_delete AFTER DELETE ON chunks BEGIN INSERT INTO log VALUES ('delete ' || old.key); END;
CREATE TRIGGER log_text AFTER UPDATE OF title, heading, body ON chunks BEGIN
	INSERT INTO log VALUES ('text ' || new.key); END;
CREATE TRIGGER log_uid AFTER UPDATE OF uid ON chunks WHEN old.uid <> new.uid BEGIN
	INSERT INTO log VALUES ('uid ' || new.key); END;
CREATE TRIGGER log_anchor AFTER UPDATE OF anchor ON chunks WHEN old.anchor <> new.anchor BEGIN
	INSERT INTO log VALUES ('anchor ' || new.key); END;
`); err != nil {
		t.Fatal(err)
	}
	base := somePage("a", "one", "two", "三四")
	base.Images = []search.Image{{ID: "img_1", Alt: "crane"}, {ID: "img_2", Alt: "ferry"}}
	put(t, ix, base)
	for _, tc := range []struct {
		name string
		edit func(p *search.Page)
		want []string
	}{
		{"nothing", func(*search.Page) {}, nil},
		{"time of indexing", func(p *search.Page) { p.IndexedAt = p.IndexedAt.Add(time.Hour) }, []string{"page"}},
		{"text of one chunk", func(p *search.Page) { p.Chunks[1].Text = "deux" }, []string{"text a-1"}},
		{"chunk leaves", func(p *search.Page) { p.Chunks = p.Chunks[:2] }, []string{"delete a-2"}},
		{"chunk leaves, another comes", func(p *search.Page) {
			p.Chunks[0] = search.Chunk{Key: "a-new", UID: "ck64:v1:a:0", Text: "neuf"}
		}, []string{"delete a-0", "insert a-new"}},
		{"text of an image", func(p *search.Page) { p.Images[1].Caption = "at noon" }, []string{"image img_2"}},
		{"image leaves", func(p *search.Page) { p.Images = p.Images[:1] }, []string{"delete img_2", "images 1"}},
		{"all images leave", func(p *search.Page) { p.Images = nil }, []string{"delete img_1", "delete img_2", "images 0"}},
		{"order", func(p *search.Page) { slices.Reverse(p.Chunks) }, nil},
		{"uid", func(p *search.Page) { p.Chunks[0].UID = "ck64:v2" }, []string{"uid a-0"}},
		{"anchor", func(p *search.Page) { p.Chunks[0].Anchor = "quay" }, []string{"anchor a-0"}},
		{"title", func(p *search.Page) { p.Title = "Name" }, []string{"page", "text a-0", "text a-1", "text a-2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			put(t, ix, base)
			if _, err := ix.write.Exec("DELETE FROM log"); err != nil {
				t.Fatal(err)
			}
			p := somePage("a", "one", "two", "三四")
			p.Images = slices.Clone(base.Images)
			tc.edit(&p)
			put(t, ix, p)
			if diff := cmp.Diff(tc.want, logged(t, ix.write)); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
			checkIntegrity(t, ix)
		})
	}
}

func logged(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	rows, err := db.Query("SELECT line FROM log ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestTwoProcesses opens two indexes on one file, as two processes would, and creates them at the same time.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	a, b := open(t, path), open(t, path)
	var group sync.WaitGroup
	for who, ix := range map[string]*Index{"a": a, "b": b} {
		group.Go(func() {
			if err := ix.Create(t.Context()); err != nil {
				t.Errorf("%s: %v", who, err)
				return
			}
			for i := range 20 {
				if err := ix.Put(t.Context(), somePage(fmt.Sprintf("%s%d", who, i), "shared words")); err != nil {
					t.Errorf("%s: %v", who, err)
				}
			}
		})
	}
	group.Wait()
	for _, ix := range []*Index{a, b} {
		if n := count(t, ix); n != 40 {
			t.Errorf("have %d pages, want 40", n)
		}
	}
	checkIntegrity(t, a)
}

func TestBeforeCreate(t *testing.T) {
	ix := open(t, filepath.Join(t.TempDir(), "search.db"))
	if _, err := ix.Search(t.Context(), search.Query{Text: "x", Top: 1}); err == nil ||
		!strings.Contains(err.Error(), "no such table") {
		t.Errorf("have %v", err)
	}
}

func TestPathsWithOddCharacters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%20é&_pragma=x.db")
	put(t, created(t, path), somePage("a", "one"))
	if n := count(t, open(t, path)); n != 1 {
		t.Errorf("have %d pages", n)
	}
}

// TestOurCharactersStayInside checks that reserved characters and separators in texts neither appear in results nor
// move highlights.
func TestOurCharactersStayInside(t *testing.T) {
	ix := created(t, filepath.Join(t.TempDir(), "search.db"))
	p := somePage("a", "one \ufdd0two\ufdd1 nee\u200bdle \ufdd1three")
	p.Chunks[0].Heading = "港口通知"
	put(t, ix, p)
	res, err := ix.Search(t.Context(), search.Query{Text: "needle", Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []search.Passage{{ChunkUID: "ck64:v1:a:0", Heading: "港口通知", Text: "one two needle three",
		Highlights: []search.Range{{From: 8, To: 14}}}}
	if len(res.Results) != 1 {
		t.Fatalf("have %+v", res)
	}
	if diff := cmp.Diff(want, res.Results[0].Passages); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
}

func manyWords(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

// FuzzSearch looks for queries that fail, and for texts that break the passages found in them.
func FuzzSearch(f *testing.F) {
	for _, q := range searchtest.HostileQueries {
		f.Add(q, "noon and midnight "+q)
	}
	ix := created(f, filepath.Join(f.TempDir(), "search.db"))
	put(f, ix, somePage("fixed", "noon and midnight", "港池关闭"))
	f.Fuzz(func(t *testing.T, text, body string) {
		if len(text) > search.MaxQueryRunes || len(body) > 1<<14 {
			t.Skip()
		}
		p := somePage("fuzz", body, text)
		p.Title, p.Chunks[0].Heading = text, body
		put(t, ix, p)
		q := search.Query{Text: text, Top: 10}
		res, err := ix.Search(t.Context(), q)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		searchtest.CheckResults(t, q, res)
		if len(ranking.Parse(text)) > 0 && len(ranking.Parse(text)) < search.MaxTerms && res.Count == 0 {
			known(t, text)
		}
	})
}

// known skips queries that consist of characters newer than the tokenizer's Unicode tables. Every other query must
// find the page that has it as title and text.
func known(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r > 0x7f {
			return
		}
	}
	t.Errorf("%q is not found in itself", text)
}

// TestPassagesSayWhatWasAskedFor checks that a page found by its title or a heading shows a fitting passage, not its
// shortest chunks, with and without vectors.
func TestPassagesSayWhatWasAskedFor(t *testing.T) {
	ix := open(t, filepath.Join(t.TempDir(), "search.db"))
	must(t, ix.Create(t.Context()))
	p := search.Page{ID: "a", Title: "Understanding tides"}
	for i, text := range []string{"See above.", "Done.", "Next.",
		"Whoever wants to leave the harbour has to know the tides, and whether the lock is open."} {
		p.Chunks = append(p.Chunks, search.Chunk{Key: fmt.Sprint("k", i), UID: fmt.Sprint("u", i), Heading: "What tides are",
			Text: text, Vector: []float32{1, -float32(i)}})
	}
	must(t, ix.Put(t.Context(), p))
	for _, vector := range [][]float32{nil, {1, -3}} {
		res, err := ix.Search(t.Context(), search.Query{Text: "tides", Top: 10, Vector: vector})
		must(t, err)
		if first := res.Results[0].Passages[0]; first.ChunkUID != "u3" || len(first.Highlights) != 1 {
			t.Errorf("vector %v: shown by %+v", vector, first)
		}
	}
}

// TestMarksBelongToWords checks scripts whose vowels are combining marks: a word is found and highlighted with its
// marks.
func TestMarksBelongToWords(t *testing.T) {
	ix := open(t, filepath.Join(t.TempDir(), "search.db"))
	must(t, ix.Create(t.Context()))
	put(t, ix, somePage("a", "बंदरगाह में पानी है", "নদীর তীর துறைமுகம் كِتَاب e\u0301cluse ☎️ 9 "+
		norm.NFD.String("항구 がけ")))
	for query, want := range map[string]string{
		"पानी": "पानी", "पान": "", "पान*": "पानी",
		"துறைமுகம்": "துறைமுகம்", "\"துறைமுகம\"": "", "তীর": "তীর", "كِتَاب": "كِتَاب",
		"écluse": "écluse", "ecluse": "écluse", "e\u0301cluse": "écluse", "❤️": "", "항구": "항구", "がけ": "がけ", "かけ": "",
	} {
		res, err := ix.Search(t.Context(), search.Query{Text: query, Top: 10})
		must(t, err)
		have := ""
		for _, r := range res.Results {
			for _, p := range r.Passages {
				for _, h := range p.Highlights {
					have += p.Text[h.From:h.To]
				}
			}
		}
		if have != want {
			t.Errorf("%s: marked %q", query, have)
		}
	}
}
