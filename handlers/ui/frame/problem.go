package frame

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// Refusal returns the API's reason to refuse a request. It returns nil if err is nil or is not about the request.
func Refusal(err error) *api.Problem {
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status < http.StatusInternalServerError {
		return p
	}
	return nil
}

// BadRequest returns an error that refuses the input of a form.
func BadRequest(detail string) error {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail}
}

// NotFound returns an error that reports that something does not exist.
func NotFound(detail string) error {
	return &api.Problem{Title: "Not Found", Status: http.StatusNotFound, Detail: detail}
}

// FieldMessage returns the problem's message about one of the given fields, or "" if there is none. A name that ends in
// a point stands for all fields below it.
func FieldMessage(p *api.Problem, fields ...string) string {
	if p == nil {
		return ""
	}
	for _, e := range p.Errors {
		if slices.Contains(fields, e.Field) {
			return strings.TrimPrefix(e.Message, e.Field+": ") // the label names the field
		}
		for _, field := range fields {
			if strings.HasSuffix(field, ".") && strings.HasPrefix(e.Field, field) {
				return strings.TrimPrefix(e.Message, field)
			}
		}
	}
	return ""
}
