package crawl

import (
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/fieldlog"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Stores hold the jobs of a worker and everything known about their items.
type Stores struct {
	Jobs      *registry.Jobs
	Items     *registry.Items // used to register the blobs of containers
	Hosts     *registry.Hosts // used for the mass-removal guard of a host
	Moves     *registry.Moves
	Tags      *registry.Tags
	Snapshots *snapshot.Store
	Fields    *fieldlog.Store
}

// checker holds the dependencies that all checks of a worker share.
type checker struct {
	in     Stores
	pages  *Placement
	stored *reader
	o      Options
	held   held
}

// rules returns the rules that items are checked under.
func (w *checker) rules() verdict.Rules {
	return verdict.Rules{
		Agent: w.o.Agent, Sources: w.o.Rules, FileRoot: w.o.FileRoot, Version: w.o.Version, Schedule: w.o.Schedule,
		Browser: w.o.Browser != nil, Indexes: w.pages.indexes(), ReindexOnCanonical: w.o.ReindexOnCanonical,
		Soft404: w.o.Soft404, RunID: w.o.RunID,
	}
}
