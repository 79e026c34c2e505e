package azureaisearch

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object that is built and sent, but never decoded.
type object map[string]any

// encode returns v as JSON, without escaping HTML characters.
func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // Unreachable: v holds only texts, lists, and numbers that were checked for NaN.
	}
	return bytes.TrimSpace(out.Bytes())
}
