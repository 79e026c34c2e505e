package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// sources describes the operations on items.
func sources() []operation {
	return []operation{
		{
			of: api.AddURL.Endpoint, id: "addUrls", tag: tagSources,
			summary: "Register one URL or many",
			about: "A URL that is already registered is checked now. The answer is sent when the registration is " +
				"durable; pages are fetched and indexed afterwards. In a batch, each rejected URL says why, and " +
				"the others are registered.",
			gives: "The item; for `urls` the result of each, in order.",
			shown: []string{"A19 add one", "A19 add many, some bad"},
		},
		{
			of: api.AddFile.Endpoint, id: "addFiles", tag: tagSources,
			summary: "Register one file or many",
			about: "A file is the address of a blob, of a container (all its blobs are then registered) or of a " +
				"file in a share, or a path below `FILE_ROOT` on the machine of the app.",
			gives: "The item; for `paths` the result of each, in order.",
			shown: []string{"A3 add a file", "A3 add files"},
		},
		{
			of: api.ReindexItem.Endpoint, id: "reindexItem", tag: tagSources,
			summary: "Check an item now",
			gives:   "The item.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A15 reindex by id", "reindex by source"},
		},
		{
			of: api.ListItems.Endpoint, id: "listItems", tag: tagSources,
			summary: "List items, a page at a time",
			gives:   "A page of items.",
			shown:   []string{"items, first page", "items, last page", "items by status"},
		},
		{
			of: api.GetItem.Endpoint, id: "getItem", tag: tagSources,
			summary: "Show an item with its history",
			about: "The answer has the decisions about the item and their reasons, its captures, and which capture " +
				"superseded which. An id that the item had under earlier URL rules (`formerIds`) is answered with " +
				"301 and the present address.",
			gives: "The item.",
			fails: []int{http.StatusNotFound},
			shown: []string{"item with its past", "A16 an alias"},
		},
		{
			of: api.RemoveItem.Endpoint, id: "removeItem", tag: tagSources,
			summary: "Remove an item",
			about: "The documents of the item leave the index within seconds, and lists leave it out. For 15 minutes " +
				"`undo` brings it back; then everything stored about the item is deleted. Until then the item has " +
				"`removeRequested`.",
			gives: "The item.",
			fails: []int{http.StatusNotFound},
			shown: []string{"A14 remove an item"},
		},
	}
}

// pasts describes the operations on the stored history of an item.
func pasts() []operation {
	return []operation{
		{
			of: api.ListCaptures.Endpoint, id: "listCaptures", tag: tagSources,
			summary: "List all captures of an item",
			about:   "In the order of their digests.",
			gives:   "A page of captures.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A21 captures"},
		},
		{
			of: api.ListEdges.Endpoint, id: "listLineage", tag: tagSources,
			summary: "List which captures of an item superseded which",
			about:   "Newest first.",
			gives:   "A page of edges.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A21 lineage"},
		},
		{
			of: api.ListChunks.Endpoint, id: "listChunks", tag: tagSources,
			summary: "List the chunks of an item",
			about:   "As the index holds them, all of one capture. The list is empty if nothing of the item was indexed.",
			gives:   "The chunks, in the order of the text.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"C5 chunks"},
		},
		{
			of: api.FollowChunks.Endpoint, id: "followChunks", tag: tagSources,
			summary: "Follow the chunks of the index",
			about: "All chunks that there are, and then what changes: send the `cursor` of an answer as `since`, and you " +
				"will miss nothing. Who applies the changes in order holds the chunks of the index. Where `hash` is as before, " +
				"a vector that you have computed still holds. 410: the index never gave that cursor, or no longer knows " +
				"what was deleted since; begin again without a cursor, and delete what is not named until `copying` is false.",
			gives: "Changes, oldest first.",
			fails: []int{http.StatusGone},
			shown: []string{"J9 the first chunks"},
		},
		{
			of: api.ListImages.Endpoint, id: "listImages", tag: tagSources,
			summary: "List the images of an item",
			about:   "As shown in search results. The list is empty if nothing of the item was indexed.",
			gives:   "The images, in page order.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A18 the images of an item"},
		},
		{
			of: api.GetCapture.Endpoint, id: "getCapture", tag: tagSources,
			summary: "Read a capture",
			about: "Returns its text or, with `raw`, its bytes as they were fetched. Bytes are sent as an " +
				"attachment with their original media type, because they come from a stranger.",
			gives: "The text of the capture; with `raw` its bytes, of any media type.", media: "text/plain",
			fails: []int{http.StatusNotFound},
			shown: []string{"A21 the text of a capture"},
		},
		{
			of: api.GetField.Endpoint, id: "getField", tag: tagSources,
			summary: "Read the history of a value",
			about: "Returns the values that checks found of a field of a page, oldest first, as JSON or CSV. It outlives " +
				"the captures in which they were read. The last 5,000 are kept.",
			gives: "The history.", media: "application/json, text/csv",
			fails: []int{http.StatusNotFound},
			shown: []string{"G1 the history of a price"},
		},
		{
			of: api.GetText.Endpoint, id: "getText", tag: tagSources,
			summary: "Read a page",
			about: "Returns the main content of a page, current or from an earlier time, as Markdown, as plain " +
				"text, or as JSON with what is needed to cite it.",
			gives: "The page.", media: "application/json, text/markdown, text/plain",
			fails: []int{http.StatusNotFound},
			shown: []string{"J6 the page as it was, to be cited"},
		},
	}
}
