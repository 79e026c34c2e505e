package crawl

import (
	"context"
	"fmt"
	"sync/atomic"

	opsmemory "github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// room is the part of the worker's memory that a check holds (S2): first for a large body while it arrives, then for
// reading the body and cutting the text into chunks.
type room struct {
	of     *opsmemory.Room
	leaves []func()
	body   bool // the check holds memory for a large body
	work   bool // the check holds memory for work on a document
}

// large waits until there is memory for a large body. Further large bodies of the same check share the memory of the
// first. A check that already works on a document gets the memory at once or not at all: if it waited for more memory
// while it holds some, it could wait for ever.
func (r *room) large(ctx context.Context) error {
	if r.body {
		return nil
	}
	of := r.of.Large
	if r.work {
		of = r.of.LargeNow
	}
	leave, err := of(ctx)
	if err = notNow(ctx, err); err == nil {
		r.body, r.leaves = true, append(r.leaves, leave)
	}
	return err
}

// begin waits until there is memory for work on a document of n bytes.
func (r *room) begin(ctx context.Context, n int) error {
	if r.work {
		return nil
	}
	leave, err := r.of.Work(ctx, n)
	if err = notNow(ctx, err); err == nil {
		r.work, r.leaves = true, append(r.leaves, leave)
	}
	return err
}

// notNow returns the error of a wait for memory. A wait that lasts until the worker's time is over says nothing about
// the page, which then waits for the next job.
func notNow(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", politeness.ErrNotNow, err)
	}
	return err
}

// end releases the memory.
func (r *room) end() {
	for _, leave := range r.leaves {
		leave()
	}
	r.leaves, r.body, r.work = nil, false, false
}

// maxUnindexed bounds the bytes of text and vectors that wait in memory for the index, over all batches. A batch
// commits at once when it finds that the bound is exceeded.
const maxUnindexed = 32 << 20

// waiting counts the bytes of a worker's batches that wait for the index.
type waiting struct{ bytes atomic.Int64 }

// add adds n bytes, and reports whether the bound is reached.
func (w *waiting) add(n int) (full bool) { return w.bytes.Add(int64(n)) >= maxUnindexed }

// Images returns the images of an item as the index shows them, in page order. If the index does not contain the
// page, Images returns none. The images are read from the item's snapshot under the present rules. Images makes no
// request to a site and writes nothing. It costs one read of the capture and one of the capture's blob.
func (w *Worker) Images(ctx context.Context, it registry.Item) ([]search.Image, error) {
	if it.IndexedHash == "" || it.ImageCount == 0 {
		return nil, nil
	}
	r := room{of: w.o.Room}
	defer r.end()
	set, err := w.in.Tags.Effective(ctx, &it)
	if err != nil {
		return nil, err
	}
	s, err := w.stored.load(ctx, &it, &r, readAs{watching: verdict.WatchingOf(&it, set.Watch, w.rules().Version.String())})
	if err != nil || s.gone || s.unreadable != nil {
		return nil, err
	}
	return verdict.ReadingOf(&it, s.doc, it.RawHash, nil, it.ImageExclusion, w.rules(), w.o.Clock()).Images, nil
}
