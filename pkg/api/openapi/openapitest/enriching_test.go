package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// enriching describes the operations that ask a language model.
func enriching() []operation {
	return []operation{
		{
			of: api.Enrich.Endpoint, id: "enrich", tag: tagEnriching,
			summary: "Describe an entry or a text with a language model",
			about:   "An entry that is already described is sent again only after its text has changed.",
			gives:   "The model's description.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests,
				http.StatusServiceUnavailable},
			shown: []string{"D8 an entry", "D8 a text"},
		},
		{
			of: api.StartEnrichBatch.Endpoint, id: "enrichBatch", tag: tagEnriching,
			summary: "Describe many entries with a language model, within a day",
			gives:   "The batch. It continues in the background.",
			fails:   []int{http.StatusForbidden, http.StatusConflict},
			shown:   []string{"D8 many entries"},
		},
		{
			of: api.ListEnrichBatches.Endpoint, id: "listEnrichBatches", tag: tagEnriching,
			summary: "List batches, newest first",
			gives:   "The batches, without their lines.",
			shown:   []string{"D9 all batches", "D9 older ones"},
		},
		{
			of: api.GetEnrichBatch.Endpoint, id: "getEnrichBatch", tag: tagEnriching,
			summary: "Show a batch with its lines",
			gives:   "The batch.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"D9 the batch"},
		},
		{
			of: api.CancelEnrichBatch.Endpoint, id: "cancelEnrichBatch", tag: tagEnriching,
			summary: "Cancel a batch",
			about: "This takes a while; results that the model has returned by then are kept. Repeating the " +
				"request has no further effect.",
			gives: "The batch.",
			fails: []int{http.StatusNotFound, http.StatusConflict},
			shown: []string{"D9 cancel it"},
		},
	}
}
