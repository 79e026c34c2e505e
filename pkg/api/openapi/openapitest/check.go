// Package openapitest is for tests. It checks requests and answers against a description of an API, and its own tests
// generate the description: openapi.json of package openapi, and the tables of docs/api.md.
//
// # The description
//
// Each fact is written in one place. For a new route, write an operation in the file for its area in this package.
// The operation has the facts that the table of routes lacks: summary, answer and errors. Everything else is read
// from the sources:
//
//   - methods, paths, parameters and statuses from the table, api.Routes;
//   - schemas from the types in pkg/api by reflection, and their descriptions from the comments on types
//     and fields, with the JSON names of fields and the values of constants;
//   - bounds and enumerations from the tags of requests and from limits_test.go, whose values are the constants that
//     the code checks;
//   - examples from the recorded requests and answers in handlers/testdata/*.golden, found by the names of their steps.
//
// After a change, `make openapi` writes the document and the tables of docs/api.md, and the tests here report what is
// missing.
//
// # The check
//
// For answers, the check is stricter than the description: a field that is not described is an error, although
// callers must expect new fields.
package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// Checker has the operations of a document.
type Checker struct {
	doc         *openapi.Document
	sent, given *jsonschema.Compiler // schemas for requests and, stricter, for answers
	routes      []route
}

// A route is an operation with its method and the pattern of its path.
type route struct {
	openapi.Operation
	method  string
	pattern *regexp.Regexp
	at      string // JSON pointer to the operation in the document
}

// New reads a document.
func New(document []byte) (*Checker, error) {
	doc, err := openapi.Read(document)
	if err != nil {
		return nil, err
	}
	c := &Checker{doc: doc}
	if c.sent, err = compiler(document, false); err != nil {
		return nil, err
	}
	if c.given, err = compiler(document, true); err != nil {
		return nil, err
	}
	for _, path := range doc.Paths {
		form := regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path.Name, `[^/]+`)
		for _, m := range path.Value {
			c.routes = append(c.routes, route{
				Operation: m.Value, method: strings.ToUpper(m.Name), pattern: regexp.MustCompile("^" + form + "$"),
				at: "#/paths/" + escape(path.Name) + "/" + m.Name,
			})
		}
	}
	return c, nil
}

// compiler compiles the schemas of a document. Strict schemas allow only the fields that they list.
func compiler(document []byte, strict bool) (*jsonschema.Compiler, error) {
	var doc struct {
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	var raw map[string]any
	if err := errors.Join(json.Unmarshal(document, &doc), json.Unmarshal(document, &raw)); err != nil {
		return nil, err
	}
	schemas := map[string]any{}
	for name, s := range doc.Components.Schemas {
		if strict && s["properties"] != nil {
			s["additionalProperties"] = false
		}
		schemas[name] = s
	}
	raw["components"].(map[string]any)["schemas"] = schemas
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	return c, c.AddResource("doc.json", raw)
}

// escape escapes a name for a JSON pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
}

// OperationIDs lists the ids of all operations.
func (c *Checker) OperationIDs() (ids []string) {
	for _, r := range c.routes {
		ids = append(ids, r.OperationID)
	}
	slices.Sort(ids)
	return ids
}

// find returns the operation for a method and a path. The path is relative to the address of the server, without a
// query.
func (c *Checker) find(method, path string) (route, error) {
	for _, r := range c.routes {
		if r.method == method && r.pattern.MatchString(path) {
			return r, nil
		}
	}
	return route{}, fmt.Errorf("%s %s is no operation", method, path)
}

// Request checks the body of a request, and returns the id of the operation. A nil body means that the request has
// none.
func (c *Checker) Request(method, path string, body []byte) (operationID string, err error) {
	r, err := c.find(method, path)
	switch {
	case err != nil:
		return "", err
	case len(body) > 0 && r.RequestBody == nil, len(body) == 0 && r.RequestBody != nil && r.RequestBody.Required:
		return r.OperationID, fmt.Errorf("%s: a body of %d bytes", r.OperationID, len(body))
	case len(body) == 0:
		return r.OperationID, nil
	}
	return r.OperationID, value(c.sent, r.at+"/requestBody/content/application~1json/schema", body)
}

// Answer checks an answer: its status, its media type and, for JSON, its body.
func (c *Checker) Answer(method, path string, status int, contentType string, body []byte) error {
	r, err := c.find(method, path)
	if err != nil {
		return err
	}
	key, at := strconv.Itoa(status), r.at+"/responses/"
	res, known := r.Responses.Get(key)
	if !known && status < 500 {
		return fmt.Errorf("%s: %d is not described", r.OperationID, status)
	}
	if !known {
		key = "default"
		res, _ = r.Responses.Get(key)
	}
	at += key
	if res.Ref != "" {
		at = res.Ref
		res, _ = c.doc.Components.Responses.Get(strings.TrimPrefix(res.Ref, "#/components/responses/"))
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("%s: content type %q: %w", r.OperationID, contentType, err)
	}
	if _, known := res.Content.Get(media); !known {
		return fmt.Errorf("%s: %d with %s is not described", r.OperationID, status, media)
	}
	if !strings.HasSuffix(media, "json") {
		return nil
	}
	if err := value(c.given, at+"/content/"+escape(media)+"/schema", body); err != nil {
		return fmt.Errorf("%s: %d: %w", r.OperationID, status, err)
	}
	return nil
}

// Webhook checks the headers and the body of a request that was sent to a receiver. The webhook's name is the type of
// its event.
func (c *Checker) Webhook(name string, header http.Header, body []byte) error {
	w, known := c.doc.Webhooks.Get(name)
	if !known {
		return fmt.Errorf("%q is no webhook", name)
	}
	for _, p := range w[0].Value.Parameters {
		if p.Required && header.Get(p.Name) == "" {
			return fmt.Errorf("%s: the header %s is missing", name, p.Name)
		}
	}
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	at := "#/webhooks/" + escape(name) + "/post/requestBody/content/" + escape(media) + "/schema"
	return value(c.given, at, body)
}

// value checks a JSON value against the schema at a JSON pointer.
func value(c *jsonschema.Compiler, at string, body []byte) error {
	s, err := c.Compile("doc.json" + at)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return s.Validate(v)
}
