package options

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// maxFieldName limits the characters in the name of a field.
const maxFieldName = 60

// FieldSetting returns the name of the setting of a field.
func FieldSetting(name string) string { return "watch.fields." + name }

// FieldName reports what is wrong with the name of a field. Names are parts of addresses.
func FieldName(name string) error {
	bad := func(r rune) bool { return unicode.IsControl(r) || r == '/' || r == '\\' }
	if n := utf8.RuneCountInString(name); n == 0 || n > maxFieldName || !utf8.ValidString(name) ||
		strings.TrimSpace(name) != name || strings.ContainsFunc(name, bad) || strings.Trim(name, ".") == "" {
		return fault.New(fault.Invalid, "%.80q is not a field name: 1 to %d characters, without / and \\, without blanks "+
			"around them, and not only points", name, maxFieldName)
	}
	return nil
}

// CheckFields reports what is wrong with the names and the size of the fields of a watch. Package field checks the
// rest.
func CheckFields(fields map[string]api.FieldSpec) error {
	size := 0
	for name, f := range fields {
		if err := FieldName(name); err != nil {
			return fault.Field("watch.fields", "watch.fields: %w", err)
		}
		if f.From == "" {
			return fault.Field(FieldSetting(name)+".from", "%s.from must say where the field is: json-ld, microdata, rdfa, "+
				"opengraph, css, jsonpath or declared", FieldSetting(name))
		}
		if strings.ContainsFunc(f.Path, unicode.IsControl) {
			return fault.Field(FieldSetting(name)+".path", "%s.path has a line break or another control character: write it on "+
				"one line", FieldSetting(name))
		}
		size += len(name) + len(f.From) + len(f.Path) + len(f.Type) + len(f.Locale)
	}
	if size > maxBytes {
		return fault.Field("watch.fields", "watch.fields has %d bytes; at most %d are allowed", size, maxBytes)
	}
	return nil
}
