package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// pushed are the operations on entries and their policies.
func pushed() []operation {
	return []operation{
		{
			of: api.NormalizeTelegram.Endpoint, id: "normalizeTelegram", tag: tagEntries,
			summary: "Give a message its identity",
			about:   "The answer can be inserted as it is.",
			gives:   "The columns of its entry.",
			shown:   []string{"D1 a message", "D1 a link"},
		},
		{
			of: api.NormalizeEmail.Endpoint, id: "normalizeEmail", tag: tagEntries,
			summary: "Give a mail its identity",
			about:   "The answer can be inserted as it is.",
			gives:   "The columns of its entry.",
			shown:   []string{"D1 a newsletter"},
		},
		{
			of: api.NormalizeWebpage.Endpoint, id: "normalizeWebpage", tag: tagEntries,
			summary: "Clean and measure the text of a page",
			about: "The answer can be inserted as it is. It has no keys, so a page that is sent twice is two entries. With " +
				"the id of an entry it can update that, which keeps its source.",
			gives: "The columns of its entry.",
			shown: []string{"D1 a page"},
		},
		{
			of: api.InsertEntry.Endpoint, id: "insertEntries", tag: tagEntries,
			summary: "Store one entry or many, each once",
			about: "An entry whose key stands is skipped or updated, as its policy says; repeating a request is safe. The " +
				"page of a link is registered. What is stored is found at once.",
			gives: "The entry as it stands and what was done; for `items` of each, in order.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown: []string{"D3 inserted as it is", "D3 updated", "D3 a batch that goes on"},
		},
		{
			of: api.UpdateEntry.Endpoint, id: "updateEntries", tag: tagEntries,
			summary: "Change columns of one entry or of many",
			about: "Columns that are not given stay, and so does the source where the text of a page is sent (`source` is " +
				"`webpage`); `id` or `entry_id` names the entry.",
			gives: "The entry as it stands; for `items` each, in order.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown: []string{"D3 columns of an entry", "D3 a batch of updates"},
		},
		{
			of: api.ListEntries.Endpoint, id: "listEntries", tag: tagEntries,
			summary: "List entries without their texts",
			about: "Those of the active schema, by policy and then by id, which says nothing of their age; those without a " +
				"policy come first.",
			gives: "A page of entries.",
			shown: []string{"D10 entries, first page", "D10 entries of a policy"},
		},
		{
			of: api.GetEntry.Endpoint, id: "getEntry", tag: tagEntries,
			summary: "Show an entry",
			about:   "One of the active schema; of a link with the page that it is about.",
			gives:   "The entry.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"D10 an entry", "D10 a link with its page"},
		},
	}
}

// policies are the operations that decide what becomes of entries.
func policies() []operation {
	return []operation{
		{
			of: api.ListPolicies.Endpoint, id: "listPolicies", tag: tagEntries,
			summary: "List what becomes of entries whose key stands",
			gives:   "All policies of the active schema, by key.",
			shown:   []string{"D2 policies"},
		},
		{
			of: api.SavePolicy.Endpoint, id: "savePolicy", tag: tagEntries,
			summary: "Write a policy, whole",
			gives:   "The policy as it stands.",
			fails:   []int{http.StatusConflict},
			shown:   []string{"D2 a policy, edited"},
		},
		{
			of: api.GetTestMode.Endpoint, id: "getTestMode", tag: tagEntries,
			summary: "Tell which schema entries go to",
			gives:   "Whether that is the one for tests.",
			shown:   []string{"D5 test mode"},
		},
		{
			of: api.SetTestMode.Endpoint, id: "setTestMode", tag: tagEntries,
			summary: "Decide which schema entries go to",
			gives:   "What it is now.",
			shown:   []string{"D5 on"},
		},
		{
			of: api.ToggleTestMode.Endpoint, id: "toggleTestMode", tag: tagEntries,
			summary: "Turn the test mode over",
			gives:   "What it is now.",
			shown:   []string{"D5 off"},
		},
	}
}
