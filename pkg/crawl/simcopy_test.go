package crawl

import (
	"context"
	"path/filepath"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// simCopy is a real index that gets what the index of a simulation gets, and a copy that follows it (J9).
type simCopy struct {
	*sqlitesearch.Index
	sim    *sim
	copy   *searchtest.Copy
	rounds int
}

func newSimCopy(s *sim) *simCopy {
	x := &simCopy{sim: s, copy: searchtest.NewCopy(search.FollowQuery{Top: 7})}
	x.begin()
	return x
}

// begin begins a new index. The one before is lost.
func (x *simCopy) begin() {
	ctx, t := context.Background(), x.sim.t
	ix, err := sqlitesearch.Open(filepath.Join(folder(t), "index.db"), sqlitesearch.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, ix.Close()) })
	must(t, ix.Create(ctx))
	name, err := ix.Begun(ctx)
	must(t, err)
	must(t, ix.Filled(ctx, name))
	x.Index = ix
}

// check checks that a follower holds what the index holds, chunk by chunk, and that the index holds the pages that the
// simulation put and did not remove.
func (x *simCopy) check(pages map[string]search.Page) {
	ctx := context.Background()
	x.rounds++
	must(x.sim.t, x.copy.Follow(ctx, x.Index))
	want, err := searchtest.TextsOf(ctx, x.Index, search.FollowQuery{})
	must(x.sim.t, err)
	if diff := cmp.Diff(want, x.copy.Texts()); diff != "" {
		x.sim.fail("round %d: a follower has other chunks than the index (-index +follower):\n%s", x.rounds, diff)
	}
	chunks := 0
	for _, p := range pages {
		chunks += len(p.Chunks)
	}
	if chunks != len(want) {
		x.sim.fail("round %d: %d chunks were put, the index holds %d", x.rounds, chunks, len(want))
	}
}
