package openapi

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

// curl is a command that sends the first example of an operation. $TIDEMARK is where the paths begin, and
// $KEY the function key.
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

// oneLine writes JSON without line breaks.
func oneLine(b json.RawMessage) string {
	var buf bytes.Buffer
	_ = json.Compact(&buf, b) // the document was decoded: its parts are JSON
	return buf.String()
}

// quoted is a text as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// address is the path with the parameters that are required and have an example.
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
