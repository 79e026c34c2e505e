package app

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// lazyIndex is an index of a service that need not be up when the app starts: crawling goes on without it, as
// it does when the service goes down later. A call that needs the index creates it first, if that was not possible
// before.
type lazyIndex struct {
	search.Index
	// created is called with the index once it is there; what it does may be repeated. It is set before the
	// index is used.
	created func(context.Context, search.Index) error
	log     *slog.Logger

	building *semaphore.Weighted // for what follows; waiting for it ends with the caller's context
	done     bool
	tried    time.Time
	err      error // of the last try
}

// betweenTries is how long a service that was down is left alone.
const betweenTries = 30 * time.Second

func newLazyIndex(index search.Index, log *slog.Logger) *lazyIndex {
	return &lazyIndex{Index: index, log: log, building: semaphore.NewWeighted(1)}
}

// create creates the index, unless it exists or this was tried just now.
func (x *lazyIndex) create(ctx context.Context, now time.Time) error {
	if err := x.building.Acquire(ctx, 1); err != nil {
		return fault.New(fault.Unavailable, "waiting for the index: %w", err)
	}
	defer x.building.Release(1)
	if x.done || now.Sub(x.tried) < betweenTries {
		return x.err
	}
	x.tried = now
	if x.err = x.Index.Create(ctx); x.err == nil {
		x.err = x.created(ctx, x.Index)
	}
	x.done = x.err == nil
	return x.err
}

// Create tries once. An error that will pass is left to later callers; one that will not, such as an index
// that is somebody else's, is returned.
func (x *lazyIndex) Create(ctx context.Context) error {
	err := x.create(ctx, time.Now())
	if fault.Down(err) {
		x.log.Error("search index not reached; crawling without it for now", "err", err)
		return nil
	}
	return err
}

// ready is create for later callers: whatever keeps the index away, no page or query is at fault.
func (x *lazyIndex) ready(ctx context.Context) error {
	err := x.create(ctx, time.Now())
	if err != nil && !fault.Is(err, fault.Throttled) {
		return fault.New(fault.Unavailable, "%v", err)
	}
	return err
}

func (x *lazyIndex) Put(ctx context.Context, pages ...search.Page) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	return x.Index.Put(ctx, pages...)
}

func (x *lazyIndex) Remove(ctx context.Context, id string, held *search.Contents) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	return x.Index.Remove(ctx, id, held)
}

func (x *lazyIndex) Search(ctx context.Context, q search.Query) (search.Results, error) {
	if err := x.ready(ctx); err != nil {
		return search.Results{}, err
	}
	return x.Index.Search(ctx, q)
}

func (x *lazyIndex) Suggest(ctx context.Context, typed string) ([]string, error) {
	if err := x.ready(ctx); err != nil {
		return nil, err
	}
	return x.Index.Suggest(ctx, typed)
}

func (x *lazyIndex) Count(ctx context.Context) (int, error) {
	if err := x.ready(ctx); err != nil {
		return 0, err
	}
	return x.Index.Count(ctx)
}

func (x *lazyIndex) Ping(ctx context.Context) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	return x.Index.Ping(ctx)
}

func (x *lazyIndex) Inspect(ctx context.Context, id string) (search.Stored, error) {
	if err := x.ready(ctx); err != nil {
		return search.Stored{}, err
	}
	return x.Index.Inspect(ctx, id)
}

func (x *lazyIndex) IDs(ctx context.Context, after string, top int) ([]string, error) {
	if err := x.ready(ctx); err != nil {
		return nil, err
	}
	return x.Index.IDs(ctx, after, top)
}
