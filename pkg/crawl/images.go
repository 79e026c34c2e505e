package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

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
	s, err := w.stored.load(ctx, &it, &r, readAs{watching: verdict.WatchingOf(set.Watch, w.rules().Version.String())})
	if err != nil || s.gone || s.unreadable != nil {
		return nil, err
	}
	return verdict.ReadingOf(&it, s.doc, it.RawHash, nil, it.ImageExclusion, w.rules(), w.o.Clock()).Images, nil
}
