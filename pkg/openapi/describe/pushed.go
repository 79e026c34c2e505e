package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// pushed are the operations on entries and their policies.
func pushed() []operation {
	return []operation{
		{
			route: "POST normalize/telegram", id: "normalizeTelegram", tag: tagEntries,
			summary: "Give a message its identity",
			about:   "The answer can be inserted as it is.",
			takes:   []any{api.TelegramRequest{}},
			gives:   ok(http.StatusOK, "The columns of its entry.", api.Entry{}),
			shown:   []string{"D1 a message", "D1 a link"},
		},
		{
			route: "POST normalize/email", id: "normalizeEmail", tag: tagEntries,
			summary: "Give a mail its identity",
			about:   "The answer can be inserted as it is.",
			takes:   []any{api.EmailRequest{}},
			gives:   ok(http.StatusOK, "The columns of its entry.", api.Entry{}),
			shown:   []string{"D1 a newsletter"},
		},
		{
			route: "POST normalize/webpage", id: "normalizeWebpage", tag: tagEntries,
			summary: "Clean and measure the text of a page",
			about:   "The answer has columns to insert or update, and the keys as null: they are the caller's to give.",
			takes:   []any{api.WebpageRequest{}},
			gives:   ok(http.StatusOK, "The columns of its entry.", api.Entry{}),
			shown:   []string{"D1 a page"},
		},
		{
			route: "POST db/insert", id: "insertEntries", tag: tagEntries,
			summary: "Store one entry or many, each once",
			about:   "An entry whose key stands is skipped or updated, as its policy says; repeating a request is safe. The page of a link is registered. What is stored is found at once.",
			takes:   []any{api.Entry{}, api.EntryBatch{}},
			gives:   ok(http.StatusOK, "The entry as it stands and what was done; for `items` of each, in order.", api.EntryResult{}, api.EntryBatchResult{}),
			fails:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown:   []string{"D3 inserted as it is", "D3 updated", "D3 a batch that goes on"},
		},
		{
			route: "POST db/update", id: "updateEntries", tag: tagEntries,
			summary: "Change columns of one entry or of many",
			about:   "Columns that are not given stay; `id` or `entry_id` names the entry.",
			takes:   []any{api.Entry{}, api.EntryBatch{}},
			gives:   ok(http.StatusOK, "The entry as it stands; for `items` each, in order.", api.EntryResult{}, api.EntryBatchResult{}),
			fails:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown:   []string{"D3 columns of an entry", "D3 a batch of updates"},
		},
		{
			route: "GET entries", id: "listEntries", tag: tagEntries,
			summary: "List entries without their texts",
			about:   "Those of the active schema, by policy and then by id, which says nothing of their age; those without a policy come first.",
			params:  []openapi.Parameter{query("policy", "Only entries of this policy.", text()), query("top", "Entries of a page.", number(50, 1, 200)), continuation()},
			gives:   ok(http.StatusOK, "A page of entries.", api.EntryPage{}),
			shown:   []string{"D10 entries, first page", "D10 entries of a policy"},
		},
		{
			route: "GET entries/{id}", id: "getEntry", tag: tagEntries,
			summary: "Show an entry",
			about:   "One of the active schema; of a link with the page that it is about.",
			gives:   ok(http.StatusOK, "The entry.", api.EntryDetail{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"D10 an entry", "D10 a link with its page"},
		},
		{
			route: "GET policies", id: "listPolicies", tag: tagEntries,
			summary: "List what becomes of entries whose key stands",
			gives:   ok(http.StatusOK, "All policies of the active schema, by key.", api.Policies{}),
			shown:   []string{"D2 policies"},
		},
		{
			route: "PUT policies/{key}", id: "savePolicy", tag: tagEntries,
			summary: "Write a policy, whole",
			takes:   []any{api.Policy{}},
			gives:   ok(http.StatusOK, "The policy as it stands.", api.Policy{}),
			fails:   []int{http.StatusConflict},
			shown:   []string{"D2 a policy, edited"},
		},
		{
			route: "GET test-mode", id: "getTestMode", tag: tagEntries,
			summary: "Tell which schema entries go to",
			gives:   ok(http.StatusOK, "Whether that is the one for tests.", api.TestMode{}),
			shown:   []string{"D5 test mode"},
		},
		{
			route: "PUT test-mode", id: "setTestMode", tag: tagEntries,
			summary: "Decide which schema entries go to",
			takes:   []any{api.TestMode{}},
			gives:   ok(http.StatusOK, "What it is now.", api.TestMode{}),
			shown:   []string{"D5 on"},
		},
		{
			route: "POST test-mode/toggle", id: "toggleTestMode", tag: tagEntries,
			summary: "Turn the test mode over",
			gives:   ok(http.StatusOK, "What it is now.", api.TestMode{}),
			shown:   []string{"D5 off"},
		},
	}
}
