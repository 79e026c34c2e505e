package app

import (
	"slices"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/fieldlog"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// StatePlan describes the state of an app with these settings, for a transfer. It omits the search index and the
// records of what was indexed, because both are rebuilt from the snapshots. It also omits keys, because access is
// configured anew for each installation.
func StatePlan(cfg Config) transfer.Plan {
	items, index, hints := registry.Tables(cfg.Table)
	return transfer.Plan{
		// The tables with pointers come first, in the order in which the registry writes them.
		Tables: slices.Concat([]string{snapshot.RunsTable, snapshot.RefsTable, snapshot.CapturesTable, fieldlog.Table, index,
			feed.Table, items}, entries.Tables(), enrich.Tables(enrich.Schemas()),
			[]string{mailimport.Table, backfill.Table, activity.Table, keys.Table, notify.Table}),
		Admit:      migrate.Admit,
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
