package ranking

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// Page is a page that matches a query.
type Page struct {
	Row             int64 // row id of the page in the index
	ID, URL, Title  string
	Type, Language  string
	Host, Tags      string // values for facets; Tags has one tag per line
	Same            string // the same text for all pages that form one result
	Precedence      int    // of the pages that form one result, the one with the lowest is shown
	Changed         int64  // in Unix seconds, as Published
	Published       int64  // 0 if the page states no date
	Chunks          []Chunk
	Score           float64
	NearestPosition int // rank of the page's chunk nearest to the query's vector, from 1; 0 if no chunk is near
}

// ByScore compares pages for a sort that puts the best first. Pages with equal scores are sorted by id, so that
// paging neither repeats nor skips a result.
func ByScore(a, b *Page) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
}

// Distinct keeps one of the pages that form one result: the one with the lowest precedence, and among equals the one
// with the lowest id. It compares only the matching pages, not the whole index. So a page that a filter excludes
// hides no other page.
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

// ReduceCopies reduces the scores of chunks whose text is on several pages. Only on the page where the text scores
// best does its chunk keep its score.
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

// ScorePage sorts the scored chunks of a page and sets the page's score: the score of the best chunk plus a small
// part of the scores of the next ones.
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

// Fuse replaces the scores of pages by the reciprocal rank fusion of two rankings: by score, and by the nearness of
// their chunks to the query's vector.
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

// maxPassages is the maximum number of passages that are shown of one page.
const maxPassages = 3

// Shown returns the chunks of a page to show, best first. It fuses two rankings. One is that of the chunks by passage
// score, without chunks that score far below the best. The other is that of the chunks in near, which are sorted by
// nearness to the query's vector.
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

// isListing recognizes, by address and title, pages that only list the contents of other pages, such as indexes and
// change logs.
func isListing(url, title string) bool {
	for _, text := range []string{url, title} {
		lower := strings.ToLower(text)
		if slices.ContainsFunc(listWords, func(w string) bool { return strings.Contains(lower, w) }) &&
			lists.MatchString(text) {
			return true
		}
	}
	return false
}

// listWords are for a first, cheap test: every text that matches lists contains at least one of them.
var listWords = []string{"index", "change", "what", "release", "news", "history", "sitemap", "all.html", "print.html",
	"contents"}

var lists = regexp.MustCompile(`(?i)\b(genindex|py-modindex|changelog|changes|whatsnew|what[’']?s[ -]new|` +
	`release[ -]?notes|releases|news|history|sitemap|all\.html|print\.html|contents\.html|index of|table of contents|` +
	`api[ _-]index)\b|genindex`)
