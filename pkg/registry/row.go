package registry

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// A row struct maps fields tagged `col:"name"` to columns. Strings, booleans and integers are
// stored as they are, times as fixed-width text, everything else as JSON text. Empty strings and
// zero times are left out; numbers and booleans are always written, so that an operator who
// opens the table sees them.

type column struct {
	name  string
	index int
}

// columnsOf lists the tagged fields of a row struct. It is called once per type, at start.
func columnsOf(row any) []column {
	t := reflect.TypeOf(row)
	var cols []column
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("col"); name != "" {
			cols = append(cols, column{name, i})
		}
	}
	return cols
}

func encode(cols []column, row any) storage.Properties {
	v := reflect.ValueOf(row)
	props := make(storage.Properties, len(cols))
	for _, c := range cols {
		if p := encodeField(v.Field(c.index)); p != nil {
			props[c.name] = p
		}
	}
	return props
}

// encodeField returns nil for a value that is not stored.
func encodeField(f reflect.Value) any {
	if t, ok := f.Interface().(time.Time); ok {
		return text(storage.FormatTime(t))
	}
	switch f.Kind() {
	case reflect.String:
		return text(f.String())
	case reflect.Bool:
		return f.Bool()
	case reflect.Int, reflect.Int64:
		return f.Int()
	}
	if f.IsZero() {
		return nil
	}
	b, err := json.Marshal(f.Interface())
	if err != nil {
		panic("registry: column cannot be encoded: " + err.Error()) // a programmer's error: row types are ours
	}
	return string(b)
}

// maxText is the most characters of a text column; storage allows 32 Ki.
const maxText = 16 * 1024

// text makes any string storable: much of an item was said by strangers, and one odd header must
// not keep a batch of findings from being written.
func text(s string) any {
	if s == "" {
		return nil
	}
	return clip(strings.ToValidUTF8(s, "\uFFFD"), maxText)
}

// decode fills *row from props. Columns of a wrong type, or that are missing, leave their field
// zero: rows are written by us, and a newer version's extra columns must not stop an older one.
func decode(cols []column, props storage.Properties, row any) {
	v := reflect.ValueOf(row).Elem()
	for _, c := range cols {
		if p, ok := props[c.name]; ok {
			decodeField(v.Field(c.index), p)
		}
	}
}

func decodeField(f reflect.Value, p any) {
	switch p := p.(type) {
	case string:
		decodeText(f, p)
	case bool:
		if f.Kind() == reflect.Bool {
			f.SetBool(p)
		}
	case int64:
		if f.CanInt() {
			f.SetInt(p)
		}
	case int32:
		if f.CanInt() {
			f.SetInt(int64(p))
		}
	}
}

func decodeText(f reflect.Value, s string) {
	if _, ok := f.Interface().(time.Time); ok {
		f.Set(reflect.ValueOf(storage.ParseTime(s)))
		return
	}
	if f.Kind() == reflect.String {
		f.SetString(s)
		return
	}
	// A damaged JSON column reads as empty rather than making its item unreadable.
	_ = json.Unmarshal([]byte(s), f.Addr().Interface())
}
