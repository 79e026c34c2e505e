package agent

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tidemark/tidemark/pkg/form"
)

// lenient returns a middleware that accepts what models write instead of the types of a tool's input.
func lenient(inputs map[string]reflect.Type) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && p != nil && inputs[p.Name] != nil {
				p.Arguments = fitted(inputs[p.Name], p.Arguments)
			}
			return next(ctx, method, req)
		}
	}
}

// fitted returns arguments that fit the fields of a type: null is left out, a number or a truth value may be a text, a
// text may be a number, a list may be its only element, and the whole may be a text with the JSON. What does not fit
// stays as it is, so that the model is told.
func fitted(input reflect.Type, arguments json.RawMessage) json.RawMessage {
	var whole string
	isText := json.Unmarshal(arguments, &whole) == nil
	if isText && strings.HasPrefix(strings.TrimSpace(whole), "{") && json.Valid([]byte(whole)) {
		arguments = json.RawMessage(whole)
	}
	var all map[string]json.RawMessage
	if len(arguments) > 0 && json.Unmarshal(arguments, &all) != nil {
		return arguments
	}
	kept := map[string]json.RawMessage{}
	for name, value := range all {
		if string(value) != "null" {
			kept[name] = value
		}
	}
	for name, t := range form.Names(input) {
		if value, ok := kept[name]; ok {
			kept[name] = fit(t, value)
		}
	}
	out, err := json.Marshal(kept)
	if err != nil {
		return arguments // Unreachable: the values were JSON before
	}
	return out
}

// fit returns a value as the JSON of a type, if it can be read as one.
func fit(t reflect.Type, value json.RawMessage) json.RawMessage {
	var text string
	isText := json.Unmarshal(value, &text) == nil
	text = strings.TrimSpace(text)
	switch t.Kind() {
	case reflect.Int:
		number := string(value)
		if isText {
			number = text
		}
		if f, err := strconv.ParseFloat(number, 64); err == nil && f == float64(int64(f)) {
			return strconv.AppendInt(nil, int64(f), 10)
		}
	case reflect.Bool:
		if b, err := strconv.ParseBool(text); isText && err == nil {
			return strconv.AppendBool(nil, b)
		}
	case reflect.String:
		if _, err := strconv.ParseFloat(string(value), 64); !isText && err == nil {
			return json.RawMessage(strconv.Quote(string(value)))
		}
	case reflect.Slice:
		return list(t.Elem(), value, text, isText)
	}
	return value
}

// list is fit for lists.
func list(element reflect.Type, value json.RawMessage, text string, isText bool) json.RawMessage {
	if isText && strings.HasPrefix(text, "[") && json.Valid([]byte(text)) {
		value = json.RawMessage(text)
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		items = []json.RawMessage{value}
	}
	for i := range items {
		items[i] = fit(element, items[i])
	}
	out, err := json.Marshal(items)
	if err != nil {
		return value // Unreachable: as above
	}
	return out
}
