package sqlitesearch

import (
	"cmp"
	"encoding/json"
	"slices"
)

const (
	// maxNear is how many chunks a query's vector finds. Every chunk is near to some degree, so it
	// bounds what a query finds that has none of its words.
	maxNear = 50
	// fusionK is how much weight the first places have over later ones, when rankings are joined by
	// the sum of 1 / (k + place); 60 is that of the paper
	// (https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf).
	fusionK = 60
)

// warnOfLength tells once that queries pass over vectors.
func (ix *Index) warnOfLength(s *statement) {
	if s.strange == 0 {
		return
	}
	ix.warned.Do(func() {
		ix.log.Warn("vectors of another length than the query's are passed over: the model has changed under its name; run "+
			"tidemark rebuild",
			"vectors", s.strange, "want", len(s.query.Vector))
	})
}

// asJSON is a list as json_each takes it.
func asJSON[T int64 | string](list []T) string {
	b, _ := json.Marshal(list) // numbers and texts always encode
	return string(b)
}

// fuse ranks pages by words and by nearness: the places in both rankings joined.
func fuse(pages []*candidate) {
	slices.SortFunc(pages, byScore)
	byWords, byNearness := 0, 0
	joined := make(map[*candidate]float64, len(pages))
	for _, p := range pages {
		if len(p.chunks) > 0 {
			byWords++
			joined[p] += 1 / float64(fusionK+byWords)
		}
	}
	near := slices.DeleteFunc(slices.Clone(pages), func(p *candidate) bool { return p.nearest == 0 })
	slices.SortFunc(near, func(a, b *candidate) int { return cmp.Compare(a.nearest, b.nearest) })
	for _, p := range near {
		byNearness++
		joined[p] += 1 / float64(fusionK+byNearness)
	}
	for p, score := range joined {
		p.score = score
	}
}
