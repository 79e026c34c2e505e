package app

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// lazyIndex is an index of a service that may be down when the app starts. Crawling continues without the index, as
// it does when the service goes down later. If the index could not be created at the start, the first call that needs
// it creates it.
type lazyIndex struct {
	search.Index
	// created is called with the index once the index exists. It must be safe to call again, and must be set before
	// the index is used.
	created func(context.Context, search.Index) error
	log     *slog.Logger

	building *semaphore.Weighted // guards the fields below; a wait for it ends when the caller's context ends
	done     bool
	tried    time.Time
	err      error // error of the last try
}

// betweenTries is the pause after which a service that was down is tried again.
const betweenTries = 30 * time.Second

func newLazyIndex(index search.Index, log *slog.Logger) *lazyIndex {
	return &lazyIndex{Index: index, log: log, building: semaphore.NewWeighted(1)}
}

// create creates the index, unless the index exists or the last try was less than betweenTries ago.
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

// Create tries once to create the index. It ignores a temporary error, because later callers try again. It returns a
// permanent error, such as for an index that belongs to another application.
func (x *lazyIndex) Create(ctx context.Context) error {
	err := x.create(ctx, time.Now())
	if fault.Down(err) {
		x.log.Error("search index not reached; crawling without it for now", "err", err)
		return nil
	}
	return err
}

// ready creates the index for later callers. An error from ready, whatever its reason, never counts as a failure of a
// page or a query.
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

// whenReady asks the index something once it is created.
func whenReady[T any](ctx context.Context, x *lazyIndex, ask func() (T, error)) (answer T, err error) {
	if err := x.ready(ctx); err != nil {
		return answer, err
	}
	return ask()
}

func (x *lazyIndex) Search(ctx context.Context, q search.Query) (search.Results, error) {
	return whenReady(ctx, x, func() (search.Results, error) { return x.Index.Search(ctx, q) })
}

func (x *lazyIndex) Suggest(ctx context.Context, typed string) ([]string, error) {
	return whenReady(ctx, x, func() ([]string, error) { return x.Index.Suggest(ctx, typed) })
}

func (x *lazyIndex) Page(ctx context.Context, id string) (search.Page, error) {
	return whenReady(ctx, x, func() (search.Page, error) { return x.Index.Page(ctx, id) })
}

func (x *lazyIndex) Follow(ctx context.Context, q search.FollowQuery) (search.Followed, error) {
	return whenReady(ctx, x, func() (search.Followed, error) { return x.Index.Follow(ctx, q) })
}

func (x *lazyIndex) Forget(ctx context.Context, before time.Time) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	return x.Index.Forget(ctx, before)
}

func (x *lazyIndex) Count(ctx context.Context) (int, error) {
	return whenReady(ctx, x, func() (int, error) { return x.Index.Count(ctx) })
}

func (x *lazyIndex) Ping(ctx context.Context) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	return x.Index.Ping(ctx)
}

func (x *lazyIndex) Inspect(ctx context.Context, id string) (search.Stored, error) {
	return whenReady(ctx, x, func() (search.Stored, error) { return x.Index.Inspect(ctx, id) })
}

func (x *lazyIndex) IDs(ctx context.Context, after string, top int) ([]string, error) {
	return whenReady(ctx, x, func() ([]string, error) { return x.Index.IDs(ctx, after, top) })
}
