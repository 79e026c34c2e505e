package azure

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/tidemark/tidemark/pkg/storage"
)

// odataType is the suffix in the name of an annotation. The annotation is beside a column and gives the column's
// type.
const odataType = "@odata.type"

// encode writes an entity for the service, on one line, with its columns in order. It annotates the columns whose
// types JSON does not have. It also annotates doubles, because 3.0 would be read as an integer.
func encode(e storage.Entity, token string) []byte {
	b := make([]byte, 0, 256)
	b = append(b, `{"PartitionKey":`...)
	b = appendString(b, e.Partition)
	b = append(b, `,"RowKey":`...)
	b = appendString(b, e.Row)
	b = append(b, `,"`+storage.TokenProperty+`":"`...)
	b = append(b, token...)
	b = append(b, '"')
	for _, name := range slices.Sorted(maps.Keys(e.Props)) {
		b = appendProperty(append(b, ','), name, e.Props[name])
	}
	return append(b, '}')
}

func appendProperty(b []byte, name string, value any) []byte {
	annotation := ""
	switch value.(type) {
	case int64:
		annotation = "Edm.Int64"
	case float64:
		annotation = "Edm.Double"
	case []byte:
		annotation = "Edm.Binary"
	}
	if annotation != "" {
		b = append(b, `"`+name+odataType+`":"`+annotation+`",`...)
	}
	b = append(b, `"`+name+`":`...)
	return appendValue(b, value)
}

func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return appendString(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int32:
		return strconv.AppendInt(b, int64(v), 10)
	case int64: // as text, because JSON readers lose digits above 2^53
		return append(strconv.AppendInt(append(b, '"'), v, 10), '"')
	case float64:
		return appendFloat(b, v)
	case []byte:
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, v)
		return append(b, '"')
	}
	// Unreachable: the port's checks allow no other type.
	panic(fmt.Sprintf("azure: column of type %T", value))
}

// appendFloat writes a number with a point or an exponent, because some readers ignore annotations and would confuse
// it with an integer.
func appendFloat(b []byte, f float64) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, 64)
	if !bytes.ContainsAny(b[from:], ".e") {
		b = append(b, ".0"...)
	}
	return b
}

// appendString writes a string in ASCII alone, for two reasons. Azurite reads a body in pieces, and corrupts a
// character that is split between two pieces. And Azurite finds the body of an operation in a batch by a pattern that
// stops at U+2028.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= 0x20 && r < 0x7f:
			b = append(b, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = appendEscape(appendEscape(b, high), low)
		default:
			b = appendEscape(b, r)
		}
	}
	return append(b, '"')
}

func appendEscape(b []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}

// stored is an entity in the form that the service stores, with the token of the write that made it.
type stored struct {
	storage.Entity
	token string
}

// decode decodes an entity. A column whose type the port does not have is read as text, because another program may
// have written it.
func decode(raw map[string]any) (stored, error) {
	s := stored{Entity: storage.Entity{Props: make(storage.Properties, len(raw))}}
	stamp := ""
	for name, value := range raw {
		var err error
		switch {
		case name == "PartitionKey":
			s.Partition, err = text(value)
		case name == "RowKey":
			s.Row, err = text(value)
		case name == storage.TokenProperty:
			s.token, err = text(value)
		case name == "Timestamp":
			stamp, err = text(value)
		case name == "odata.etag":
			var tag string
			tag, err = text(value)
			s.ETag = storage.ETag(tag)
		case strings.ContainsAny(name, ".@") || value == nil: // annotations and null columns are skipped
		default:
			annotation, _ := raw[name+odataType].(string)
			s.Props[name], err = decodeValue(value, annotation)
		}
		if err != nil {
			return stored{}, fmt.Errorf("column %.64s: %w", name, err)
		}
	}
	if s.ETag == "" && stamp != "" {
		// Some projections omit the revision. It is restored from the time of the write, because it contains nothing
		// else.
		s.ETag = storage.ETag(`W/"datetime'` + url.QueryEscape(stamp) + `'"`)
	}
	return s, nil
}

func text(value any) (string, error) {
	if s, ok := value.(string); ok {
		return s, nil
	}
	return "", fmt.Errorf("a %T instead of text", value)
}

func decodeValue(value any, annotation string) (any, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case json.Number:
		return decodeNumber(string(v), annotation)
	case string:
		return decodeText(v, annotation)
	}
	return nil, fmt.Errorf("unexpected %T", value)
}

// decodeNumber distinguishes doubles from integers by their point or exponent, which the service writes only in
// doubles.
func decodeNumber(s, annotation string) (any, error) {
	if annotation == "Edm.Double" || strings.ContainsAny(s, ".eE") {
		return strconv.ParseFloat(s, 64)
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil, err
	}
	if annotation == "Edm.Int64" || n < math.MinInt32 || n > math.MaxInt32 {
		return n, nil
	}
	return int32(n), nil
}

func decodeText(s, annotation string) (any, error) {
	switch annotation {
	case "Edm.Int64":
		return strconv.ParseInt(s, 10, 64)
	case "Edm.Double":
		return strconv.ParseFloat(s, 64)
	case "Edm.Binary":
		return base64.StdEncoding.DecodeString(s)
	}
	return s, nil
}

// decodeOne decodes the answer to a point read.
func decodeOne(body []byte) (stored, error) {
	var raw map[string]any
	if err := unmarshal(body, &raw); err != nil {
		return stored{}, err
	}
	return decode(raw)
}

// decodePage decodes the answer to a query.
func decodePage(body []byte) ([]stored, error) {
	var page struct {
		Value []map[string]any `json:"value"`
	}
	if err := unmarshal(body, &page); err != nil {
		return nil, err
	}
	rows := make([]stored, len(page.Value))
	for i, raw := range page.Value {
		var err error
		if rows[i], err = decode(raw); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// unmarshal decodes JSON, in which it keeps numbers as text.
func unmarshal(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return d.Decode(v)
}
