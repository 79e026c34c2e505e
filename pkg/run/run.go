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

// Runs are the runs of one kind, each an R. It is safe for concurrent use by any number of processes.
type Runs[R any] struct {
	Kind      string // what one is called in errors and logs, such as "rebuild"
	Table     storage.Table
	Partition string
	Messages  Messages // for the next step; without a queue, runs are not listed, and a timer takes them on

	MaxActive int                    // how many may go on at once
	Stalled   time.Duration          // after how long without a step the message is taken for lost
	CheckID   func(id string) error  // Invalid for what is not the id of a run; nil accepts all
	RowKey    func(id string) string // of a run's row; the id itself when nil

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

// Fields are what this package reads and changes of a run. Pointers that are nil are left alone.
type Fields struct {
	ID        *string       // may be without a column; then it is the row's key
	Over      bool          // it has come to its end
	Step      *int64        // number of the next step
	UpdatedAt *time.Time    // when the last step was done
	NotBefore *time.Time    // when the next step may begin
	ETag      *storage.ETag // of the row as it was read; empty for a run that is not written yet
}

// Token makes the ids of runs unique: ten letters and digits in lower case, because paths with ids in them are not
// always told apart by case.
func Token() string { return strings.ToLower(rand.Text()[:10]) }

// Defaults fills in what the options of a service leave open: the wall clock, [Token], and a log that is discarded.
func Defaults(clock *func() time.Time, token *func() string, log **slog.Logger) {
	defaults.Clock(clock)
	if *token == nil {
		*token = Token
	}
	defaults.Log(log)
}

// Clip makes a text of strangers fit into a run's row, at most n bytes: it has no control characters, so that JSON
// at most doubles it.
func Clip(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(words.Clip(s, n), ""))
}

// ActivePrefix begins the row keys of runs that go on.
const ActivePrefix = "active|"

// Key is that of a row of these runs.
func (r *Runs[R]) Key(row string) storage.Key {
	return storage.Key{Partition: r.Partition, Row: row}
}

// Now is the time as rows know it.
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

// Create makes the queue, the table and what else is given, if they are missing.
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

// Get reads a run. Kinds: NotFound if there is none; Invalid for what is not an id.
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

// Prefix asks for the rows of these runs whose keys begin so. The prefix must not be empty.
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

// Begin writes a run and lists it as active, in one transaction with other operations. When it returns, the run is
// durable. The caller sends the first message, see [Runs.Enqueue].
func (r *Runs[R]) Begin(ctx context.Context, one *R, others ...storage.Op) error {
	if r.Messages.Queue != nil {
		others = append(others, r.ActiveOp(*r.Fields(one).ID))
	}
	return r.transact(ctx, one, others...)
}

// Save writes a run as it now is, in one transaction with other operations, and lists it no longer if it is over.
// [fault.Lost] when another process wrote it before.
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

// Op writes the row of a run: an insert if it was not read, else by compare-and-swap.
func (r *Runs[R]) Op(one *R) storage.Op {
	f, kind := r.Fields(one), storage.Replace
	if *f.ETag == "" {
		kind = storage.Insert
	}
	return storage.Op{Kind: kind, Entity: storage.Entity{Key: r.runKey(*f.ID), ETag: *f.ETag, Props: r.Row.Encode(one)}}
}

// changes is how often a run is read again because another process wrote it.
const changes = 20

// Change rewrites a run in one transaction with the operations that fn gives, and calls fn again with the run as it
// then is when another process was quicker.
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
