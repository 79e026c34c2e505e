package funchost

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// malformed is a store whose main queue holds texts that its adapter cannot decode.
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
