package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
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
func (s *server) batches(r *http.Request) (page, error) {
	before := r.URL.Query().Get("before")
	list, err := s.Client.EnrichBatches(r.Context(), api.EnrichList{Top: batchesShown, Before: before})
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
func (s *server) batch(r *http.Request) (page, error) {
	b, err := s.Client.EnrichBatchState(r.Context(), r.PathValue("id"))
	slices.SortStableFunc(b.Lines, func(a, b api.EnrichLine) int { return cmp.Compare(rank(a), rank(b)) })
	d := batchData{EnrichBatch: b, Shown: b.Lines[:min(len(b.Lines), linesShown)], Bar: batchBar(b)}
	return page{name: "batch", title: "Batch of " + count(b.Entries, "entry"), data: d}, err
}

// rank puts those lines first that people look for.
func rank(l api.EnrichLine) int { return map[string]int{"failed": -2, "waiting": -1}[l.Outcome] }

// batchBar is how far a batch is. Its outcomes are counted once it is done; before, its lines tell, if they are
// there.
func batchBar(b api.EnrichBatch) bar {
	if b.Status == "done" {
		return bar{1, 1, "entries that are through"}
	}
	through := 0
	for _, l := range b.Lines {
		if l.Outcome != "waiting" {
			through++
		}
	}
	return bar{through, len(b.Lines), "entries that are through"}
}

// actBatch ends a batch.
func (s *server) actBatch(r *http.Request) (page, error) {
	if err := r.ParseForm(); err != nil {
		return page{}, badForm(err)
	}
	if r.PostForm.Get("do") != "cancel" {
		return page{}, badRequest("a batch can be cancelled")
	}
	b, err := s.Client.CancelEnrichBatch(r.Context(), r.PathValue("id"))
	return page{to: "/entries/batches/" + url.PathEscape(b.ID) + "?done=batch-cancel"}, err
}
