package frame

import (
	"errors"
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
)

// Refusal is why the API refused a request; nil for no error, and for errors that are not about the request.
func Refusal(err error) *api.Problem {
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status < http.StatusInternalServerError {
		return p
	}
	return nil
}

// BadRequest refuses what a form says.
func BadRequest(detail string) error {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail}
}

// NotFound says that something does not exist.
func NotFound(detail string) error {
	return &api.Problem{Title: "Not Found", Status: http.StatusNotFound, Detail: detail}
}

// FieldMessage is what a problem says about one of some fields; "" for nothing.
func FieldMessage(p *api.Problem, fields ...string) string {
	if p == nil {
		return ""
	}
	for _, e := range p.Errors {
		if slices.Contains(fields, e.Field) {
			return e.Message
		}
	}
	return ""
}
