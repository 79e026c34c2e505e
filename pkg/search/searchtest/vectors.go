package searchtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
)

// Vectors runs the tests for engines with vectors, in addition to those of [Index]. The suite's vectors have
// [Dimension] numbers.
func Vectors(t *testing.T, open func(t *testing.T) search.Engine) {
	for _, tc := range []struct {
		name string
		test func(*suite)
	}{
		{"near", (*suite).near},
		{"joined", (*suite).joined},
		{"vectors follow their chunks", (*suite).vectorsFollow},
		{"paging of both", (*suite).pagingOfBoth},
		{"TestS14 one result for a group", (*suite).nearGroups},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &suite{T: t, ix: open(t)}
			if err := s.ix.Create(t.Context()); err != nil {
				t.Fatal(err)
			}
			tc.test(s)
		})
	}
}

// Dimension is the length of the suite's vectors.
const Dimension = 4

// towards returns a unit vector between the first two axes. The larger x is, up to 1, the nearer the vector is to the
// first axis.
func towards(x float32) []float32 { return []float32{x, 1 - x, 0, 0} }

// embedded sets the vectors of a page's chunks, in order.
func embedded(p search.Page, vectors ...[]float32) search.Page {
	p.Chunks = slices.Clone(p.Chunks)
	for i, v := range vectors {
		p.Chunks[i].Vector = v
	}
	return p
}

// near checks that chunks of similar meaning are found and counted, even if they contain no word of the query, and
// that filters apply to them.
func (s *suite) near() {
	far := embedded(page("b", "Trains", "the express leaves"), towards(0.1))
	far.Host = "rail.example"
	s.put(embedded(page("a", "Tides", "high water at noon", "closed on mondays"), towards(0.9), towards(0.3)), far,
		page("c", "Plain", "without a vector"))
	q := search.Query{Text: "flood", Vector: towards(1), Facets: true, Now: indexedAt}
	res := s.search(q)
	if res.Count != 2 || len(res.Results) != 2 || res.Results[0].ID != "a" || res.Results[1].ID != "b" {
		s.Fatalf("have %+v", res)
	}
	if p := res.Results[0].Passages; len(p) == 0 || p[0].Text != "high water at noon" || len(p[0].Highlights) != 0 ||
		p[0].ChunkUID != uid("a", 0) {
		s.Errorf("passages: %+v", p)
	}
	if len(res.Facets.Hosts) != 2 {
		s.Errorf("facets: %+v", res.Facets)
	}
	s.expect(search.Query{Text: "flood", Vector: towards(1), Host: "rail.example"}, "b")
	s.expect(text("flood"))
	s.expect(search.Query{Text: "plain", Vector: towards(0.1)}, "b", "c", "a") // b and c each lead one ranking
}

// joined checks that results that rank high by both words and meaning come before those that rank high by only one.
func (s *suite) joined() {
	s.put(
		page("a", "Words", "basin basin basin"),
		embedded(page("b", "Both", "basin and much else that stands beside it"), towards(0.9)),
		embedded(page("c", "Meaning", "a dock"), towards(1)),
	)
	res := s.search(search.Query{Text: "basin", Vector: towards(1)})
	if len(res.Results) != 3 || res.Results[0].ID != "b" || res.Count != 3 {
		s.Errorf("have %+v", res.Results)
	}
	if p := res.Results[0].Passages[0]; len(p.Highlights) == 0 {
		s.Errorf("a word is found but not shown: %+v", p)
	}
	s.expect(search.Query{Text: "basin", Vector: []float32{1, 0}}, "a", "b") // a vector of another length is ignored
}

// vectorsFollow checks that a vector is added, kept, changed and removed with its chunk.
func (s *suite) vectorsFollow() {
	q := search.Query{Text: "flood", Vector: towards(1)}
	first := embedded(page("a", "Tides", "alpha", "beta"), towards(0.9), towards(0.8))
	s.put(first)
	s.expect(q, "a")

	kept := page("a", "Tides", "beta", "gamma") // beta is indexed already, so it needs no vector
	kept.Known = first.Contents()
	s.put(embedded(kept, nil, towards(0.1)))
	if res := s.search(q); len(res.Results) != 1 || res.Results[0].Passages[0].Text != "beta" {
		s.Errorf("have %+v", res.Results)
	}
	other := page("a", "Tides", "gamma")
	other.Chunks[0].Key += "-other"
	s.put(other)
	s.expect(q)
	s.expect(text("gamma"), "a")
	s.put(first)
	if err := s.ix.Remove(s.Context(), "a", nil); err != nil {
		s.Fatal(err)
	}
	s.expect(q)
}

// pagingOfBoth checks that paging neither repeats nor skips results, whether words or vectors find them.
func (s *suite) pagingOfBoth() {
	for i := range 30 {
		p := page(fmt.Sprintf("p%02d", i), "Quay", fmt.Sprintf("berth %d", i))
		if i%3 == 0 {
			p = page(p.ID, "Basin", "basin")
		}
		if i%2 == 0 {
			p = embedded(p, towards(float32(i)/30))
		}
		s.put(p)
	}
	q := search.Query{Text: "basin", Vector: towards(1), Top: 100}
	all := s.search(q)
	if all.Count != 20 || len(all.Results) != 20 { // 15 have a vector, and 5 others have the word
		s.Fatalf("%d of %d", len(all.Results), all.Count)
	}
	for q.Top = 3; q.Skip < 20; q.Skip += q.Top {
		res := s.search(q)
		for i, r := range res.Results {
			if want := all.Results[q.Skip+i].ID; r.ID != want || res.Count != all.Count {
				s.Errorf("place %d of %d: have %s, want %s", q.Skip+i, res.Count, r.ID, want)
			}
		}
	}
}
