package sqlitesearch

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
)

// vocabularyOf returns words with numbers; the higher the number, the rarer the word.
func vocabularyOf(rng *rand.Rand) func() string {
	zipf := rand.NewZipf(rng, 1.15, 3, 4000)
	return func() string { return "word" + strings.Map(letter, fmt.Sprint(zipf.Uint64())) }
}

func letter(digit rune) rune { return 'a' + digit - '0' }

// filledByLot returns an index of pages with four chunks of random words.
func filledByLot(t testing.TB, pages int) *Index {
	ix := created(t, filepath.Join(t.TempDir(), "search.db"))
	rng := rand.New(rand.NewPCG(1, 2))
	word := vocabularyOf(rng)
	var batch []search.Page
	for i := range pages {
		p := search.Page{ID: fmt.Sprintf("p%05d", i), Title: word() + " " + word(), Language: "xx",
			Host: fmt.Sprintf("h%d", i%7)}
		for c := range 4 {
			text := make([]string, 20+rng.IntN(40))
			for n := range text {
				text[n] = word()
			}
			key := fmt.Sprint(c)
			p.Chunks = append(p.Chunks, search.Chunk{Key: key, UID: key, Heading: word(), Text: strings.Join(text, " ")})
		}
		batch = append(batch, p)
	}
	if err := ix.Put(t.Context(), batch...); err != nil {
		t.Fatal(err)
	}
	return ix
}

// TestJ1BoundedFindsWhatScoringEverythingFinds checks queries that combine rare and frequent words.
func TestJ1BoundedFindsWhatScoringEverythingFinds(t *testing.T) {
	ix := filledByLot(t, 1200)
	rng := rand.New(rand.NewPCG(3, 4))
	word := vocabularyOf(rng)
	same, all := 0, 0
	for range 60 {
		q := search.Query{Text: word() + " " + word() + " " + word(), Top: 10}
		ix.bounds = everything
		want, err := ix.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		ix.bounds = usual
		have, err := ix.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range want.Results {
			all++
			if slices.ContainsFunc(have.Results, func(h search.Result) bool { return h.ID == r.ID }) {
				same++
			}
		}
	}
	if share := float64(same) / float64(all); share < .99 || all < 500 {
		t.Errorf("%d of %d results (%.3f) are those of scoring everything", same, all, share)
	}
}

// TestJ1CountsAreMarkedBeyondAThousand checks that counts and facets are exact up to a thousand matches, and beyond
// that estimates that are labelled as such. Pages of results still join into one list.
func TestJ1CountsAreMarkedBeyondAThousand(t *testing.T) {
	ix := created(t, filepath.Join(t.TempDir(), "search.db"))
	const pages = 1800
	var batch []search.Page
	for i := range pages {
		p := somePage(fmt.Sprintf("p%04d", i), "tide number "+fmt.Sprint(i))
		if i%2 == 0 {
			p.Chunks[0].Text += " even"
		}
		batch = append(batch, p)
	}
	if err := ix.Put(t.Context(), batch...); err != nil {
		t.Fatal(err)
	}
	ask := func(text string, skip int) search.Results {
		res, err := ix.Search(t.Context(), search.Query{Text: text, Top: 100, Skip: skip, Facets: true})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := ask("even", 0); res.Count != pages/2 || res.Estimated || res.Facets.Hosts[0].Count != pages/2 {
		t.Errorf("exact: %d, %v, %v", res.Count, res.Estimated, res.Facets.Hosts)
	}
	res := ask("tide", 0)
	if n := res.Facets.Hosts[0].Count; !res.Estimated || res.Count < pages*9/10 || res.Count > pages*11/10 ||
		n < pages*9/10 || n > pages*11/10 {
		t.Errorf("beyond: %d, %v, %v", res.Count, res.Estimated, res.Facets.Hosts)
	}
	seen := map[string]bool{}
	for skip := 0; skip < pages; skip += 100 {
		for _, r := range ask("tide", skip).Results {
			if seen[r.ID] {
				t.Fatalf("%s comes twice", r.ID)
			}
			seen[r.ID] = true
		}
	}
	if len(seen) != pages {
		t.Errorf("%d of %d pages of results", len(seen), pages)
	}
}
