package entries

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	rows "github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	// plainBytes is up to how long a text is stored as it is, for an operator to read.
	plainBytes = 16 << 10
	// nowhere is the partition of entries without a policy.
	nowhere = "-"
	rowText = "e|"
)

// row is an entry as it is stored, with the revision it was read at.
type row struct {
	key      storage.Key
	etag     storage.ETag
	fields   Fields
	revision int64 // of the keys; see [keyRevision]
}

// An entry's id tells where it is: entry_<policy>-<token>.
var idPattern = regexp.MustCompile(`^entry_([a-z][a-z0-9_]{0,63})?-([a-z2-7]{26})$`)

func makeID(policy, token string) string { return "entry_" + policy + "-" + token }

// keyOf is where an entry of an id is; the error is NotFound, since no other text was ever given out.
func keyOf(id string) (storage.Key, error) {
	m := idPattern.FindStringSubmatch(id)
	if m == nil {
		return storage.Key{}, fault.New(fault.NotFound, "no entry has the id %.120q", id)
	}
	return storage.Key{Partition: partitionOf(m[1]), Row: rowText + m[2]}, nil
}

func partitionOf(policy string) string {
	if policy == "" {
		return nowhere
	}
	return policy
}

// keyRow is the row that keeps a key of a policy from being used twice. Which is p for primary and s
// for secondary keys.
func keyRow(policy, which, key string) storage.Key {
	return storage.Key{Partition: partitionOf(policy), Row: which + "|" + digest(key)}
}

// newRow is an entry that is not stored yet.
func newRow(in Fields, token string, now time.Time) row {
	policy := in.Text("idempotency_policy_key")
	id, at := makeID(policy, token), storage.FormatTime(now)
	fields := Fields{"id": id, "entry_id": id, "created_at": at, "updated_at": at}
	for name, value := range in {
		if value != nil && value != "" {
			fields[name] = value
		}
	}
	return row{
		key:      storage.Key{Partition: partitionOf(policy), Row: rowText + token},
		fields:   fields,
		revision: keyRevision,
	}
}

// entity is the row as a table holds it; the fields fit, as they were checked.
func (r row) entity() storage.Entity {
	props := storage.Properties{}
	for name, value := range r.fields {
		c, known := columns[name]
		switch {
		case value == nil || value == "":
		case known && c.kind == longText:
			packText(props, name, r.fields.Text(name))
		case known && c.kind == object:
			packText(props, name, jsonText(value))
		default:
			props[name] = value
		}
	}
	if r.revision > 0 {
		props[revisionColumn] = r.revision
	}
	return storage.Entity{Key: r.key, ETag: r.etag, Props: props}
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // Unreachable: check has encoded it.
	}
	return string(b)
}

// rowOf reads an entry. A column that cannot be read is an error: an update would lose it.
func rowOf(e storage.Entity) (row, error) {
	r := row{key: e.Key, etag: e.ETag, fields: Fields{}}
	r.revision, _ = e.Props[revisionColumn].(int64)
	for name, value := range e.Props {
		if columns[name].plain() || slices.Contains(immutable, name) && value != "" {
			r.fields[name] = value
		}
	}
	for name, c := range columns {
		if c.plain() {
			continue
		}
		text, err := unpackText(e.Props, name)
		if err != nil {
			return row{}, fmt.Errorf("column %s of %s: %w", name, e.Row, err)
		}
		if text == "" {
			continue
		}
		r.fields[name] = text
		if c.kind == object {
			if r.fields[name], err = parseObject(text); err != nil {
				return row{}, fmt.Errorf("column %s of %s: %w", name, e.Row, err)
			}
		}
	}
	return r, nil
}

// plain reports a column that is stored as it is.
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

// packedName begins the names of the columns that hold a text in pieces.
func packedName(name string) string { return name + "_gz" }

// packText stores a text as it is, or compressed over as many columns as it needs.
func packText(props storage.Properties, name, text string) {
	if len(text) <= plainBytes {
		props[name] = text
		return
	}
	rows.Split(props, packedName(name), rows.Gzip([]byte(text)))
}

func unpackText(props storage.Properties, name string) (string, error) {
	if text, ok := props[name].(string); ok {
		return text, nil
	}
	packed := rows.Join(props, packedName(name))
	if packed == nil {
		return "", nil
	}
	text, err := rows.Gunzip(packed, maxLong)
	return string(text), err
}
