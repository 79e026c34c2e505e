package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// Version is the version of OpenAPI that the document uses.
const Version = "3.1.0"

// JSON is the document as it is served.
//
//go:embed openapi.json
var JSON []byte

// Below returns the document, or its page, for callers who reach the API below a path, such as /tidemark.
func Below(document []byte, prefix string) []byte {
	for _, server := range []string{`"url": "`, "such as <code>"} {
		document = bytes.Replace(document, []byte(server+"/api"), []byte(server+prefix+"/api"), 1)
	}
	return document
}

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

// List is a JSON object whose members keep their order.
type List[T any] []Member[T]

// Member is a member of a [List].
type Member[T any] struct {
	Name  string
	Value T
}

// Get returns the value of the member with the given name, and reports whether there is one.
func (l List[T]) Get(name string) (T, bool) {
	for _, m := range l {
		if m.Name == name {
			return m.Value, true
		}
	}
	var none T
	return none, false
}

// Put adds a member. If there is a member with that name, Put replaces its value.
func (l *List[T]) Put(name string, value T) {
	for i := range *l {
		if (*l)[i].Name == name {
			(*l)[i].Value = value
			return
		}
	}
	*l = append(*l, Member[T]{name, value})
}

// MarshalJSON writes the members in order.
func (l List[T]) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for i, m := range l {
		buf.WriteByte("{,"[min(i, 1)])
		if err := enc.Encode(m.Name); err != nil {
			return nil, err
		}
		buf.WriteByte(':')
		if err := enc.Encode(m.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	if len(l) == 0 {
		buf.WriteByte('{')
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// UnmarshalJSON reads the members in order.
func (l *List[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	d := json.NewDecoder(bytes.NewReader(b))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return fmt.Errorf("%v is no object: %w", token, err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := Member[T]{Name: name.(string)} // in valid JSON, names are strings
		if err := d.Decode(&m.Value); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		*l = append(*l, m)
	}
	return nil
}

// Types are the types that a value may have. In JSON, a single type is a string, and several types are a list.
type Types []string

// MarshalJSON writes a string or a list of strings.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// UnmarshalJSON reads a string or a list of strings.
func (t *Types) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte{'"'}) {
		*t = Types{""}
		return json.Unmarshal(b, &(*t)[0])
	}
	return json.Unmarshal(b, (*[]string)(t))
}

var code = regexp.MustCompile("`([^`]*)`")

// prose is a text with paragraphs and with `code`, which is all the markup that descriptions have.
func prose(text string) template.HTML {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if paragraph != "" {
			out.WriteString("<p>" + code.ReplaceAllString(html.EscapeString(paragraph), "<code>$1</code>") + "</p>")
		}
	}
	return template.HTML(out.String()) // escaped above
}

// kind names the type of a schema, with links to named ones.
func kind(s *Schema) template.HTML {
	if s == nil {
		return ""
	}
	if name, found := strings.CutPrefix(s.Ref, "#/components/schemas/"); found {
		name = html.EscapeString(name)
		return template.HTML(`<a href="#schema-` + strings.ToLower(name) + `">` + name + "</a>")
	}
	if len(s.AnyOf) > 0 {
		var kinds []string
		for _, one := range s.AnyOf {
			kinds = append(kinds, string(kind(one)))
		}
		return template.HTML(strings.Join(kinds, " or "))
	}
	if s.Items != nil {
		return "list of " + kind(s.Items) + nullable(s)
	}
	if inner, ok := s.AdditionalProperties.(map[string]any); ok && len(s.Properties) == 0 {
		return "object of " + kind(again(inner))
	}
	if len(s.Type) == 0 {
		return "anything"
	}
	text := strings.Join(s.Type, " or ")
	if s.Format == "date-time" {
		text = "time"
	}
	return template.HTML(html.EscapeString(text))
}

// nullable is added to what names its type otherwise.
func nullable(s *Schema) template.HTML {
	if slices.Contains(s.Type, "null") {
		return " or null"
	}
	return ""
}

// again reads a schema that was decoded as any value.
func again(v map[string]any) *Schema {
	var s Schema
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		panic(err) // it was decoded from a schema
	}
	return &s
}

// bounds says what of the values of a type may be given.
func bounds(s *Schema) string {
	if s == nil {
		return ""
	}
	var parts []string
	add := func(given bool, format string, args ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(len(s.Enum) > 0, "one of %s", strings.Join(s.Enum, ", "))
	if s.Minimum != nil && s.Maximum != nil {
		add(true, "%d to %d", *s.Minimum, *s.Maximum)
	}
	add(s.MinItems > 0, "at least %d", s.MinItems)
	add(s.MaxItems > 0, "at most %d", s.MaxItems)
	add(s.MaxLength > 0, "at most %d characters", s.MaxLength)
	add(s.Pattern != "", "as %s", s.Pattern)
	add(s.Default != nil, "%v when left out", s.Default)
	return strings.Join(parts, "; ")
}

// needed tells whether a property is always there.
func needed(s *Schema, name string) bool { return slices.Contains(s.Required, name) }
