package sqlitesearch

import "github.com/tidemark/tidemark/pkg/search"

// filters returns the conditions that a query imposes on a row of the table "pages". The alias of this table in the
// statement must be f.
func filters(q search.Query) (conditions string, args []any) {
	narrow := func(condition string, value any) {
		conditions += " AND f." + condition
		args = append(args, value)
	}
	for _, f := range []struct{ column, value string }{
		{"host", q.Host}, {"type", q.Type}, {"language", q.Language},
	} {
		if f.value != "" {
			narrow(f.column+" = ?", f.value)
		}
	}
	if q.Tag != "" {
		conditions += " AND instr(f.tags, ?)"
		args = append(args, tagLines([]string{q.Tag}))
	}
	if q.Path != "" {
		from, to := search.PathRange(q.Path)
		narrow("path >= ?", from)
		narrow("path < ?", to)
	}
	if !q.Since.IsZero() {
		narrow("changed_at >= ?", q.Since.Unix())
	}
	if !q.PublishedAfter.IsZero() {
		narrow("published_at >= ?", max(1, q.PublishedAfter.Unix()))
	}
	return conditions, args
}
