package warc

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
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

// wireHeaders are the headers that describe the bytes on the wire. The bytes that are written here differ from these.
var wireHeaders = []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"}

const renamed = "X-Archive-Orig-"

// httpHead returns the head of a response with a body of this length. The head always contains a field. If it were
// empty, some readers would search for its end in the next record.
func httpHead(status int, header map[string][]string, length int64) ([]byte, error) {
	if status < 200 || status > 999 {
		return nil, fault.Field("status", "status %d is not that of an answer", status)
	}
	var fields []Field
	for _, name := range slices.Sorted(maps.Keys(header)) {
		key := textproto.CanonicalMIMEHeaderKey(name)
		for _, value := range header[name] {
			if slices.Contains(wireHeaders, key) {
				fields = append(fields, Field{renamed + key, value})
			} else {
				fields = append(fields, Field{name, value})
			}
		}
	}
	fields = append(fields, Field{"Content-Length", strconv.FormatInt(length, 10)})
	if err := checkFields(fields, isHTTPValue); err != nil {
		return nil, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	writeFields(&head, fields)
	head.WriteString("\r\n")
	return head.Bytes(), nil
}
