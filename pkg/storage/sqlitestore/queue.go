package sqlitestore

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Queue = (*queue)(nil)

// never is the expiry time of messages. It is in the year that Azure writes for messages that never expire.
var never = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

type queue struct{ *gate }

// Send adds a message.
func (q *queue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	if err := storage.CheckQueueMessage(body, delay); err != nil {
		return err
	}
	id, err := q.ready(ctx)
	if err != nil {
		return err
	}
	now := q.s.now()
	return q.s.write(ctx, func(t *tx) error {
		_, err := t.exec("INSERT INTO messages (id, queue, visible, receipt, dequeued, inserted, body) VALUES (?, ?, ?, 0, "+
			"0, ?, ?)",
			t.next(), id, hiddenUntil(now, delay), now.UnixNano(), body)
		return err
	})
}

// Receive receives up to max messages. It prefers the messages that have been visible longest, and among equals those
// that were sent first.
func (q *queue) Receive(ctx context.Context, max int, visibility time.Duration) ([]storage.Message, error) {
	if err := storage.CheckReceive(max, visibility); err != nil {
		return nil, err
	}
	id, err := q.ready(ctx)
	if err != nil {
		return nil, err
	}
	now := q.s.now()
	if some, err := q.waits(ctx, id, now); err != nil || !some {
		return nil, err
	}
	var got []storage.Message
	err = q.s.write(ctx, func(t *tx) (err error) {
		got, err = receive(t, id, max, now, hiddenUntil(now, visibility))
		return err
	})
	if err != nil {
		return nil, err
	}
	return got, nil
}

// Waits reports whether a message is visible.
func (q *queue) Waits(ctx context.Context) (bool, error) {
	id, err := q.ready(ctx)
	if err != nil {
		return false, err
	}
	return q.waits(ctx, id, q.s.now())
}

// waits reports whether the queue has a visible message. It only reads. So repeated receives from an empty queue do
// not acquire the writer's lock.
func (q *queue) waits(ctx context.Context, id int64, now time.Time) (some bool, err error) {
	err = q.s.read.Row(ctx, "SELECT EXISTS (SELECT 1 FROM messages WHERE queue = ? AND visible <= ?)",
		[]any{id, now.UnixNano()}, &some)
	return some, q.s.kinded(ctx, err)
}

// FirstVisible returns, for each queue that has messages, when the first of them is visible. It is one read for all
// queues.
func (s *Store) FirstVisible(ctx context.Context) (map[string]time.Time, error) {
	if s.isClosed() {
		return nil, errClosed()
	}
	first := map[string]time.Time{}
	var name string
	var at sql.NullInt64
	for err := range s.read.Rows(ctx, "SELECT name, (SELECT min(visible) FROM messages WHERE queue = created.id) "+
		"FROM created WHERE kind = 'queue'", nil, &name, &at) {
		if err != nil {
			return nil, s.kinded(ctx, err)
		}
		if at.Valid {
			first[name] = instant(at.Int64)
		}
	}
	return first, nil
}

// receiving is a single statement that receives the first visible messages of a queue. A receipt is valid only
// together with its message id, so the messages of one call may share a receipt.
const receiving = `UPDATE messages SET dequeued = dequeued + 1, visible = ?, receipt = ? WHERE id IN
(SELECT id FROM messages WHERE queue = ? AND visible <= ? ORDER BY visible, id LIMIT ?)
RETURNING id, dequeued, inserted, body`

func receive(t *tx, queue int64, max int, now time.Time, until int64) (got []storage.Message, err error) {
	receipt := t.next()
	args := []any{until, receipt, queue, now.UnixNano(), max}
	var id, inserted int64
	m := storage.Message{Receipt: text(receipt), Expires: never, NextVisible: instant(until)}
	for err := range t.stmts.Rows(context.Background(), receiving, args, &id, &m.Dequeued, &inserted, &m.Body) {
		if err != nil {
			return nil, err
		}
		m.ID, m.Inserted = text(id), instant(inserted)
		got = append(got, m)
	}
	// The statement returns the messages in arbitrary order.
	slices.SortFunc(got, func(a, b storage.Message) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	return got, nil
}

// Extend hides a message for longer, or makes it visible at once.
func (q *queue) Extend(ctx context.Context, m storage.Message, visibility time.Duration) (storage.Message, error) {
	if err := storage.CheckVisibility(visibility, 0); err != nil {
		return storage.Message{}, err
	}
	id, err := q.ready(ctx)
	if err != nil {
		return storage.Message{}, err
	}
	until := hiddenUntil(q.s.now(), visibility)
	var receipt int64
	err = q.s.write(ctx, func(t *tx) error {
		receipt = t.next()
		n, err := t.exec("UPDATE messages SET visible = ?, receipt = ? WHERE id = ? AND queue = ? AND receipt = ?",
			until, receipt, number(m.ID), id, number(m.Receipt))
		return foundOne(n, err)
	})
	if err != nil {
		return storage.Message{}, err
	}
	m.Body = bytes.Clone(m.Body)
	m.Receipt, m.NextVisible = text(receipt), instant(until)
	return m, nil
}

// Delete removes a message.
func (q *queue) Delete(ctx context.Context, m storage.Message) error {
	id, err := q.ready(ctx)
	if err != nil {
		return err
	}
	return q.s.write(ctx, func(t *tx) error {
		return foundOne(t.exec("DELETE FROM messages WHERE id = ? AND queue = ? AND receipt = ?", number(m.ID), id,
			number(m.Receipt)))
	})
}

// GiveBack makes all messages visible that were received and not deleted, in every queue. Messages that were sent with
// a delay stay hidden. Callers must know that no other process has the messages in work.
func (s *Store) GiveBack(ctx context.Context) error {
	now := s.now().UnixNano()
	return s.write(ctx, func(t *tx) error {
		_, err := t.exec("UPDATE messages SET visible = ?, receipt = ? WHERE dequeued > 0 AND visible > ?",
			now, t.next(), now)
		return err
	})
}

// foundOne returns NotFound if a write found no message.
func foundOne(touched int64, err error) error {
	if err == nil && touched == 0 {
		return fault.New(fault.NotFound, "the message is no longer ours")
	}
	return err
}

// Length counts all messages of the queue. It reads only the queue's part of an index.
func (q *queue) Length(ctx context.Context) (n int, err error) {
	id, err := q.ready(ctx)
	if err != nil {
		return 0, err
	}
	err = q.s.read.Row(ctx, "SELECT count(*) FROM messages WHERE queue = ?", []any{id}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, q.s.kinded(ctx, err)
}

// hiddenUntil returns the end of the time for which a message is hidden. It rounds up to whole seconds, as the
// service does.
func hiddenUntil(now time.Time, d time.Duration) int64 {
	return now.Add(time.Duration(storage.WholeSeconds(d)) * time.Second).UnixNano()
}

func instant(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }

// text encodes ids and receipts. The function number decodes them. A malformed id or receipt decodes to a number that
// was never issued, such as 0 for messages that were never received.
func text(n int64) string { return strconv.FormatInt(n, 36) }

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 36, 64)
	if err != nil || n <= 0 || text(n) != s {
		return -1
	}
	return n
}
