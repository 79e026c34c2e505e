package funchost

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// malformed is a store whose main queue holds messages that its adapter cannot decode.
type malformed struct{ storage.Store }

func (s malformed) Queue(name string) storage.Queue {
	if name != "jobs" {
		return s.Store.Queue(name)
	}
	return malformedQueue{s.Store.Queue(name)}
}

type malformedQueue struct{ storage.Queue }

func (q malformedQueue) Receive(ctx context.Context, most int, visibility time.Duration) ([]storage.Message, error) {
	got, err := q.Queue.Receive(ctx, most, visibility)
	for i := range got {
		got[i].Malformed = true
	}
	return got, err
}

// latecomer is a queue whose messages arrive just after the listener was stopped.
type latecomer struct {
	storage.Queue
	stop context.CancelFunc
}

func (q latecomer) Receive(ctx context.Context, most int, visibility time.Duration) ([]storage.Message, error) {
	defer q.stop()
	return q.Queue.Receive(ctx, most, visibility)
}

func TestMessagesThatComeAtTheEndArePutBack(t *testing.T) {
	t.Parallel()
	r := &rig{t: t, store: mem.New(time.Now)}
	r.send("jobs", "late")
	ctx, stop := context.WithCancel(t.Context())
	l := &queueListener{queue: latecomer{r.store.Queue("jobs"), stop}, config: queueConfig{batchSize: 1},
		visibility: time.Hour}
	if n, err := l.fetch(ctx); n != 0 || err != nil {
		t.Errorf("%d messages begun, %v", n, err)
	}
	if diff := cmp.Diff([]string{"late"}, r.bodies("jobs")); diff != "" {
		t.Error(diff)
	}
}
