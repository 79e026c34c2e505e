package app

import (
	"slices"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// StatePlan says what the state of an app with these settings is, for moving it. The search index
// is not in it, nor what it was given: both are built again from the snapshots. Keys are not: who may come in is
// decided anew for another place.
func StatePlan(cfg Config) transfer.Plan {
	items, index, hints := registry.Tables(cfg.Table)
	return transfer.Plan{
		// The pointers first, as the registry writes them.
		Tables: slices.Concat([]string{snapshot.RunsTable, snapshot.RefsTable, snapshot.CapturesTable, index, feed.Table,
			items}, entries.Tables(), enrich.Tables(enrich.Schemas()),
			[]string{mailimport.Table, backfill.Table, activity.Table, keys.Table, notify.Table}),
		Later:      []string{feed.Table, keys.Table, notify.Table},
		Containers: []string{snapshot.Container},
		Hints:      hints,
		Thaw: func(table string, e storage.Entity) (thawed, hint storage.Entity, hinted bool) {
			if table != items {
				return e, storage.Entity{}, false
			}
			return registry.Thaw(e)
		},
	}
}
