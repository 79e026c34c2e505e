package storagetest

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/storage"
)

// Dump reads all rows of tables into a map from "table/partition/row" to columns. Tests use it to compare the states
// before and after an operation. It omits revisions, because these differ between runs.
func Dump(ctx context.Context, s storage.Store, tables ...string) (map[string]storage.Properties, error) {
	rows := map[string]storage.Properties{}
	for _, name := range tables {
		for e, err := range s.Table(name).Query(ctx, storage.Query{}) {
			if err != nil {
				return nil, fmt.Errorf("dump of %s: %w", name, err)
			}
			rows[name+"/"+e.Partition+"/"+e.Row] = e.Props
		}
	}
	return rows, nil
}
