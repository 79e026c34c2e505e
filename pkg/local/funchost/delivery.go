package funchost

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// process runs the function on one message, and finishes the message according to the outcome.
func (l *queueListener) process(ctx context.Context, m storage.Message) {
	switch {
	case m.Malformed:
		l.setAside(ctx, m, "its text is not base64")
		return
	case m.Dequeued > l.config.maxDequeue:
		l.setAside(ctx, m, "delivered too often")
		return
	}
	stop := l.renew(ctx, m)
	err := l.invoker.invoke(ctx, l.f, queueEnvelope(l.f, m, time.Now()))
	l.finish(ctx, stop(), err)
}

// renew extends the message's visibility whenever half of it has passed, until the returned function is called. That
// function returns the message with its latest receipt.
func (l *queueListener) renew(ctx context.Context, m storage.Message) (stop func() storage.Message) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(l.visibility / 2)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			// An extension that has begun must finish, or its receipt would be lost.
			next, err := l.queue.Extend(context.WithoutCancel(ctx), m, l.visibility)
			if err == nil {
				m = next
				continue
			}
			l.log.Warn("visibility not renewed; the message may be delivered again", "message", m.ID, "err", err)
			if fault.Is(err, fault.NotFound) {
				return
			}
		}
	})
	return func() storage.Message {
		cancel()
		wg.Wait()
		return m
	}
}

// finish deletes a message that succeeded, and releases a message that failed. After the last attempt, it moves a
// failed message to the poison queue instead.
func (l *queueListener) finish(ctx context.Context, m storage.Message, outcome error) {
	// The message must be finished even when the host ends; otherwise it would stay hidden for minutes.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWait)
	defer cancel()
	var err error
	switch {
	case outcome == nil:
		err = l.queue.Delete(ctx, m)
	case l.poison == nil:
		// The message stays hidden until its visibility timeout ends: without a poison queue, a released message
		// would be delivered again and again without a pause.
	case m.Dequeued >= l.config.maxDequeue:
		l.setAside(ctx, m, "failed too often")
	default:
		_, err = l.queue.Extend(ctx, m, l.config.retryDelay)
	}
	if err != nil {
		l.log.Warn("message not settled; it will be delivered again", "message", m.ID, "err", err)
	}
}

// setAside moves a message to the poison queue. It copies the message before it deletes it, so that a failure may
// duplicate the message but never lose it.
func (l *queueListener) setAside(ctx context.Context, m storage.Message, why string) {
	if l.poison == nil {
		l.log.Error("message stays where it is: this queue has no poison queue", "message", m.ID, "why", why)
		return
	}
	if err := l.copyAside(ctx, m); err != nil {
		l.log.Error("message not moved to the poison queue", "message", m.ID, "why", why, "err", err)
		return
	}
	l.log.Error("message moved to the poison queue", "message", m.ID, "why", why, "dequeued", m.Dequeued)
	l.invoker.wake()
}

func (l *queueListener) copyAside(ctx context.Context, m storage.Message) error {
	if err := l.poison.Create(ctx); err != nil {
		return err
	}
	if err := l.poison.Send(ctx, m.Body, 0); err != nil {
		return err
	}
	return l.queue.Delete(ctx, m)
}
