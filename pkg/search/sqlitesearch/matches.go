package sqlitesearch

import (
	"cmp"
	"slices"

	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
)

// match is a matching chunk with its score, which is computed from the impacts of its words.
type match struct {
	hit   postings.Hit // the chunk's document number and impact
	chunk int64
	score float64
}

func (m match) page() int64 { return m.chunk >> slotBits }

// list holds the chunks that contain a term, and the rarity of the term.
type list struct {
	hits []postings.Hit
	idf  float64
}

// join returns the documents that are in at least the given number of lists, in document order.
func join(lists []list, least int) (matches []match) {
	var rarity float64
	left := make([][]postings.Hit, len(lists))
	for i, l := range lists {
		rarity += l.idf
		left[i] = l.hits
	}
	for {
		next := int64(-1)
		for i := range left[:len(left)-least+1] { // every result is in at least one of these lists
			if len(left[i]) > 0 && (next < 0 || left[i][0].Document() < next) {
				next = left[i][0].Document()
			}
		}
		if next < 0 {
			return matches
		}
		have, m, covered := 0, match{hit: postings.NewHit(next, 0)}, 0.
		for i, l := range lists {
			if left[i] = postings.From(left[i], next); len(left[i]) > 0 && left[i][0].Document() == next {
				have++
				m.score += l.idf * ranking.Impact(left[i][0].Impact()).Score()
				covered += l.idf
				left[i] = left[i][1:]
			}
		}
		if have >= least {
			m.score *= ranking.Coverage(covered, rarity)
			matches = append(matches, m)
		}
	}
}

// scoreOf returns the score of a document, computed from the impacts of its words.
func scoreOf(lists []list, document int64) (score float64) {
	var covered, rarity float64
	for _, l := range lists {
		rarity += l.idf
		at, _ := slices.BinarySearch(l.hits, postings.NewHit(document, 0))
		if at < len(l.hits) && l.hits[at].Document() == document {
			score, covered = score+l.idf*ranking.Impact(l.hits[at].Impact()).Score(), covered+l.idf
		}
	}
	return score * ranking.Coverage(covered, rarity)
}

// spread returns n elements of a list, evenly spaced.
func spread[T any](all []T, n int) []T {
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// windows returns n matches, as sixteen runs of neighbouring matches.
func windows(matches []match, n int) (some []match) {
	const runs = 16
	for i := range runs {
		from := i * len(matches) / runs
		some = append(some, matches[from:from+n/runs]...)
	}
	return some
}

// bestOf returns the n best matches, best first. It sorts only matches that may be among the n best.
func bestOf(matches []match, n int) []match {
	best := slices.Clone(matches)
	if n < len(best) {
		least := leastOf(best, n)
		best = slices.DeleteFunc(best, func(m match) bool { return m.score < least })
	}
	slices.SortFunc(best, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.hit, b.hit))
	})
	return best[:min(n, len(best))]
}

// leastOf returns a score that at least n matches reach, but not many more.
func leastOf(matches []match, n int) float64 {
	const steps = 4096
	var most float64
	for _, m := range matches {
		most = max(most, m.score)
	}
	if most == 0 {
		return 0
	}
	var counts [steps + 1]int
	for _, m := range matches {
		counts[int(m.score/most*steps)]++
	}
	step := steps
	for have := counts[step]; have < n && step > 0; have += counts[step] {
		step--
	}
	return float64(step) / steps * most * (1 - 1e-9)
}
