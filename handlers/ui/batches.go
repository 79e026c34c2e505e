package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Lists of batches and of their lines show so many at once.
const (
	batchesShown = 20
	linesShown   = 200
)

type batchesData struct {
	api.EnrichBatches
	First bool
	Older string // the batch that the next page comes after; "" on the last
}

// batches lists the batches of the present schema, newest first.
func batches(o Options, r *http.Request) (page, error) {
	before := r.URL.Query().Get("before")
	list, err := api.ListEnrichBatches.Call(r.Context(), o.Client, api.EnrichQuery{Top: batchesShown, Before: before})
	d := batchesData{EnrichBatches: list, First: before == ""}
	if n := len(list.Batches); n == batchesShown {
		d.Older = list.Batches[n-1].ID
	}
	return page{name: "batches", title: "Enrichment", data: d}, err
}

type batchData struct {
	api.EnrichBatch
	Shown []api.EnrichLine // what failed comes first
	Bar   bar
}

// batch shows one batch with what became of its entries.
func batch(o Options, r *http.Request) (page, error) {
	b, err := api.GetEnrichBatch.Call(r.Context(), o.Client, api.EnrichBatchID{ID: r.PathValue("id")})
	slices.SortStableFunc(b.Lines, func(a, b api.EnrichLine) int { return cmp.Compare(rank(a), rank(b)) })
	d := batchData{EnrichBatch: b, Shown: b.Lines[:min(len(b.Lines), linesShown)], Bar: batchBar(b)}
	return page{name: "batch", title: "Batch of " + words.Count(b.Entries, "entry"), data: d}, err
}

// rank puts those lines first that people look for.
func rank(l api.EnrichLine) int { return map[string]int{"failed": -2, "waiting": -1}[l.Outcome] }

// batchBar is how far a batch is. Its outcomes are counted once it is done; before, its lines tell, if they are
// there.
func batchBar(b api.EnrichBatch) bar {
	if b.Status == "done" {
		return bar{1, 1, "entries processed"}
	}
	through := 0
	for _, l := range b.Lines {
		if l.Outcome != "waiting" {
			through++
		}
	}
	return bar{through, len(b.Lines), "entries processed"}
}

// actBatch ends a batch.
func actBatch(o Options, r *http.Request) (page, error) {
	if r.PostForm.Get("do") != "cancel" {
		return page{}, badRequest("a batch can be cancelled")
	}
	b, err := api.CancelEnrichBatch.Call(r.Context(), o.Client, api.EnrichBatchID{ID: r.PathValue("id")})
	return page{to: "/entries/batches/" + url.PathEscape(b.ID) + "?done=batch-cancel"}, err
}
