package warc

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Field is a line of a header, or a line of a warcinfo record.
type Field struct{ Name, Value string }

func writeFields(to *bytes.Buffer, fields []Field) {
	for _, f := range fields {
		to.WriteString(f.Name)
		to.WriteString(": ")
		to.WriteString(f.Value)
		to.WriteString("\r\n")
	}
}

// checkFields refuses fields that a reader could misinterpret.
func checkFields(fields []Field, value func(string) bool) error {
	size := 0
	for _, f := range fields {
		if size += len(f.Name) + len(f.Value); size > maxHeader {
			return fault.New(fault.TooLarge, "header of more than %d bytes", maxHeader)
		}
		if !isToken(f.Name) {
			return fault.Field("header", "%.100q is not a header name", f.Name)
		}
		if !value(f.Value) {
			return fault.Field("header", "the value of %.100s holds what no header can", f.Name)
		}
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110 §5.6.2. The tokens of ISO 28500 §4 are the same.
func isToken(s string) bool {
	odd := func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}
	return s != "" && !strings.ContainsFunc(s, odd)
}

// isHTTPValue reports whether s has only bytes that RFC 9110 §5.5 allows. These include bytes outside ASCII.
func isHTTPValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// isText allows what the fields of a record may hold: UTF-8 without control characters. Unicode's
// line separators are out too, since some readers split at them.
func isText(s string) bool {
	odd := func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
	return s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, odd)
}

// recordID computes a record's id from its whole header. Fields contain no line breaks, so different headers never
// have the same hash input.
func recordID(fields []Field) string {
	var text bytes.Buffer
	writeFields(&text, fields)
	id := sha256.Sum256(text.Bytes())
	id[6] = id[6]&0x0f | 0x80 // version 8: the other bits are free
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562 §4.1
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}
