package keys

import (
	"fmt"
	"log/slog"
	"regexp"
)

var (
	ownKey  = regexp.MustCompile(Prefix + `[A-Za-z2-7]{26}`)
	inQuery = regexp.MustCompile(`([?&](?i:code|key)=)[^&\s"'\\]+`)
)

// redact removes keys from a text: keys that Tidemark made, and the values of the parameters "code" and "key" in
// addresses.
func redact(text string) string {
	return inQuery.ReplaceAllString(ownKey.ReplaceAllString(text, Prefix+"…"), "${1}…")
}

// RedactAttr is redact for [slog.HandlerOptions].
func RedactAttr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(redact(a.Value.String()))
	case slog.KindAny:
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = slog.StringValue(redact(v.Error()))
		case fmt.Stringer:
			a.Value = slog.StringValue(redact(v.String()))
		case []any:
			a.Value = slog.AnyValue(redactAll(v))
		}
	}
	return a
}

// redactAll redacts the texts in a list, and in lists and objects within it.
func redactAll(list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			out[i] = redact(v)
		case []any:
			out[i] = redactAll(v)
		case map[string]any:
			object := map[string]any{}
			for name, value := range v {
				object[name] = redactAll([]any{value})[0]
			}
			out[i] = object
		default:
			out[i] = v
		}
	}
	return out
}
