package describe

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// operation describes a route.
type operation struct {
	route   string // method and path below /api/, as the handler has it
	id, tag string
	summary string // a phrase
	about   string // sentences
	open    bool   // needs no key
	params  []openapi.Parameter
	reads   any   // a value of the type whose fields are parameters of the query
	takes   []any // values of the types of which the body is one; none: no body
	gives   []answer
	fails   []int    // errors beyond those that every route may answer
	shown   []string // steps of recorded conversations that are examples
}

// answer is one that is no error.
type answer struct {
	status int
	about  string
	types  []any  // of which the body is one, if it is JSON
	media  string // else its media type
}

// ok is an answer in JSON.
func ok(status int, about string, types ...any) []answer {
	return []answer{{status: status, about: about, types: types}}
}

const jsonType = "application/json"

// build makes the operation of the document.
func (b *builder) build(o operation) (openapi.Operation, error) {
	if o.reads != nil {
		o.params = b.sent.query(typeOf(o.reads))
	}
	out := openapi.Operation{
		OperationID: o.id, Tags: []string{o.tag}, Summary: o.summary, Description: o.about,
		Parameters: slices.Concat(pathParams(o.route), o.params),
	}
	if o.open {
		out.Security = &[]openapi.Requirement{}
	}
	if len(o.takes) > 0 {
		body := openapi.MediaType{Schema: b.sent.oneNamed(o.takes)}
		out.RequestBody = &openapi.RequestBody{Required: true, Content: openapi.List[openapi.MediaType]{{Name: jsonType, Value: body}}}
	}
	for _, a := range o.gives {
		out.Responses.Put(strconv.Itoa(a.status), b.answer(a))
	}
	for _, status := range slices.Sorted(slices.Values(slices.Concat(o.fails, commonFails(o)))) {
		b.problem(&out.Responses, status)
	}
	out.Responses.Put("default", openapi.Response{Ref: "#/components/responses/Problem"})
	for _, name := range o.shown {
		step, err := b.talks.find(o.route, name)
		if err == nil {
			err = show(&out, step)
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w", o.route, err)
		}
	}
	return out, nil
}

// commonFails are the errors that follow from what a route reads.
func commonFails(o operation) (statuses []int) {
	if len(o.takes) > 0 {
		statuses = append(statuses, http.StatusRequestEntityTooLarge)
	}
	if len(o.takes) > 0 || len(o.params) > 0 || strings.Contains(o.route, "{") {
		statuses = append(statuses, http.StatusBadRequest)
	}
	return statuses
}

func (b *builder) answer(a answer) openapi.Response {
	out := openapi.Response{Description: a.about}
	switch {
	case a.media != "":
		out.Content.Put(a.media, openapi.MediaType{Schema: &openapi.Schema{Type: openapi.Types{"string"}}})
	case len(a.types) > 0:
		out.Content.Put(jsonType, openapi.MediaType{Schema: b.given.anyOf(a.types)})
	}
	return out
}

// problem adds an answer for an error, beside what the status means otherwise.
func (b *builder) problem(to *openapi.List[openapi.Response], status int) {
	key := strconv.Itoa(status)
	if known, ok := to.Get(key); ok {
		known.Content.Put(api.ProblemType, openapi.MediaType{Schema: b.given.of(typeOf(api.Problem{}))})
		to.Put(key, known)
		return
	}
	to.Put(key, openapi.Response{Ref: "#/components/responses/" + nameOf(status)})
}

// nameOf is a status in words without spaces.
func nameOf(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

// pathParams are those that the route's path names.
func pathParams(route string) (params []openapi.Parameter) {
	for _, part := range strings.Split(route, "/") {
		if name, found := strings.CutPrefix(part, "{"); found {
			name = strings.TrimSuffix(name, "}")
			about, schema := pathParam(route, name)
			params = append(params, openapi.Parameter{Name: name, In: "path", Required: true, Description: about, Schema: &schema})
		}
	}
	return params
}

// query is a parameter of the query.
func query(name, about string, schema openapi.Schema) openapi.Parameter {
	return openapi.Parameter{Name: name, In: "query", Description: about, Schema: &schema}
}

// required marks the first of some parameters.
func required(params ...openapi.Parameter) []openapi.Parameter {
	params[0].Required = true
	return params
}

func text() openapi.Schema { return openapi.Schema{Type: openapi.Types{"string"}} }

func yesNo() openapi.Schema { return openapi.Schema{Type: openapi.Types{"boolean"}, Default: false} }

// number is an integer within bounds.
func number(def, lo, hi int) openapi.Schema {
	return openapi.Schema{Type: openapi.Types{"integer"}, Default: def, Minimum: &lo, Maximum: &hi}
}
