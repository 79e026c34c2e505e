package registry

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/tidemark/tidemark/pkg/policy/options"
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

	fields *FieldLog
	s      *rowStore
}

type (
	// Items registers, finds and lists items, changes their options, brings their checks forward, and removes items.
	Items struct {
		s    *rowStore
		tags *Tags
		find DemandFinder // see [Items.DemandsBy]; may be nil
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
	i, j := &Items{s: s, tags: t}, &Jobs{s, t}
	return &Registry{
		Items: i, Jobs: j, Hosts: &Hosts{s, j}, Changes: &Changes{s},
		Rebuilds: &Rebuilds{s, j}, Moves: &Moves{s, i, j}, Aliases: &Aliases{s, i}, Tags: t,
		fields: NewFieldLog(under), s: s,
	}
}

// Fields returns the histories of the fields of items.
func (r *Registry) Fields() *FieldLog { return r.fields }

// Create creates the tables and queues that are missing.
func (r *Registry) Create(ctx context.Context) error {
	if err := r.fields.Create(ctx); err != nil {
		return err
	}
	return r.s.Create(ctx)
}

// Queued returns the approximate number of jobs that are waiting or in progress.
func (r *Jobs) Queued(ctx context.Context) (int, error) {
	jobs, err := r.s.Jobs.Length(ctx)
	slow, failed := r.s.Slow.Length(ctx)
	return jobs + slow, errors.Join(err, failed)
}

// received reports whether workers have received all jobs that were sent.
func (r *Jobs) received(ctx context.Context) (bool, error) {
	jobs, err := r.s.Jobs.Waits(ctx)
	slow, failed := r.s.Slow.Waits(ctx)
	return !jobs && !slow, errors.Join(err, failed)
}

// MoveToSlow moves a job, on which no worker has begun to work, to the queue for hosts that do not answer. If the
// message is lost, a sweep sends another job for the items. The job keeps the name of its first message, so that it
// takes over the items of a dead worker that had the same message.
func (r *Jobs) MoveToSlow(ctx context.Context, job Job) error {
	job.Message = job.Attempt.Message
	body, _ := json.Marshal(job) // strings and numbers always encode
	return r.s.Slow.Send(ctx, body, 0)
}

// DemandFinder returns how often rules want an item to be checked.
type DemandFinder func(ctx context.Context, it *Item) ([]options.Demand, error)
