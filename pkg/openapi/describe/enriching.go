package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/enrich"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// enriching are the operations that ask a language model.
func enriching() []operation {
	schema := among(enrich.Schemas()...)
	schema.Type = openapi.Types{"string"}
	return []operation{
		{
			route: "POST enrich/tier1", id: "enrich", tag: tagEnriching,
			summary: "Have a model describe an entry, or a text, now",
			about:   "What was described is not asked for again until its text changes.",
			takes:   []any{api.EnrichRequest{}},
			gives:   ok(http.StatusOK, "What the model says.", api.Tier1{}),
			fails:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable},
			shown:   []string{"D8 an entry", "D8 a text"},
		},
		{
			route: "POST enrich/tier1/batch", id: "enrichBatch", tag: tagEnriching,
			summary: "Have a model describe many entries within a day",
			takes:   []any{api.EnrichBatchRequest{}},
			gives:   ok(http.StatusAccepted, "The batch, which goes on by itself.", api.EnrichBatch{}),
			fails:   []int{http.StatusForbidden, http.StatusConflict},
			shown:   []string{"D8 many entries"},
		},
		{
			route: "GET enrich/tier1/batches", id: "listEnrichBatches", tag: tagEnriching,
			summary: "List batches, newest first",
			params: []openapi.Parameter{
				query("schema", "Of this schema; of the active one when it is left out.", schema),
				query("top", "At most so many.", number(20, 1, enrich.MaxList)),
				query("before", "Only those older than the batch of this id.", text()),
			},
			gives: ok(http.StatusOK, "The batches, without their lines.", api.EnrichBatches{}),
			shown: []string{"D9 all batches", "D9 older ones"},
		},
		{
			route: "GET enrich/tier1/batches/{id}", id: "getEnrichBatch", tag: tagEnriching,
			summary: "Show a batch with its lines",
			gives:   ok(http.StatusOK, "The batch.", api.EnrichBatch{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"D9 the batch"},
		},
		{
			route: "POST enrich/tier1/batches/{id}/cancel", id: "cancelEnrichBatch", tag: tagEnriching,
			summary: "Ask for the end of a batch",
			about:   "It takes a while: what a model has said by then is used. Asking again is asking once.",
			gives:   ok(http.StatusAccepted, "The batch.", api.EnrichBatch{}),
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"D9 cancel it"},
		},
	}
}
