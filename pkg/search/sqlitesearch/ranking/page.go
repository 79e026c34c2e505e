package ranking

import (
	"cmp"
	"iter"
	"slices"
)

// Page is a page that a query matches.
type Page struct {
	Row             int64 // in the index
	ID, URL, Title  string
	Type, Language  string
	Host, Tags      string // for facets; a tag a line
	Same            string // equal for pages that are one result
	Precedence      int    // of those, the page with the least is the result
	Changed         int64  // Unix seconds, like Published
	Published       int64  // 0 when the page does not say
	Chunks          []Chunk
	Score           float64
	NearestPosition int // of its nearest chunk among the chunks nearest to the query's vector, from 1; 0 for none
}

// ByScore compares pages for a sort, best first. Pages with equal scores are sorted by id, so that pages of results
// neither repeat nor skip any.
func ByScore(a, b *Page) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
}

// Distinct keeps one page of those that are one result: the one with the least precedence, then the least id. It
// compares the pages that match, not all of the index, so a filter hides no page behind one that it excludes.
func Distinct(pages iter.Seq[*Page]) []*Page {
	bySame := map[string]*Page{}
	for p := range pages {
		other := bySame[p.Same]
		if other == nil || cmp.Or(cmp.Compare(p.Precedence, other.Precedence), cmp.Compare(p.ID, other.ID)) < 0 {
			bySame[p.Same] = p
		}
	}
	distinct := make([]*Page, 0, len(bySame))
	for _, p := range bySame {
		distinct = append(distinct, p)
	}
	return distinct
}

// ReduceCopies reduces the scores of chunks whose text several pages have, except for the page where they score best.
func ReduceCopies(pages iter.Seq[*Page]) {
	type copied struct {
		page  *Page
		chunk *Chunk
	}
	byText := map[uint64][]copied{}
	for p := range pages {
		for i := range p.Chunks {
			c := &p.Chunks[i]
			byText[c.body] = append(byText[c.body], copied{p, c})
		}
	}
	for _, copies := range byText {
		if len(copies) < manyCopies {
			continue
		}
		best := slices.MinFunc(copies, func(a, b copied) int {
			return cmp.Or(cmp.Compare(b.chunk.Score, a.chunk.Score), cmp.Compare(len(a.page.URL), len(b.page.URL)),
				cmp.Compare(a.page.ID, b.page.ID))
		})
		for _, c := range copies {
			if c.page != best.page {
				c.chunk.Score *= copyFactor
			}
		}
	}
}

// ScorePage sets the score of a page whose chunks are scored, and sorts these: the score of the best chunk, and a
// little for what the others add.
func (q Query) ScorePage(p *Page) {
	p.Score = q.pageScore(p)
}

func (q Query) pageScore(p *Page) float64 {
	if len(p.Chunks) == 0 {
		return 0
	}
	slices.SortFunc(p.Chunks, func(a, b Chunk) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	best := p.Chunks[0]
	score := best.Score
	for i, t := range q.Terms {
		if !best.has[i] && slices.ContainsFunc(p.Chunks, func(c Chunk) bool { return c.has[i] }) {
			score += elsewhere * t.IDF
		}
	}
	for _, c := range p.Chunks[1:min(3, len(p.Chunks))] {
		score += others * c.Score
	}
	score *= 1 - urlByte*float64(min(len(p.URL), 300))
	if isListing(p.URL, p.Title) {
		score *= listing
	}
	return score
}

// Fuse replaces the scores of pages by reciprocal rank fusion of two rankings: by their scores, and by how near their
// chunks are to the query's vector.
func Fuse(pages []*Page) {
	slices.SortFunc(pages, ByScore)
	byWords, byNearness := 0, 0
	fused := make(map[*Page]float64, len(pages))
	for _, p := range pages {
		if len(p.Chunks) > 0 {
			byWords++
			fused[p] += 1 / float64(fusionK+byWords)
		}
	}
	near := slices.DeleteFunc(slices.Clone(pages), func(p *Page) bool { return p.NearestPosition == 0 })
	slices.SortFunc(near, func(a, b *Page) int { return cmp.Compare(a.NearestPosition, b.NearestPosition) })
	for _, p := range near {
		byNearness++
		fused[p] += 1 / float64(fusionK+byNearness)
	}
	for p, score := range fused {
		p.Score = score
	}
}

// maxPassages is how many passages of one page are shown.
const maxPassages = 3

// Shown returns the chunks of a page that are shown, best first: those whose passages score highest, but for those
// with little beside the best, fused with those that are nearest to the query's vector (near, the nearest first).
func (p *Page) Shown(near []int64) []int64 {
	scores := map[int64]float64{}
	slices.SortFunc(p.Chunks, func(a, b Chunk) int {
		return cmp.Or(cmp.Compare(b.Passage, a.Passage), cmp.Compare(a.ID, b.ID))
	})
	most := 0.
	for i, c := range p.Chunks {
		if c.Hidden || c.Passage < leastShown*most {
			continue
		}
		most = max(most, c.Passage)
		scores[c.ID] += 1 / float64(fusionK+i+1)
	}
	for i, c := range near {
		scores[c] += 1 / float64(fusionK+i+1)
	}
	var all []int64
	for c := range scores {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b int64) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	return all[:min(maxPassages, len(all))]
}
