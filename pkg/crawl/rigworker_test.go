package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// storesOf returns the stores of a registry, with these snapshots.
func storesOf(reg *registry.Registry, snaps *snapshot.Store) Stores {
	return Stores{
		Jobs: reg.Jobs, Fields: reg.Fields(),
		Items: reg.Items, Hosts: reg.Hosts, Moves: reg.Moves, Tags: reg.Tags, Snapshots: snaps,
	}
}

// newWorker returns a worker of the rig over a registry and stores.
func (r *rig) newWorker(
	reg *registry.Registry, snaps *snapshot.Store, manifests *index.Manifests, engine Indexer,
) *Worker {
	pages := NewPlacement(PlacementStores{
		Fields: reg.Fields(), Items: reg.Items,
		Aliases: reg.Aliases, Moves: reg.Moves, Snapshots: snaps, Manifests: manifests,
		Index: engine, Vectors: r.vectors,
	}, PlacementOptions{Clock: r.clock.now, Log: r.crawl.Log})
	return New(storesOf(reg, snaps), r.newHosts(reg), pages, r.crawl)
}

// replaceableIndex is an index that tests can replace.
type replaceableIndex struct{ Indexer }

// replaceable is a web that tests can replace.
type replaceable struct{ politeness.Fetcher }

// newHosts returns hosts with empty caches, as in a new process.
func (r *rig) newHosts(reg *registry.Registry) *politeness.Hosts {
	return politeness.New(reg.Hosts, r.seen, politeness.Options{
		Agent: r.crawl.Agent, Strategy: source.ByHost, Clock: r.clock.now, Metrics: r.crawl.Metrics,
		Sleep: func(ctx context.Context, d time.Duration) error { return r.sleep(ctx, d) },
	})
}

// forget empties the worker's caches of hosts, as in a new process.
func (r *rig) forget() { r.Worker.hosts = r.newHosts(r.worked) }

// FetchResource fetches as the worker's hosts do.
func (r *rig) FetchResource(ctx context.Context, v politeness.ResourceRequest) (politeness.Resource, error) {
	return r.hosts.FetchResource(ctx, v)
}
