package aisearch

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
)

// definition is the definition of an index, in the form of the request that creates the index
// (https://learn.microsoft.com/rest/api/searchservice/indexes/create-or-update).
type definition struct {
	Name                  string           `json:"name"`
	Description           string           `json:"description,omitempty"`
	Fields                []field          `json:"fields"`
	ScoringProfiles       []scoringProfile `json:"scoringProfiles,omitempty"`
	DefaultScoringProfile string           `json:"defaultScoringProfile,omitempty"`
	Analyzers             []analyzer       `json:"analyzers,omitempty"`
	CharFilters           []charFilter     `json:"charFilters,omitempty"`
	TokenFilters          []tokenFilter    `json:"tokenFilters,omitempty"`
	Semantic              *semantic        `json:"semantic,omitempty"`
	VectorSearch          *vectorSearch    `json:"vectorSearch,omitempty"`
	ETag                  string           `json:"@odata.etag,omitempty"`
}

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

type scoringProfile struct {
	Name string `json:"name"`
	Text struct {
		Weights map[string]float64 `json:"weights"`
	} `json:"text"`
}

type fieldName struct {
	Name string `json:"fieldName"`
}

type semantic struct {
	Default        string          `json:"defaultConfiguration,omitempty"`
	Configurations []configuration `json:"configurations"`
}

type configuration struct {
	Name   string `json:"name"`
	Fields struct {
		Title    fieldName   `json:"titleField"`
		Content  []fieldName `json:"prioritizedContentFields"`
		Keywords []fieldName `json:"prioritizedKeywordsFields,omitempty"`
	} `json:"prioritizedFields"`
}

type vectorSearch struct {
	Algorithms []struct {
		Name       string `json:"name"`
		Kind       string `json:"kind"`
		Parameters struct {
			Metric string `json:"metric"`
		} `json:"hnswParameters"`
	} `json:"algorithms"`
	Profiles []struct {
		Name      string `json:"name"`
		Algorithm string `json:"algorithm"`
	} `json:"profiles"`
}

// Types of fields that this server supports.
const (
	stringType  = "Edm.String"
	stringsType = "Collection(Edm.String)"
	timeType    = "Edm.DateTimeOffset"
	vectorType  = "Collection(Edm.Single)"
)

func (d *definition) field(name string) *field {
	for i := range d.Fields {
		if d.Fields[i].Name == name {
			return &d.Fields[i]
		}
	}
	return nil
}

func (s *Server) getIndex(name string) (int, any, error) {
	s.log = append(s.log, Request{Op: "get"})
	return s.around("get", func(Fault) (int, any, error) {
		ix := s.indexes[name]
		if ix == nil {
			return 0, nil, &failure{status: http.StatusNotFound, message: "no index " + name}
		}
		return http.StatusOK, ix.answered(), nil
	})
}

// answered returns the definition as the service returns it, with the service's additions.
func (ix *index) answered() any {
	encoded, _ := json.Marshal(ix.definition)
	var all map[string]any
	_ = json.Unmarshal(encoded, &all)
	all["@odata.context"] = "https://example.search.windows.net/$metadata#indexes/$entity"
	all["corsOptions"], all["suggesters"] = nil, []any{}
	all["similarity"] = map[string]any{"@odata.type": "#Microsoft.Azure.Search.BM25Similarity"}
	for _, f := range all["fields"].([]any) {
		f.(map[string]any)["synonymMaps"] = []any{}
	}
	return all
}

func (s *Server) putIndex(r *http.Request, name string, body []byte) (int, any, error) {
	s.log = append(s.log, Request{Op: "put"})
	return s.around("put", func(Fault) (int, any, error) {
		d, err := readDefinition(name, body)
		if err != nil {
			return 0, nil, err
		}
		old := s.indexes[name]
		if none := r.Header.Get("If-None-Match"); old != nil && none == "*" {
			return 0, nil, &failure{status: http.StatusPreconditionFailed, message: "the index exists"}
		}
		if match := r.Header.Get("If-Match"); match != "" && (old == nil || match != old.definition.ETag) {
			return 0, nil, &failure{status: http.StatusPreconditionFailed, message: "the index is another"}
		}
		s.rng++
		d.ETag = strconv.Quote("0x8DE" + strconv.FormatUint(s.rng, 16))
		if old == nil {
			s.indexes[name], err = newIndex(d)
			return http.StatusCreated, d, err
		}
		if err := old.redefine(d); err != nil {
			return 0, nil, err
		}
		return http.StatusOK, d, nil
	})
}

func readDefinition(name string, body []byte) (*definition, error) {
	var known map[string]json.RawMessage
	if err := json.Unmarshal(body, &known); err != nil {
		return nil, refuse("no object: %v", err)
	}
	// A client may send back properties that the service has added to an answer.
	for _, added := range []string{"corsOptions", "suggesters", "similarity"} {
		delete(known, added)
	}
	if err := withoutSynonyms(known); err != nil {
		return nil, err
	}
	body, _ = json.Marshal(known)
	d := new(definition)
	if err := decode(body, d); err != nil {
		return nil, err
	}
	if d.Name != name {
		return nil, refuse("the name in the body is %q", d.Name)
	}
	return d, d.check()
}

func withoutSynonyms(known map[string]json.RawMessage) error {
	var fields []map[string]json.RawMessage
	if err := json.Unmarshal(known["fields"], &fields); err != nil {
		return refuse("fields: %v", err)
	}
	for _, f := range fields {
		delete(f, "synonymMaps")
	}
	known["fields"], _ = json.Marshal(fields)
	return nil
}

// check checks a definition against the service's rules
// (https://learn.microsoft.com/azure/search/search-how-to-create-search-index).
func (d *definition) check() error {
	keys := 0
	seen := map[string]bool{}
	for _, f := range d.Fields {
		if seen[f.Name] {
			return refuse("field %s twice", f.Name)
		}
		seen[f.Name] = true
		if f.Key {
			keys++
		}
		if err := d.checkField(f); err != nil {
			return err
		}
	}
	if keys != 1 || len(d.Fields) > 100 { // the limit of the Basic tier, which is the lowest
		return refuse("%d keys, %d fields", keys, len(d.Fields))
	}
	for _, p := range d.ScoringProfiles {
		for name := range p.Text.Weights {
			if f := d.field(name); f == nil || !f.Searchable || f.Type == vectorType {
				return refuse("scoring profile %s weighs %q, which is not searched", p.Name, name)
			}
		}
	}
	if d.DefaultScoringProfile != "" && !slices.ContainsFunc(d.ScoringProfiles,
		func(p scoringProfile) bool { return p.Name == d.DefaultScoringProfile }) {
		return refuse("no scoring profile %q", d.DefaultScoringProfile)
	}
	if err := d.checkSemantic(); err != nil {
		return err
	}
	return d.checkAnalyzers()
}

func (d *definition) checkField(f field) error {
	text := f.Type == stringType || f.Type == stringsType
	switch {
	case !text && f.Type != timeType && f.Type != vectorType:
		return refuse("field %s: type %q", f.Name, f.Type)
	case f.Key && f.Type != stringType:
		return refuse("field %s: a key is a string", f.Name)
	case f.Type == stringsType && f.Sortable:
		return refuse("field %s: a collection has no order", f.Name)
	case f.Searchable && !text && f.Type != vectorType:
		return refuse("field %s: only strings are searched", f.Name)
	case f.Analyzer != "" && (!text || !f.Searchable):
		return refuse("field %s: an analyzer, but not searched", f.Name)
	case f.Type == vectorType:
		return d.checkVector(f)
	}
	return nil
}

func (d *definition) checkVector(f field) error {
	if !f.Searchable || f.Filterable || f.Sortable || f.Facetable || f.Dimensions < 2 || f.Dimensions > 4096 {
		return refuse("field %s: %d dimensions, or attributes that a vector cannot have", f.Name, f.Dimensions)
	}
	if d.VectorSearch == nil {
		return refuse("field %s: no vectorSearch", f.Name)
	}
	for _, p := range d.VectorSearch.Profiles {
		for _, a := range d.VectorSearch.Algorithms {
			if p.Name == f.Profile && a.Name == p.Algorithm && a.Kind == "hnsw" && a.Parameters.Metric == "cosine" {
				return nil
			}
		}
	}
	return refuse("field %s: no profile %q with an algorithm", f.Name, f.Profile)
}

func (d *definition) checkSemantic() error {
	if d.Semantic == nil {
		return nil
	}
	for _, c := range d.Semantic.Configurations {
		for _, f := range append(slices.Concat(c.Fields.Content, c.Fields.Keywords), c.Fields.Title) {
			if have := d.field(f.Name); have == nil || !have.Searchable || !have.Retrievable {
				return refuse("semantic configuration %s: field %q", c.Name, f.Name)
			}
		}
	}
	return nil
}

// redefine changes an index: fields may be added, but not removed or changed
// (https://learn.microsoft.com/azure/search/search-howto-reindex#update-an-index-schema).
func (ix *index) redefine(d *definition) error {
	for _, f := range ix.definition.Fields {
		if have := d.field(f.Name); have == nil || !reflect.DeepEqual(*have, f) {
			return refuse("Existing field '%s' cannot be deleted or changed", f.Name)
		}
	}
	if !reflect.DeepEqual(d.Analyzers, ix.definition.Analyzers) || !reflect.DeepEqual(d.CharFilters,
		ix.definition.CharFilters) || !reflect.DeepEqual(d.TokenFilters, ix.definition.TokenFilters) {
		return refuse("Index update not allowed because it would cause downtime: analyzers")
	}
	next, err := newIndex(d)
	if err != nil {
		return err
	}
	next.stored, next.pending, next.visible = ix.stored, ix.pending, ix.visible // a new field is empty in old documents
	*ix = *next
	return nil
}
