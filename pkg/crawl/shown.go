package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Images are those that the index shows of an item, in page order, read from its snapshot under the present
// rules; none where the index holds nothing of it. It asks no site, and writes nothing: it costs a read of the
// capture and one of its blob.
func (w *Worker) Images(ctx context.Context, it registry.Item) ([]search.Image, error) {
	if it.IndexedHash == "" || it.ImageCount == 0 {
		return nil, nil
	}
	c := &check{task: &task{Worker: w}, Item: it}
	doc, found, err := c.load(ctx)
	if err != nil || !found {
		return nil, err
	}
	return c.judge(doc, c.RawHash, nil).images, nil
}
