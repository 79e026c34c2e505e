// Package aisearch is a test server for the data plane of Azure AI Search. It supports the part that Tidemark uses:
// indexes, documents in batches, and searches by text and vector. It is a contract, not an engine: it refuses
// requests that the documentation does not allow, and fails on demand in every documented way.
//
// The rules are those of https://learn.microsoft.com/rest/api/searchservice/ at version [APIVersion]. Where the
// service is lenient or its behaviour is undocumented, the server refuses, so that no client comes to depend on it.
// The server only imitates language analyzers (a stemmer, and for English the stop words), vectors (exact instead of
// HNSW), and the cutting of highlights (one fragment for each highlighted term).
//
// Documents are durable at once and become visible to searches later, as documented
// (https://learn.microsoft.com/rest/api/searchservice/http-status-codes, 200). Here they become visible one after
// another when the test calls [Server.Refresh].
package aisearch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// APIVersion is the only version that the server accepts.
const APIVersion = "2026-04-01"

// Key is the admin key of every server.
const Key = "0123456789abcdef0123456789abcdef"

// Limits (https://learn.microsoft.com/azure/search/search-limits-quotas-capacity#api-request-limits).
const (
	maxPayload = 16 << 20
	maxActions = 1000
	maxTop     = 1000
	maxSkip    = 100_000
	maxClauses = 3000
)

// Server is a search service with any number of indexes.
type Server struct {
	URL string
	// Page is the maximum number of results in one answer; zero means 1000, as documented. It must be set before the
	// first request.
	Page int
	// Partial, if not empty, is the reason why the semantic ranker does not rank: maxWaitExceeded, capacityOverloaded
	// or transient.
	Partial string

	mu      sync.Mutex
	indexes map[string]*index
	faults  []Fault
	log     []Request
	rng     uint64
}

// New starts a server that stops at the end of the test.
func New(t testing.TB) *Server {
	s := &Server{indexes: map[string]*index{}}
	web := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(web.Close)
	s.URL = web.URL
	return s
}

// Request is a received request, with the actions that it wrote.
type Request struct {
	Op      string   // "get", "put", "index", "search"
	Actions []string // for "index": "upload key", "merge key", "delete key"
}

// Requests returns the requests that were received since its last call.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// failure is an answer that reports a failure.
type failure struct {
	status     int
	message    string
	retryAfter string
}

func (f *failure) Error() string { return f.message }

func refuse(format string, args ...any) error {
	return &failure{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
}

// paths is the syntax of paths (https://learn.microsoft.com/rest/api/searchservice/support-for-odata).
var paths = regexp.MustCompile(`^/indexes\('([^']*)'\)(/docs/search\.index|/docs/search\.post\.search)?$`)

// indexName is the syntax of index names (https://learn.microsoft.com/rest/api/searchservice/naming-rules).
var indexName = regexp.MustCompile(`^[a-z0-9]([-_]?[a-z0-9])+$`)

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	status, answer, err := s.answer(r)
	if fail, ok := errors.AsType[*failure](err); ok {
		if fail.retryAfter != "" {
			w.Header().Set("Retry-After", fail.retryAfter)
		}
		status, answer = fail.status, map[string]any{"error": map[string]any{"code": "", "message": fail.message}}
	}
	if answer == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json; odata.metadata=none")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

func (s *Server) answer(r *http.Request) (status int, answer any, err error) {
	if err := admit(r); err != nil {
		return 0, nil, err
	}
	path := paths.FindStringSubmatch(r.URL.Path)
	if path == nil || !indexName.MatchString(path[1]) || len(path[1]) > 128 {
		return 0, nil, &failure{status: http.StatusNotFound, message: "no such path: " + r.URL.Path}
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxPayload))
	if err != nil {
		return 0, nil, &failure{status: http.StatusRequestEntityTooLarge, message: "the request is too large"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dispatch(r, path[1], path[2], body)
}

func (s *Server) dispatch(r *http.Request, name, op string, body []byte) (status int, answer any, err error) {
	switch {
	case op == "" && r.Method == http.MethodGet:
		return s.getIndex(name)
	case op == "" && r.Method == http.MethodPut:
		return s.putIndex(r, name, body)
	case op == "" && r.Method == http.MethodDelete:
		delete(s.indexes, name)
		return http.StatusNoContent, nil, nil
	case op == "" || r.Method != http.MethodPost:
		return 0, nil, &failure{status: http.StatusMethodNotAllowed, message: "only POST"}
	case s.indexes[name] == nil:
		return 0, nil, &failure{status: http.StatusNotFound, message: "no index " + name}
	case op == "/docs/search.index":
		return s.indexDocuments(s.indexes[name], body)
	default:
		return s.search(s.indexes[name], body)
	}
}

// admit checks the parts that all requests have in common.
func admit(r *http.Request) error {
	version := r.URL.Query()["api-version"]
	if len(version) != 1 || version[0] != APIVersion || len(r.URL.Query()) != 1 {
		return refuse("api-version must be %s, and there are no other parameters: %q", APIVersion, r.URL.RawQuery)
	}
	key, bearer := r.Header.Get("api-key"), strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ")
	if key != Key && !bearer || key != "" && bearer {
		return &failure{status: http.StatusForbidden, message: "a valid key or a token is needed, not both"}
	}
	metadata := "none"
	if !strings.Contains(r.URL.Path, "/docs/") {
		metadata = "minimal" // with "none", the answer would have no ETag
	}
	if r.Header.Get("Accept") != "application/json;odata.metadata="+metadata {
		return refuse("odd Accept %q", r.Header.Get("Accept"))
	}
	if r.Method == http.MethodPut && r.Header.Get("Prefer") != "return=representation" {
		return refuse("a PUT must prefer return=representation")
	}
	if (r.Method == http.MethodPost || r.Method == http.MethodPut) && r.Header.Get("Content-Type") != "application/json" {
		return &failure{status: http.StatusUnsupportedMediaType, message: "JSON only"}
	}
	return nil
}

// decode decodes JSON into v. It refuses properties that v does not have.
func decode(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return refuse("the request is invalid: %v", err)
	}
	if d.More() {
		return refuse("the request is invalid: more than one value")
	}
	return nil
}
