package registry

import (
	"context"

	"github.com/tidemark/tidemark/pkg/registry/fieldlog"
	"github.com/tidemark/tidemark/pkg/storage"
)

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

	fields *fieldlog.Store
	s      *rowStore
}

type (
	// Items registers, finds and lists items, changes their options, brings their checks forward, and removes items.
	Items struct {
		s    *rowStore
		tags *Tags
	}

	// Jobs gives items to workers and commits their findings.
	Jobs struct {
		s    *rowStore
		tags *Tags
	}

	// Hosts keeps the state of hosts that all workers share.
	Hosts struct {
		s    *rowStore
		jobs *Jobs
	}

	// Changes evaluates the changes that sites report. It acts on the reports of sites that prove truthful.
	Changes struct{ s *rowStore }

	// Rebuilds requests that items be indexed again.
	Rebuilds struct {
		s    *rowStore
		jobs *Jobs
	}

	// Moves moves items to another identity.
	Moves struct {
		s     *rowStore
		items *Items
		jobs  *Jobs
	}

	// Aliases keeps the lists of the aliases that items represent.
	Aliases struct {
		s     *rowStore
		items *Items
	}
)

// New opens a registry over a store. It sends no request; see [Registry.Create].
func New(under storage.Store, o Options) *Registry {
	s := newRowStore(under, o)
	t := &Tags{s: s}
	i, j := &Items{s, t}, &Jobs{s, t}
	return &Registry{
		Items: i, Jobs: j, Hosts: &Hosts{s, j}, Changes: &Changes{s},
		Rebuilds: &Rebuilds{s, j}, Moves: &Moves{s, i, j}, Aliases: &Aliases{s, i}, Tags: t,
		fields: fieldlog.New(under), s: s,
	}
}

// Fields returns the histories of the fields of items.
func (r *Registry) Fields() *fieldlog.Store { return r.fields }

// Create creates the tables and queues that are missing.
func (r *Registry) Create(ctx context.Context) error {
	if err := r.fields.Create(ctx); err != nil {
		return err
	}
	return r.s.Create(ctx)
}
