package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// fetchFile asks for a file's properties first, and for its bytes only when those differ (A9). A
// file that is read goes the way of a page.
func (c *check) fetchFile(ctx context.Context) (got fetched, o outcome, err error) {
	place, err := placeOf(&c.item)
	switch {
	case err != nil:
		return got, failed("%v", err), nil
	case c.job.w.o.Files == nil:
		return got, failed("files cannot be read here"), nil
	case place.Whole():
		o, err = c.listContainer(ctx, place)
		return got, o, err
	}
	if err := c.reread(ctx); err != nil {
		return got, o, err
	}
	req := file.Request{Place: place, Credential: c.item.Credential, Known: c.memory.knownFile(&c.item, c.now())}
	if err := c.job.wait(ctx); err != nil {
		return got, o, err
	}
	if err := c.room.large(ctx); err != nil {
		return got, o, err
	}
	resp, err := c.job.w.o.Files.Get(ctx, req)
	c.job.bytes.Add(int64(len(resp.Body)))
	switch {
	case fault.Is(err, fault.NotFound):
		return got, missing("the file is not there"), nil
	case err != nil:
		o = failed("%v", err)
		o.retryAfter = fault.RetryAfter(err)
		return got, o, nil
	}
	c.answered()
	return answerOfFile(place, resp), o, nil
}
