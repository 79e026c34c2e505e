package openapitest

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// operation has the facts about a route that the table of routes does not have.
type operation struct {
	of      *api.Endpoint
	id, tag string
	summary string   // a phrase
	about   string   // sentences
	open    bool     // needs no key
	gives   string   // describes the answer
	other   string   // describes an answer with the route's other status
	media   string   // the answer's media type if it is not JSON
	fails   []int    // errors in addition to those of every route
	shown   []string // steps of recorded conversations that are examples
}

const jsonType = "application/json"

// build builds the operation of the document.
func (b *builder) build(o operation) (openapi.Operation, error) {
	out := openapi.Operation{
		OperationID: o.id, Tags: []string{o.tag}, Summary: o.summary, Description: o.about,
		Parameters: b.sent.parameters(o.of), Scope: string(o.of.Scope),
	}
	if o.open {
		out.Security = &[]openapi.Requirement{}
	}
	if o.of.HasBody() {
		body := openapi.MediaType{Schema: b.sent.oneNamed(o.of.Requests)}
		out.RequestBody = &openapi.RequestBody{Required: !o.of.BodyOptional}
		out.RequestBody.Content = openapi.List[openapi.MediaType]{{Name: jsonType,
			Value: body}}
	}
	var answer openapi.List[openapi.MediaType]
	for media := range strings.SplitSeq(cmp.Or(o.media, jsonType), ", ") {
		schema := &openapi.Schema{Type: openapi.Types{"string"}}
		if media == jsonType || strings.HasSuffix(media, "+json") {
			schema = b.given.anyOf(slices.DeleteFunc(slices.Clone(o.of.Answers), func(t reflect.Type) bool {
				return t.Kind() == reflect.Slice // bytes of another media type
			}))
		}
		answer.Put(media, openapi.MediaType{Schema: schema})
	}
	if o.of.Other != 0 && o.of.Other < o.of.Status {
		out.Responses.Put(strconv.Itoa(o.of.Other), openapi.Response{Description: o.other, Content: slices.Clone(answer)})
	}
	out.Responses.Put(strconv.Itoa(o.of.Status), openapi.Response{Description: o.gives, Content: slices.Clone(answer)})
	if o.of.Other > o.of.Status {
		out.Responses.Put(strconv.Itoa(o.of.Other), openapi.Response{Description: o.other, Content: slices.Clone(answer)})
	}
	for _, status := range slices.Sorted(slices.Values(slices.Concat(o.fails, o.commonFails()))) {
		b.problem(&out.Responses, status)
	}
	out.Responses.Put("default", openapi.Response{Ref: "#/components/responses/Problem"})
	for _, name := range o.shown {
		step, err := b.talks.find(o.of.Pattern(), name)
		if err == nil {
			err = show(&out, step)
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w", o.of.Pattern(), err)
		}
	}
	return out, nil
}

// commonFails are the errors that follow from the parameters of a route, and from whether it needs a key.
func (o operation) commonFails() (statuses []int) {
	if o.of.HasBody() {
		statuses = append(statuses, http.StatusRequestEntityTooLarge)
	}
	if o.of.HasBody() || len(o.of.Params()) > 0 {
		statuses = append(statuses, http.StatusBadRequest)
	}
	if !o.open {
		statuses = append(statuses, http.StatusUnauthorized)
	}
	return statuses
}

// problem adds an answer for an error. If the status already has a meaning, the answer has both.
func (b *builder) problem(to *openapi.List[openapi.Response], status int) {
	key := strconv.Itoa(status)
	if known, ok := to.Get(key); ok {
		known.Content.Put(api.ProblemType, openapi.MediaType{Schema: b.given.of(typeOf(api.Problem{}))})
		to.Put(key, known)
		return
	}
	to.Put(key, openapi.Response{Ref: "#/components/responses/" + nameOf(status)})
}

// nameOf is the text of a status without spaces.
func nameOf(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

// number is an integer within bounds.
func number(def, lo, hi int) openapi.Schema {
	return openapi.Schema{Type: openapi.Types{"integer"}, Default: def, Minimum: &lo, Maximum: &hi}
}
