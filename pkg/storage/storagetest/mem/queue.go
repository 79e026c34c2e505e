package mem

import (
	"bytes"
	"container/heap"
	"context"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Queue = (*queue)(nil)

// never is the expiry time of messages. It is in the year that the service writes for messages that never expire.
var never = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

type message struct {
	id       int64 // ids increase in the order in which messages are sent
	receipt  string
	body     []byte
	dequeued int
	inserted time.Time
	visible  time.Time
	at       int // index in the heap
}

type queue struct {
	gate
	now      func() time.Time
	last     int64 // the last id or receipt that was issued
	byID     map[string]*message
	schedule schedule
}

// schedule is a heap of messages, ordered by the time at which they become visible, and then by the time at which
// they were sent.
type schedule []*message

func (s schedule) Len() int { return len(s) }

func (s schedule) Less(i, j int) bool {
	if !s[i].visible.Equal(s[j].visible) {
		return s[i].visible.Before(s[j].visible)
	}
	return s[i].id < s[j].id
}

func (s schedule) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].at, s[j].at = i, j
}

// Push implements heap.Interface.
func (s *schedule) Push(x any) {
	m := x.(*message)
	m.at = len(*s)
	*s = append(*s, m)
}

// Pop implements heap.Interface.
func (s *schedule) Pop() any {
	last := len(*s) - 1
	m := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	return m
}

// Send adds a message.
func (q *queue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	if err := storage.CheckQueueMessage(body, delay); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.ready(ctx); err != nil {
		return err
	}
	now := q.now()
	q.last++
	m := &message{id: q.last, body: bytes.Clone(body), inserted: now, visible: now.Add(seconds(delay))}
	q.byID[name(m.id)] = m
	heap.Push(&q.schedule, m)
	return nil
}

// Receive receives up to max messages.
func (q *queue) Receive(ctx context.Context, max int, visibility time.Duration) ([]storage.Message, error) {
	if err := storage.CheckReceive(max, visibility); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.ready(ctx); err != nil {
		return nil, err
	}
	now := q.now()
	var got []storage.Message
	for len(got) < max && len(q.schedule) > 0 && !q.schedule[0].visible.After(now) {
		m := q.schedule[0]
		m.dequeued++
		q.hide(m, now, visibility)
		got = append(got, delivery(m))
	}
	return got, nil
}

// hide hides the message and gives it a new receipt, which invalidates the old one.
func (q *queue) hide(m *message, now time.Time, visibility time.Duration) {
	q.last++
	m.receipt = name(q.last)
	m.visible = now.Add(seconds(visibility))
	heap.Fix(&q.schedule, m.at)
}

func delivery(m *message) storage.Message {
	return storage.Message{
		ID:          name(m.id),
		Receipt:     m.receipt,
		Body:        bytes.Clone(m.body),
		Dequeued:    m.dequeued,
		Inserted:    m.inserted,
		Expires:     never,
		NextVisible: m.visible,
	}
}

// Extend hides a message for longer, or makes it visible at once.
func (q *queue) Extend(ctx context.Context, d storage.Message, visibility time.Duration) (storage.Message, error) {
	if err := storage.CheckVisibility(visibility, 0); err != nil {
		return storage.Message{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	m, err := q.delivered(ctx, d)
	if err != nil {
		return storage.Message{}, err
	}
	q.hide(m, q.now(), visibility)
	d.Receipt, d.NextVisible = m.receipt, m.visible
	return d, nil
}

// Delete removes a message.
func (q *queue) Delete(ctx context.Context, d storage.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	m, err := q.delivered(ctx, d)
	if err != nil {
		return err
	}
	heap.Remove(&q.schedule, m.at)
	delete(q.byID, d.ID)
	return nil
}

// delivered returns the message that was delivered as d. It fails if the message was delivered again since then.
func (q *queue) delivered(ctx context.Context, d storage.Message) (*message, error) {
	if err := q.ready(ctx); err != nil {
		return nil, err
	}
	m, ok := q.byID[d.ID]
	if !ok || d.Receipt == "" || m.receipt != d.Receipt {
		return nil, fault.New(fault.NotFound, "the message is no longer ours")
	}
	return m, nil
}

// Waits reports whether a message is visible.
func (q *queue) Waits(ctx context.Context) (bool, error) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return len(q.schedule) > 0 && !q.schedule[0].visible.After(q.now()), q.ready(ctx)
}

// Length counts all messages.
func (q *queue) Length(ctx context.Context) (int, error) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return len(q.schedule), q.ready(ctx)
}

// seconds rounds d up to whole seconds, as the service does.
func seconds(d time.Duration) time.Duration {
	return time.Duration(storage.WholeSeconds(d)) * time.Second
}

func name(n int64) string { return strconv.FormatInt(n, 36) }
