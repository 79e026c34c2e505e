package azureaisearch

import (
	"bytes"
	"encoding/json"
)

// object is JSON that is only built and sent.
type object map[string]any

// encode is JSON without the escapes that are for web pages.
func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // Unreachable: only texts, numbers and lists are encoded, checked for NaN.
	}
	return bytes.TrimSpace(out.Bytes())
}
