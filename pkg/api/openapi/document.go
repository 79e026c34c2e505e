package openapi

import (
	_ "embed"
	"encoding/json"
)

// Version is the version of OpenAPI that the document uses.
const Version = "3.1.0"

// JSON is the document as it is served.
//
//go:embed openapi.json
var JSON []byte

// Read decodes a document.
func Read(b []byte) (*Document, error) {
	var d Document
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, err
	}
	return &d, nil
}

// Document is an OpenAPI object.
type Document struct {
	OpenAPI  string                `json:"openapi"`
	Info     Info                  `json:"info"`
	Servers  []Server              `json:"servers"`
	Security []Requirement         `json:"security"`
	Tags     []Tag                 `json:"tags"`
	Paths    List[List[Operation]] `json:"paths"` // by path; the operations of a path by method in lower case
	// Webhooks are the requests that Tidemark sends to receivers, by name; each has the method post.
	Webhooks   List[List[Operation]] `json:"webhooks"`
	Components Components            `json:"components"`
}

// Info describes the API as a whole.
type Info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"` // the version of the API, not of the program
	Summary     string  `json:"summary"`
	Description string  `json:"description"`
	License     License `json:"license"`
}

// License is the license of the program, given by its SPDX identifier.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

// Server is the base address to which paths are relative.
type Server struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

// Requirement lists security schemes by name. A request must satisfy all schemes of one requirement. If there are
// several requirements, satisfying one of them is enough.
type Requirement map[string][]string

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Components are the shared parts to which operations refer.
type Components struct {
	Schemas         List[*Schema]        `json:"schemas"`
	Responses       List[Response]       `json:"responses"`
	SecuritySchemes List[SecurityScheme] `json:"securitySchemes"`
}

// SecurityScheme is a way to authenticate a caller.
type SecurityScheme struct {
	Type        string `json:"type"`
	In          string `json:"in,omitempty"`
	Name        string `json:"name,omitempty"`
	Scheme      string `json:"scheme,omitempty"`
	Description string `json:"description"`
}

// Operation describes what one method does at one path.
type Operation struct {
	OperationID string   `json:"operationId"`
	Tags        []string `json:"tags"`
	Summary     string   `json:"summary"`
	Description string   `json:"description,omitempty"`
	// empty: no key is needed; nil: the requirements of the document apply
	Security    *[]Requirement `json:"security,omitempty"`
	Scope       string         `json:"x-tidemark-scope,omitempty"` // the scope that a Tidemark key needs
	Parameters  []Parameter    `json:"parameters,omitempty"`
	RequestBody *RequestBody   `json:"requestBody,omitempty"`
	Responses   List[Response] `json:"responses"` // by status, or "default"
}

// Parameter is a parameter in the path or in the query, or a header.
type Parameter struct {
	Name        string          `json:"name"`
	In          string          `json:"in"` // path, query or header
	Description string          `json:"description"`
	Required    bool            `json:"required,omitempty"`
	Schema      *Schema         `json:"schema"`
	Example     json.RawMessage `json:"example,omitempty"`
}

// RequestBody is the body of a request.
type RequestBody struct {
	Required bool            `json:"required"`
	Content  List[MediaType] `json:"content"`
}

// Response is an answer. If Ref is set, the response is the named one to which Ref refers.
type Response struct {
	Ref         string          `json:"$ref,omitempty"`
	Description string          `json:"description,omitempty"`
	Content     List[MediaType] `json:"content,omitempty"`
}

// MediaType describes a body that has one media type.
type MediaType struct {
	Schema   *Schema       `json:"schema"`
	Examples List[Example] `json:"examples,omitempty"`
}

// Example is the body of a recorded request or answer.
type Example struct {
	Summary string          `json:"summary,omitempty"`
	Value   json.RawMessage `json:"value"`
}

// Schema is the part of JSON Schema (2020-12) that is needed to describe Go types.
type Schema struct {
	Ref         string        `json:"$ref,omitempty"`
	Type        Types         `json:"type,omitempty"`
	Format      string        `json:"format,omitempty"`
	Description string        `json:"description,omitempty"`
	Enum        []string      `json:"enum,omitempty"`
	Pattern     string        `json:"pattern,omitempty"`
	Default     any           `json:"default,omitempty"`
	Minimum     *int          `json:"minimum,omitempty"`
	Maximum     *int          `json:"maximum,omitempty"`
	MinItems    int           `json:"minItems,omitempty"`
	MaxItems    int           `json:"maxItems,omitempty"`
	MaxLength   int           `json:"maxLength,omitempty"`
	Items       *Schema       `json:"items,omitempty"`
	AnyOf       []*Schema     `json:"anyOf,omitempty"`
	Required    []string      `json:"required,omitempty"`
	Properties  List[*Schema] `json:"properties,omitempty"`
	// AdditionalProperties is a *Schema for the values of a map. It is false if only the listed properties are
	// allowed.
	AdditionalProperties any `json:"additionalProperties,omitempty"`
}
