// Package run manages work that takes longer than one call: a rebuild, an import, a backfill. A run is a row that is
// advanced in bounded steps. Any process may perform the next step, and a process may die at any time.
//
//	PK <kind>  RK <run>          the run: the request, the progress, the number of its next step
//	           RK active|<id>    while the run is active
//
//	Begin ──► step ──► step ──► … ──► over
//	            ▲        │
//	            ╰────────╯  a message of the queue names the run and the step
//
// A package that has its own kind of runs describes them by a [Runs] and provides a function that performs one step.
// The step changes the run in memory. This package writes the run by compare-and-swap, lists it as active until it is
// over, and sends the message for the next step.
//
// # Repeated, late and lost steps
//
// A message contains the number of the step that it asks for. If a message is delivered twice or late, its step is
// already done, and nothing happens. A step whose process dies is performed again, so every step must be safe to
// repeat up to its write. When two processes perform the same step at the same time, one of them writes the run. The
// other gets [fault.Lost], which is not treated as an error. A lost message is sent again by the watchdog,
// [Runs.RequeueStalled], which a timer calls. While no run is active, the watchdog costs one query.
//
// Some kinds of runs have no queue: a timer advances them instead.
package run

import (
	"context"
	"crypto/rand"
	"iter"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Runs manages all runs of one kind, each of type R. It is safe for concurrent use by any number of processes.
type Runs[R any] struct {
	Kind      string // name of one run in errors and logs, such as "rebuild"
	Table     storage.Table
	Partition string
	Messages  Messages // format of the messages; if it has no queue, runs are not listed, and a timer advances them

	MaxActive int                    // number of runs that may be active at the same time
	Stalled   time.Duration          // how long a run may go without a step before its message counts as lost
	CheckID   func(id string) error  // returns Invalid for a malformed id; if nil, all ids are accepted
	RowKey    func(id string) string // returns the key of a run's row; if nil, the key is the id

	Row    Codec[R]
	Fields func(r *R) Fields

	Clock func() time.Time
	Log   *slog.Logger
}

// Codec reads and writes the columns of a run; see [row.Codec].
type Codec[R any] interface {
	Encode(one *R) storage.Properties
	Decode(props storage.Properties) (R, error)
}

// Fields are the fields of a run that this package reads and changes. A field whose pointer is nil is ignored.
type Fields struct {
	ID        *string       // if the id has no column, it is the row's key
	Over      bool          // the run has ended
	Step      *int64        // number of the next step
	UpdatedAt *time.Time    // when the last step was done
	NotBefore *time.Time    // the earliest time of the next step
	ETag      *storage.ETag // ETag of the row as it was read; empty for a run that was never written
}

// CheckID returns the function of [Runs.CheckID] for a kind whose ids begin with a prefix. The error of the function
// is about the given field, and says that the text is not the id of what is given.
func CheckID(partition, prefix, field, what string) func(id string) error {
	return func(id string) error {
		if !strings.HasPrefix(id, prefix) || prefix != "" && len(id) > maxID || strings.HasPrefix(id, ActivePrefix) ||
			storage.CheckKey(storage.Key{Partition: partition, Row: id}) != nil {
			return fault.Field(field, "%.100q is not the id of %s", id, what)
		}
		return nil
	}
}

// maxID is the most bytes of an id with a prefix.
const maxID = 100

// Token returns a text that makes the id of a run unique: ten letters and digits. They are in lower case, because ids
// occur in paths, and some systems ignore the case of paths.
func Token() string { return strings.ToLower(rand.Text()[:10]) }

// Defaults sets options that are nil: the clock to the wall clock, the token to [Token], and the log to one that
// discards everything.
func Defaults(clock *func() time.Time, token *func() string, log **slog.Logger) {
	defaults.Clock(clock)
	if *token == nil {
		*token = Token
	}
	defaults.Log(log)
}

// Clip prepares a text from an unknown source for a run's row. It returns at most n bytes, without control
// characters, so that encoding as JSON at most doubles the size.
func Clip(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(words.Clip(s, n), ""))
}

// ActivePrefix is the prefix of the keys of the rows that list active runs.
const ActivePrefix = "active|"

// Key returns the full key of a row of these runs.
func (r *Runs[R]) Key(row string) storage.Key {
	return storage.Key{Partition: r.Partition, Row: row}
}

// Now returns the current time with the precision that rows store.
func (r *Runs[R]) Now() time.Time { return r.Clock().UTC().Truncate(time.Millisecond) }

func (r *Runs[R]) runKey(id string) storage.Key {
	if r.RowKey != nil {
		return r.Key(r.RowKey(id))
	}
	return r.Key(id)
}

// Creator is a table or a queue.
type Creator interface {
	Create(ctx context.Context) error
}

// Create creates the queue, the table and the given others, if they are missing.
func (r *Runs[R]) Create(ctx context.Context, others ...Creator) error {
	all := append([]Creator{r.Table}, others...)
	if r.Messages.Queue != nil {
		all = append(all, r.Messages.Queue)
	}
	for _, one := range all {
		if err := one.Create(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Get reads a run. Errors: NotFound if there is none; Invalid for a malformed id.
func (r *Runs[R]) Get(ctx context.Context, id string) (one R, err error) {
	if r.CheckID != nil {
		err = r.CheckID(id)
	}
	if err != nil {
		return one, err
	}
	e, err := r.Table.Get(ctx, r.runKey(id))
	if fault.Is(err, fault.NotFound) {
		return one, fault.New(fault.NotFound, "no %s has the id %s", r.Kind, id)
	}
	if err != nil {
		return one, err
	}
	return r.read(e)
}

func (r *Runs[R]) read(e storage.Entity) (R, error) {
	one, err := r.Row.Decode(e.Props)
	f := r.Fields(&one)
	if *f.ETag = e.ETag; *f.ID == "" {
		*f.ID = e.Row
	}
	if err != nil {
		err = fault.New(fault.Internal, "the row of %s %s is damaged: %w", r.Kind, *f.ID, err)
	}
	return one, err
}

// Prefix returns a query for the rows of these runs whose keys begin with prefix, which must not be empty.
func (r *Runs[R]) Prefix(prefix string) storage.Query {
	last := len(prefix) - 1
	return storage.Query{Partition: r.Partition, RowFrom: prefix, RowTo: prefix[:last] + string(prefix[last]+1)}
}

// All reads the runs that a query finds.
func (r *Runs[R]) All(ctx context.Context, q storage.Query) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for e, err := range r.Table.Query(ctx, q) {
			var one R
			if err == nil {
				one, err = r.read(e)
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

// Begin writes a new run and lists it as active, in one transaction with other operations. When Begin returns, the
// run is durable. The caller then sends the first message; see [Runs.Enqueue].
func (r *Runs[R]) Begin(ctx context.Context, one *R, others ...storage.Op) error {
	if r.Messages.Queue != nil {
		others = append(others, r.ActiveOp(*r.Fields(one).ID))
	}
	return r.transact(ctx, one, others...)
}

// Save writes the present state of a run, in one transaction with other operations. If the run is over, Save also
// removes it from the list of active runs. It returns an error that [fault.Lost] recognizes when another process
// wrote the run first.
func (r *Runs[R]) Save(ctx context.Context, one *R, others ...storage.Op) error {
	if f := r.Fields(one); f.Over && r.Messages.Queue != nil {
		others = append(others, r.InactiveOp(*f.ID))
	}
	return r.transact(ctx, one, others...)
}

func (r *Runs[R]) transact(ctx context.Context, one *R, others ...storage.Op) error {
	tags, err := r.Table.Transact(ctx, append([]storage.Op{r.Op(one)}, others...)...)
	if err == nil {
		*r.Fields(one).ETag = tags[0]
	}
	return err
}

// Op returns the operation that writes the row of a run: an insert if the run was never read, or else a
// compare-and-swap.
func (r *Runs[R]) Op(one *R) storage.Op {
	f, kind := r.Fields(one), storage.Replace
	if *f.ETag == "" {
		kind = storage.Insert
	}
	return storage.Op{Kind: kind, Entity: storage.Entity{Key: r.runKey(*f.ID), ETag: *f.ETag, Props: r.Row.Encode(one)}}
}

// changes limits the number of times that Change reads and changes a run, if other processes write the run at the
// same time.
const changes = 20

// Change reads a run, calls fn to change it, and writes it in one transaction with the operations that fn returns. If
// another process writes the run first, Change reads the run again and calls fn again.
func (r *Runs[R]) Change(ctx context.Context, id string, fn func(one *R) ([]storage.Op, error)) (R, error) {
	for range changes {
		one, err := r.Get(ctx, id)
		if err != nil {
			return one, err
		}
		ops, err := fn(&one)
		if err != nil {
			return one, err
		}
		if at := r.Fields(&one).UpdatedAt; at != nil {
			*at = r.Now()
		}
		if err = r.transact(ctx, &one, ops...); !fault.Is(err, fault.Conflict) {
			return one, err
		}
	}
	var none R
	return none, fault.New(fault.Unavailable, "the %s changes too quickly: try again", r.Kind)
}
