package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// pushed describes the operations on entries.
func pushed() []operation {
	return []operation{
		{
			of: api.NormalizeTelegram.Endpoint, id: "normalizeTelegram", tag: tagEntries,
			summary: "Normalize a message",
			about:   "The answer can be inserted unchanged.",
			gives:   "The columns of its entry.",
			shown:   []string{"D1 a message", "D1 a link"},
		},
		{
			of: api.NormalizeEmail.Endpoint, id: "normalizeEmail", tag: tagEntries,
			summary: "Normalize a mail",
			about:   "The answer can be inserted unchanged.",
			gives:   "The columns of its entry.",
			shown:   []string{"D1 a newsletter"},
		},
		{
			of: api.NormalizeWebpage.Endpoint, id: "normalizeWebpage", tag: tagEntries,
			summary: "Clean and measure the text of a page",
			about: "The answer can be inserted unchanged. It has no keys, so a page that is sent twice becomes " +
				"two entries. With the id of an entry, it can update that entry, whose source is kept.",
			gives: "The columns of its entry.",
			shown: []string{"D1 a page"},
		},
		{
			of: api.InsertEntry.Endpoint, id: "insertEntries", tag: tagEntries,
			summary: "Store one entry or many, each once",
			about: "An entry whose key already exists is skipped or updated, as its policy says, so that " +
				"requests can be repeated safely. The page of a link is registered. Stored entries are found by " +
				"searches at once.",
			gives: "The stored entry and the action taken; for `items`, those of each item, in order.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown: []string{"D3 inserted as it is", "D3 updated", "D3 a batch that goes on"},
		},
		{
			of: api.UpdateEntry.Endpoint, id: "updateEntries", tag: tagEntries,
			summary: "Update columns of one entry or of many",
			about: "Columns that are not sent stay unchanged. When the text of a page is sent (`source` is " +
				"`webpage`), the entry's source stays unchanged, too. The entry is identified by `id` or " +
				"`entry_id`.",
			gives: "The stored entry; for `items`, the entry of each item, in order.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown: []string{"D3 columns of an entry", "D3 a batch of updates"},
		},
		{
			of: api.ListEntries.Endpoint, id: "listEntries", tag: tagEntries,
			summary: "List entries without their texts",
			about: "Entries of the active schema, ordered by policy and then by id, not by age. Entries without " +
				"a policy come first.",
			gives: "A page of entries.",
			shown: []string{"D10 entries, first page", "D10 entries of a policy"},
		},
		{
			of: api.GetEntry.Endpoint, id: "getEntry", tag: tagEntries,
			summary: "Show an entry",
			about: "The entry is in the active schema. If the entry is a link, the answer includes the linked " +
				"page.",
			gives: "The entry.",
			fails: []int{http.StatusNotFound},
			shown: []string{"D10 an entry", "D10 a link with its page"},
		},
		{
			of: api.EntryChunks.Endpoint, id: "listEntryChunks", tag: tagEntries,
			summary: "List the chunks of an entry",
			about:   "As the index holds them.",
			gives:   "The chunks.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"J9 the chunks of an entry"},
		},
	}
}

// policies describes the operations on the policies of entries and on the test mode.
func policies() []operation {
	return []operation{
		{
			of: api.ListPolicies.Endpoint, id: "listPolicies", tag: tagEntries,
			summary: "List the policies for entries whose key already exists",
			gives:   "All policies of the active schema, by key.",
			shown:   []string{"D2 policies"},
		},
		{
			of: api.SavePolicy.Endpoint, id: "savePolicy", tag: tagEntries,
			summary: "Replace a policy",
			gives:   "The stored policy.",
			fails:   []int{http.StatusConflict},
			shown:   []string{"D2 a policy, edited"},
		},
		{
			of: api.GetTestMode.Endpoint, id: "getTestMode", tag: tagEntries,
			summary: "Show whether the test mode is on",
			gives:   "Whether entries are written to the test schema.",
			shown:   []string{"D5 test mode"},
		},
		{
			of: api.SetTestMode.Endpoint, id: "setTestMode", tag: tagEntries,
			summary: "Turn the test mode on or off",
			gives:   "The new value.",
			shown:   []string{"D5 on"},
		},
		{
			of: api.ToggleTestMode.Endpoint, id: "toggleTestMode", tag: tagEntries,
			summary: "Toggle the test mode",
			gives:   "The new value.",
			shown:   []string{"D5 off"},
		},
	}
}
