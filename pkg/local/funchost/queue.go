package funchost

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	receiveWait  = 30 * time.Second
	finishWait   = 10 * time.Second
	poisonSuffix = "-poison"
)

// A queueListener delivers the messages of one queue to one function.
type queueListener struct {
	invoker    *invoker
	tasks      *tasks
	f          *function
	config     queueConfig
	queue      storage.Queue
	poison     storage.Queue // nil if this is a poison queue, or if the poison queue's name would be too long
	visibility time.Duration
	log        *slog.Logger

	mu       sync.Mutex
	running  int
	finished chan struct{} // has one token when an invocation has ended
	nudge    chan struct{} // has one token when new messages are likely

	rounds *rounds     // poll the queue while it is parked; nil if it polls itself then, too
	parked atomic.Bool // the queue has been empty for long
}

func newQueueListener(o Options, c queueConfig, i *invoker, t *tasks, f *function) *queueListener {
	l := &queueListener{
		invoker: i, tasks: t, f: f, config: c, queue: o.Store.Queue(f.queue), visibility: o.Visibility,
		log:      o.Log.With("function", f.name, "queue", f.queue),
		finished: make(chan struct{}, 1), nudge: make(chan struct{}, 1),
	}
	if name := f.queue + poisonSuffix; !strings.HasSuffix(f.queue, poisonSuffix) && len(name) <= maxQueueName {
		l.poison = o.Store.Queue(name)
	}
	return l
}

// listen polls until ctx ends. It polls at once after a poll that found messages, more and more slowly while the
// queue is empty, and not at all while the number of running invocations is above the threshold. Where there are
// [rounds], they poll a queue that has been empty for long. Running invocations continue after listen returns.
func (l *queueListener) listen(ctx context.Context) {
	misses, used, failing := 0, time.Now(), false
	for ctx.Err() == nil {
		if l.busy() {
			waitFor(ctx, l.finished, time.Hour)
			continue
		}
		polled := time.Now()
		n, err := l.fetch(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			l.log.Warn("queue does not answer; polling goes on", "err", err, "kind", fault.KindOf(err))
		}
		failing = err != nil
		if n > 0 {
			misses, used = 0, polled
			continue
		}
		pause := pollPause(misses, l.config.maxPoll, rand.Float64())
		misses++
		if l.rounds != nil && pause == l.config.maxPoll {
			l.parked.Store(true)
			poke(l.rounds.nudge) // it may have a message that is not visible yet
			waitFor(ctx, l.nudge, time.Hour)
			l.parked.Store(false)
		} else if waitFor(ctx, l.nudge, together(pause, l.config.maxPoll, time.Now())) {
			waitFor(ctx, nil, wakeGap(time.Since(used))-time.Since(polled))
		}
	}
}

// pollPause returns the pause after the given number of misses in a row. Without a miss it is 100 ms. After a miss, a
// second part is added, which begins at 100 ms and doubles with each miss. The jitter, in [0, 1), varies this part by
// a fifth. The pause never exceeds most.
func pollPause(misses int, most time.Duration, jitter float64) time.Duration {
	if misses == 0 {
		return min(minPoll, most)
	}
	grown := float64(minPoll) * float64(int(1)<<min(misses-1, 20)) * (0.8 + 0.4*jitter)
	return min(minPoll+time.Duration(grown), most)
}

// together shortens the longest pause, so that all idle queues are polled at the same moments. The process then wakes
// up once for all of them.
func together(pause, most time.Duration, now time.Time) time.Duration {
	if pause < most {
		return pause
	}
	return now.Truncate(most).Add(most).Sub(now)
}

// wakeGap returns the time after a poll in which a wake-up causes no other poll, for a queue that had no message for
// the duration idle. So a queue in use is polled at once, and a busy function does not make idle queues expensive.
func wakeGap(idle time.Duration) time.Duration {
	return max(10*time.Millisecond, min(idle/8, 250*time.Millisecond))
}

// waitFor waits for the duration d or until a token arrives, and reports whether a token arrived.
func waitFor(ctx context.Context, token <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-token:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}

func (l *queueListener) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running > l.config.threshold
}

// fetch receives one batch and starts an invocation for each message. A queue that does not exist counts as empty:
// the host neither creates it nor gives up.
func (l *queueListener) fetch(ctx context.Context) (int, error) {
	// An interrupted receive may hide messages from all receivers, so it must finish.
	calm, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiveWait)
	defer cancel()
	batch, err := l.queue.Receive(calm, l.config.batchSize, l.visibility)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	if ctx.Err() != nil {
		l.putBack(calm, batch)
		return 0, nil
	}
	for _, m := range batch {
		l.begin()
		l.tasks.run(func(ctx context.Context) {
			defer l.end()
			l.process(ctx, m)
		})
	}
	return len(batch), err
}

// putBack releases messages that were received while the listener stopped.
func (l *queueListener) putBack(ctx context.Context, batch []storage.Message) {
	for _, m := range batch {
		if _, err := l.queue.Extend(ctx, m, 0); err != nil {
			l.log.Warn("message not put back; it stays hidden for a while", "message", m.ID, "err", err)
		}
	}
}

func (l *queueListener) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running++
}

func (l *queueListener) end() {
	l.mu.Lock()
	l.running--
	l.mu.Unlock()
	poke(l.finished)
}

// poke puts a token into a channel unless it has one.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
