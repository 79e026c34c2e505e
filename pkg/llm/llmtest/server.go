// Package llmtest fakes a service with language models, for tests. It has a [Server] that implements the OpenAI API
// over HTTP, strictly and with the faults of real services, and an [Embedder] without HTTP. Both make vectors from
// nothing but the words of a text. Tests choose faults in advance: [Server.Break] for requests, [Server.Spoil] for a
// model's answers, [Server.End] for the ends of batches.
package llmtest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// Key is the bearer token that the server requires.
const Key = "sk-tidemark-secret"

// Server answers /v1/embeddings, /v1/chat/completions, /v1/files and /v1/batches.
// (https://platform.openai.com/docs/api-reference)
type Server struct {
	// URL is the value for OPENAI_BASE_URL.
	URL       string
	Model     string // the only model that the server has
	Dimension int
	// MaxInputs limits the number of texts in a request. MaxRunes limits the length of each text, as a model's limit
	// of tokens does. The server answers 400 to a request that exceeds either.
	MaxInputs, MaxRunes int
	// Reply returns the model's answer to a user's message. If it is nil, the answer is a value that follows the
	// schema.
	Reply func(user string) string
	// FailAfter makes faults of files and batches occur after the request has taken effect.
	FailAfter bool
	// PageSize limits the number of batches in one page of a list; 0 means as many as the request asks for.
	PageSize int
	// Azure answers 201 to what has created something, as Azure OpenAI does.
	Azure bool
	// Unlabelled makes it keep no metadata of batches.
	Unlabelled bool
	// Pending is the number of times that a batch is refused because its file is still processed.
	Pending int
	// Knows lists the response formats that the server knows; nil means json_schema only. Old makes it know max_tokens
	// instead of max_completion_tokens.
	Knows []string
	Old   bool

	mu       sync.Mutex
	spoils   []Spoil
	asked    []string
	files    map[string][]byte
	names    map[string]string // by id of file
	uploads  int
	batches  []*batch // oldest first
	outcomes []Outcome
	faults   []Fault
	texts    []string
	requests int
	inFlight int
	most     int
}

// Fault answers a request in a way that violates the API's contract. If it returns false, the request is answered
// normally. The parameter a is nil, except for a request for embeddings.
type Fault func(w http.ResponseWriter, a *Answer) bool

// Answer is the body of an answer to a request for embeddings, before it is sent.
type Answer struct {
	Object string      `json:"object"`
	Data   []Embedding `json:"data"`
	Model  string      `json:"model"`
	Usage  Usage       `json:"usage"`
}

// Embedding is one vector of an answer.
type Embedding struct {
	Object    string `json:"object"`
	Embedding any    `json:"embedding"` // the numbers, or their bytes in base64
	Index     *int   `json:"index,omitempty"`
}

// Usage is the number of tokens charged for an answer.
type Usage struct {
	PromptTokens int `json:"prompt_tokens"`
	TotalTokens  int `json:"total_tokens"`
}

// NewServer starts a server with one model. It is closed at the end of the test.
func NewServer(t testing.TB, model string, dimension int) *Server {
	s := &Server{Model: model, Dimension: dimension, MaxInputs: 2048, MaxRunes: 8191, files: map[string][]byte{},
		names: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/files", s.upload)
	mux.HandleFunc("GET /v1/files", s.listFiles)
	mux.HandleFunc("GET /v1/files/{id}/content", s.content)
	mux.HandleFunc("DELETE /v1/files/{id}", s.remove)
	mux.HandleFunc("POST /v1/batches", s.create)
	mux.HandleFunc("GET /v1/batches", s.list)
	mux.HandleFunc("GET /v1/batches/{id}", s.retrieve)
	mux.HandleFunc("POST /v1/batches/{id}/cancel", s.cancel)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL + "/v1"
	return s
}

// Break sets the faults of the next requests, one for each. A nil fault means a normal answer.
func (s *Server) Break(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Requests returns the number of requests received so far, whatever their results.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Texts returns the texts whose vectors were sent, in the order of the requests.
func (s *Server) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.texts)
}

// MostAtOnce returns the largest number of requests that were concurrent so far.
func (s *Server) MostAtOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// begin counts a request and returns the fault planned for it.
func (s *Server) begin() Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	if len(s.faults) == 0 {
		return nil
	}
	f := s.faults[0]
	s.faults = s.faults[1:]
	return f
}

func (s *Server) end(texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.texts = append(s.texts, texts...)
}

// request is the body of a request for embeddings. The server refuses other fields.
type request struct {
	Input          input  `json:"input"`
	Model          string `json:"model"`
	EncodingFormat string `json:"encoding_format"`
}

// input is one text or a list of texts.
type input []string

func (in *input) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*in = input{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(in))
}

func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) {
	f := s.begin()
	var sent []string
	defer func() { s.end(sent) }()
	var req request
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&req); err != nil {
		Refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	if !s.admit(w, r, req) {
		return
	}
	a := s.answer(req)
	if f != nil && f(w, &a) {
		return
	}
	sent = req.Input
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a)
}

// admit answers with an error if the API would refuse the request.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, req request) bool {
	switch {
	case !keyed(w, r):
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		Refuse(w, http.StatusUnsupportedMediaType, "invalid_request_error", "the body is not JSON")
	case req.Model != s.Model:
		Refuse(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("The model %q does not exist", req.Model))
	case req.EncodingFormat != "" && req.EncodingFormat != "float" && req.EncodingFormat != "base64":
		Refuse(w, http.StatusBadRequest, "invalid_request_error", "encoding_format is float or base64")
	case len(req.Input) == 0 || len(req.Input) > s.MaxInputs:
		Refuse(w, http.StatusBadRequest, "invalid_request_error", fmt.Sprintf("'input' has %d texts, not 1 to %d",
			len(req.Input), s.MaxInputs))
	case slices.Contains(req.Input, ""):
		Refuse(w, http.StatusBadRequest, "invalid_request_error", "'input' cannot be an empty string")
	case slices.ContainsFunc(req.Input, func(text string) bool { return utf8.RuneCountInString(text) > s.MaxRunes }):
		Refuse(w, http.StatusBadRequest, "invalid_request_error",
			fmt.Sprintf("This model's maximum context length is %d tokens", s.MaxRunes))
	default:
		return true
	}
	return false
}

// keyed answers with an error if the request does not have the key.
func keyed(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("Authorization") == "Bearer "+Key {
		return true
	}
	Refuse(w, http.StatusUnauthorized, "auth_error", "Incorrect API key provided: "+r.Header.Get("Authorization"))
	return false
}

func (s *Server) answer(req request) Answer {
	a := Answer{Object: "list", Model: s.Model}
	for i, text := range req.Input {
		v := Vector(text, s.Dimension)
		e := Embedding{Object: "embedding", Embedding: v, Index: &i}
		if req.EncodingFormat == "base64" {
			e.Embedding = inBase64(v)
		}
		a.Data = append(a.Data, e)
		a.Usage.PromptTokens += len(strings.Fields(text))
	}
	a.Usage.TotalTokens = a.Usage.PromptTokens
	return a
}

func inBase64(v []float32) string {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// Refuse answers with an error in the form of the API.
func Refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": message, "type": kind, "param": nil, "code": kind,
	}})
}
