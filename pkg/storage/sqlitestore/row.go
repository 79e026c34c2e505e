package sqlitestore

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// All columns of a row are stored as one value:
//
//	rowFormat, then for each column in order of names: length, name, kind, value
//
// Lengths are unsigned varints. A string or []byte is stored as its length and its bytes, an int32 or int64 as a
// signed varint, and a float64 as eight bytes, little-endian. The value of a bool is part of its kind. One value for
// all columns takes a third of the time that one SQL column for each would take. It also distinguishes types that SQL
// would merge.
const rowFormat = 1

// The kinds of columns. They are part of the file format.
const (
	kindString = 's'
	kindBytes  = 'b'
	kindTrue   = 't'
	kindFalse  = 'f'
	kindInt32  = 'i'
	kindInt64  = 'l'
	kindFloat  = 'd'
)

const errDamagedRow = sqlitefile.Damage("the row's columns are damaged")

// encodeProps encodes columns that storage.CheckTransaction has accepted.
func encodeProps(p storage.Properties) []byte {
	out := append(make([]byte, 0, 64+32*len(p)), rowFormat)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		out = binary.AppendUvarint(out, uint64(len(name)))
		out = append(out, name...)
		out = appendValue(out, p[name])
	}
	return out
}

func appendValue(out []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(binary.AppendUvarint(append(out, kindString), uint64(len(v))), v...)
	case []byte:
		return append(binary.AppendUvarint(append(out, kindBytes), uint64(len(v))), v...)
	case bool:
		if v {
			return append(out, kindTrue)
		}
		return append(out, kindFalse)
	case int32:
		return binary.AppendVarint(append(out, kindInt32), int64(v))
	case int64:
		return binary.AppendVarint(append(out, kindInt64), v)
	case float64:
		return binary.LittleEndian.AppendUint64(append(out, kindFloat), math.Float64bits(v))
	}
	panic("sqlitestore: a column of a type that the port refuses")
}

// decodeProps decodes the output of encodeProps. It returns the columns in sel, or all columns if sel is empty. The
// result shares no memory with data.
func decodeProps(data []byte, sel []string) (storage.Properties, error) {
	if len(data) == 0 || data[0] != rowFormat {
		return nil, errDamagedRow
	}
	r, p := reader{rest: data[1:]}, storage.Properties{}
	for len(r.rest) > 0 && !r.bad {
		name := r.bytes()
		kind := r.next(1)
		if r.bad {
			break
		}
		wanted := len(sel) == 0 || slices.Contains(sel, string(name))
		if v := r.value(kind[0], wanted); wanted {
			p[string(name)] = v
		}
	}
	if r.bad {
		return nil, errDamagedRow
	}
	return p, nil
}

// mergeColumns returns the columns of a row after a merge, and their number: those given, and the others of the old
// ones. Both arguments are outputs of encodeProps. Columns are copied without decoding them, because the goroutine that
// writes the store does this for each merge.
func mergeColumns(old, given []byte) (merged []byte, n int, err error) {
	if len(old) == 0 || old[0] != rowFormat || len(given) == 0 || given[0] != rowFormat {
		return nil, 0, errDamagedRow
	}
	o, g := reader{rest: old[1:]}, reader{rest: given[1:]}
	merged = append(make([]byte, 0, len(old)+len(given)), rowFormat)
	oldName, oldColumn := o.column()
	name, column := g.column()
	for ; oldColumn != nil || column != nil; n++ {
		order := bytes.Compare(oldName, name)
		switch {
		case column == nil || oldColumn != nil && order < 0:
			merged = append(merged, oldColumn...)
			oldName, oldColumn = o.column()
			continue
		case oldColumn != nil && order == 0:
			oldName, oldColumn = o.column()
		}
		merged = append(merged, column...)
		name, column = g.column()
	}
	if o.bad || g.bad {
		return nil, 0, errDamagedRow
	}
	return merged, n, nil
}

// column reads the next column, and returns its name and all its bytes. After the last one, it returns nil.
func (r *reader) column() (name, all []byte) {
	if len(r.rest) == 0 {
		return nil, nil
	}
	from := r.rest
	name = r.bytes()
	if kind := r.next(1); !r.bad {
		r.value(kind[0], false)
	}
	return name, from[:len(from)-len(r.rest)]
}

// reader reads values from a slice. If a value is missing, bad becomes true, and this value and all later ones are
// empty.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) next(n uint64) []byte {
	if r.bad || n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) bytes() []byte {
	n, used := binary.Uvarint(r.rest)
	r.read(used)
	return r.next(n)
}

func (r *reader) varint() int64 {
	v, used := binary.Varint(r.rest)
	r.read(used)
	return v
}

// read passes over a number of which so many bytes were used; none if it could not be read.
func (r *reader) read(used int) {
	if used <= 0 {
		used = len(r.rest) + 1 // so that next fails
	}
	r.next(uint64(used))
}

// value reads one value. If wanted is false, it only skips the value.
func (r *reader) value(kind byte, wanted bool) any {
	switch kind {
	case kindString, kindBytes:
		b := r.bytes()
		switch {
		case !wanted:
			return nil
		case kind == kindString:
			return string(b)
		}
		return append([]byte{}, b...)
	case kindTrue, kindFalse:
		return kind == kindTrue
	case kindInt32:
		v := r.varint()
		r.bad = r.bad || v != int64(int32(v))
		return int32(v)
	case kindInt64:
		return r.varint()
	case kindFloat:
		if b := r.next(8); b != nil {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
		return nil
	}
	r.bad = true
	return nil
}
