package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// operations lists all operations, in the order of the documentation.
func operations() []operation {
	return slices.Concat(sources(), pasts(), setting(), tagging(), searching(), watching(),
		takingBack(), remembering(), trying(),
		accepting(), notifying(), telling(), muting(), rebuilds(), generating(), migrations(),
		backfilling(), polling(), pushed(),
		policies(), importing(), enriching(), service(), keying(), documents())
}

// builder builds a document.
type builder struct {
	talks conversations
	sent  *schemas // of requests, which must have no other fields
	given *schemas // of answers, which may get more fields later
}

// Build builds the document from the sources below root, the top of the repository.
func Build(root string) ([]byte, error) {
	words, err := readComments(filepath.Join(root, "pkg", "api"))
	if err != nil {
		return nil, err
	}
	talks, err := readConversations(filepath.Join(root, "handlers", "testdata"))
	if err != nil {
		return nil, err
	}
	b := &builder{talks: talks, sent: newSchemas(words), given: newSchemas(words)}
	d := frame()
	for _, o := range operations() {
		built, err := b.build(o)
		if err != nil {
			return nil, err
		}
		at, _ := d.Paths.Get("/" + o.of.Path)
		at.Put(strings.ToLower(o.of.Method), built)
		d.Paths.Put("/"+o.of.Path, at)
	}
	for _, w := range webhooks() {
		d.Webhooks.Put(w.name, openapi.List[openapi.Operation]{{Name: "post", Value: b.webhook(w)}})
	}
	if err := b.components(&d.Components); err != nil {
		return nil, err
	}
	return encode(d)
}

// encode writes a document in a form that people can read, too: indented, and with < and > unescaped.
func encode(d any) ([]byte, error) {
	var plain, out bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return nil, err
	}
	err := json.Indent(&out, plain.Bytes(), "", " ")
	return out.Bytes(), err
}

// components adds the components that operations refer to.
func (b *builder) components(c *openapi.Components) error {
	c.SecuritySchemes = openapi.List[openapi.SecurityScheme]{
		{Name: "header", Value: openapi.SecurityScheme{Type: "apiKey", In: "header", Name: "x-functions-key",
			Description: "A key of the function app, or of Tidemark, as a header."}},
		{Name: "bearer", Value: openapi.SecurityScheme{Type: "http", Scheme: "bearer",
			Description: "A key of Tidemark."}},
		{Name: "query", Value: openapi.SecurityScheme{Type: "apiKey", In: "query", Name: "code",
			Description: "A key of the function app in the query. Addresses are logged in more places than headers."}},
	}
	problem := b.given.of(typeOf(api.Problem{}))
	c.Responses.Put("Problem", openapi.Response{
		Description: "Any other error; of 500 and 503 the details are in the log.",
		Content:     openapi.List[openapi.MediaType]{{Name: api.ProblemType, Value: openapi.MediaType{Schema: problem}}},
	})
	for _, status := range slices.Sorted(maps.Keys(failures)) {
		f := failures[status]
		m := openapi.MediaType{Schema: problem}
		if f.shown != "" {
			step, err := b.talks.find("", f.shown)
			if err != nil || step.Status != status {
				return fmt.Errorf("the example of %d: answer %d, %w", status, step.Status, err)
			}
			m.Examples.Put(slug(title(step.Name)), openapi.Example{Summary: title(step.Name), Value: step.Answer})
		}
		c.Responses.Put(nameOf(status), openapi.Response{
			Description: f.about, Content: openapi.List[openapi.MediaType]{{Name: api.ProblemType, Value: m}},
		})
	}
	c.Schemas = b.schemas()
	return nil
}

// failures describes the errors with a name, each with the step of a conversation that shows it.
var failures = map[int]struct{ about, shown string }{
	http.StatusBadRequest: {"The request is not understood; `errors` names the field at fault.", "A1 refused"},
	http.StatusUnauthorized: {"There is no key, or none that is known. What a Functions host refuses before the app " +
		"sees it has no body.", ""},
	http.StatusForbidden: {"The app's settings or a policy forbid it.", "D2 it is off"},
	http.StatusNotFound:  {"There is no such thing.", "A14 no such item"},
	http.StatusConflict:  {"What stands is in the way; `detail` says what to wait for.", ""},
	http.StatusGone:      {"What is asked for is not kept any more: `detail` says what to do.", ""},
	http.StatusUnprocessableEntity: {"An address or a key is not what the protocol allows for this host; `errors` " +
		"names the field at fault.", "E14 an address of another host"},
	http.StatusRequestEntityTooLarge: {"The body is larger than 4 MiB.", ""},
	http.StatusTooManyRequests: {"The service behind this one asks for a pause; Retry-After says how many seconds.",
		""},
	http.StatusInsufficientStorage: {"There is no room on disk for it; `detail` says how much is needed.", ""},
	http.StatusServiceUnavailable:  {"Storage or the index cannot be reached, or none is configured.", ""},
}

// schemas returns the schemas of all requests and answers. A schema that only requests use allows no other fields.
func (b *builder) schemas() (out openapi.List[*openapi.Schema]) {
	for name, s := range b.sent.named {
		if _, answered := b.given.named[name]; !answered {
			if len(s.Properties) > 0 {
				s.AdditionalProperties = false
			}
			b.given.named[name] = s
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.given.named)) {
		out.Put(name, b.given.named[name])
	}
	return out
}

func typeOf(v any) reflect.Type { return reflect.TypeOf(v) }

// show adds a step of a conversation as examples of parameters, request and answer.
func show(o *openapi.Operation, s Step) error {
	key := slug(title(s.Name))
	for i := range o.Parameters {
		p := &o.Parameters[i]
		value, given := s.values[p.Name]
		if !given || p.Example != nil {
			continue
		}
		p.Example = json.RawMessage(strconv.Quote(value))
		if json.Valid([]byte(value)) && !slices.Contains(p.Schema.Type, "string") {
			p.Example = json.RawMessage(value)
		}
	}
	if o.RequestBody != nil && (s.Request != "" || o.RequestBody.Required) {
		o.RequestBody.Content[0].Value.Examples.Put(key, openapi.Example{Summary: title(s.Name),
			Value: json.RawMessage(s.Request)})
	}
	answer, known := o.Responses.Get(strconv.Itoa(s.Status))
	if !known || len(answer.Content) == 0 {
		return fmt.Errorf("%q answers %d, which is not described", s.Name, s.Status)
	}
	answer.Content[0].Value.Examples.Put(key, openapi.Example{Summary: title(s.Name), Value: s.Answer})
	return nil
}

var requirement = regexp.MustCompile(`^[A-F][0-9]+ `)

// title is the name of a step without the id of its requirement.
func title(name string) string { return requirement.ReplaceAllString(name, "") }

// slug turns a name into a key: lower-case words with hyphens.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}
