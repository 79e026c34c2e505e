package openapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"
	"sync"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var css string

// Page is the embedded document as a page of HTML, and the Content-Security-Policy to send with it: it
// has no scripts, and the one style is named by its digest. The page is made once.
var Page = sync.OnceValues(func() (html []byte, policy string) {
	d, err := Read(JSON)
	if err == nil {
		html, err = render(d)
	}
	if err != nil {
		panic(err) // the embedded document is always readable: a test renders it
	}
	digest := sha256.Sum256([]byte(css))
	return html, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(digest[:]) + "'"
})

// section is a tag with its operations.
type section struct {
	Tag
	Operations []listed
}

// listed is an operation with its method and path.
type listed struct {
	Method, Path string
	Operation
	Curl string
	Open bool // needs no key
}

// Answers are the responses; those that are only named are read from the components.
func (d *Document) Answers(o Operation) (out List[Response]) {
	for _, m := range o.Responses {
		if name, found := strings.CutPrefix(m.Value.Ref, "#/components/responses/"); found {
			m.Value, _ = d.Components.Responses.Get(name)
		}
		out = append(out, m)
	}
	return out
}

// sections are the operations by their tag, in the order of the document.
func sections(d *Document) []section {
	out := make([]section, len(d.Tags))
	for i, tag := range d.Tags {
		out[i].Tag = tag
		for _, path := range d.Paths {
			for _, m := range path.Value {
				if m.Value.Tags[0] == tag.Name {
					o := listed{Method: strings.ToUpper(m.Name), Path: path.Name, Operation: m.Value}
					o.Open = o.Security != nil
					o.Curl = curl(o)
					out[i].Operations = append(out[i].Operations, o)
				}
			}
		}
	}
	return out
}

func render(d *Document) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"css": func() template.CSS { return template.CSS(css) }, "prose": prose, "kind": kind, "indent": indent,
		"id": anchor, "bounds": bounds, "needed": needed,
		"sections": sections,
	}).Parse(pageSource)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err = t.Execute(&buf, d)
	return buf.Bytes(), err
}

// anchor is a name that may be a fragment of an address.
func anchor(parts ...string) string {
	return strings.ToLower(strings.ReplaceAll(strings.Join(parts, "-"), " ", "-"))
}

// indent writes JSON for reading, and a text as it is.
func indent(b json.RawMessage) string {
	var text string
	if json.Unmarshal(b, &text) == nil {
		return text
	}
	var buf bytes.Buffer
	_ = json.Indent(&buf, b, "", "  ") // the document was decoded: its parts are JSON
	return buf.String()
}
