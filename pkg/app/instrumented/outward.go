package instrumented

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/search"
)

// Web counts fetches, the bytes of their bodies, and their errors by kind. The errors are about the site (see package
// fetch). The bytes of robots.txt are not counted.
func Web(f politeness.Fetcher, m *telemetry.Metrics) politeness.Fetcher { return &web{f, m} }

type web struct {
	politeness.Fetcher
	m *telemetry.Metrics
}

func (w *web) Get(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	resp, err := w.Fetcher.Get(ctx, r)
	if w.m.Bytes.Add(float64(len(resp.Body))); err != nil {
		w.m.Errors.Add(1, "fetch", string(fault.KindOf(err)))
	}
	return resp, err
}

// Index counts the pages that are written to an index and deleted from it. [search.None] is returned as it is,
// because callers recognize a missing index by its type.
func Index(x search.Index, m *telemetry.Metrics) search.Index {
	if _, none := x.(search.None); none {
		return x
	}
	return &index{x, m}
}

type index struct {
	search.Index
	m *telemetry.Metrics
}

func (x *index) Put(ctx context.Context, pages ...search.Page) error {
	err := x.Index.Put(ctx, pages...)
	x.done("put", len(pages), err)
	return err
}

func (x *index) Remove(ctx context.Context, id string, held *search.Contents) error {
	err := x.Index.Remove(ctx, id, held)
	x.done("remove", 1, err)
	return err
}

// done counts the pages of a successful write, or its error.
func (x *index) done(op string, pages int, err error) {
	if err != nil {
		x.m.Errors.Add(1, "index", string(fault.KindOf(err)))
		return
	}
	x.m.IndexPages.Add(float64(pages), op)
}
