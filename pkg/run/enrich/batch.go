package enrich

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Bounds of batches.
const (
	MaxLines    = 2000 // entries of a batch
	MaxAttempts = 3    // batches in a row for an entry that got no answer
	MaxActive   = 100  // batches of a schema that go on at once; more are refused
	MaxList     = 100  // batches that are listed at once
)

// Window is within what time a batch is to be done; services know no other.
const Window = 24 * time.Hour

// BatchState is how far a batch is with us.
type BatchState string

// The states of a batch, in order.
const (
	Queued  BatchState = "queued"  // waits for the timer, or until NotBefore
	Sending BatchState = "sending" // is being handed over; whether it was is known to the service
	Running BatchState = "running" // the service has it
	Done    BatchState = "done"    // every line has its outcome
)

// Batch is many entries that are enriched together.
type Batch struct {
	ID        string
	Schema    string
	State     BatchState
	Attempt   int    // from 1
	Next      string // the batch that has its lines with the outcome Again
	Model     string
	Remote    string // the service's id
	Status    string // in the service's word, as last seen
	Message   string // what went wrong last
	Lines     int    // entries; the next five are their outcomes, once it is done
	Enriched  int
	Skipped   int
	Failed    int
	Cancelled int
	Again     int
	Strangers int // results that are nobody's: unknown ids and broken lines
	Usage     llm.Usage
	NotBefore time.Time // zero for at once
	CreatedAt time.Time
	SentAt    time.Time // of the first try; zero before
	EndedAt   time.Time
	// CancelledAt is when its end was asked for; zero if nobody did.
	CancelledAt time.Time

	lease time.Time // until when somebody is at it
	etag  storage.ETag
}

const (
	partition = "batch"
	idPrefix  = "t1-"
	afterIDs  = "t1."
	lastMilli = 9_999_999_999_999
)

// newID makes an id that sorts before all older ones, so that the newest batches are listed first. An
// id with its attempt has at most 29 bytes, which leaves room in the id of a line.
func newID(now time.Time, token string) string {
	return fmt.Sprintf("%s%013d-%s", idPrefix, lastMilli-now.UnixMilli(), token)
}

// root is the id of the first batch in a row of attempts.
func root(id string) string {
	first, _, _ := strings.Cut(id, ".")
	return first
}

// next is the id of the attempt after this.
func (b *Batch) next() string { return fmt.Sprintf("%s.%d", root(b.ID), b.Attempt+1) }

func rowKey(id string) storage.Key { return storage.Key{Partition: partition, Row: id} }

func (b *Batch) entity() storage.Entity {
	return storage.Entity{Key: rowKey(b.ID), ETag: b.etag, Props: storage.Properties{
		"v": int64(1), "schema": b.Schema, "state": string(b.State), "attempt": int64(b.Attempt), "next": b.Next,
		"model":  b.Model,
		"remote": b.Remote, "status": b.Status, "message": b.Message, "lines": int64(b.Lines),
		"enriched": int64(b.Enriched), "skipped": int64(b.Skipped), "failed": int64(b.Failed),
		"cancelled": int64(b.Cancelled), "again": int64(b.Again), "strangers": int64(b.Strangers),
		"tokensIn": int64(b.Usage.In), "tokensOut": int64(b.Usage.Out), "cost": b.Usage.Cost,
		"notBefore": storage.FormatTime(b.NotBefore), "createdAt": storage.FormatTime(b.CreatedAt),
		"sentAt":  storage.FormatTime(b.SentAt),
		"endedAt": storage.FormatTime(b.EndedAt), "cancelledAt": storage.FormatTime(b.CancelledAt),
		"lease": storage.FormatTime(b.lease),
	}}
}

func batchOf(e storage.Entity) Batch {
	p := props(e.Props)
	return Batch{
		ID: e.Row, Schema: p.text("schema"), State: BatchState(p.text("state")), Attempt: p.number("attempt"),
		Next:  p.text("next"),
		Model: p.text("model"), Remote: p.text("remote"), Status: p.text("status"), Message: p.text("message"),
		Lines:    p.number("lines"),
		Enriched: p.number("enriched"), Skipped: p.number("skipped"), Failed: p.number("failed"),
		Cancelled: p.number("cancelled"), Again: p.number("again"), Strangers: p.number("strangers"),
		Usage:     llm.Usage{In: p.number("tokensIn"), Out: p.number("tokensOut"), Cost: p.float("cost")},
		NotBefore: p.time("notBefore"), CreatedAt: p.time("createdAt"), SentAt: p.time("sentAt"), EndedAt: p.time("endedAt"),
		CancelledAt: p.time("cancelledAt"),
		lease:       p.time("lease"), etag: e.ETag,
	}
}

// props reads columns; one that is missing is zero.
type props storage.Properties

func (p props) text(name string) string { s, _ := p[name].(string); return s }

func (p props) number(name string) int { n, _ := p[name].(int64); return int(n) }

func (p props) float(name string) float64 { f, _ := p[name].(float64); return f }

func (p props) time(name string) time.Time { return storage.ParseTime(p.text(name)) }

// Batch reads a batch; NotFound if the schema has none of that id.
func (s *Service) Batch(ctx context.Context, schema, id string) (Batch, error) {
	b, err := s.read(ctx, schema, id)
	if err != nil || b.State == Done {
		return b, err
	}
	a, err := readActive(ctx, s.tables[schema], id)
	if fault.Is(err, fault.NotFound) {
		return s.read(ctx, schema, id) // it has ended meanwhile
	}
	b.CancelledAt = a.cancelledAt
	return b, err
}

// read reads the row of a batch. Whether its end was asked for since it was written is not in it.
func (s *Service) read(ctx context.Context, schema, id string) (Batch, error) {
	t, err := s.table(schema)
	if err != nil {
		return Batch{}, err
	}
	if err := checkID("id", id); err != nil {
		return Batch{}, err
	}
	e, err := t.Get(ctx, rowKey(id))
	if fault.Is(err, fault.NotFound) {
		return Batch{}, fault.New(fault.NotFound, "no batch has the id %.100s", id)
	}
	if err != nil {
		return Batch{}, err
	}
	return batchOf(e), nil
}

func checkID(field, id string) error {
	if !strings.HasPrefix(id, idPrefix) || len(id) > 100 || storage.CheckKey(rowKey(id)) != nil {
		return fault.Field(field, "%.100q is not the id of a batch", id)
	}
	return nil
}

// List reads the newest batches of a schema, at most top, older than the batch of the id before; ""
// is from the newest. Attempts of one follow it.
func (s *Service) List(ctx context.Context, schema string, top int, before string) ([]Batch, error) {
	t, err := s.table(schema)
	if err != nil {
		return nil, err
	}
	if top < 1 || top > MaxList {
		return nil, fault.Field("top", "top must be from 1 to %d, not %d", MaxList, top)
	}
	q := storage.Query{Partition: partition, RowFrom: idPrefix, RowTo: afterIDs, PageSize: top}
	if before != "" {
		if err := checkID("before", before); err != nil {
			return nil, err
		}
		q.RowFrom = before + "!" // sorts before the dot of the next attempt
	}
	var out []Batch
	for e, err := range t.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		if out = append(out, batchOf(e)); len(out) == top {
			break
		}
	}
	return out, s.tellCancelled(ctx, t, out)
}

// write replaces the row of a batch as it was read. Conflict says that somebody else was quicker, and
// that nothing more may be done.
func (s *Service) write(ctx context.Context, b *Batch) error {
	tags, err := s.tables[b.Schema].Transact(ctx, storage.Op{Kind: storage.Replace, Entity: b.entity()})
	if err == nil {
		b.etag = tags[0]
	}
	return err
}

// prepare writes the lines of a batch that is to be, and gives what makes it one. The lines come
// first, so that no batch is without.
func (s *Service) prepare(ctx context.Context, b Batch, ids []string) ([]storage.Op, error) {
	var lines []Line
	for i, id := range ids {
		lines = append(lines, Line{No: i, Entry: id, Outcome: Waiting})
	}
	return []storage.Op{
		{Kind: storage.Insert, Entity: b.entity()},
		{Kind: storage.Insert, Entity: storage.Entity{Key: activeKey(b.ID), Props: storage.Properties{}}},
	}, writeLines(ctx, s.tables[b.Schema], b.ID, lines)
}
