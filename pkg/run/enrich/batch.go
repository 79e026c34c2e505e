package enrich

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Bounds on batches.
const (
	MaxLines    = 2000 // number of entries in a batch
	maxAttempts = 3    // number of consecutive batches that may give an entry no answer
	maxActive   = 100  // number of active batches of a schema; further batches are refused
	MaxList     = 100  // number of batches that one call lists
)

// window is the time within which the service must finish a batch. Services offer no other time.
const window = 24 * time.Hour

// BatchState is the state of a batch in this program.
type BatchState string

// The states of a batch, in order.
const (
	Queued  BatchState = "queued"  // the batch waits for the timer, or until NotBefore
	Sending BatchState = "sending" // the batch is being sent; only the service knows whether it arrived
	Running BatchState = "running" // the service has the batch
	Done    BatchState = "done"    // every line has an outcome
)

// Batch is a set of entries that are enriched together.
type Batch struct {
	ID        string
	V         int        `col:"v"` // version of the row, always 1
	Schema    string     `col:"schema"`
	State     BatchState `col:"state"`
	Attempt   int        `col:"attempt"` // number of the attempt, starting at 1
	Next      string     `col:"next"`    // id of the next batch, which has the lines with the outcome Again
	Model     string     `col:"model"`
	File      string     `col:"file"`    // id of the file with the questions at the service; "" if it is not there
	Remote    string     `col:"remote"`  // id that the service gave to the batch
	Status    string     `col:"status"`  // state of the batch at the service, when it was last polled
	Message   string     `col:"message"` // the last error
	Lines     int        `col:"lines"`   // number of entries; when the batch is done, the sum of the next five
	Enriched  int        `col:"enriched"`
	Skipped   int        `col:"skipped"`
	Failed    int        `col:"failed"`
	Cancelled int        `col:"cancelled"`
	Again     int        `col:"again"`
	Strangers int        `col:"strangers"` // results that belong to no line: unknown ids and broken lines
	Usage     llm.Usage  `col:",inline"`
	NotBefore time.Time  `col:"notBefore"` // when the next step may begin; if zero, at once
	CreatedAt time.Time  `col:"createdAt"`
	SentAt    time.Time  `col:"sentAt"` // when the batch was first sent; zero if it was not
	EndedAt   time.Time  `col:"endedAt"`
	// CancelledAt is the time at which cancellation was requested; zero if it was not.
	CancelledAt time.Time `col:"cancelledAt"`
	Lease       time.Time `col:"lease"` // the time until which a process holds the batch

	etag storage.ETag
}

func fields(b *Batch) run.Fields { return run.Fields{ID: &b.ID, Over: b.State == Done, ETag: &b.etag} }

const (
	partition = "batch"
	idPrefix  = "t1-"
	lastMilli = 9_999_999_999_999
)

// newID returns an id that sorts before all older ids, so that the newest batches are listed first. Together with the
// attempt, an id has at most 29 bytes, which leaves room in the id of a line.
func newID(now time.Time, token string) string {
	return fmt.Sprintf("%s%013d-%s", idPrefix, lastMilli-now.UnixMilli(), token)
}

// root returns the id of the first batch in a series of attempts.
func root(id string) string {
	first, _, _ := strings.Cut(id, ".")
	return first
}

// next returns the id of the next attempt.
func (b *Batch) next() string { return fmt.Sprintf("%s.%d", root(b.ID), b.Attempt+1) }

// Batch reads a batch. Errors: NotFound when the schema has no batch with that id.
func (s *Service) Batch(ctx context.Context, schema, id string) (Batch, error) {
	runs, err := s.in(schema)
	if err != nil {
		return Batch{}, err
	}
	b, err := runs.Get(ctx, id)
	if err != nil || b.State == Done {
		return b, err
	}
	a, _, err := readActive(ctx, runs, id)
	if fault.Is(err, fault.NotFound) {
		return runs.Get(ctx, id) // the batch has ended in the meantime
	}
	b.CancelledAt = a.CancelledAt
	return b, err
}

var checkID = run.CheckID(partition, idPrefix, "id", "a batch")

// List returns batches of a schema, newest first, up to the given number. If before is set, it is the id of a batch,
// and List begins after that batch. The further attempts of a batch are listed after it.
func (s *Service) List(ctx context.Context, schema string, top int, before string) (out []Batch, err error) {
	runs, err := s.in(schema)
	if err != nil {
		return nil, err
	}
	if top < 1 || top > MaxList {
		return nil, fault.Field("top", "top must be from 1 to %d, not %d", MaxList, top)
	}
	q := runs.Prefix(idPrefix)
	q.PageSize = top
	if before != "" {
		if err := checkID(before); err != nil {
			return nil, fault.Field("before", "%w", err)
		}
		q.RowFrom = before + "!" // the exclamation mark sorts before the dot of the next attempt
	}
	for b, err := range runs.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		if out = append(out, b); len(out) == top {
			break
		}
	}
	return out, addCancelled(ctx, runs, out)
}

// keepDone is how long finished batches and their lines are kept. Their results are in the entries.
const keepDone = 30 * 24 * time.Hour

// purgePortion limits the number of batches of a schema that one call removes.
const purgePortion = 20

// Purge removes batches that have been done for [keepDone], up to 20 of each schema per call. Each call continues
// where the last one stopped. To keep the search cheap, Purge works only in the first two minutes of an hour; at
// other times it returns at once.
func (s *Service) Purge(ctx context.Context) (removed int, err error) {
	now := s.now()
	if now.Minute() >= 2 {
		return 0, nil
	}
	before := now.Add(-keepDone)
	for _, schema := range s.o.Schemas {
		runs := s.batches[schema]
		q := runs.Prefix(idPrefix)
		q.RowFrom = newID(before, "") // ids have the time of creation, rows the time of the end
		n, failed := runs.Retire(ctx, q, purgePortion,
			func(b *Batch) bool { return b.State == Done && b.EndedAt.Before(before) }, s.remove)
		removed, err = removed+n, errors.Join(err, failed)
	}
	return removed, err
}

// remove removes a batch. It removes the row last, so that a batch whose removal was interrupted is found again. It
// also removes the lines of a next batch, if that batch was cancelled before its row was written (see
// [Service.finish]).
func (s *Service) remove(ctx context.Context, b *Batch) error {
	runs, partitions := s.batches[b.Schema], []string{b.ID}
	if b.Cancelled > 0 && b.Next == "" {
		partitions = append(partitions, b.next())
	}
	for _, p := range partitions {
		if err := run.Drop(ctx, runs.Table, storage.Query{Partition: p, Select: []string{"outcome"}}); err != nil {
			return err
		}
	}
	_, err := runs.Table.Transact(ctx, storage.DeleteOp(runs.Key(b.ID), b.etag))
	return err
}

// finish ends a batch whose lines are decided. The same transaction moves the lines that are to be asked about again
// into the next batch, because no step reads this batch afterwards. In a cancelled batch these lines are cancelled
// instead. If the batch is cancelled at this moment, the transaction fails, and a later step ends the batch once the
// lease has expired.
func (s *Service) finish(ctx context.Context, b *Batch) (end run.Next, err error) {
	runs := s.batches[b.Schema]
	a, etag, err := readActive(ctx, runs, b.ID)
	if fault.Is(err, fault.NotFound) {
		return end, run.ErrDone
	}
	if err != nil {
		return end, err
	}
	lines, err := s.Lines(ctx, b.Schema, b.ID)
	if err != nil {
		return end, err
	}
	if b.CancelledAt = a.CancelledAt; !a.CancelledAt.IsZero() {
		if lines, err = s.release(ctx, b, lines); err != nil {
			return end, err
		}
	}
	active := runs.InactiveOp(b.ID)
	active.Entity.ETag = etag
	end.Ops = []storage.Op{active}
	again, now := b.count(lines), s.now()
	b.Next = ""
	if len(again) > 0 {
		b.Next = b.next()
		next := Batch{
			ID: b.Next, V: 1, Schema: b.Schema, State: Queued, Attempt: b.Attempt + 1, Model: b.Model, Lines: len(again),
			CreatedAt: now, NotBefore: b.NotBefore,
		}
		end.Ops = append(end.Ops, runs.Op(&next), runs.ActiveOp(next.ID))
		err = s.writeNew(ctx, &next, again)
	}
	b.State, b.EndedAt, b.Lease, b.NotBefore = Done, now, time.Time{}, time.Time{}
	return end, err
}

// count adds up the outcomes of lines, and returns the entries to ask about again.
func (b *Batch) count(lines []Line) (again []string) {
	b.Lines, b.Enriched, b.Skipped, b.Failed, b.Cancelled, b.Again, b.Usage = len(lines), 0, 0, 0, 0, 0, llm.Usage{}
	for _, l := range lines {
		b.Usage = b.Usage.Add(l.Usage)
		switch l.Outcome {
		case Written:
			b.Enriched++
		case Skipped:
			b.Skipped++
		case Fruitless:
			b.Failed++
		case Cancelled:
			b.Cancelled++
		default:
			again = append(again, l.Entry)
		}
	}
	b.Again = len(again)
	return again
}

// active is the row of an active batch; it also records whether the batch is to be cancelled. The row of the batch
// itself cannot record this: a concurrent write of that row could lose the id that the service has given to the
// batch. The timer reads the row of type active at no extra cost.
type active struct {
	ID          string
	CancelledAt time.Time `col:"cancelledAt"` // zero if nobody has cancelled the batch
}

var actives = row.Of[active]()

// readActive reads the row of one active batch. Errors: NotFound when the batch is not active.
func readActive(ctx context.Context, runs *run.Runs[Batch], id string) (a active, etag storage.ETag, err error) {
	a, etag, err = actives.Load(ctx, runs.Table, runs.Key(run.ActivePrefix+id))
	if err == nil && etag == "" {
		err = fault.New(fault.NotFound, "the batch %s does not go on", id)
	}
	return a, etag, err
}

// listActive lists the active batches by the times in their ids, oldest first.
func listActive(ctx context.Context, runs *run.Runs[Batch]) (list []active, err error) {
	for e, err := range runs.Table.Query(ctx, runs.Prefix(run.ActivePrefix)) {
		if err != nil {
			return nil, err
		}
		a, _ := actives.Decode(e.Props) // a row without columns can be decoded, too
		a.ID = strings.TrimPrefix(e.Row, run.ActivePrefix)
		list = append(list, a)
	}
	slices.Reverse(list)
	return list, nil
}

// addCancelled sets the time of cancellation of those batches in the list that are active. If all batches in the list
// are done, it costs nothing.
func addCancelled(ctx context.Context, runs *run.Runs[Batch], list []Batch) error {
	if !slices.ContainsFunc(list, func(b Batch) bool { return b.State != Done }) {
		return nil
	}
	going, err := listActive(ctx, runs)
	for i, b := range list {
		for _, a := range going {
			if a.ID == b.ID {
				list[i].CancelledAt = a.CancelledAt
			}
		}
	}
	return err
}

// Cancel requests the cancellation of a batch. [Service.Advance] carries it out: answers that the service has given
// by then are used, and everything else is cancelled. Repeated requests have no further effect. Errors: NotFound when
// the schema has no batch with that id; Conflict for a batch that is done.
func (s *Service) Cancel(ctx context.Context, schema, id string) (Batch, error) {
	b, err := s.Batch(ctx, schema, id)
	switch {
	case err != nil:
		return b, err
	case b.State == Done && b.Next != "":
		return b, fault.New(fault.Conflict, "the batch is done; what it left goes on in the batch %s, which can be cancelled",
			b.Next)
	case b.State == Done:
		return b, fault.New(fault.Conflict, "the batch is done already")
	case !b.CancelledAt.IsZero():
		return b, nil
	}
	runs := s.batches[schema]
	a, etag, err := readActive(ctx, runs, id)
	if err == nil {
		b.CancelledAt = runs.Now()
		a.CancelledAt = b.CancelledAt
		_, err = runs.Table.Transact(ctx, actives.Put(runs.Key(run.ActivePrefix+id), etag, &a))
	}
	if fault.Lost(err) {
		return s.Cancel(ctx, schema, id) // the batch has ended or was cancelled, so this second call is the last
	}
	return b, err
}
