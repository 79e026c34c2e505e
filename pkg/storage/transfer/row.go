package transfer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// rowLine describes a row in a line of JSON. The fields are in the order in which the line has them.
type rowLine struct {
	Partition string          `json:"partition"`
	Row       string          `json:"row"`
	Columns   map[string]cell `json:"columns"`
	// Digest is the SHA-256 of the line without the digest. It is there to find damaged lines.
	Digest string `json:"sha256,omitempty"`
}

// cell is a column. Exactly one field is set, and gives the column's type. Numbers are JSON numbers, and bytes are
// base64.
type cell struct {
	String *string  `json:"string,omitempty"`
	Bool   *bool    `json:"bool,omitempty"`
	Int32  *int32   `json:"int32,omitempty"`
	Int64  *int64   `json:"int64,omitempty"`
	Float  *float64 `json:"float64,omitempty"`
	Bytes  *[]byte  `json:"bytes,omitempty"`
}

func cellOf(value any) (cell, error) {
	switch v := value.(type) {
	case string:
		return cell{String: &v}, nil
	case bool:
		return cell{Bool: &v}, nil
	case int32:
		return cell{Int32: &v}, nil
	case int64:
		return cell{Int64: &v}, nil
	case float64:
		return cell{Float: &v}, nil
	case []byte:
		if v == nil {
			v = []byte{} // a nil slice would become null
		}
		return cell{Bytes: &v}, nil
	}
	return cell{}, fault.New(fault.Invalid, "a column of the type %T", value)
}

func add[T any](found *[]any, value *T) {
	if value != nil {
		*found = append(*found, *value)
	}
}

// value returns the column's value. It returns nil unless exactly one field is set.
func (c cell) value() any {
	var found []any
	add(&found, c.String)
	add(&found, c.Bool)
	add(&found, c.Int32)
	add(&found, c.Int64)
	add(&found, c.Float)
	add(&found, c.Bytes)
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// encodeRow encodes a row as one line, without a line end. Equal rows have equal lines. The revision is omitted.
func encodeRow(e storage.Entity) ([]byte, error) {
	line := rowLine{Partition: e.Partition, Row: e.Row, Columns: make(map[string]cell, len(e.Props))}
	for name, value := range e.Props {
		c, err := cellOf(value)
		if err != nil {
			return nil, err
		}
		line.Columns[name] = c
	}
	bare, err := json.Marshal(line)
	if err != nil {
		return nil, fault.New(fault.Invalid, "row %s/%s: %w", e.Partition, e.Row, err)
	}
	line.Digest = digestOf(bare)
	return json.Marshal(line)
}

// decodeRow decodes only the exact output of encodeRow. Errors: Invalid for another encoding of the same row, and for
// a row that all stores refuse.
func decodeRow(text []byte) (storage.Entity, error) {
	var line rowLine
	if err := strictJSON(text, &line); err != nil {
		return storage.Entity{}, err
	}
	e := storage.Entity{Key: storage.Key{Partition: line.Partition, Row: line.Row}, Props: storage.Properties{}}
	for name, c := range line.Columns {
		v := c.value()
		if v == nil {
			return storage.Entity{}, fault.New(fault.Invalid, "column %q has not one type", name)
		}
		e.Props[name] = v
	}
	again, err := encodeRow(e)
	if err != nil {
		return storage.Entity{}, err
	}
	if !bytes.Equal(again, text) {
		return storage.Entity{}, fault.New(fault.Invalid, "the row does not match its digest")
	}
	return e, storage.CheckTransaction([]storage.Op{{Kind: storage.Insert, Entity: e}})
}

// strictJSON decodes one value. It refuses fields that v does not have. All errors are Invalid.
func strictJSON(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fault.New(fault.Invalid, "%w", err)
	}
	return nil
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// tally is the number of lines in a set, with a digest of the set that does not depend on the order of the lines.
type tally struct {
	n   int
	sum [sha256.Size]byte
}

// add adds a line to the tally. It adds the digests as numbers. With xor, two equal lines would cancel each other
// out.
func (t *tally) add(line []byte) {
	t.n++
	carry := 0
	digest := sha256.Sum256(line)
	for i := len(t.sum) - 1; i >= 0; i-- {
		carry += int(t.sum[i]) + int(digest[i])
		t.sum[i] = byte(carry)
		carry >>= 8
	}
}
