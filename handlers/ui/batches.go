package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const (
	batchesShown = 20  // the number of batches on a page of the list
	linesShown   = 200 // the number of entries on the page of a batch
)

type batchesData struct {
	api.EnrichBatches
	First bool
	Older string // id of the last batch on this page; "" on the last page
}

// batches lists the batches of the current schema, newest first.
func (a pushedArea) batches(r *http.Request) (frame.Page, error) {
	before := r.URL.Query().Get("before")
	list, err := api.ListEnrichBatches.Call(r.Context(), a.client, api.EnrichQuery{Top: batchesShown, Before: before})
	d := batchesData{EnrichBatches: list, First: before == ""}
	if n := len(list.Batches); n == batchesShown {
		d.Older = list.Batches[n-1].ID
	}
	return frame.Page{Name: "batches", Title: "Enrichment", Data: d}, err
}

type batchData struct {
	api.EnrichBatch
	Shown []api.EnrichLine // entries of the batch, failed ones first
	Bar   frame.Bar
}

// batch shows a batch and the outcome for each of its entries.
func (a pushedArea) batch(r *http.Request) (frame.Page, error) {
	b, err := api.GetEnrichBatch.Call(r.Context(), a.client, api.EnrichBatchID{ID: r.PathValue("id")})
	slices.SortStableFunc(b.Lines, func(a, b api.EnrichLine) int { return cmp.Compare(rank(a), rank(b)) })
	d := batchData{EnrichBatch: b, Shown: b.Lines[:min(len(b.Lines), linesShown)], Bar: batchBar(b)}
	return frame.Page{Name: "batch", Title: "Batch of " + words.Count(b.Entries, "entry"), Data: d}, err
}

// rank returns a number by which failed entries are sorted first, waiting ones second, and all others last.
func rank(l api.EnrichLine) int { return map[string]int{"failed": -2, "waiting": -1}[l.Outcome] }

// batchBar returns the progress of a batch. Until the batch is done, it counts the processed entries in the batch's
// lines, if the answer has them.
func batchBar(b api.EnrichBatch) frame.Bar {
	if b.Status == "done" {
		return frame.NewBar(1, 1, "entries processed")
	}
	processed := 0
	for _, l := range b.Lines {
		if l.Outcome != "waiting" {
			processed++
		}
	}
	return frame.NewBar(processed, len(b.Lines), "entries processed")
}

// actBatch cancels a batch.
func (a pushedArea) actBatch(r *http.Request) (frame.Page, error) {
	if r.PostForm.Get("do") != "cancel" {
		return frame.Page{}, frame.BadRequest("a batch can be cancelled")
	}
	b, err := api.CancelEnrichBatch.Call(r.Context(), a.client, api.EnrichBatchID{ID: r.PathValue("id")})
	return frame.GoTo("/entries/batches/" + url.PathEscape(b.ID) + "?done=batch-cancel"), err
}
