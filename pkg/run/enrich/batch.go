package enrich

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Bounds on batches.
const (
	MaxLines    = 2000 // number of entries in a batch
	maxAttempts = 3    // number of consecutive batches that may give an entry no answer
	maxActive   = 100  // number of active batches of a schema; further batches are refused
	MaxList     = 100  // number of batches that one call lists
)

// Window is the time within which the service must finish a batch. Services offer no other time.
const Window = 24 * time.Hour

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
