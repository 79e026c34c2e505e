package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage"
)

// ActiveOp returns the operation that adds a run to the list of active runs. [Runs.InactiveOp] reverses it.
func (r *Runs[R]) ActiveOp(id string) storage.Op {
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: r.Key(ActivePrefix + id),
		Props: storage.Properties{}}}
}

// InactiveOp returns the operation that removes a run from the list of active runs.
func (r *Runs[R]) InactiveOp(id string) storage.Op {
	return storage.DeleteOp(r.Key(ActivePrefix+id), storage.AnyETag)
}

// ActiveIDs returns the ids of the active runs, in order.
func (r *Runs[R]) ActiveIDs(ctx context.Context) (ids []string, err error) {
	for e, err := range r.Table.Query(ctx, r.Prefix(ActivePrefix)) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, strings.TrimPrefix(e.Row, ActivePrefix))
	}
	return ids, nil
}

// Active reads the active runs, in the order of their ids.
func (r *Runs[R]) Active(ctx context.Context) (all []R, err error) {
	ids, err := r.ActiveIDs(ctx)
	for _, id := range ids {
		one, err := r.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, err
}

// CheckRoom returns Conflict while the maximum number of runs is active.
func (r *Runs[R]) CheckRoom(ctx context.Context) error {
	ids, err := r.ActiveIDs(ctx)
	if err == nil && len(ids) >= r.MaxActive {
		err = fault.New(fault.Conflict, "%s go on already; wait for one to end", words.Count(len(ids), r.Kind))
	}
	return err
}

// RequeueStalled sends the messages of stalled runs again, and returns the number of messages sent. A timer calls it.
// While no run is active, it costs one query.
func (r *Runs[R]) RequeueStalled(ctx context.Context) (sent int, err error) {
	all, err := r.Active(ctx)
	for _, one := range all {
		f := r.Fields(&one)
		last := *f.UpdatedAt
		if f.NotBefore != nil && f.NotBefore.After(last) {
			last = *f.NotBefore
		}
		if f.Over || r.Now().Sub(last) < r.Stalled {
			continue
		}
		if err := r.Messages.Send(ctx, Message{Run: *f.ID, Step: *f.Step}, 0); err != nil {
			return sent, err
		}
		sent++
	}
	return sent, err
}

// Watch calls the watchdogs of several kinds of runs. Each watchdog gets an equal share of the remaining time, so a
// slow one does not keep the others from running.
func Watch(ctx context.Context, requeue ...func(ctx context.Context) (int, error)) (err error) {
	for i, one := range requeue {
		part, end := PartOf(ctx, 1, len(requeue)-i)
		_, failed := one(part)
		err = errors.Join(err, failed)
		end()
	}
	return err
}

// PartOf returns a context that ends after parts/of of the time that ctx has left.
func PartOf(ctx context.Context, parts, of int) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*time.Duration(parts)/time.Duration(of))
}

// Retire removes old runs of a query. The given functions decide whether a run is old, and remove it. Retire removes
// up to the given number of runs, and returns how many it has removed. A run that another process is removing is left
// to that process. When one removal fails, Retire continues with the next run.
func (r *Runs[R]) Retire(ctx context.Context, q storage.Query, most int, old func(one *R) bool,
	remove func(ctx context.Context, one *R) error) (removed int, err error) {
	var list []R
	for one, err := range r.All(ctx, q) {
		if err != nil {
			return 0, err
		}
		if old(&one) {
			list = append(list, one)
		}
		if len(list) == most {
			break
		}
	}
	for _, one := range list {
		if failed := remove(ctx, &one); failed == nil {
			removed++
		} else if !fault.Lost(failed) {
			err = errors.Join(err, failed)
		}
	}
	return removed, err
}

// Drop removes those rows of a query that satisfy all conditions. If another process removes some of the rows in the
// meantime, that is not an error.
func Drop(ctx context.Context, t storage.Table, q storage.Query, conditions ...func(e storage.Entity) bool) error {
	var ops []storage.Op
	flush := func() error {
		if len(ops) == 0 {
			return nil
		}
		_, err := t.Transact(ctx, ops...)
		if ops = nil; fault.Is(err, fault.NotFound) {
			return nil
		}
		return err
	}
	for e, err := range t.Query(ctx, q) {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(conditions, func(holds func(storage.Entity) bool) bool { return !holds(e) }) {
			continue
		}
		ops = append(ops, storage.DeleteOp(e.Key, storage.AnyETag))
		if len(ops) < storage.MaxOps {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return flush()
}
