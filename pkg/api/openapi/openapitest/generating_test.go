package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// inPlace says where the index has no generations.
const inPlace = " 409: the index of this server has no generations, because it is filled in place."

// generating describes the operations on the generations of the index.
func generating() []operation {
	return []operation{
		{
			of: api.ListGenerations.Endpoint, id: "listGenerations", tag: tagRebuilds,
			summary: "List the generations of the index",
			about: "A generation is all that is indexed, with the vectors of one model. The current one answers searches. " +
				"Beside it there is at most one that is being built or is whole, or the one that answered before." + inPlace,
			gives: "The generations, the current one first.",
			fails: []int{http.StatusConflict},
			shown: []string{"J10 the only one", "J10 two of them"},
		},
		{
			of: api.BeginGeneration.Endpoint, id: "beginGeneration", tag: tagRebuilds,
			summary: "Build the index anew beside the one that answers",
			about: "With another model, or without a body with that of the settings. Searches are answered by the current " +
				"generation until `switch`. 409: another one is there already." + inPlace,
			gives: "The generation. It is built in the background.",
			fails: []int{http.StatusConflict, http.StatusInsufficientStorage},
			shown: []string{"J10 another model"},
		},
		{
			of: api.GetGeneration.Endpoint, id: "getGeneration", tag: tagRebuilds,
			summary: "Show a generation of the index",
			gives:   "The generation.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"J10 how far it is"},
		},
		{
			of: api.CompareGeneration.Endpoint, id: "compareGeneration", tag: tagRebuilds,
			summary: "Ask two generations the same questions",
			about:   "Asks the current generation and this one, and changes nothing. 409: this one lacks pages.",
			gives:   "The items and entries that each of them finds, the best first.",
			fails:   []int{http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable},
			shown:   []string{"J10 compare"},
		},
		{
			of: api.SwitchGeneration.Endpoint, id: "switchGeneration", tag: tagRebuilds,
			summary: "Let a generation answer searches",
			about: "The former one becomes `previous`, and is kept right for a day. 409: the generation is not whole. " +
				"Followers of `chunks/changes` keep their cursors.",
			gives: "The generation.",
			fails: []int{http.StatusNotFound, http.StatusConflict},
			shown: []string{"J10 switch"},
		},
		{
			of: api.RollbackGeneration.Endpoint, id: "rollbackGeneration", tag: tagRebuilds,
			summary: "Let the previous generation answer again",
			about:   "409: it is not the previous one, or still lacks what was written last.",
			gives:   "The generation.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"J10 roll back"},
		},
		{
			of: api.RemoveGeneration.Endpoint, id: "removeGeneration", tag: tagRebuilds,
			summary: "Remove a generation that does not answer searches",
			about:   "Its files are deleted. Of one that is being built, the building ends.",
			gives:   "The generation as it was.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"J10 remove"},
		},
	}
}
