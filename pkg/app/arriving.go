package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// arriving is an index of a service that need not be up when the app starts: crawling goes on
// without it, as it does when the service goes down later. Whoever needs the index has it made first,
// if that was not possible before.
type arriving struct {
	search.Index
	arrive func(ctx context.Context) error // makes the index, and has it filled; may be repeated
	log    *slog.Logger

	turn  chan struct{} // held by whoever looks at what follows; waiting for it ends with the caller's context
	done  bool
	tried time.Time
	err   error // of the last try
}

// betweenTries is how long a service that was down is left alone.
const betweenTries = 30 * time.Second

func newArriving(index search.Index, arrive func(ctx context.Context) error, log *slog.Logger) *arriving {
	return &arriving{Index: index, arrive: arrive, log: log, turn: make(chan struct{}, 1)}
}

// arrived has the index made, unless it is, or was tried just now.
func (a *arriving) arrived(ctx context.Context, now time.Time) error {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "waiting for the index: %w", ctx.Err())
	}
	if !a.done && now.Sub(a.tried) >= betweenTries {
		a.tried, a.err = now, a.arrive(ctx)
		a.done = a.err == nil
	}
	return a.err
}

// Create tries once. What will pass is left to those who come later; what will not, such as an index
// that is somebody else's, is the error.
func (a *arriving) Create(ctx context.Context) error {
	err := a.arrived(ctx, time.Now())
	if fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Throttled) {
		a.log.Error("search index not reached; crawling without it for now", "err", err)
		return nil
	}
	return err
}

// ready is arrived for those who come later: whatever kept the index away, no page or query is at
// fault.
func (a *arriving) ready(ctx context.Context) error {
	err := a.arrived(ctx, time.Now())
	if err != nil && !fault.Is(err, fault.Throttled) {
		return fault.New(fault.Unavailable, "%v", err)
	}
	return err
}

func (a *arriving) Put(ctx context.Context, pages ...search.Page) error {
	if err := a.ready(ctx); err != nil {
		return err
	}
	return a.Index.Put(ctx, pages...)
}

func (a *arriving) Remove(ctx context.Context, id string, held *search.Held) error {
	if err := a.ready(ctx); err != nil {
		return err
	}
	return a.Index.Remove(ctx, id, held)
}

func (a *arriving) Search(ctx context.Context, q search.Query) (search.Results, error) {
	if err := a.ready(ctx); err != nil {
		return search.Results{}, err
	}
	return a.Index.Search(ctx, q)
}

func (a *arriving) Count(ctx context.Context) (int, error) {
	if err := a.ready(ctx); err != nil {
		return 0, err
	}
	return a.Index.Count(ctx)
}

func (a *arriving) Holds(ctx context.Context, id string) (search.Holding, error) {
	if err := a.ready(ctx); err != nil {
		return search.Holding{}, err
	}
	return a.Index.Holds(ctx, id)
}

func (a *arriving) IDs(ctx context.Context, after string, top int) ([]string, error) {
	if err := a.ready(ctx); err != nil {
		return nil, err
	}
	return a.Index.IDs(ctx, after, top)
}
