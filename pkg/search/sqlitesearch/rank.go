package sqlitesearch

import (
	"cmp"
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// candidate is a page that is found.
type candidate struct {
	row                                  int64
	id, url, kind, title, language, same string
	host, tags                           string // for facets
	place                                int
	changed, published                   int64
	chunks                               []chunkScore
	score                                float64
	nearest                              int // place of its nearest chunk, from 1; 0 for none
}

// rank reads chunks, and gives their pages, best first. Equal pages rank by id, so that paging neither repeats nor
// skips.
func (s *statement) rank(ctx context.Context, f found, chunks []int64) ([]*candidate, error) {
	byRow, err := s.pagesOf(ctx, chunks, s.near)
	if err != nil {
		return nil, err
	}
	if err := s.scoreChunks(ctx, chunks, byRow); err != nil {
		return nil, err
	}
	copies(byRow)
	for i, c := range s.near {
		if p := byRow[c>>slotBits]; p.nearest == 0 {
			p.nearest = i + 1
		}
	}
	pages := once(byRow)
	for _, p := range pages {
		p.score = s.pageScore(p)
	}
	slices.SortFunc(pages, byScore)
	first := pages[:min(firstPages, len(pages))]
	if err := s.readMore(ctx, f.lists, first); err != nil {
		return nil, err
	}
	for _, p := range first {
		p.score = s.pageScore(p)
	}
	if len(s.near) > 0 {
		fuse(pages)
	}
	slices.SortFunc(pages, byScore)
	return pages, nil
}

func byScore(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
}

// readMore reads chunks of some pages that have not all words, but most: a page is worth more that has them elsewhere.
func (s *statement) readMore(ctx context.Context, lists []list, pages []*candidate) error {
	if len(lists) < 2 {
		return nil
	}
	byRow, read := map[int64]*candidate{}, map[int64]bool{}
	rows := make([]int64, len(pages))
	for i, p := range pages {
		rows[i], byRow[p.row] = p.row, p
		for _, c := range p.chunks {
			read[c.chunk] = true
		}
	}
	more, err := partly(ctx, s.tx, lists, rows, read)
	if err != nil {
		return err
	}
	if err := s.scoreChunks(ctx, more, byRow); err != nil {
		return err
	}
	for _, p := range pages {
		for i := range p.chunks {
			p.chunks[i].aside = !read[p.chunks[i].chunk]
		}
	}
	return nil
}

// partly are the best chunks of pages that were not read.
func partly(ctx context.Context, tx *sqlitefile.Statements, lists []list, pages []int64,
	read map[int64]bool) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, `SELECT c.id, c.document FROM json_each(?) w CROSS JOIN chunks c
ON c.id BETWEEN (w.value << 16) AND (w.value << 16 | 65535)`, asJSON(pages))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var matches []match
	for rows.Next() {
		var chunk, document int64
		if err := rows.Scan(&chunk, &document); err != nil {
			return nil, err
		}
		if score := worth(lists, document); score > 0 && !read[chunk] {
			matches = append(matches, match{chunk: chunk, score: score})
		}
	}
	var chunks []int64
	ofPage := map[int64]int{}
	for _, m := range bestOf(matches, len(matches)) {
		if ofPage[m.page()]++; ofPage[m.page()] <= moreOfPage {
			chunks = append(chunks, m.chunk)
		}
	}
	slices.Sort(chunks)
	return chunks, rows.Err()
}

// worth is what a document is worth by its marks.
func worth(lists []list, document int64) (score float64) {
	var covered, rarity float64
	for _, l := range lists {
		rarity += l.idf
		at, _ := slices.BinarySearch(l.hits, postings.NewHit(document, 0))
		if at < len(l.hits) && l.hits[at].Document() == document {
			score, covered = score+l.idf*worthOf(l.hits[at].Mark()), covered+l.idf
		}
	}
	return score * coverage(covered, rarity)
}

// pagesOf reads the pages of chunks.
func (s *statement) pagesOf(ctx context.Context, lists ...[]int64) (map[int64]*candidate, error) {
	byRow := map[int64]*candidate{}
	var wanted []int64
	for _, chunk := range slices.Concat(lists...) {
		if row := chunk >> slotBits; byRow[row] == nil {
			byRow[row] = &candidate{row: row}
			wanted = append(wanted, row)
		}
	}
	rows, err := s.tx.QueryContext(ctx, `
SELECT rowid, id, url, type, title, language, same, place, changed_at, published_at
FROM pages
WHERE rowid IN (SELECT value FROM json_each(?))`, asJSON(wanted))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p candidate
		if err := rows.Scan(&p.row, &p.id, &p.url, &p.kind, &p.title, &p.language, &p.same, &p.place,
			&p.changed, &p.published); err != nil {
			return nil, err
		}
		*byRow[p.row] = p
	}
	return byRow, rows.Err()
}

// scoreChunks reads chunks and gives them their worth.
func (s *statement) scoreChunks(ctx context.Context, chunks []int64, byRow map[int64]*candidate) error {
	r := s.newScorer()
	rows, err := s.tx.QueryContext(ctx,
		"SELECT id, heading, body FROM chunks WHERE id IN (SELECT value FROM json_each(?))", asJSON(chunks))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var chunk int64
		var heading, body string
		if err := rows.Scan(&chunk, &heading, &body); err != nil {
			return err
		}
		p := byRow[chunk>>slotBits]
		p.chunks = append(p.chunks, r.score(chunk, p.title, heading, body))
	}
	return rows.Err()
}

// once leaves one page of those that are one result: the one with the least place, then the least id. It goes by
// the pages that match, not by all that the index holds, so a filter hides no page behind one that it leaves out.
func once(byRow map[int64]*candidate) []*candidate {
	bySame := map[string]*candidate{}
	for _, p := range byRow {
		other := bySame[p.same]
		if other == nil || cmp.Or(cmp.Compare(p.place, other.place), cmp.Compare(p.id, other.id)) < 0 {
			bySame[p.same] = p
		}
	}
	pages := make([]*candidate, 0, len(bySame))
	for _, p := range bySame {
		pages = append(pages, p)
	}
	return pages
}

// pageScore is that of the page's best chunk, and a little of what else it has.
func (s *statement) pageScore(p *candidate) float64 {
	if len(p.chunks) == 0 {
		return 0
	}
	slices.SortFunc(p.chunks, func(a, b chunkScore) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.chunk, b.chunk))
	})
	best := p.chunks[0]
	score := best.total
	for i, t := range s.terms {
		if !best.has[i] && slices.ContainsFunc(p.chunks, func(c chunkScore) bool { return c.has[i] }) {
			score += elsewhere * t.idf
		}
	}
	for _, c := range p.chunks[1:min(3, len(p.chunks))] {
		score += others * c.total
	}
	score *= 1 - shorter*float64(min(len(p.url), 300))
	if isList(p.url, p.title) {
		score *= listing
	}
	return score
}

// more adds the pages that were not read, by their marks, where somebody pages so far.
func (s *statement) more(ctx context.Context, f found, pages []*candidate) ([]*candidate, error) {
	if s.query.Skip+s.query.Top <= len(pages) || len(s.near) > 0 {
		return pages, nil
	}
	seen, last := map[string]bool{}, 0.
	for _, p := range pages {
		seen[p.same], last = true, p.score
	}
	var chunks []int64
	place := map[int64]int{}
	for _, m := range f.best {
		if _, known := place[m.page()]; !known {
			place[m.page()] = len(chunks)
			chunks = append(chunks, m.chunk)
		}
	}
	byRow, err := s.pagesOf(ctx, chunks)
	if err != nil {
		return nil, err
	}
	for _, c := range chunks {
		p := byRow[c>>slotBits]
		p.chunks = []chunkScore{{chunk: c}}
	}
	rest := once(byRow)
	slices.SortFunc(rest, func(a, b *candidate) int { return cmp.Compare(place[a.row], place[b.row]) })
	for _, p := range rest {
		if !seen[p.same] {
			p.score = last
			pages = append(pages, p)
		}
	}
	return pages, nil
}
