package openapi

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

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
