package describe

import (
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// pathParam describes a parameter of a path.
func pathParam(route, name string) (about string, schema openapi.Schema) {
	switch {
	case name == "id" && strings.Contains(route, " items/"):
		return "The item.", openapi.Schema{Type: openapi.Types{"string"}, Pattern: itemID}
	case name == "id" && strings.Contains(route, " import/"):
		return "The import.", text()
	case name == "id":
		return "The batch.", text()
	case name == "host":
		return "The host, as items have it.", text()
	case name == "sha256":
		return "The capture: the digest of its bytes.", openapi.Schema{Type: openapi.Types{"string"}, Pattern: digest}
	case name == "key":
		return "The policy.", text()
	case name == "slug":
		return "The site, as the site file calls it.", text()
	}
	panic("describe: what is {" + name + "} of " + route + "?") // add it above
}

// continuation pages through a listing.
func continuation() openapi.Parameter {
	return query("continuation", "That of the page before; leave it out for the first.", text())
}

// status is a parameter.
func status() openapi.Schema { return openapi.Schema{Ref: "#/components/schemas/Status"} }

// sources are the operations on items.
func sources() []operation {
	return []operation{
		{
			route: "POST AddUrlDocument", id: "addUrls", tag: tagSources,
			summary: "Register one URL or many",
			about:   "A URL that is registered already is checked now. The answer comes when the registration is durable; pages are fetched and indexed afterwards. In a batch each URL that is refused says why, and the others are registered.",
			takes:   []any{api.AddURLRequest{}},
			gives:   ok(http.StatusAccepted, "The item; for `urls` what became of each, in order.", api.Item{}, api.AddURLBatch{}),
			shown:   []string{"A19 add one", "A19 add many, some bad"},
		},
		{
			route: "POST AddFileDocument", id: "addFiles", tag: tagSources,
			summary: "Register one file or many",
			about:   "The address of a blob, of a container whose blobs then all are registered, or of a file in a share; or a path below `FILE_ROOT` on the machine of the app.",
			takes:   []any{api.AddFileRequest{}},
			gives:   ok(http.StatusAccepted, "The item; for `paths` what became of each, in order.", api.Item{}, api.AddURLBatch{}),
			shown:   []string{"A3 add a file", "A3 add files"},
		},
		{
			route: "POST ReindexItem", id: "reindexItem", tag: tagSources,
			summary: "Have an item checked now",
			takes:   []any{api.ReindexRequest{}},
			gives:   ok(http.StatusAccepted, "The item.", api.Item{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A15 reindex by id", "reindex by source"},
		},
		{
			route: "GET items", id: "listItems", tag: tagSources,
			summary: "List items, a page at a time",
			params: []openapi.Parameter{
				query("host", "Only items of this host.", text()),
				query("status", "Only items of this status.", status()),
				query("top", "Items of a page.", number(100, 1, 1000)),
				continuation(),
			},
			gives: ok(http.StatusOK, "A page of items.", api.ItemPage{}),
			shown: []string{"items, first page", "items, last page", "items by status"},
		},
		{
			route: "GET items/{id}", id: "getItem", tag: tagSources,
			summary: "Show an item with its past",
			about:   "With the decisions about it and their reasons, its captures and what they took over from.",
			gives:   ok(http.StatusOK, "The item.", api.ItemDetail{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"item with its past", "A16 an alias"},
		},
		{
			route: "DELETE items/{id}", id: "removeItem", tag: tagSources,
			summary: "Remove an item",
			about:   "Within seconds its documents leave the index, and all that was kept of it is deleted. Until then it is found, with `removeRequested`.",
			gives:   ok(http.StatusAccepted, "The item.", api.Item{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A14 remove an item"},
		},
		{
			route: "GET items/{id}/captures", id: "listCaptures", tag: tagSources,
			summary: "List all captures of an item",
			about:   "In the order of their digests.",
			params:  []openapi.Parameter{query("top", "Captures of a page.", number(100, 1, 999)), continuation()},
			gives:   ok(http.StatusOK, "A page of captures.", api.CapturePage{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A21 captures"},
		},
		{
			route: "GET items/{id}/lineage", id: "listLineage", tag: tagSources,
			summary: "List which captures of an item took over from which",
			about:   "Newest first.",
			params:  []openapi.Parameter{query("top", "Edges of a page.", number(100, 1, 999)), continuation()},
			gives:   ok(http.StatusOK, "A page of edges.", api.EdgePage{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A21 lineage"},
		},
		{
			route: "GET items/{id}/chunks", id: "listChunks", tag: tagSources,
			summary: "List the chunks of an item",
			about:   "What the index was last given, without the texts. An item that it was given nothing of has none.",
			gives:   ok(http.StatusOK, "The chunks, in the order of the text.", api.ChunkList{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"C5 chunks"},
		},
		{
			route: "GET items/{id}/images", id: "listImages", tag: tagSources,
			summary: "List the images of an item",
			about:   "Those that the index shows of it. An item that the index holds nothing of has none.",
			gives:   ok(http.StatusOK, "The images, in page order.", api.ImageList{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A18 the images of an item"},
		},
		{
			route: "GET items/{id}/captures/{sha256}", id: "getCapture", tag: tagSources,
			summary: "Read a capture",
			about:   "Its text, or with `raw` its bytes as they came. Those have the media type that they came with and are an attachment: they are a stranger's.",
			params:  []openapi.Parameter{query("raw", "The bytes instead of the text.", yesNo())},
			gives:   []answer{{status: http.StatusOK, about: "The text of the capture; with `raw` its bytes, of any media type.", media: "text/plain"}},
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A21 the text of a capture"},
		},
	}
}
