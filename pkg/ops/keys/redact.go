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

// Redact removes keys from a text: keys that Tidemark made, and the values of the parameters "code" and "key" in
// addresses.
func Redact(text string) string {
	return inQuery.ReplaceAllString(ownKey.ReplaceAllString(text, Prefix+"…"), "${1}…")
}

// RedactAttr is [Redact] for [slog.HandlerOptions].
func RedactAttr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(Redact(a.Value.String()))
	case slog.KindAny:
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = slog.StringValue(Redact(v.Error()))
		case fmt.Stringer:
			a.Value = slog.StringValue(Redact(v.String()))
		}
	}
	return a
}
