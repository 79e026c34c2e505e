package sqlitesearch

import (
	"context"
	"encoding/json"

	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// asJSON returns a list in the form of an argument of json_each.
func asJSON[T int64 | string](list []T) string {
	b, _ := json.Marshal(list) // encoding numbers and strings never fails
	return string(b)
}

// column returns the values of a query with one column.
func column[T int64 | string](ctx context.Context, tx *sqlitefile.Statements, query string,
	args ...any) (all []T, err error) {
	var v T
	for err := range tx.Rows(ctx, query, args, &v) {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
