package sqlitesearch

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// rank reads and scores chunks, and returns their pages, best first.
func (s *searcher) rank(ctx context.Context, f found, chunks []int64) ([]*ranking.Page, error) {
	byRow, err := s.pagesOf(ctx, chunks, s.near)
	if err != nil {
		return nil, err
	}
	if err := s.scoreChunks(ctx, chunks, byRow); err != nil {
		return nil, err
	}
	ranking.ReduceCopies(maps.Values(byRow))
	for i, c := range s.near {
		if p := byRow[c>>slotBits]; p.NearestPosition == 0 {
			p.NearestPosition = i + 1
		}
	}
	pages := ranking.Distinct(maps.Values(byRow))
	for _, p := range pages {
		s.ranked.ScorePage(p)
	}
	slices.SortFunc(pages, ranking.ByScore)
	first := pages[:min(firstPages, len(pages))]
	if err := s.readMore(ctx, f.lists, first); err != nil {
		return nil, err
	}
	for _, p := range first {
		s.ranked.ScorePage(p)
	}
	if len(s.near) > 0 {
		ranking.Fuse(pages)
	}
	slices.SortFunc(pages, ranking.ByScore)
	return pages, nil
}

// readMore reads further chunks of some pages. A page scores higher if another of its chunks has terms that its best
// chunk lacks.
func (s *searcher) readMore(ctx context.Context, lists []list, pages []*ranking.Page) error {
	if len(lists) < 2 {
		return nil
	}
	byRow, read := map[int64]*ranking.Page{}, map[int64]bool{}
	rows := make([]int64, len(pages))
	for i, p := range pages {
		rows[i], byRow[p.Row] = p.Row, p
		for _, c := range p.Chunks {
			read[c.ID] = true
		}
	}
	more, err := unread(ctx, s.tx, lists, rows, read)
	if err != nil {
		return err
	}
	if err := s.scoreChunks(ctx, more, byRow); err != nil {
		return err
	}
	for _, p := range pages {
		for i := range p.Chunks {
			p.Chunks[i].Hidden = !read[p.Chunks[i].ID]
		}
	}
	return nil
}

// unread returns, for each page, the best of its chunks that have not been read yet.
func unread(ctx context.Context, tx *sqlitefile.Statements, lists []list, pages []int64,
	read map[int64]bool) ([]int64, error) {
	var matches []match
	var chunk, document int64
	for err := range tx.Rows(ctx, `SELECT c.id, c.document FROM json_each(?) w CROSS JOIN chunks c
ON c.id BETWEEN (w.value << 16) AND (w.value << 16 | 65535)`, []any{asJSON(pages)}, &chunk, &document) {
		if err != nil {
			return nil, err
		}
		if score := scoreOf(lists, document); score > 0 && !read[chunk] {
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
	return chunks, nil
}

// pagesOf reads the pages to which chunks belong.
func (s *searcher) pagesOf(ctx context.Context, lists ...[]int64) (map[int64]*ranking.Page, error) {
	byRow := map[int64]*ranking.Page{}
	var wanted []int64
	for _, chunk := range slices.Concat(lists...) {
		if row := chunk >> slotBits; byRow[row] == nil {
			byRow[row] = &ranking.Page{Row: row}
			wanted = append(wanted, row)
		}
	}
	var p ranking.Page
	for err := range s.tx.Rows(ctx, `
SELECT rowid, id, url, type, title, language, same, place, changed_at, published_at
FROM pages
WHERE rowid IN (SELECT value FROM json_each(?))`, []any{asJSON(wanted)},
		&p.Row, &p.ID, &p.URL, &p.Type, &p.Title, &p.Language, &p.Same, &p.Precedence, &p.Changed, &p.Published) {
		if err != nil {
			return nil, err
		}
		*byRow[p.Row] = p
	}
	return byRow, nil
}

// scoreChunks reads chunks and scores them.
func (s *searcher) scoreChunks(ctx context.Context, chunks []int64, byRow map[int64]*ranking.Page) error {
	r := ranking.NewScorer(s.ranked)
	var chunk int64
	var heading, body, zone string
	for err := range s.tx.Rows(ctx,
		"SELECT id, heading, body, zone FROM chunks WHERE id IN (SELECT value FROM json_each(?))", []any{asJSON(chunks)},
		&chunk, &heading, &body, &zone) {
		if err != nil {
			return err
		}
		p := byRow[chunk>>slotBits]
		p.Chunks = append(p.Chunks, r.Score(chunk, p.Title, heading, body, ranking.ZoneFactor(zone)))
	}
	return nil
}

// more adds pages whose chunks were not read. They are needed if the query skips many results. The added pages are
// ordered by the impacts of their chunks.
func (s *searcher) more(ctx context.Context, f found, pages []*ranking.Page) ([]*ranking.Page, error) {
	if s.query.Skip+s.query.Top <= len(pages) || len(s.near) > 0 {
		return pages, nil
	}
	seen, last := map[string]bool{}, 0.
	for _, p := range pages {
		seen[p.Same], last = true, p.Score
	}
	var chunks []int64
	order := map[int64]int{}
	for _, m := range f.best {
		if _, known := order[m.page()]; !known {
			order[m.page()] = len(chunks)
			chunks = append(chunks, m.chunk)
		}
	}
	byRow, err := s.pagesOf(ctx, chunks)
	if err != nil {
		return nil, err
	}
	for _, c := range chunks {
		p := byRow[c>>slotBits]
		p.Chunks = []ranking.Chunk{{ID: c}}
	}
	unranked := ranking.Distinct(maps.Values(byRow))
	slices.SortFunc(unranked, func(a, b *ranking.Page) int { return cmp.Compare(order[a.Row], order[b.Row]) })
	for _, p := range unranked {
		if !seen[p.Same] {
			p.Score = last
			pages = append(pages, p)
		}
	}
	return pages, nil
}
