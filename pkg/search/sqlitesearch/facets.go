package sqlitesearch

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
)

// facets counts the pages that match by each of their values, in one reading of the hits.
func (s statement) facets(ctx context.Context) (*search.Facets, error) {
	pages, args := s.pages()
	age, steps := s.ages()
	query := `
WITH hit AS MATERIALIZED (` + pages + `),
page AS MATERIALIZED (SELECT p.host, p.type, p.language, ` + age + ` AS age FROM hit JOIN pages p ON p.rowid = hit.page)
SELECT 'h', host, count(*) FROM page GROUP BY host
UNION ALL SELECT 't', type, count(*) FROM page GROUP BY type
UNION ALL SELECT 'l', language, count(*) FROM page GROUP BY language
UNION ALL SELECT 'a', age, count(*) FROM page GROUP BY age
ORDER BY 1, 3 DESC, 2`
	rows, err := s.tx.QueryContext(ctx, query, append(args, steps...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var f search.Facets
	lists := map[string]*[]search.Facet{"h": &f.Hosts, "t": &f.Types, "l": &f.Languages, "a": &f.Ages}
	for rows.Next() {
		var kind string
		var facet search.Facet
		if err := rows.Scan(&kind, &facet.Value, &facet.Count); err != nil {
			return nil, err
		}
		if list := lists[kind]; facet.Value != "" && len(*list) < search.MaxFacets {
			*list = append(*list, facet)
		}
	}
	return &f, rows.Err()
}

// ages is the expression for a page's age and the arguments of its placeholders.
func (s statement) ages() (expression string, args []any) {
	var b strings.Builder
	b.WriteString("CASE")
	for _, a := range search.Ages {
		fmt.Fprintf(&b, " WHEN p.changed_at >= ? THEN '%s'", a.Name)
		args = append(args, s.query.Now.Add(-a.Max).Unix())
	}
	return b.String() + " ELSE '" + search.Older + "' END", args
}
