package aisearch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"
)

// document is a stored document: fields by name, as JSON decodes them.
type document map[string]any

// index holds a definition and its documents.
type index struct {
	definition *definition
	key        string // name of the key field
	analyzers  map[string]func(string) []token

	stored  map[string]*indexed // all documents that were written, by key
	pending [][]string          // keys of changes that are not visible yet, one list for each request
	visible map[string]*indexed
}

func newIndex(d *definition) (*index, error) {
	ix := &index{definition: d, stored: map[string]*indexed{}, visible: map[string]*indexed{},
		analyzers: map[string]func(string) []token{}}
	for _, f := range d.Fields {
		if f.Key {
			ix.key = f.Name
		}
		if !f.Searchable || f.Type == vectorType {
			continue
		}
		analyze, err := d.analyzer(f.Analyzer)
		if err != nil {
			return nil, err
		}
		ix.analyzers[f.Name] = analyze
	}
	return ix, nil
}

// Refresh makes all writes visible, document by document. The order within each request is arbitrary, because the
// service guarantees no order for the actions of one request.
func (s *Server) Refresh() {
	for s.applyOne() {
	}
}

func (s *Server) applyOne() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ix := range s.indexes {
		for len(ix.pending) > 0 && len(ix.pending[0]) == 0 {
			ix.pending = ix.pending[1:]
		}
		if len(ix.pending) == 0 {
			continue
		}
		key := ix.pending[0][0]
		ix.pending[0] = ix.pending[0][1:]
		if doc := ix.stored[key]; doc != nil {
			ix.visible[key] = doc
		} else {
			delete(ix.visible, key)
		}
		return true
	}
	return false
}

// Documents returns the documents of an index, visible or not, in the order of their keys.
func (s *Server) Documents(index string) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []map[string]any
	for _, key := range slices.Sorted(maps.Keys(s.indexes[index].stored)) {
		all = append(all, maps.Clone(s.indexes[index].stored[key].doc))
	}
	return all
}

// indexingResult is the answer for one document (https://learn.microsoft.com/rest/api/searchservice/documents/).
type indexingResult struct {
	Key          string  `json:"key"`
	Status       bool    `json:"status"`
	ErrorMessage *string `json:"errorMessage"`
	StatusCode   int     `json:"statusCode"`
}

func (s *Server) indexDocuments(ix *index, body []byte) (int, any, error) {
	var batch struct {
		Value []document `json:"value"`
	}
	if err := decode(body, &batch); err != nil {
		return 0, nil, err
	}
	if len(batch.Value) < 1 || len(batch.Value) > maxActions {
		return 0, nil, refuse("actions : The items collection must have from 1 to %d valid items to be indexed.", maxActions)
	}
	request := Request{Op: "index"}
	for _, doc := range batch.Value {
		request.Actions = append(request.Actions, fmt.Sprint(doc["@search.action"], " ", doc[ix.key]))
	}
	s.log = append(s.log, request)
	return s.around("index", func(f Fault) (int, any, error) { return ix.write(batch.Value, f) })
}

func (ix *index) write(batch []document, f Fault) (int, any, error) {
	seen := map[any]bool{}
	for _, doc := range batch {
		if err := ix.checkShape(doc); err != nil {
			return 0, nil, err
		}
		if seen[doc[ix.key]] { // the service accepts repeated documents, but guarantees no order of their actions
			return 0, nil, refuse("two actions on the document %v", doc[ix.key])
		}
		seen[doc[ix.key]] = true
	}
	status := http.StatusOK
	var results []indexingResult
	var written []string
	for i, doc := range batch {
		key := doc[ix.key].(string)
		r := indexingResult{Key: key}
		if f.Item != 0 && (f.Match == nil && i%2 == 0 || f.Match != nil && f.Match(key)) {
			r.StatusCode = f.Item
		} else {
			r.StatusCode = ix.act(key, doc)
		}
		if r.Status = r.StatusCode < 300; r.Status {
			written = append(written, key)
		} else {
			message := fmt.Sprintf("document %s: %s", key, http.StatusText(r.StatusCode))
			r.ErrorMessage, status = &message, http.StatusMultiStatus
		}
		results = append(results, r)
	}
	rand.Shuffle(len(written), func(i, j int) { written[i], written[j] = written[j], written[i] })
	ix.pending = append(ix.pending, written)
	return status, map[string]any{"value": results}, nil
}

// act applies one action.
func (ix *index) act(key string, doc document) (status int) {
	action := doc["@search.action"].(string)
	old, found := ix.stored[key]
	if action == "delete" {
		delete(ix.stored, key)
		return http.StatusOK // even if the document did not exist
	}
	if action == "merge" && !found {
		return http.StatusNotFound
	}
	next := document{}
	if action == "merge" || action == "mergeOrUpload" {
		if found {
			maps.Copy(next, old.doc)
		}
	}
	for name, value := range doc {
		if name != "@search.action" {
			next[name] = value
		}
	}
	digested := ix.digest(next)
	if !ix.digestible(digested) {
		return http.StatusBadRequest
	}
	ix.stored[key] = digested
	if found {
		return http.StatusOK
	}
	return http.StatusCreated
}

// keyForm is the syntax of keys (https://learn.microsoft.com/rest/api/searchservice/naming-rules, "Document key").
var keyForm = regexp.MustCompile(`^[A-Za-z0-9=-][A-Za-z0-9_=-]*$`)

// checkShape refuses the whole request if a document does not fit the definition.
func (ix *index) checkShape(doc document) error {
	key, _ := doc[ix.key].(string)
	if !keyForm.MatchString(key) || len(key) > 1024 {
		return refuse("Invalid document key: '%s'. Keys can only contain letters, digits, underscore (_), dash (-), or "+
			"equal sign (=).", key)
	}
	action, _ := doc["@search.action"].(string)
	if !slices.Contains([]string{"upload", "merge", "mergeOrUpload", "delete"}, action) {
		return refuse("action %q", action)
	}
	for name, value := range doc {
		if name == "@search.action" || name == ix.key {
			continue
		}
		f := ix.definition.field(name)
		if f == nil {
			return refuse("The property '%s' does not exist on type 'search.documentFields'.", name)
		}
		if action == "delete" {
			return refuse("a deletion with %s", name)
		}
		if err := f.checkValue(value); err != nil {
			return err
		}
	}
	return nil
}

func (f *field) checkValue(value any) error {
	switch v := value.(type) {
	case nil:
		if f.Type != stringsType { // a collection may be empty, but not null
			return nil
		}
	case string:
		if f.Type == stringType {
			return nil
		}
		// The service would normalize times of other forms. Times of this form can be compared as text.
		if _, err := time.Parse("2006-01-02T15:04:05Z", v); f.Type == timeType && err == nil {
			return nil
		}
	case []any:
		if f.Type == vectorType && len(v) == f.Dimensions && all[float64](v) {
			return nil
		}
		if f.Type == stringsType && all[string](v) {
			return nil
		}
	}
	return refuse("field %s of type %s: %.60v", f.Name, f.Type, value)
}

func all[T any](values []any) bool {
	return !slices.ContainsFunc(values, func(v any) bool { _, ok := v.(T); return !ok })
}

// Bounds of terms. Analyzers must not produce tokens longer than 300 characters. A value of a field for filters or
// sorting is a single term (https://learn.microsoft.com/azure/search/index-add-custom-analyzers).
const (
	maxToken = 300
	maxTerm  = 32766
)

// digestible reports whether the engine can index a document.
func (ix *index) digestible(d *indexed) bool {
	for _, f := range ix.definition.Fields {
		for _, text := range texts(d.doc[f.Name]) {
			if (f.Filterable || f.Sortable || f.Facetable) && len(text) > maxTerm {
				return false
			}
		}
		if slices.ContainsFunc(d.tokens[f.Name], func(t token) bool { return utf8.RuneCountInString(t.term) > maxToken }) {
			return false
		}
	}
	return true
}

// texts returns the strings in a value.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}
