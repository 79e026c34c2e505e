package api

import (
	"cmp"
	"fmt"
	"strings"
)

// ProblemType is the media type of a [Problem].
const ProblemType = "application/problem+json"

// Problem is the answer to every failed request (RFC 9457 §3.1). It says what was wrong, in which field, and what to
// do.
type Problem struct {
	Type     string       `json:"type,omitempty"` // "about:blank" when empty
	Title    string       `json:"title"`          // the status in words
	Status   int          `json:"status"`
	Detail   string       `json:"detail,omitempty"`
	Instance string       `json:"instance,omitempty"`
	Errors   []FieldError `json:"errors,omitempty"`
}

// FieldError says what is wrong with one field of the request.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error formats the problem on one line. The line has the detail, or the title if there is no detail, and then those
// messages about fields that the detail does not contain. The client returns a *Problem as its error.
func (p *Problem) Error() string {
	text := cmp.Or(p.Detail, p.Title, fmt.Sprintf("the server answered %d", p.Status))
	for _, e := range p.Errors {
		if !strings.Contains(text, e.Message) {
			text += fmt.Sprintf("; %s: %s", e.Field, e.Message)
		}
	}
	return text
}
