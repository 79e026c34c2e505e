package postings

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newDB(t testing.TB) *sql.DB {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "words.db"))
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	_, err = db.Exec("PRAGMA journal_mode(WAL); PRAGMA synchronous(OFF);" + Schema)
	must(t, err)
	return db
}

// model is the expected content of the index: texts by key, and the numbers of their documents.
type model struct {
	texts     map[int64][]string
	documents map[int64]int64
}

// wordsOf returns the words of a text for Add.
func wordsOf(text []string) (words []Word) {
	at := map[string]int{}
	for i, w := range text {
		n, known := at[w]
		if !known {
			n = len(words)
			at[w] = n
			words = append(words, Word{Text: w, Impact: uint16(len(w))})
		}
		words[n].Positions = append(words[n].Positions, uint32(i))
	}
	return words
}

// zipfText returns a text with few frequent and many rare words.
func zipfText(rng *rand.Rand) []string {
	zipf := rand.NewZipf(rng, 1.2, 2, 300)
	text := make([]string, 1+rng.IntN(30))
	for i := range text {
		text[i] = fmt.Sprintf("w%d", zipf.Uint64())
	}
	return text
}

func inTx(t testing.TB, db *sql.DB, do func(tx *sql.Tx)) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	do(tx)
	must(t, tx.Commit())
}

// change adds, replaces and removes some texts in a transaction.
func (m *model) change(t testing.TB, db *sql.DB, rng *rand.Rand, most int) {
	inTx(t, db, func(tx *sql.Tx) {
		w := NewWriter(t.Context(), sqlitefile.NewStatements(tx))
		changed := map[int64]bool{}
		for range 1 + rng.IntN(most) {
			key := 1 + rng.Int64N(400)
			if changed[key] {
				continue
			}
			changed[key] = true
			if d, known := m.documents[key]; known {
				w.Remove(d)
				delete(m.documents, key)
				delete(m.texts, key)
				if rng.IntN(3) == 0 {
					continue
				}
			}
			text := zipfText(rng)
			d, err := w.Add(key, len(text), wordsOf(text))
			must(t, err)
			m.texts[key], m.documents[key] = text, d
		}
		must(t, w.Flush())
	})
}

// keysOf returns the keys of hits whose documents exist.
func keysOf(t testing.TB, r *Reader, hits []Hit) (keys []int64) {
	t.Helper()
	if !slices.IsSortedFunc(hits, byDocument) {
		t.Fatal("hits are not in the order of documents")
	}
	all, err := r.Keys(hits)
	must(t, err)
	for _, key := range all {
		if key != 0 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// compare compares the index with the model.
func (m *model) compare(t testing.TB, db *sql.DB, rng *rand.Rand) {
	t.Helper()
	inTx(t, db, func(tx *sql.Tx) {
		r, err := NewReader(t.Context(), sqlitefile.NewStatements(tx))
		must(t, err)
		known, err := r.Check()
		must(t, err)
		for key, d := range m.documents {
			if want := (Known{key, len(wordsOf(m.texts[key]))}); known[d] != want {
				t.Fatalf("document %d: have %v, want %v", d, known[d], want)
			}
		}
		if n := r.Totals().Documents; n != int64(len(m.texts)) {
			t.Fatalf("%d documents, want %d", n, len(m.texts))
		}
		for range 20 {
			a, b := fmt.Sprintf("w%d", rng.IntN(60)), fmt.Sprintf("w%d", rng.IntN(10))
			m.expect(t, r, "word "+a, func(text string) bool { return strings.Contains(text, " "+a+" ") }, a)
			m.expect(t, r, "phrase", func(text string) bool { return strings.Contains(text, " "+a+" "+b+" ") }, a, b)
		}
		prefix := fmt.Sprintf("w%d", 1+rng.IntN(9))
		entries, err := r.Prefix(prefix, 1<<30)
		must(t, err)
		want := map[string]bool{}
		for _, text := range m.texts {
			for _, word := range text {
				if len(word) > len(prefix) && strings.HasPrefix(word, prefix) {
					want[word] = true
				}
			}
		}
		for word := range want {
			if _, known := entries[word]; !known {
				t.Fatalf("%s does not begin with %s", word, prefix)
			}
		}
	})
}

// expect checks what a word or phrase finds.
func (m *model) expect(t testing.TB, r *Reader, what string, has func(text string) bool, words ...string) {
	t.Helper()
	found, err := r.Lookup(words...)
	must(t, err)
	entries := make([]Entry, len(words))
	for i, w := range words {
		entries[i] = found[w]
	}
	hits, err := r.Phrase(entries)
	must(t, err)
	var want []int64
	for _, key := range slices.Sorted(maps.Keys(m.texts)) {
		if has(" " + strings.Join(m.texts[key], " ") + " ") {
			want = append(want, key)
		}
	}
	if have := keysOf(t, r, hits); !slices.Equal(have, want) {
		t.Fatalf("%s %v: have %v, want %v", what, words, have, want)
	}
	for _, h := range hits {
		if int(h.Impact()) != len(words[0]) {
			t.Fatalf("%s has impact %d", words[0], h.Impact())
		}
	}
}

// TestJ1WordsAreThoseOfTheTexts checks that after any changes and merges, words, phrases and prefixes find exactly
// the documents that contain them.
func TestJ1WordsAreThoseOfTheTexts(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			db, rng := newDB(t), rand.New(rand.NewPCG(seed, 1))
			m := &model{map[int64][]string{}, map[int64]int64{}}
			for step := range 120 {
				m.change(t, db, rng, []int{3, 40, 200}[rng.IntN(3)])
				if step%10 == 0 {
					m.compare(t, db, rng)
				}
			}
			m.compare(t, db, rng)
			var segments, levels int
			must(t, db.QueryRow("SELECT count(*), max(level) FROM segments WHERE state <= 1").Scan(&segments, &levels))
			if levels == 0 || segments > 4*fanout {
				t.Errorf("%d segments up to level %d: they are not merged", segments, levels)
			}
		})
	}
}

// TestJ1LongLists checks that the postings of a very frequent word are stored in rows of their own, across merges.
func TestJ1LongLists(t *testing.T) {
	db := newDB(t)
	const batches, each = 12, 700
	for b := range batches {
		inTx(t, db, func(tx *sql.Tx) {
			w := NewWriter(t.Context(), sqlitefile.NewStatements(tx))
			for i := range each {
				text := []string{"all", fmt.Sprintf("one%d", b*each+i)}
				_, err := w.Add(int64(b*each+i+1), 2, wordsOf(text))
				must(t, err)
			}
			must(t, w.Flush())
		})
	}
	for range 20 { // further writes continue the merges
		inTx(t, db, func(tx *sql.Tx) {
			w := NewWriter(t.Context(), sqlitefile.NewStatements(tx))
			_, err := w.Add(1<<40, 1, wordsOf([]string{"other"}))
			must(t, err)
			must(t, w.Flush())
		})
	}
	inTx(t, db, func(tx *sql.Tx) {
		r, err := NewReader(t.Context(), sqlitefile.NewStatements(tx))
		must(t, err)
		_, err = r.Check()
		must(t, err)
		found, err := r.Lookup("all", "one77", "none")
		must(t, err)
		hits, err := r.Hits(found["all"])
		must(t, err)
		if n := len(keysOf(t, r, hits)); n != batches*each || found["one77"].Documents != 1 || found["none"].Documents != 0 {
			t.Errorf("%d documents, %v", n, found["one77"])
		}
	})
}

// TestJ1RemovedDocumentsAreForgotten checks that documents that are replaced repeatedly finally leave nothing behind.
func TestJ1RemovedDocumentsAreForgotten(t *testing.T) {
	db := newDB(t)
	var last int64
	for i := range 1200 {
		inTx(t, db, func(tx *sql.Tx) {
			w := NewWriter(t.Context(), sqlitefile.NewStatements(tx))
			if last != 0 {
				w.Remove(last)
			}
			var err error
			last, err = w.Add(7, 3, wordsOf([]string{"same", "words", fmt.Sprintf("edit%d", i)}))
			must(t, err)
			must(t, w.Flush())
		})
	}
	var postings int
	must(t, db.QueryRow("SELECT sum(documents) FROM segments WHERE state <= 1").Scan(&postings))
	var blocks int
	must(t, db.QueryRow("SELECT count(*) FROM documents").Scan(&blocks))
	if postings > 500 || blocks != 1 {
		t.Errorf("%d documents and %d blocks of keys are kept for one", postings, blocks)
	}
}

// FuzzLeaf checks that any bytes of a leaf are either read or reported as damaged.
func FuzzLeaf(f *testing.F) {
	f.Add(appendEntry(nil, "", entry{word: "tide", count: 1, postings: []byte{1, 2}, positions: []byte{1, 0}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _ = find("tide", 1, data)
		hits, _ := appendHits(nil, 1, data)
		r := positionsReader{data}
		for range hits {
			p := r.next()
			if p == nil {
				break
			}
			_ = unpack(nil, p)
		}
	})
}
