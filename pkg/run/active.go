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

// ActiveOp lists a run as going on, InactiveOp ends that.
func (r *Runs[R]) ActiveOp(id string) storage.Op {
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: r.Key(ActivePrefix + id),
		Props: storage.Properties{}}}
}

// InactiveOp removes a run from the list of active ones.
func (r *Runs[R]) InactiveOp(id string) storage.Op {
	return storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: r.Key(ActivePrefix + id), ETag: storage.AnyETag}}
}

// ActiveIDs are the ids of the runs that go on, in their order.
func (r *Runs[R]) ActiveIDs(ctx context.Context) (ids []string, err error) {
	for e, err := range r.Table.Query(ctx, r.Prefix(ActivePrefix)) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, strings.TrimPrefix(e.Row, ActivePrefix))
	}
	return ids, nil
}

// Active reads the runs that go on, in the order of their ids.
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

// CheckRoom is a Conflict while as many runs go on as may.
func (r *Runs[R]) CheckRoom(ctx context.Context) error {
	ids, err := r.ActiveIDs(ctx)
	if err == nil && len(ids) >= r.MaxActive {
		err = fault.New(fault.Conflict, "%s go on already; wait for one to end", words.Count(len(ids), r.Kind))
	}
	return err
}

// RequeueStalled sends the messages of runs that have not moved for a while, and says how many. A timer calls it; while
// no run goes on, it costs one query.
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

// Watch calls the watchdogs of several kinds of runs. Each has a time of its own, an equal part of what is left, so
// that one that is slow keeps no other from its turn.
func Watch(ctx context.Context, requeue ...func(ctx context.Context) (int, error)) (err error) {
	for i, one := range requeue {
		part, end := PartOf(ctx, 1, len(requeue)-i)
		_, failed := one(part)
		err = errors.Join(err, failed)
		end()
	}
	return err
}

// PartOf gives so many parts of the time that ctx has left.
func PartOf(ctx context.Context, parts, of int) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*time.Duration(parts)/time.Duration(of))
}

// Retire calls remove for runs of a query that are old, most of them at once, and says for how many. One that another
// process removes is left to it; a failure does not keep the next from being removed.
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

// Drop removes the rows of a query for which all conditions hold. Rows that another process removes meanwhile do no
// harm.
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
		ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: storage.AnyETag}})
		if len(ops) < storage.MaxOps {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return flush()
}
