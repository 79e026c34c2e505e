package azureaisearch

import (
	"bytes"
	"encoding/json"
)

// object is JSON that is built and sent, never decoded.
type object map[string]any

// encode returns JSON without escapes for HTML.
func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // Unreachable: only texts, numbers and lists are encoded, checked for NaN.
	}
	return bytes.TrimSpace(out.Bytes())
}
