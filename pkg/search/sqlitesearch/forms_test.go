package sqlitesearch

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/search"
)

func pageIn(language, id, text string) search.Page {
	return search.Page{
		ID: id, URL: "https://port.example/" + id, Host: "port.example", Type: "page", Title: "T", Language: language,
		IndexedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Chunks: []search.Chunk{{Key: id, UID: id, Text: text}},
	}
}

// TestForms checks that a word finds its other forms in the languages of the index, and itself first.
func TestForms(t *testing.T) {
	ix := created(t, t.TempDir()+"/index.db")
	for _, p := range []search.Page{
		pageIn("en", "en-plural", "Three tides rise and fall each day at the northern quays."),
		pageIn("en", "en-singular", "The tide rises at the quay; universities study happiness."),
		pageIn("en", "en-other", "Tickets, tidewater and a tidy universe."),
		pageIn("de", "de", "Die Häuser am Hafen werden geschlossen."),
		pageIn("ru", "ru", "Северные бассейны закрыты."),
		pageIn("xx", "xx", "The tidewater boats"),
	} {
		if err := ix.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		query, language string
		want            []string
	}{
		{"tide", "", []string{"en-singular", "en-plural"}},
		{"tides", "", []string{"en-plural", "en-singular"}},
		{"rising", "", []string{"en-plural", "en-singular"}},
		{"rising tides", "", []string{"en-plural", "en-singular"}},
		{`"tides"`, "", []string{"en-plural"}},
		{"tides*", "", []string{"en-plural"}},
		{"happy", "", []string{"en-singular"}},
		{"haus", "", []string{"de"}},
		{"Häusern", "", []string{"de"}},
		{"haus", "en", nil},
		{"бассейн", "", []string{"ru"}},
		{"quay's", "", nil},
	} {
		res, err := ix.Search(t.Context(), search.Query{Text: tc.query, Language: tc.language, Top: 10})
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, r := range res.Results {
			have = append(have, r.ID)
			for _, p := range r.Passages {
				if len(p.Highlights) == 0 {
					t.Errorf("%s: nothing is marked in %q", tc.query, p.Text)
				}
			}
		}
		if strings.HasPrefix(tc.query, "rising") {
			continue // either order will do: neither has the word itself
		}
		if diff := cmp.Diff(tc.want, have); diff != "" {
			t.Errorf("%s: -want +have\n%s", tc.query, diff)
		}
	}
}

// TestT4Prefixes checks words with prefixes and letters that are written in two ways (T4).
func TestT4Prefixes(t *testing.T) {
	ix := created(t, t.TempDir()+"/index.db")
	put(t, ix, pageIn("he", "in", "הספינה עוגנת בנמל."), pageIn("", "and", "הספינה והנמל."),
		pageIn("ar", "school", "الطالب والمدرسة."), pageIn("de", "size", "Die Größe der Schiffe."),
		pageIn("de", "sizes", "Alle Groessen am Lager."), pageIn("en", "does", "The dos of it."),
		pageIn("", "isbn", "ISBN 978-3-16-148410-0."), pageIn("", "phone", "Ring +49 30 123 4567."))
	for query, want := range map[string][]string{
		"נמל": {"and", "in"}, "הנמל": {"and", "in"}, "مدرسة": {"school"}, "المدرسة": {"school"},
		"Groesse": {"size", "sizes"}, "Größe": {"size", "sizes"}, "grösse": {"size", "sizes"}, "doe": nil,
		"9783161484100": {"isbn"}, "978 3161484100": {"isbn"}, "4930 1234567": {"phone"}, "49301234567": {"phone"},
		"9783161484101": nil,
	} {
		res, err := ix.Search(t.Context(), search.Query{Text: query, Top: 10})
		must(t, err)
		var have []string
		for _, r := range res.Results {
			have = append(have, r.ID)
		}
		slices.Sort(have)
		if !slices.Equal(have, want) {
			t.Errorf("%s: have %v, want %v", query, have, want)
		}
	}
}

// TestFormsOfAnotherLanguage checks that unchanged words are learned again when their page gets another language.
func TestFormsOfAnotherLanguage(t *testing.T) {
	ix := created(t, t.TempDir()+"/index.db")
	for _, language := range []string{"en", "de"} {
		put(t, ix, pageIn(language, "page", "Die Häuser am Hafen werden geschlossen."))
	}
	res, err := ix.Search(t.Context(), search.Query{Text: "haus", Top: 10})
	if err != nil || res.Count != 1 {
		t.Errorf("%d pages, %v", res.Count, err)
	}
}

// TestFormsRankBelowTheWord checks that a rare form does not outrank the word itself.
func TestFormsRankBelowTheWord(t *testing.T) {
	ix := created(t, t.TempDir()+"/index.db")
	for i := range 30 {
		put(t, ix, pageIn("en", fmt.Sprintf("filler%d", i), "Nothing of the kind is said on this page, at some length."))
	}
	for i := range 12 {
		put(t, ix, pageIn("en", fmt.Sprintf("box%02d", i),
			fmt.Sprintf("A box is a pointer to what lies on the heap, as everybody knows by now: %d.", i)))
	}
	put(t, ix, pageIn("en", "boxed", "A boxed string, a boxed slice: boxed."))
	res, err := ix.Search(t.Context(), search.Query{Text: "box", Top: 20})
	if err != nil || res.Count != 13 {
		t.Fatalf("%d pages, %v", res.Count, err)
	}
	if last := res.Results[12].ID; last != "boxed" {
		t.Errorf("the other form does not come last but %s", last)
	}
}

// BenchmarkForms searches many words for one with many forms, and for the same word as a phrase, which has no other
// forms.
func BenchmarkForms(b *testing.B) {
	ix := created(b, b.TempDir()+"/index.db")
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 4, 60_000)
	syllables := strings.Fields("ti de ra ke lo mu sen ver tor pal in con re sta ble ment ing")
	word := func() string {
		n := zipf.Uint64()
		w := ""
		for n += 17; n > 0; n /= 17 {
			w += syllables[n%17]
		}
		return w + []string{"", "", "s", "ing", "ed"}[rng.IntN(5)]
	}
	for p := range 250 {
		var pages []search.Page
		for i := range 4 {
			page := pageIn("en", fmt.Sprintf("p%d-%d", p, i), "")
			page.Chunks = nil
			for c := range 20 {
				var text []string
				for range 150 {
					text = append(text, word())
				}
				page.Chunks = append(page.Chunks, search.Chunk{Key: fmt.Sprintf("%s-%d", page.ID, c), UID: fmt.Sprintf("%s-%d",
					page.ID, c), Text: strings.Join(text, " ")})
			}
			pages = append(pages, page)
		}
		if err := ix.Put(b.Context(), pages...); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range []string{"tideraked", `"tideraked"`, "tided", `"tide"`, `"tides"`, "stabled mented",
		`"stabled" "mented"`} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				if _, err := ix.Search(b.Context(), search.Query{Text: q, Top: 10}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestWordsLearnedAreBounded checks that a page of countless words adds a bounded number to the table, without harm
// to other pages.
func TestWordsLearnedAreBounded(t *testing.T) {
	ix := open(t, filepath.Join(t.TempDir(), "search.db"))
	must(t, ix.Create(t.Context()))
	var text strings.Builder
	for i := range maxLearned + 1000 {
		fmt.Fprintf(&text, "w%s ", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(100_000+i)))
	}
	flood, tide := somePage("a", text.String()), somePage("b", "tides")
	flood.Language, tide.Language = "en", "en"
	must(t, ix.Put(t.Context(), flood, tide))
	var n int
	must(t, ix.read.QueryRowContext(t.Context(), "SELECT count(*) FROM forms").Scan(&n))
	if n > maxLearned+10 {
		t.Errorf("%d words", n)
	}
	if res, err := ix.Search(t.Context(), search.Query{Text: "tide", Top: 1}); err != nil || res.Count != 1 {
		t.Errorf("tide: %+v, %v", res, err)
	}
}
