package crawl

import (
	"github.com/tidemark/tidemark/pkg/crawl/placement"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Stores are where a worker finds its jobs, and what is known of their items.
type Stores struct {
	Jobs      *registry.Jobs
	Items     *registry.Items // those of a container's blobs
	Hosts     *registry.Hosts // how much of a host may go missing at once
	Moves     *registry.Moves
	Tags      *registry.Tags
	Snapshots *snapshot.Store
}

// checker has what all checks of a worker work with.
type checker struct {
	in     Stores
	hosts  *politeness.Hosts
	pages  *placement.Service
	stored *reader
	o      Options
}

// rules are those that items are checked by.
func (w *checker) rules() verdict.Rules {
	return verdict.Rules{
		Agent: w.o.Agent, Sources: w.o.Rules, Version: w.o.Version, Schedule: w.o.Schedule, Indexes: w.pages.Indexes(),
		ReindexOnCanonical: w.o.ReindexOnCanonical, Soft404: w.o.Soft404, RunID: w.o.RunID,
	}
}
