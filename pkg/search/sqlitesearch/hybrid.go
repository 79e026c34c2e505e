package sqlitesearch

import (
	"context"
	"database/sql"
	"encoding/json"
)

const (
	// maxNear is how many chunks a query's vector finds. Every chunk is near to some degree, so it
	// bounds what a query finds that has none of its words.
	maxNear = 50
	// fusionK is how much weight the first places have over later ones, when rankings are joined by
	// the sum of 1 / (k + place); 60 is that of the paper
	// (https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf).
	fusionK = "60"
)

// addNear adds what the query's vector finds, and counts anew.
func (s *statement) addNear(ctx context.Context) (count int, err error) {
	if s.near, err = s.nearChunks(ctx); err != nil {
		return 0, err
	}
	return s.count(ctx)
}

// nearChunks compares the query's vector with every one whose page passes the filters. Vectors of
// another length are of another model.
func (s *statement) nearChunks(ctx context.Context) ([]int64, error) {
	query := "SELECT v.chunk, v.vector FROM vectors v"
	conditions, args := s.filters()
	if len(args) > 0 {
		query += " JOIN pages f ON f.rowid = (v.chunk >> 16) WHERE TRUE" + conditions
	}
	rows, err := s.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	best := nearest{n: maxNear}
	var stored sql.RawBytes
	for c := (neighbour{}); rows.Next(); {
		if err := rows.Scan(&c.chunk, &stored); err != nil {
			return nil, err
		}
		if len(stored) != scaleBytes+len(s.query.Vector) {
			s.strange++
			continue
		}
		c.similarity = similarity(s.query.Vector, stored)
		best.offer(c)
	}
	var chunks []int64
	for _, c := range best.sorted() {
		chunks = append(chunks, c.chunk)
	}
	return chunks, rows.Err()
}

// warnOfLength tells once that queries pass over vectors.
func (ix *Index) warnOfLength(s statement) {
	if s.strange == 0 {
		return
	}
	ix.warned.Do(func() {
		ix.log.Warn("vectors of another length than the query's are passed over: the model has changed under its name; run "+
			"tidemark rebuild",
			"vectors", s.strange, "want", len(s.query.Vector))
	})
}

// asJSON is a list of chunks as json_each takes them.
func asJSON(chunks []int64) string {
	b, _ := json.Marshal(chunks) // numbers always encode
	return string(b)
}

// byBoth is byWords for a query with a vector: pages, and the chunks of each, are ranked by words
// and by nearness, and the places in both rankings joined. Which chunks are near does not depend
// on paging, so the order does not.
func (s statement) byBoth() (query string, args []any) {
	with, args := s.matching()
	query = with + `,
near AS MATERIALIZED (SELECT value AS chunk, value >> 16 AS page, key AS score FROM json_each(?)),
found AS MATERIALIZED (` + once("page", "SELECT page FROM scored UNION SELECT page FROM near") + `),
matched AS (SELECT page, score FROM scored WHERE page IN (SELECT page FROM found)),
places AS (
	SELECT m.page, row_number() OVER (ORDER BY m.score, p.id) AS place FROM matched m JOIN pages p ON p.rowid = m.page
	UNION ALL
	SELECT page, row_number() OVER (ORDER BY min(score)) FROM near WHERE page IN (SELECT page FROM found) GROUP BY page
),
best AS (
	SELECT p.rowid AS page, p.id, p.url, p.title, p.type, p.language, -sum(1.0 / (` + fusionK + ` + o.place)) AS score
	FROM places o JOIN pages p ON p.rowid = o.page GROUP BY o.page ORDER BY score, p.id LIMIT ? OFFSET ?
),
pieces AS (
	SELECT page, chunk, row_number() OVER (PARTITION BY page ORDER BY said, score, chunk) AS place
	FROM hits WHERE page IN (SELECT page FROM best)
	UNION ALL SELECT page, chunk, row_number() OVER (PARTITION BY page ORDER BY score) FROM near
),
joined AS (SELECT page, chunk, -sum(1.0 / (` + fusionK + ` + place)) AS score FROM pieces GROUP BY page, chunk),
ranked AS (
	SELECT b.*, j.chunk, row_number() OVER (PARTITION BY b.page ORDER BY j.score, j.chunk) AS place
	FROM best b JOIN joined j ON j.page = b.page
)
SELECT r.id, r.url, r.title, r.type, r.language, -r.score, r.chunk FROM ranked r WHERE r.place <= ?
ORDER BY r.score, r.id, r.place`
	return query, append(args, asJSON(s.near), s.query.Top, s.query.Skip, maxPassages)
}
