// Package row maps structs to the columns of a table's rows. The tags of a struct describe both how a row is written
// and how it is read, so no type needs functions of its own for this purpose.
//
// A field tagged `col:"name"` is the column with that name:
//
//   - Strings, booleans, integers, floats and byte slices are stored unchanged.
//   - A time.Time is text of fixed width ([storage.TimeLayout]).
//   - Any other type is JSON in a text column.
//
// Empty strings, zero times and zero compound values are omitted. An empty list that is not nil is written. Numbers
// and booleans are always written, so that operators see them in the table. Options follow the name:
//
//	always  the column is written even when it is empty, for a Merge or an operator
//	must    a column that cannot be read is an error; without this option the field stays zero
//	bytes   JSON in a binary column instead of a text column
//	parts   a byte slice, or JSON, spread over the columns name0, name1 and so on
//	gzip    like parts, but compressed
//	ms      a time.Duration in milliseconds
//	inline  a struct whose own tagged fields are columns of this row; it has no name: `col:",inline"`
//
// Columns without a field are ignored, because a newer release may have written the row.
package row

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Codec reads and writes the rows of one struct type.
type Codec[T any] struct{ columns []column }

type column struct {
	name    string
	index   []int
	options []string
}

func (c column) has(option string) bool {
	return slices.Contains(c.options, option)
}

// Of reads the tags of T. It should be called once for each type, in a package variable.
func Of[T any]() Codec[T] { return Codec[T]{columnsOf(reflect.TypeFor[T](), nil)} }

func columnsOf(t reflect.Type, at []int) (out []column) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("col"), ",")
		c := column{name, append(at[:len(at):len(at)], i), strings.Split(options, ",")}
		switch {
		case c.has("inline"):
			out = append(out, columnsOf(f.Type, c.index)...)
		case name != "":
			out = append(out, c)
		}
	}
	return out
}

// Encode returns the columns of v.
func (c Codec[T]) Encode(v *T) storage.Properties {
	return encode(c.columns, reflect.ValueOf(v).Elem())
}

// The work is done by functions that are compiled once, not for each type of rows.

func encode(columns []column, row reflect.Value) storage.Properties {
	props := make(storage.Properties, len(columns))
	for _, col := range columns {
		col.encode(props, row.FieldByIndex(col.index))
	}
	return props
}

// Decode decodes columns into a value. If columns with the option must are damaged, the error names them, and all
// other columns are still decoded.
func (c Codec[T]) Decode(props storage.Properties) (v T, err error) {
	err = decode(c.columns, props, reflect.ValueOf(&v).Elem())
	return v, err
}

func decode(columns []column, props storage.Properties, row reflect.Value) error {
	var errs []error
	for _, col := range columns {
		field := row.FieldByIndex(col.index)
		if err := col.decode(props, field); err != nil {
			field.SetZero()
			if col.has("must") && err != errMissing {
				errs = append(errs, fault.New(fault.Internal, "column %s is damaged: %w", col.name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// Load reads a row. If the row does not exist, Load returns a zero value, an empty revision and no error.
func (c Codec[T]) Load(ctx context.Context, t storage.Table, key storage.Key) (v T, etag storage.ETag, err error) {
	etag, err = load(ctx, t, key, c.columns, reflect.ValueOf(&v).Elem())
	return v, etag, err
}

func load(ctx context.Context, t storage.Table, key storage.Key, columns []column, row reflect.Value) (storage.ETag,
	error) {
	e, err := t.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return e.ETag, decode(columns, e.Props, row)
}

// Put returns an operation. If it gets the revision at which a row was read, the operation rewrites the row; if it
// gets an empty revision, the operation inserts the row. The operation fails with Conflict or NotFound if another
// writer has changed the row since then.
func (c Codec[T]) Put(key storage.Key, etag storage.ETag, v *T) storage.Op {
	return put(key, etag, c.Encode(v))
}

func put(key storage.Key, etag storage.ETag, props storage.Properties) storage.Op {
	kind := storage.Replace
	if etag == "" {
		kind = storage.Insert
	}
	return storage.Op{Kind: kind, Entity: storage.Entity{Key: key, ETag: etag, Props: props}}
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	bytesType = reflect.TypeFor[[]byte]()
)

func (c column) encode(props storage.Properties, f reflect.Value) {
	if c.has("parts") || c.has("gzip") {
		c.encodeParts(props, f)
		return
	}
	switch value := plain(f, c.has("ms")); {
	case value == nil && f.IsZero() && !c.has("always"):
	case value == nil && c.has("bytes"):
		props[c.name] = JSON(f.Interface())
	case value == nil:
		props[c.name] = string(JSON(f.Interface()))
	case value == "" && !c.has("always"):
	default:
		props[c.name] = value
	}
}

// plain returns the value of a field that is stored unchanged, or nil if the field is stored as JSON.
func plain(f reflect.Value, ms bool) any {
	if f.Type() == timeType {
		return storage.FormatTime(f.Interface().(time.Time))
	}
	switch {
	case f.Kind() == reflect.String:
		return text(f.String())
	case f.Kind() == reflect.Bool:
		return f.Bool()
	case ms:
		return time.Duration(f.Int()).Milliseconds()
	case f.CanInt():
		return f.Int()
	case f.CanFloat():
		return f.Float()
	case f.Type() == bytesType && !f.IsZero():
		return f.Bytes()
	}
	return nil
}

// maxText is the maximum number of characters in a text column. Storage would allow 32 Ki.
const maxText = 16 * 1024

// text makes any text storable. Much of the text in rows comes from unknown hosts. One odd header must not prevent
// the write of a whole transaction.
func text(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxText {
		return s
	}
	n := 0
	for i := range s {
		if n == maxText {
			return s[:i]
		}
		n++
	}
	return s
}

// JSON encodes a value without escaping HTML characters, because people read these rows. The value must be of a type
// that can be encoded.
func JSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("row: a column cannot be encoded: " + err.Error()) // a bug: row types are part of the program
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

var (
	errMissing = errors.New("it is missing")
	errType    = errors.New("it has another type")
)

func (c column) decode(props storage.Properties, f reflect.Value) error {
	if c.has("parts") || c.has("gzip") {
		return c.decodeParts(props, f)
	}
	value, ok := props[c.name]
	if !ok {
		return errMissing
	}
	switch value := value.(type) {
	case string:
		return decodeText(value, f)
	case []byte:
		return decodeBytes(value, f)
	case bool:
		if f.Kind() == reflect.Bool {
			f.SetBool(value)
			return nil
		}
	case int64:
		return decodeInt(value, f, c.has("ms"))
	case int32:
		return decodeInt(int64(value), f, c.has("ms"))
	case float64:
		if f.CanFloat() {
			f.SetFloat(value)
			return nil
		}
	}
	return errType
}

func decodeInt(n int64, f reflect.Value, ms bool) error {
	switch {
	case !f.CanInt():
		return errType
	case ms:
		n *= int64(time.Millisecond)
	}
	f.SetInt(n)
	return nil
}

func decodeText(s string, f reflect.Value) error {
	switch {
	case f.Type() == timeType:
		f.Set(reflect.ValueOf(storage.ParseTime(s)))
		return nil
	case f.Kind() == reflect.String:
		f.SetString(s)
		return nil
	case s == "":
		return errMissing
	}
	return json.Unmarshal([]byte(s), f.Addr().Interface())
}

func decodeBytes(b []byte, f reflect.Value) error {
	if f.Type() == bytesType {
		f.SetBytes(b)
		return nil
	}
	return json.Unmarshal(b, f.Addr().Interface())
}
