package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// enriching are the operations that ask a language model.
func enriching() []operation {
	return []operation{
		{
			of: api.Enrich.Endpoint, id: "enrich", tag: tagEnriching,
			summary: "Have a model describe an entry, or a text, now",
			about:   "What was described is not asked for again until its text changes.",
			gives:   "What the model says.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests,
				http.StatusServiceUnavailable},
			shown: []string{"D8 an entry", "D8 a text"},
		},
		{
			of: api.StartEnrichBatch.Endpoint, id: "enrichBatch", tag: tagEnriching,
			summary: "Have a model describe many entries within a day",
			gives:   "The batch, which goes on by itself.",
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
			summary: "Ask for the end of a batch",
			about:   "It takes a while: what a model has said by then is used. Asking again is asking once.",
			gives:   "The batch.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"D9 cancel it"},
		},
	}
}
