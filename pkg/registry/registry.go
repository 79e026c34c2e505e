package registry

import (
	"context"

	"github.com/tidemark/tidemark/pkg/registry/store"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Names of what the registry keeps its state in, see [store.Options].
const (
	DefaultTable    = store.DefaultTable
	JobQueue        = store.JobQueue
	PoisonQueue     = store.PoisonQueue
	SlowQueue       = store.SlowQueue // has jobs that were moved out of the way, see [Jobs.MoveToSlow]
	SlowPoisonQueue = store.SlowPoisonQueue
)

// Options adjust a registry. The zero value works.
type Options = store.Options

// Registry is the store of items. It is safe for concurrent use by any number of processes. Its parts share
// one store of rows.
type Registry struct {
	Items    *Items
	Jobs     *Jobs
	Hosts    *Hosts
	Changes  *Changes
	Rebuilds *Rebuilds
	Moves    *Moves
	Aliases  *Aliases
	Tags     *Tags

	s *store.Store
}

type (
	// Items registers sources, finds and lists their items, changes what is set for them, moves their checks
	// forward and removes them.
	Items struct {
		s    *store.Store
		tags *Tags
	}

	// Jobs gives items to workers, and takes what they find.
	Jobs struct {
		s    *store.Store
		tags *Tags
	}

	// Hosts has what is agreed on and known about hosts.
	Hosts struct {
		s    *store.Store
		jobs *Jobs
	}

	// Changes judges what sites say of changes of their pages, and uses it where it proves true.
	Changes struct{ s *store.Store }

	// Rebuilds has items indexed anew.
	Rebuilds struct {
		s    *store.Store
		jobs *Jobs
	}

	// Moves has items go on under another identity.
	Moves struct {
		s     *store.Store
		items *Items
		jobs  *Jobs
	}

	// Aliases lead from an item to those that it represents.
	Aliases struct {
		s     *store.Store
		items *Items
	}
)

// New opens a registry over a store. It touches nothing; see [Registry.Create].
func New(under storage.Store, o Options) *Registry {
	s := store.New(under, o)
	t := &Tags{s: s}
	i, j := &Items{s, t}, &Jobs{s, t}
	return &Registry{
		Items: i, Jobs: j, Hosts: &Hosts{s, j}, Changes: &Changes{s},
		Rebuilds: &Rebuilds{s, j}, Moves: &Moves{s, i, j}, Aliases: &Aliases{s, i}, Tags: t, s: s,
	}
}

// Create makes the tables and queues that are missing.
func (r *Registry) Create(ctx context.Context) error { return r.s.Create(ctx) }

// Tables names the tables of a registry whose items table is called items, [DefaultTable] when empty.
func Tables(items string) (itemsTable, index, hints string) { return store.Tables(items) }
