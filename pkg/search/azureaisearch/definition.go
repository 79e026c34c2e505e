package azureaisearch

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// profile is the one name under which the scoring profile, the semantic configuration, and the algorithm and profile
// of the vectors are stored.
const profile = "tidemark"

// field is a field of the index
// (https://learn.microsoft.com/rest/api/searchservice/indexes/create-or-update#searchfield). Its JSON contains every
// attribute, because for most types an attribute that is omitted is true.
type field struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Key         bool   `json:"key"`
	Searchable  bool   `json:"searchable"`
	Filterable  bool   `json:"filterable"`
	Sortable    bool   `json:"sortable"`
	Facetable   bool   `json:"facetable"`
	Retrievable bool   `json:"retrievable"`
	Analyzer    string `json:"analyzer,omitempty"`
	Dimensions  int    `json:"dimensions,omitempty"`
	Profile     string `json:"vectorSearchProfile,omitempty"`
}

// fields returns the fields of an index whose vectors have the given length. If the length is 0, the index has no
// vectors.
func fields(dimensions int) []field {
	text := func(name string) field {
		return field{Name: name, Type: "Edm.String", Searchable: true, Retrievable: true, Analyzer: words}
	}
	filter := func(name string) field {
		return field{Name: name, Type: "Edm.String", Filterable: true, Retrievable: true}
	}
	shown := func(name string) field { return field{Name: name, Type: "Edm.String", Retrievable: true} }
	all := []field{
		{Name: "id", Type: "Edm.String", Key: true, Filterable: true, Sortable: true, Retrievable: true},
		filter("kind"), // "page", "chunk", "image" or "marker"
		// The id of the page to which a chunk or image belongs. A page's document has the page's own id here.
		{Name: "parentPageId", Type: "Edm.String", Filterable: true, Sortable: true, Retrievable: true},
		filter("host"), filter("type"), filter("language"), filter("path"),
		// Chunks and pages have tags. If only the tags of a page change, the new tags are merged into each document.
		{Name: "tags", Type: "Collection(Edm.String)", Filterable: true, Facetable: true, Retrievable: true},
		shown("url"), shown("mimeType"),
		// Only pages have this time.
		{Name: "indexedAt", Type: "Edm.DateTimeOffset", Filterable: true, Sortable: true, Retrievable: true},
		// The changedAt of a chunk is that of its page when the chunk was written.
		{Name: "changedAt", Type: "Edm.DateTimeOffset", Filterable: true, Sortable: true, Retrievable: true},
		// Chunks and pages have a publication date.
		{Name: "publishedAt", Type: "Edm.DateTimeOffset", Filterable: true, Retrievable: true},
		{Name: "images", Type: "Collection(Edm.String)", Retrievable: true}, // image ids in page order, for pages only
		shown("group"),                  // chunks and pages have this
		shown("content"), shown("rank"), // pages only: in chunks, copies would have to be rewritten with each change
		text("title"), text("heading"), text("text"),
		shown("uid"), shown("anchor"), shown("zone"), // only chunks have these
		shown("parentPageUrl"), shown("src"), shown("alt"), shown("caption"), // only images have these
	}
	for _, f := range stemFields() {
		all = append(all, field{Name: f.name, Type: "Collection(Edm.String)", Searchable: true, Retrievable: true,
			Analyzer: f.analyzer})
	}
	if dimensions > 0 {
		// Vectors are stored although they are never shown. If they were not, the service would lose a document's
		// vector when another field is merged (https://learn.microsoft.com/azure/search/search-howto-reindex).
		all = append(all, field{Name: "vector", Type: "Collection(Edm.Single)", Searchable: true, Dimensions: dimensions,
			Profile: profile})
	}
	return all
}

// definition returns the definition with which the index is created. The semantic configuration is for
// [Options.Semantic], and for people who query the index directly.
func (ix *Index) definition() object {
	weights := object{"title": 10, "heading": 4, "text": 1}
	for _, f := range stemFields() {
		weights[f.name] = 0.5 // another form of a word counts less than the word itself
	}
	return object{
		"name":                  ix.service.name,
		"fields":                fields(ix.dimensions),
		"scoringProfiles":       []object{{"name": profile, "text": object{"weights": weights}}},
		"defaultScoringProfile": profile,
		"analyzers":             []object{wordAnalyzer()},
		"charFilters":           charFilters(),
		"tokenFilters":          []object{tokenFilter()},
		"semantic": object{"configurations": []object{{"name": profile, "prioritizedFields": object{
			"titleField":               object{"fieldName": "title"},
			"prioritizedContentFields": []object{{"fieldName": "text"}, {"fieldName": "heading"}},
		}}}},
		"vectorSearch": object{
			"algorithms": []object{{"name": profile, "kind": "hnsw", "hnswParameters": object{"metric": "cosine"}}},
			"profiles":   []object{{"name": profile, "algorithm": profile}},
		},
	}
}

// Create creates the index, or adds missing fields to it. Errors: Invalid for an index of another program, or with
// vectors of another length. Create leaves such an index unchanged.
func (ix *Index) Create(ctx context.Context) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Create(%s)", ix.service.name)
	for range 3 { // other processes may create or change the index at the same time
		if err = ix.create(ctx); !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return err
}

func (ix *Index) create(ctx context.Context) error {
	var have map[string]json.RawMessage
	status, err := ix.service.call(ctx, request{method: http.MethodGet}, &have)
	if status == http.StatusNotFound {
		_, err = ix.service.call(ctx, request{method: http.MethodPut, header: "If-None-Match", value: "*",
			body: encode(ix.definition())}, nil)
		return err
	}
	if err != nil {
		return err
	}
	missing, err := ix.compare(have)
	if err != nil || len(missing) == 0 {
		return err
	}
	var old []json.RawMessage
	var etag string
	if json.Unmarshal(have["fields"], &old) != nil || json.Unmarshal(have["@odata.etag"], &etag) != nil {
		return fault.New(fault.Unavailable, "the definition of the index cannot be read")
	}
	for _, f := range missing {
		old = append(old, encode(f))
	}
	have["fields"] = encode(old)
	delete(have, "@odata.context") // this property belongs to the answer, not to the index
	_, err = ix.service.call(ctx, request{method: http.MethodPut, header: "If-Match", value: etag,
		body: encode(have)}, nil)
	return err
}

type named struct {
	Name string `json:"name"`
}

// compare returns the fields that the index lacks.
func (ix *Index) compare(have map[string]json.RawMessage) (missing []field, err error) {
	var analyzers []named
	var old []field
	if json.Unmarshal(have["analyzers"], &analyzers) != nil || json.Unmarshal(have["fields"], &old) != nil ||
		!slices.Contains(analyzers, named{words}) {
		return nil, fault.Field("index", "index %s was made by another program or version: choose another name, and rebuild",
			ix.service.name)
	}
	for _, want := range fields(ix.dimensions) {
		i := slices.IndexFunc(old, func(f field) bool { return f.Name == want.Name })
		if i < 0 {
			missing = append(missing, want)
			continue
		}
		if f := old[i]; f.Type != want.Type || !strings.EqualFold(f.Analyzer, want.Analyzer) ||
			f.Dimensions != want.Dimensions || f.Key != want.Key ||
			want.Filterable && !f.Filterable || want.Sortable && !f.Sortable || want.Searchable && !f.Searchable {
			return nil, fault.Field("index",
				"field %s of index %s was made for other settings: choose another name, and rebuild", want.Name, ix.service.name)
		}
	}
	return missing, nil
}

// object is a JSON object that is built and sent, but never decoded.
type object map[string]any

// encode returns v as JSON, without escaping HTML characters.
func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // Unreachable: v holds only texts, lists, and numbers that were checked for NaN.
	}
	return bytes.TrimSpace(out.Bytes())
}
