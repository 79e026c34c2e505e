package crawl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
)

// derived are the columns that are derived from an item's identity, and those that are derived from its snapshot.
var derived = [][]string{
	{"displaySource", "contentGroupId"},
	{"contentHash", "textHash", "language", "mimeType", "title", "normalizationVersion", "imagesHash"},
}

// columns reads columns of an item's row; with overwrite it writes them first.
func (r *rig) columns(path, overwrite string, names ...string) storage.Properties {
	r.t.Helper()
	it, table := r.item(path), r.store.Table(registry.DefaultTable)
	e, err := table.Get(r.t.Context(), storage.Key{Partition: it.Partition(), Row: it.Hash()})
	must(r.t, err)
	out := storage.Properties{}
	for _, name := range names {
		if out[name] = e.Props[name]; overwrite != "" {
			e.Props[name] = overwrite
		}
	}
	if overwrite != "" {
		_, err = table.Transact(r.t.Context(), storage.Op{Kind: storage.Replace, Entity: e})
		must(r.t, err)
	}
	return out
}

// TestZ4RebuildRecomputesDerivedColumns checks Z4: a rebuild recomputes the derived columns: those from the identity
// for every item, those from the snapshot for items that belong in the index. No site is asked, and other columns
// stay.
func TestZ4RebuildRecomputesDerivedColumns(t *testing.T) {
	for _, scope := range []rebuild.Scope{{}, {Host: "127.0.0.1"}} {
		r := newRig(t)
		harbour(r)
		if scope.Host != "" {
			scope.Host = r.item("/ok").SourceHost
		}
		all := append(derived[0], derived[1]...)
		want := r.columns("/ok", "damaged", all...)
		never := r.columns("/never", "damaged", derived[0]...)
		kept := r.columns("/never", "", "status", "nextCrawlAt", "errorMessage", "firstSeen", "crawlAttempts")
		r.rebuild(scope)
		if d := cmp.Diff(want, r.columns("/ok", "", all...)); d != "" {
			t.Errorf("of a page in the index (-want +have): %s", d)
		}
		if d := cmp.Diff(never, r.columns("/never", "", derived[0]...)); d != "" {
			t.Errorf("of a page that was never read (-want +have): %s", d)
		}
		if d := cmp.Diff(kept, r.columns("/never", "", "status", "nextCrawlAt", "errorMessage", "firstSeen",
			"crawlAttempts")); d != "" {
			t.Errorf("what is not derived (-want +have): %s", d)
		}
		r.nobodyAsked()
	}
}
