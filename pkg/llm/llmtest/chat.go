package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// chatRequest is the body of a request for an answer. The server refuses other fields.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	MaxTokens           int             `json:"max_tokens"`
	Stream              bool            `json:"stream"`
	ResponseFormat      *responseFormat `json:"response_format"`
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
		Strict      bool            `json:"strict"`
	} `json:"json_schema"`
}

// Completion is the body of an answer before it is sent. (https://platform.openai.com/docs/api-reference/chat/object)
type Completion struct {
	ID      string    `json:"id"`
	Object  string    `json:"object"`
	Created int       `json:"created"`
	Model   string    `json:"model"`
	Choices []Choice  `json:"choices"`
	Usage   ChatUsage `json:"usage"`
}

// Choice is one of the alternatives in an answer; this server sends one.
type Choice struct {
	Index        int     `json:"index"`
	Message      Message `json:"message"`
	FinishReason string  `json:"finish_reason"`
}

// Message is the model's message.
type Message struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`
}

// ChatUsage is the number of tokens charged for an answer: one token per word.
type ChatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// Cost is the cost of an answer in LiteLLM's header, in US dollars.
const Cost = 0.000125

// Asked returns the user messages that were answered, in the order of the answers. It includes those in batches.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	f := s.begin()
	defer s.end(nil)
	var req chatRequest
	if !keyed(w, r) || f != nil && f(w, nil) {
		return
	}
	if err := strictly(json.NewDecoder(r.Body), &req); err != nil {
		Refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	if status, err := s.check(req); err != nil {
		Refuse(w, status, "invalid_request_error", err.Error())
		return
	}
	w.Header().Set("X-Litellm-Response-Cost", fmt.Sprint(Cost))
	writeJSON(w, s.complete(req))
}

func strictly(dec *json.Decoder, v any) error {
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// check returns an error for a request that the API refuses, with the status of the answer.
func (s *Server) check(req chatRequest) (status int, err error) {
	if req.Model != s.Model {
		return http.StatusNotFound, fmt.Errorf("the model %q does not exist", req.Model)
	}
	bad := http.StatusBadRequest
	if len(req.Messages) != 2 || req.Messages[0].Role != "system" || req.Messages[1].Role != "user" ||
		req.Messages[1].Content == "" {
		return bad, fmt.Errorf("messages are not one of the system and one of the user")
	}
	if s.Old && req.MaxCompletionTokens > 0 {
		return bad, fmt.Errorf("unsupported parameter: max_completion_tokens")
	}
	f := req.ResponseFormat
	if s.Knows != nil && !req.Stream {
		return s.checkFormat(req)
	}
	if req.Stream || !s.Old && req.MaxTokens > 0 || f == nil ||
		f.Type != "json_schema" || f.JSONSchema.Name == "" || !f.JSONSchema.Strict {
		return bad, fmt.Errorf("response_format is not a strict json_schema")
	}
	if err := checkSchema(f.JSONSchema.Schema); err != nil {
		return bad, fmt.Errorf("invalid schema for response_format: %w", err)
	}
	return 0, nil
}

// schema returns the schema of the answer, which may be in the instructions.
func (r chatRequest) schema() json.RawMessage {
	if r.ResponseFormat != nil && r.ResponseFormat.JSONSchema.Schema != nil {
		return r.ResponseFormat.JSONSchema.Schema
	}
	system := r.Messages[0].Content
	return json.RawMessage(system[strings.LastIndex(system, "schema:\n")+len("schema:\n"):])
}

// checkFormat is check for a server that knows other formats.
func (s *Server) checkFormat(req chatRequest) (status int, err error) {
	kind := "text"
	if req.ResponseFormat != nil {
		kind = req.ResponseFormat.Type
	}
	if !slices.Contains(s.Knows, kind) {
		return http.StatusBadRequest, fmt.Errorf("response_format.type %q is not supported", kind)
	}
	if !strings.Contains(req.Messages[0].Content, "JSON schema") {
		return http.StatusBadRequest, fmt.Errorf("the instructions do not say which JSON")
	}
	return 0, nil
}

// complete answers a valid request.
func (s *Server) complete(req chatRequest) Completion {
	user := req.Messages[1].Content
	text := ""
	schema := req.schema()
	if s.Reply != nil {
		text = s.Reply(user)
	} else {
		text = instance(schema, user)
	}
	c := Completion{
		ID: "chatcmpl-1", Object: "chat.completion", Created: 1772366400, Model: s.Model + "-2026-01-01",
		Choices: []Choice{{Message: Message{Role: "assistant", Content: &text}, FinishReason: "stop"}},
	}
	in, out := len(strings.Fields(req.Messages[0].Content+" "+user)), len(strings.Fields(text))
	c.Usage = ChatUsage{PromptTokens: in, CompletionTokens: out, TotalTokens: in + out}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, user)
	if len(s.spoils) > 0 {
		spoil := s.spoils[0]
		if s.spoils = s.spoils[1:]; spoil != nil {
			spoil(&c)
		}
	}
	return c
}

// schema is the part of JSON Schema that every service supports. Other keywords are refused.
type schema struct {
	Type                 string            `json:"type"`
	Description          string            `json:"description"`
	Properties           map[string]schema `json:"properties"`
	Required             []string          `json:"required"`
	AdditionalProperties *bool             `json:"additionalProperties"`
	Items                *schema           `json:"items"`
	Enum                 []string          `json:"enum"`
}

func checkSchema(raw json.RawMessage) error {
	var s schema
	if err := strictly(json.NewDecoder(bytes.NewReader(raw)), &s); err != nil {
		return err
	}
	if s.Type != "object" {
		return fmt.Errorf("schema must be an object")
	}
	return s.check()
}

func (s schema) check() error {
	switch s.Type {
	case "object":
		if s.AdditionalProperties == nil || *s.AdditionalProperties || len(s.Required) != len(s.Properties) {
			return fmt.Errorf("'additionalProperties' must be false and 'required' name every property")
		}
		for name, p := range s.Properties {
			if !slices.Contains(s.Required, name) {
				return fmt.Errorf("missing %q in 'required'", name)
			}
			if err := p.check(); err != nil {
				return err
			}
		}
	case "array":
		if s.Items == nil {
			return fmt.Errorf("array schema missing items")
		}
		return s.Items.check()
	case "string", "number", "integer", "boolean":
	default:
		return fmt.Errorf("type %q", s.Type)
	}
	return nil
}

// instance returns a value that follows a schema, with words from the user's message.
func instance(raw json.RawMessage, user string) string {
	var s schema
	_ = json.Unmarshal(raw, &s)
	words := strings.Fields(user)
	b, _ := json.Marshal(s.instance(strings.Join(words[max(0, len(words)-3):], " ")))
	return string(b)
}

func (s schema) instance(words string) any {
	switch s.Type {
	case "object":
		all := map[string]any{}
		for name, p := range s.Properties {
			all[name] = p.instance(words)
		}
		return all
	case "array":
		return []any{s.Items.instance(words)}
	case "number":
		return 0.5
	case "integer":
		return 1
	case "boolean":
		return true
	}
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	return words
}
