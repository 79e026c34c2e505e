package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidemark/tidemark/pkg/storage"
	rows "github.com/tidemark/tidemark/pkg/storage/row"
)

// plainBytes is the largest size of a text that is stored uncompressed, so that an operator can read it.
const plainBytes = 16 << 10

// Stored returns the columns as a table stores them. The fields must have been checked.
func (f Fields) Stored() storage.Properties {
	props := storage.Properties{}
	for name, value := range f {
		c, known := columns[name]
		switch {
		case value == nil || value == "":
		case known && c.kind == longText:
			packText(props, name, f.Text(name))
		case known && c.kind == object:
			packText(props, name, jsonText(value))
		default:
			props[name] = value
		}
	}
	return props
}

// FromStored reads the columns of an entry from a row, and ignores all other columns. A column that cannot be read is
// an error, because an update would lose its value.
func FromStored(props storage.Properties) (Fields, error) {
	f := Fields{}
	for name, value := range props {
		if columns[name].plain() || slices.Contains(immutable, name) && value != "" {
			f[name] = value
		}
	}
	for name, c := range columns {
		if c.plain() {
			continue
		}
		text, err := unpackText(props, name)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		if text == "" {
			continue
		}
		f[name] = text
		if c.kind == object {
			if f[name], err = parseObject(text); err != nil {
				return nil, fmt.Errorf("column %s: %w", name, err)
			}
		}
	}
	return f, nil
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // Unreachable: [Fields.Check] has encoded it.
	}
	return string(b)
}

// plain reports whether a column is always stored uncompressed.
func (c column) plain() bool {
	return c.most > 0 && c.kind == shortText || c.kind == count || c.kind == ratio || c.kind == flag
}

func parseObject(text string) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v map[string]any
	err := d.Decode(&v)
	return v, err
}

// PackedName returns the prefix of the names of the columns that contain a text in pieces.
func PackedName(name string) string { return name + "_gz" }

// packText stores a text as it is, or compressed in as many columns as necessary.
func packText(props storage.Properties, name, text string) {
	if len(text) <= plainBytes {
		props[name] = text
		return
	}
	rows.Split(props, PackedName(name), rows.Gzip([]byte(text)))
}

func unpackText(props storage.Properties, name string) (string, error) {
	if text, ok := props[name].(string); ok {
		return text, nil
	}
	packed := rows.Join(props, PackedName(name))
	if packed == nil {
		return "", nil
	}
	text, err := rows.Gunzip(packed, maxLong)
	return string(text), err
}
