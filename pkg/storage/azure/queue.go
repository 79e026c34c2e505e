package azure

import (
	"context"
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Queue = (*queue)(nil)

type queue struct {
	name   string
	bad    error // the error if the name is not allowed
	client *azqueue.QueueClient
	raw    bool
}

// forever is the time to live of messages that never expire. The service's default is seven days.
const forever = int32(-1)

func (q *queue) send(ctx context.Context, do func(ctx context.Context) error) error {
	if q.bad != nil {
		return q.bad
	}
	return failure("queue "+q.name, send(ctx, Queue, do))
}

// Create makes the queue if it is missing.
func (q *queue) Create(ctx context.Context) error {
	return q.send(ctx, func(ctx context.Context) error {
		_, err := q.client.Create(ctx, nil)
		if codeOf(err) == "QueueAlreadyExists" { // the queue exists, but with other metadata
			return nil
		}
		return err
	})
}

// Send adds a message.
func (q *queue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	if err := storage.CheckQueueMessage(body, delay); err != nil {
		return err
	}
	text, err := q.encode(body)
	if err != nil {
		return err
	}
	hidden, ttl := storage.WholeSeconds(delay), forever
	return q.send(ctx, func(ctx context.Context) error {
		_, err := q.client.EnqueueMessage(ctx, text, &azqueue.EnqueueMessageOptions{TimeToLive: &ttl,
			VisibilityTimeout: &hidden})
		return err
	})
}

// encode returns the text of a message with the given body. The Functions host expects base64.
func (q *queue) encode(body []byte) (string, error) {
	if !q.raw {
		return base64.StdEncoding.EncodeToString(body), nil
	}
	text := string(body)
	for _, r := range text {
		// XML cannot represent these characters, and the SDK would replace them with U+FFFD.
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return "", fault.New(fault.Invalid, "queue %s: the message is not plain text", q.name)
		}
	}
	if !utf8.ValidString(text) {
		return "", fault.New(fault.Invalid, "queue %s: the message is not UTF-8", q.name)
	}
	return text, nil
}

// decode decodes the text of a message. Text that Send did not write is returned unchanged.
func (q *queue) decode(text string) (body []byte, malformed bool) {
	if q.raw {
		return []byte(text), false
	}
	body, err := base64.StdEncoding.DecodeString(text)
	if err != nil || text == "" {
		return []byte(text), true
	}
	return body, false
}

// Receive receives up to max messages.
func (q *queue) Receive(ctx context.Context, max int, visibility time.Duration) ([]storage.Message, error) {
	if err := storage.CheckReceive(max, visibility); err != nil {
		return nil, err
	}
	number, hidden := int32(max), storage.WholeSeconds(visibility)
	var resp azqueue.DequeueMessagesResponse
	err := q.send(ctx, func(ctx context.Context) (err error) {
		resp, err = q.client.DequeueMessages(ctx, &azqueue.DequeueMessagesOptions{NumberOfMessages: &number,
			VisibilityTimeout: &hidden})
		return err
	})
	if err != nil {
		return nil, err
	}
	messages := make([]storage.Message, len(resp.Messages))
	for i, m := range resp.Messages {
		messages[i] = q.message(m)
	}
	return messages, nil
}

func (q *queue) message(m *azqueue.DequeuedMessage) storage.Message {
	body, malformed := q.decode(value(m.MessageText))
	return storage.Message{
		ID:          value(m.MessageID),
		Receipt:     value(m.PopReceipt),
		Body:        body,
		Malformed:   malformed,
		Dequeued:    int(value(m.DequeueCount)),
		Inserted:    value(m.InsertionTime),
		Expires:     value(m.ExpirationTime),
		NextVisible: value(m.TimeNextVisible),
	}
}

// value returns the value that p points to, or the zero value if p is nil. Answers may lack required fields.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// errNotOurs returns the error for a message that was not received from this queue. The id of such a message may be
// empty, and an empty id would address all messages.
func (q *queue) errNotOurs() error {
	return fault.New(fault.NotFound, "queue %s: the message is no longer ours", q.name)
}

// Extend hides a message for longer, or makes it visible at once. The service requires the text of the message in the
// request.
func (q *queue) Extend(ctx context.Context, m storage.Message, visibility time.Duration) (storage.Message, error) {
	if err := storage.CheckVisibility(visibility, 0); err != nil {
		return storage.Message{}, err
	}
	if m.ID == "" || m.Receipt == "" {
		return storage.Message{}, q.errNotOurs()
	}
	text, err := string(m.Body), error(nil)
	if !m.Malformed {
		if text, err = q.encode(m.Body); err != nil {
			return storage.Message{}, err
		}
	}
	hidden := storage.WholeSeconds(visibility)
	err = q.send(ctx, func(ctx context.Context) error {
		resp, err := q.client.UpdateMessage(ctx, m.ID, m.Receipt, text,
			&azqueue.UpdateMessageOptions{VisibilityTimeout: &hidden})
		if err == nil {
			m.Receipt, m.NextVisible = value(resp.PopReceipt), value(resp.TimeNextVisible)
		}
		return err
	})
	return m, err
}

// Delete removes a message.
func (q *queue) Delete(ctx context.Context, m storage.Message) error {
	if m.ID == "" || m.Receipt == "" {
		return q.errNotOurs()
	}
	return q.send(ctx, func(ctx context.Context) error {
		_, err := q.client.DeleteMessage(ctx, m.ID, m.Receipt, nil)
		return err
	})
}

// Waits reports whether a message is visible.
func (q *queue) Waits(ctx context.Context) (some bool, err error) {
	err = q.send(ctx, func(ctx context.Context) error {
		resp, err := q.client.PeekMessages(ctx, nil) // one message, if the number is not given
		some = len(resp.Messages) > 0
		return err
	})
	return some, err
}

// Length returns the approximate number of messages.
func (q *queue) Length(ctx context.Context) (n int, err error) {
	err = q.send(ctx, func(ctx context.Context) error {
		resp, err := q.client.GetProperties(ctx, nil)
		n = int(value(resp.ApproximateMessagesCount))
		return err
	})
	return n, err
}
