package openapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/url"
	"strings"
	"sync"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var css string

// Page returns the embedded document as an HTML page, and the Content-Security-Policy to send with it. The page has
// no scripts, and the policy allows only the page's own style, by its digest. Page makes the page once and then keeps
// it.
var Page = sync.OnceValues(func() (html []byte, policy string) {
	d, err := Read(JSON)
	if err == nil {
		html, err = render(d)
	}
	if err != nil {
		panic(err) // Unreachable: a test renders the embedded document
	}
	digest := sha256.Sum256([]byte(css))
	return html, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(digest[:]) + "'"
})

// A section is a tag and its operations.
type section struct {
	Tag
	Operations []listed
}

// listed is an operation with its method and path.
type listed struct {
	Method, Path string
	Operation
	Curl string
	Open bool // the operation needs no key
}

// Answers returns the responses of an operation. References to shared responses are replaced by those responses.
func (d *Document) Answers(o Operation) (out List[Response]) {
	for _, m := range o.Responses {
		if name, found := strings.CutPrefix(m.Value.Ref, "#/components/responses/"); found {
			m.Value, _ = d.Components.Responses.Get(name)
		}
		out = append(out, m)
	}
	return out
}

// sections groups the operations by tag, in the order of the document's tags.
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

// anchor returns a name that can be used as the fragment of an address.
func anchor(parts ...string) string {
	return strings.ToLower(strings.ReplaceAll(strings.Join(parts, "-"), " ", "-"))
}

// indent formats JSON for reading. If the JSON is a string, indent returns the text of that string.
func indent(b json.RawMessage) string {
	var text string
	if json.Unmarshal(b, &text) == nil {
		return text
	}
	var buf bytes.Buffer
	_ = json.Indent(&buf, b, "", "  ") // cannot fail: parts of a decoded document are valid JSON
	return buf.String()
}

// curl returns a command that sends the first example of an operation. In the command, $TIDEMARK is the base address
// of the API, and $KEY is the function key.
func curl(o listed) string {
	parts := []string{"curl"}
	if o.Method != "GET" {
		parts = append(parts, "-X "+o.Method)
	}
	if !o.Open {
		parts = append(parts, `-H "x-functions-key: $KEY"`)
	}
	if b := o.RequestBody; b != nil {
		parts = append(parts, "-H 'Content-Type: application/json'")
		if examples := b.Content[0].Value.Examples; len(examples) > 0 {
			parts = append(parts, "-d "+quoted(oneLine(examples[0].Value.Value)))
		}
	}
	return strings.Join(append(parts, `"$TIDEMARK`+address(o)+`"`), " ")
}

// oneLine formats JSON without line breaks.
func oneLine(b json.RawMessage) string {
	var buf bytes.Buffer
	_ = json.Compact(&buf, b) // cannot fail: parts of a decoded document are valid JSON
	return buf.String()
}

// quoted puts text in quotation marks, so that a shell takes it as one word.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// address returns the path of an operation, followed by those required parameters that have an example.
func address(o listed) string {
	path, query := o.Path, url.Values{}
	for _, p := range o.Parameters {
		value := url.PathEscape(indent(p.Example))
		switch {
		case p.In == "path" && p.Example != nil:
			path = strings.Replace(path, "{"+p.Name+"}", value, 1)
		case p.Required && p.Example != nil:
			query.Set(p.Name, indent(p.Example))
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
