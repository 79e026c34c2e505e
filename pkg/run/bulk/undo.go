package bulk

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// A run of a person can be taken back, by another run that does the opposite to the items which the first has changed.
// Each step notes these before it changes them:
//
//	Runs  PK bulk-changed  RK <run id>|<step>  the ids of the items that a step changes
//
// Items that were changed meanwhile stay as they are: they count as failed, with the reason.

const (
	changedPartition = "bulk-changed"
	// stepWait is how long a run that is taken back may need for the step in which it was.
	stepWait = 30 * time.Second
)

// restore takes back removals.
const restore Op = "restore"

// opposite has the operations that can be taken back, with those that do so.
var opposite = map[Op]Op{Tag: Untag, Untag: Tag, Pause: Resume, Resume: Pause, Remove: restore}

// begun is what a record says of a run.
type begun struct {
	Begun bool `json:"begun,omitempty"`
}

// record keeps a record of a run that is about to begin, if it can be taken back.
func (s *Service) record(ctx context.Context, one *Run) error {
	if opposite[one.Op] == "" || one.Undoes != "" {
		return nil
	}
	keep := undo.Long
	if one.Op == Remove {
		keep = undo.Removed
	}
	done := s.o.Undo.Begin(undo.Bulk, one.ID, telemetry.From(ctx).Actor, keep)
	err := s.o.Undo.Keep(ctx, done, begun{}, begun{true})
	if one.Undo = done.Ref(); one.Undo != nil {
		one.Recorded = true
	}
	return err
}

// TakeBack ends a run, if it goes on, and begins another that takes it back.
func (s *Service) TakeBack(ctx context.Context, done *undo.Record) (Run, error) {
	active := false
	one, err := s.runs.Change(ctx, done.Subject, func(one *Run) ([]storage.Op, error) {
		if active = one.State != Done; !active {
			return nil, run.ErrDone
		}
		one.Stopped = true
		return nil, nil
	})
	switch {
	case fault.Is(err, fault.NotFound):
		return one, fault.New(fault.Conflict, "there is nothing to take back: the run has not begun")
	case active && err != nil:
		return one, err
	case active:
		s.runs.Enqueue(ctx, &one, 0)
	}
	return s.Start(ctx, Ask{Op: opposite[one.Op], Tag: one.Tag, Undoes: one.ID, Settling: active})
}

var changedRows = row.Of[changed]()

// changed is what a step changes.
type changed struct {
	IDs []string `col:"ids,gzip"`
}

func changedKey(run string, step int64) storage.Key {
	return storage.Key{Partition: changedPartition, Row: fmt.Sprintf("%s|%08d", run, step)}
}

// note writes which items a step is about to change. A step that is repeated adds those that are left.
func (s *Service) note(ctx context.Context, one *Run, items []registry.Item) error {
	var ids []string
	for i := range items {
		if one.Ask.changes(&items[i]) {
			ids = append(ids, string(items[i].ID))
		}
	}
	if !one.Recorded || len(ids) == 0 {
		return nil
	}
	key := changedKey(one.ID, one.Step)
	kept, _, err := changedRows.Load(ctx, s.runs.Table, key)
	if err != nil {
		return err
	}
	for _, id := range kept.IDs {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	_, err = s.runs.Table.Transact(ctx, storage.Op{Kind: storage.Upsert,
		Entity: storage.Entity{Key: key, Props: changedRows.Encode(&changed{ids})}})
	return err
}

// changes reports whether the operation changes an item.
func (a Ask) changes(it *registry.Item) bool {
	switch a.Op {
	case Tag:
		return !slices.Contains(it.Tags, a.Tag)
	case Untag:
		return slices.Contains(it.Tags, a.Tag)
	case Pause:
		return !it.Paused
	case Resume:
		return it.Paused
	case Remove:
		return !it.RemoveRequested
	case restore:
		return it.RemoveRequested
	}
	return false
}

// toUndo returns the ids of the next items of a run that takes back another, those of one of its steps.
func (s *Service) toUndo(ctx context.Context, one *Run) (ids []string, over bool, err error) {
	query := storage.Query{Partition: changedPartition, RowFrom: changedKey(one.Undoes, int64(one.Next)).Row,
		RowTo: one.Undoes + "}", PageSize: 1}
	for e, err := range s.runs.Table.Query(ctx, query) {
		if err != nil {
			return nil, false, err
		}
		step, err := strconv.Atoi(strings.TrimPrefix(e.Row, one.Undoes+"|"))
		if err != nil {
			return nil, false, fault.New(fault.Internal, "the key of a step is damaged: %w", err)
		}
		one.Next = step + 1
		kept, _ := changedRows.Decode(e.Props) // damaged: nothing of it is taken back
		return kept.IDs, false, nil
	}
	return nil, true, nil
}

// unchanged refuses an item of which somebody has changed meanwhile what a run has changed.
func (s *Service) unchanged(ctx context.Context, one *Run, it *registry.Item) error {
	was, err := s.Get(ctx, one.Undoes)
	if err != nil {
		return err
	}
	about := map[Op][]string{Tag: {"tags: "}, Untag: {"tags: "}, Pause: {"paused", "resumed"},
		Resume: {"paused", "resumed"}}[one.Op]
	for _, d := range it.History {
		isAbout := slices.ContainsFunc(about, func(text string) bool { return strings.Contains(d.Why, text) })
		if d.What == "set" && d.At.After(was.EndedAt) && isAbout {
			return fault.New(fault.Invalid, "it was changed meanwhile, and stays as it is")
		}
	}
	return nil
}

// Sweep removes what was noted of runs that can be taken back no more, and returns the number of rows.
func (s *Service) Sweep(ctx context.Context) (removed int, err error) {
	before := s.runs.Now().Add(-undo.Long - 24*time.Hour)
	var ops []storage.Op
	for e, err := range s.runs.Table.Query(ctx, storage.Query{Partition: changedPartition, Select: []string{"none"},
		RowTo: idAt(before)}) {
		if err != nil {
			return 0, err
		}
		ops = append(ops, storage.DeleteOp(e.Key, storage.AnyETag))
	}
	return len(ops), storage.TransactAll(ctx, s.runs.Table, ops)
}
