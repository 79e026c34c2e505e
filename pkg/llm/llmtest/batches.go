package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
)

// maxFile bounds the size of an uploaded file, in bytes. (https://platform.openai.com/docs/guides/batch)
const maxFile = 200 << 20

// maxLines limits the number of lines in a batch.
const maxLines = 50_000

// batch is a batch in the form of the API, with its hidden state.
type batch struct {
	ID               string            `json:"id"`
	Object           string            `json:"object"`
	Endpoint         string            `json:"endpoint"`
	Errors           *batchErrors      `json:"errors"`
	InputFileID      string            `json:"input_file_id"`
	CompletionWindow string            `json:"completion_window"`
	Status           string            `json:"status"`
	OutputFileID     *string           `json:"output_file_id"`
	ErrorFileID      *string           `json:"error_file_id"`
	CreatedAt        int               `json:"created_at"`
	RequestCounts    counts            `json:"request_counts"`
	Metadata         map[string]string `json:"metadata"`
}

type batchErrors struct {
	Object string       `json:"object"`
	Data   []batchError `json:"data"`
}

type batchError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    *int   `json:"line"`
}

type counts struct {
	Total     int `json:"total"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
}

// Batches returns the number of batches that were started.
func (s *Server) Batches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}

// Uploads returns the number of files that were uploaded.
func (s *Server) Uploads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uploads
}

// Files returns the number of files on the server: uploaded files and files of results.
func (s *Server) Files() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.files)
}

// around performs a request with the fault that is planned for it. The fault occurs before or after the request takes
// effect.
func (s *Server) around(w http.ResponseWriter, r *http.Request, do func() (int, any)) {
	f := s.begin()
	defer s.end(nil)
	if !keyed(w, r) || f != nil && !s.FailAfter && f(w, nil) {
		return
	}
	s.mu.Lock()
	status, answer := do()
	s.mu.Unlock()
	if f != nil && s.FailAfter && f(w, nil) {
		return
	}
	if status >= 300 {
		Refuse(w, status, "invalid_request_error", fmt.Sprint(answer))
		return
	}
	if raw, ok := answer.([]byte); ok {
		_, _ = w.Write(raw)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	s.around(w, r, func() (int, any) {
		if err := r.ParseMultipartForm(maxFile); err != nil || len(r.MultipartForm.Value) != 1 ||
			len(r.MultipartForm.File) != 1 || r.FormValue("purpose") != "batch" {
			return http.StatusBadRequest, "the form is not a purpose, batch, and a file"
		}
		file, header, err := r.FormFile("file")
		if err != nil || path.Ext(header.Filename) != ".jsonl" {
			return http.StatusBadRequest, "Invalid file format: not .jsonl"
		}
		body, err := io.ReadAll(io.LimitReader(file, maxFile+1))
		if err != nil || len(body) == 0 || len(body) > maxFile {
			return http.StatusBadRequest, "the file is empty or too large"
		}
		s.uploads++
		id := fmt.Sprintf("file-in-%d", s.uploads)
		s.files[id], s.names[id] = body, header.Filename
		return s.created(), s.file(id)
	})
}

func (s *Server) file(id string) map[string]any {
	return map[string]any{
		"id": id, "object": "file", "bytes": len(s.files[id]), "created_at": 1772366400, "filename": s.names[id],
		"purpose": "batch", "status": "processed",
	}
}

// created is the status of an answer to what has created something.
func (s *Server) created() int {
	if s.Azure {
		return http.StatusCreated
	}
	return http.StatusOK
}

func (s *Server) listFiles(w http.ResponseWriter, r *http.Request) {
	s.around(w, r, func() (int, any) {
		data := []any{}
		for id := range s.files {
			data = append(data, s.file(id))
		}
		return http.StatusOK, map[string]any{"object": "list", "data": data, "has_more": false}
	})
}

func (s *Server) content(w http.ResponseWriter, r *http.Request) {
	s.around(w, r, func() (int, any) {
		body, ok := s.files[r.PathValue("id")]
		if !ok {
			return http.StatusNotFound, "No such File object: " + r.PathValue("id")
		}
		return http.StatusOK, body
	})
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request) {
	s.around(w, r, func() (int, any) {
		id := r.PathValue("id")
		if _, ok := s.files[id]; !ok {
			return http.StatusNotFound, "No such File object: " + id
		}
		delete(s.files, id)
		return http.StatusOK, map[string]any{"id": id, "object": "file", "deleted": true}
	})
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	s.around(w, r, func() (int, any) {
		var req struct {
			InputFileID      string            `json:"input_file_id"`
			Endpoint         string            `json:"endpoint"`
			CompletionWindow string            `json:"completion_window"`
			Metadata         map[string]string `json:"metadata"`
		}
		if err := strictly(json.NewDecoder(r.Body), &req); err != nil {
			return http.StatusBadRequest, err
		}
		if req.Endpoint != "/v1/chat/completions" || req.CompletionWindow != "24h" {
			return http.StatusBadRequest, "endpoint or completion_window is none that there is"
		}
		if _, ok := s.files[req.InputFileID]; !ok {
			return http.StatusBadRequest, "input_file_id: no such file"
		}
		if s.Pending > 0 {
			s.Pending--
			return http.StatusBadRequest, "The input file is not in a terminal state. Current state: Pending"
		}
		b := &batch{
			ID: fmt.Sprintf("batch_%d", len(s.batches)+1), Object: "batch", Endpoint: req.Endpoint, InputFileID: req.InputFileID,
			CompletionWindow: req.CompletionWindow, Status: "validating", CreatedAt: 1772366400 + len(s.batches),
			Metadata: req.Metadata,
		}
		if s.Unlabelled {
			b.Metadata = nil
		}
		s.batches = append(s.batches, b)
		return s.created(), *b
	})
}

func (s *Server) find(id string) *batch {
	for _, b := range s.batches {
		if b.ID == id {
			return b
		}
	}
	return nil
}

// retrieve answers with the state of a batch. Each call moves the batch to its next state: validated, in progress,
// ended.
func (s *Server) retrieve(w http.ResponseWriter, r *http.Request) {
	s.around(w, r, func() (int, any) {
		b := s.find(r.PathValue("id"))
		if b == nil {
			return http.StatusNotFound, "No batch found with id " + r.PathValue("id")
		}
		switch b.Status {
		case "validating":
			b.Status = "in_progress"
		case "in_progress", "cancelling":
			s.finish(b)
		}
		return http.StatusOK, *b
	})
}

func (s *Server) cancel(w http.ResponseWriter, r *http.Request) {
	s.around(w, r, func() (int, any) {
		b := s.find(r.PathValue("id"))
		if b == nil || b.Status != "validating" && b.Status != "in_progress" {
			return http.StatusConflict, "Cannot cancel a batch that is not there or over"
		}
		b.Status = "cancelling"
		return http.StatusOK, *b
	})
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	s.around(w, r, func() (int, any) {
		limit, err := strconv.Atoi(r.FormValue("limit"))
		if err != nil || limit < 1 || limit > 100 {
			return http.StatusBadRequest, "limit is not 1 to 100"
		}
		if s.PageSize > 0 {
			limit = min(limit, s.PageSize)
		}
		data, after := []batch{}, r.FormValue("after")
		more := false
		for i := len(s.batches) - 1; i >= 0; i-- {
			switch b := *s.batches[i]; {
			case after != "":
				if b.ID == after {
					after = ""
				}
			case len(data) == limit:
				more = true
			default:
				data = append(data, b)
			}
		}
		return http.StatusOK, map[string]any{"object": "list", "data": data, "has_more": more}
	})
}

// inputs reads the file of a batch as strictly as the service does.
func (s *Server) inputs(b *batch) (ids []string, reqs []chatRequest, err error) {
	seen := map[string]bool{}
	for i, line := range bytes.Split(bytes.TrimSpace(s.files[b.InputFileID]), []byte("\n")) {
		var in struct {
			CustomID string      `json:"custom_id"`
			Method   string      `json:"method"`
			URL      string      `json:"url"`
			Body     chatRequest `json:"body"`
		}
		if err := strictly(json.NewDecoder(bytes.NewReader(line)), &in); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if in.CustomID == "" || len(in.CustomID) > 64 || seen[in.CustomID] || in.Method != "POST" || in.URL != b.Endpoint {
			return nil, nil, fmt.Errorf("line %d: custom_id, method or url", i+1)
		}
		if _, err := s.check(in.Body); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		seen[in.CustomID] = true
		ids, reqs = append(ids, in.CustomID), append(reqs, in.Body)
	}
	if len(ids) > maxLines {
		return nil, nil, fmt.Errorf("%d lines", len(ids))
	}
	return ids, reqs, nil
}
