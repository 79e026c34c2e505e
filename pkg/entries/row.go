package entries

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
	rows "github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	// revisionColumn is the column with the revision of the keys, in entries and in policies.
	revisionColumn = "key_revision"
	// nowhere is the partition of entries without a policy.
	nowhere = "-"
	rowText = "e|"
)

// errRaced means that another process was quicker to write. The caller must read again.
var errRaced = errors.New("somebody else was first")

// row is a stored entry, with the ETag that it was read with.
type row struct {
	key      storage.Key
	etag     storage.ETag
	fields   entry.Fields
	revision int64  // revision of the entry's keys; see [entry.KeyRevision]
	lines    []byte // see [linesColumn]
}

// idPattern matches the id of an entry, which contains its location: entry_<policy>-<token>.
var idPattern = regexp.MustCompile(`^entry_([a-z][a-z0-9_]{0,63})?-([a-z2-7]{26})$`)

// IDPrefix begins the id of every entry.
const IDPrefix = "entry_"

func makeID(policy, token string) string { return IDPrefix + policy + "-" + token }

// keyOf returns the key of the row of the entry with the given id. Errors: NotFound for a malformed id, because no
// entry has such an id.
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

// keyRow returns the key of the row that prevents two entries of a policy from having the same key. For a primary key
// the kind is "p", and for a secondary key "s".
func keyRow(policy, which, key string) storage.Key {
	return storage.Key{Partition: partitionOf(policy), Row: which + "|" + entry.Digest(key)}
}

// newRow returns the row of a new entry.
func newRow(in entry.Fields, token string, now time.Time) row {
	policy := in.Text("idempotency_policy_key")
	id, at := makeID(policy, token), storage.FormatTime(now)
	fields := entry.Fields{"id": id, "entry_id": id, "created_at": at, "updated_at": at}
	for name, value := range in {
		if value != nil && value != "" {
			fields[name] = value
		}
	}
	return row{
		key:      storage.Key{Partition: partitionOf(policy), Row: rowText + token},
		fields:   fields,
		revision: entry.KeyRevision,
	}
}

// entity returns the row as a table stores it. The fields fit into the table, because they were checked.
func (r row) entity() storage.Entity {
	props := r.fields.Stored()
	if r.revision > 0 {
		props[revisionColumn] = r.revision
	}
	rows.Split(props, linesColumn, r.lines)
	return storage.Entity{Key: r.key, ETag: r.etag, Props: props}
}

// rowOf reads an entry from a table's row. A column that cannot be read is an error, because an update would lose its
// value.
func rowOf(e storage.Entity) (row, error) {
	fields, err := entry.FromStored(e.Props)
	if err != nil {
		return row{}, fmt.Errorf("%s: %w", e.Row, err)
	}
	revision, _ := e.Props[revisionColumn].(int64)
	return row{key: e.Key, etag: e.ETag, fields: fields, revision: revision,
		lines: rows.Join(e.Props, linesColumn)}, nil
}
