package entries

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	rekeyPage     = 200 // number of entries per call
	rekeyExamples = 5   // number of examples per call
	// rekeyChain limits the length of a chain of entries, in which each entry has the key that is the new key of the
	// entry before it. If a chain is longer, its last entry gives up its key.
	rekeyChain = 8
)

// rekeyColumns are the columns from which keys are made.
var rekeyColumns = []string{
	"id", "title", "metadata", entry.PackedName("metadata") + "0", revisionColumn, "idempotency_policy_key",
	"idempotency_key_primary", "idempotency_key_secondary",
}

// Rekey gives entries of both schemas the keys that normalization makes today, if their keys are of an older
// revision. Each call examines at most two hundred entries after a cursor ("" at first). It returns the numbers of
// examined and of changed entries, examples of the changes, and either the next cursor or that it is done. If dry is
// set, it only counts. Callers repeat a failed call with the same cursor. Any part may be repeated, by any process,
// while entries are inserted and updated.
//
// If two entries get the same key, the conflict action of their policy decides which entry has it: the older entry if
// the action is to skip repeated entries, and the one written last if the action is to update (for mails, by their
// date). The other entry keeps its text, under a key that no normalization makes: "duplicate:" and its id. So no text
// is lost.
//
// Until Rekey is done, inserts and updates re-key the entries that they find, so they also find entries under old
// keys.
func (s *Store) Rekey(
	ctx context.Context, cursor string, dry bool,
) (seen, changed int, examples []string, next string, done bool, err error) {
	schema, from, err := parseRekeyCursor(cursor)
	if err != nil {
		return 0, 0, nil, cursor, false, err
	}
	session := s.In(schema)
	found, _, err := session.some(ctx, []string{from.Partition}, from, rekeyPage, rekeyColumns...)
	if err != nil {
		return 0, 0, nil, cursor, false, err
	}
	if changed, examples, err = rekeyEach(ctx, session, found, dry); err != nil {
		return 0, 0, nil, cursor, false, err
	}
	if len(found) == rekeyPage {
		return len(found), changed, examples, rekeyCursor(schema, found[len(found)-1].Key), false, nil
	}
	if !dry {
		if err := session.policies.rekeyed(ctx, from.Partition); err != nil {
			return 0, 0, nil, cursor, false, err
		}
	}
	next, done = afterPolicy(schema, from.Partition)
	return len(found), changed, examples, next, done, nil
}

// rekeyEach re-keys the entries of a page. It returns the number of changed entries, and examples. If dry is set, it
// only counts.
func rekeyEach(
	ctx context.Context, s *Session, found []storage.Entity, dry bool,
) (changed int, examples []string, err error) {
	for _, e := range found {
		r, err := rowOf(e)
		if err != nil { // an update does not change the keys of such an entry either
			s.s.o.Log.ErrorContext(ctx, "entry cannot be read, and keeps its keys", "entry", idAt(e.Key), "err", err)
			continue
		}
		if !outdated(r) {
			continue
		}
		if changed++; len(examples) < rekeyExamples {
			examples = append(examples, exampleOf(r.fields))
		}
		if dry {
			continue
		}
		if err := s.s.retry(ctx, func(int) error { return rekeyAt(ctx, s, r.key) }); err != nil {
			return 0, nil, fmt.Errorf("re-keying %s: %w", idAt(r.key), err)
		}
	}
	return changed, examples, nil
}

// outdated reports whether the keys of an entry are of an older revision and differ from the current ones.
func outdated(r row) bool {
	_, changed := entry.Rekeyed(r.fields)
	return changed && r.revision < entry.KeyRevision
}

// exampleOf returns a description of the change of an entry's keys.
func exampleOf(f entry.Fields) string {
	out, _ := entry.Rekeyed(f)
	old, now := entry.KeysOf(f), entry.KeysOf(out)
	name, from, to := "primary", old.Primary, now.Primary
	if from == to {
		name, from, to = "secondary", old.Secondary, now.Secondary
	}
	to = cmp.Or(to, "none")
	return fmt.Sprintf("%s: %s key %.16s to %.16s", f.Text("id"), name, from, to)
}

func rekeyCursor(schema Schema, at storage.Key) string {
	return string(schema) + "/" + at.Partition + "/" + at.Row
}

func parseRekeyCursor(cursor string) (Schema, registry.Cursor, error) {
	if cursor == "" {
		return Schemas[0], registry.Cursor{Partition: entry.RekeyedPolicies[0]}, nil
	}
	parts := strings.SplitN(cursor, "/", 3)
	if len(parts) != 3 || tableOf[Schema(parts[0])].entries == "" || !slices.Contains(entry.RekeyedPolicies, parts[1]) {
		return "", registry.Cursor{}, fault.Field("cursor", "%.100q is no place in a re-keying", cursor)
	}
	return Schema(parts[0]), registry.Cursor{Partition: parts[1], Row: parts[2]}, nil
}

// afterPolicy returns the cursor after the last entry of a policy.
func afterPolicy(schema Schema, policy string) (next string, done bool) {
	reached := false
	for _, sc := range Schemas {
		for _, p := range entry.RekeyedPolicies {
			if reached {
				return rekeyCursor(sc, storage.Key{Partition: p}), false
			}
			reached = sc == schema && p == policy
		}
	}
	return "", true
}

// rekeyAt re-keys the entry whose row has the given key, if it still exists.
func rekeyAt(ctx context.Context, s *Session, key storage.Key) error {
	e, err := s.entries.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := rowOf(e)
	if err == nil {
		_, err = s.rekey(ctx, r, 0)
	}
	return err
}

// loadCurrent reads an entry that has current keys. If the entry has older keys, loadCurrent re-keys it and returns
// errRaced. The caller found the entry by a key, so the caller must then look up the key again.
func (s *Session) loadCurrent(ctx context.Context, id string) (row, error) {
	r, err := s.load(ctx, id)
	if err != nil {
		return row{}, err
	}
	if !outdated(r) {
		return r, nil
	}
	if policy, err := s.policies.read(ctx, r.key.Partition); err != nil || policy.Revision >= entry.KeyRevision {
		return r, err
	}
	changed, err := s.rekey(ctx, r, 0)
	if err == nil && changed {
		err = errRaced
	}
	return r, err
}

// rekeyMatches re-keys the stored entries that have the keys that older revisions would have made for the given entry.
// After that, current keys suffice to find the entries that match. It costs nothing when all entries of the policy are
// re-keyed.
func (s *Session) rekeyMatches(ctx context.Context, policy Policy, in entry.Fields) error {
	if policy.Revision >= entry.KeyRevision {
		return nil
	}
	for _, k := range entry.FormerKeys(in) {
		id, err := s.holder(ctx, k.Policy, which(k), k.Primary+k.Secondary)
		if err != nil {
			return err
		}
		if id == "" {
			continue
		}
		if _, err := s.loadCurrent(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// which returns "p" for a primary key and "s" for a secondary key. Only one key of k is set.
func which(k entry.Keys) string {
	if k.Primary != "" {
		return "p"
	}
	return "s"
}

// rekey gives an entry its current keys, in one transaction, and reports whether they changed. The index does not
// need the entry again, because keys are not searched.
func (s *Session) rekey(ctx context.Context, r row, chain int) (changed bool, err error) {
	if !outdated(r) {
		return false, nil
	}
	fields, _ := entry.Rekeyed(r.fields)
	policy, err := s.policies.read(ctx, r.key.Partition)
	if err != nil && !fault.Is(err, fault.Invalid) { // Invalid: the policy is gone, and the older entry wins
		return false, err
	}
	ops, err := s.rekeyOps(ctx, policy, r, fields, chain)
	if err != nil {
		return false, err
	}
	if _, err = s.entries.Transact(ctx, ops...); fault.Lost(err) {
		err = errRaced
	}
	return err == nil, err
}

// rekeyOps returns the writes that give an entry its new fields and its changed key. If another entry has that key
// and keeps it, the new fields have another key.
func (s *Session) rekeyOps(ctx context.Context, policy Policy, r row, fields entry.Fields, chain int) ([]storage.Op,
	error) {
	old, now := entry.KeysOf(r.fields), entry.KeysOf(fields)
	which, key := "p", now.Primary
	if old.Primary == now.Primary {
		which, key = "s", now.Secondary
	}
	if key == "" {
		return r.moved(fields), nil
	}
	at, err := s.entries.Get(ctx, keyRow(now.Policy, which, key))
	if fault.Is(err, fault.NotFound) {
		return r.moved(fields), nil
	}
	if err != nil {
		return nil, err
	}
	id, _ := at.Props["entry_id"].(string)
	if id == r.fields.Text("id") {
		return nil, errRaced // the other entry was re-keyed in the meantime
	}
	other, err := s.load(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, errRaced // the other entry was removed in the meantime
	}
	if err != nil {
		return nil, err
	}
	if chain < rekeyChain {
		if changed, err := s.rekey(ctx, other, chain+1); err != nil || changed {
			return nil, errors.Join(err, errRaced) // the key may now be free
		}
	}
	return collided(policy, r, other, fields, which, at), nil
}

// moved returns the writes that give an entry new fields, and that move its key rows to the keys in these fields.
func (r row) moved(fields entry.Fields) []storage.Op {
	now := row{key: r.key, etag: r.etag, fields: fields, revision: entry.KeyRevision, lines: r.lines}
	return append(
		[]storage.Op{{Kind: storage.Replace, Entity: now.entity()}},
		keyOps(entry.KeysOf(r.fields), entry.KeysOf(fields), r.fields.Text("id"))...)
}

// collided returns the writes for an entry whose new key belongs to another entry. It needs the row of that key. One
// of the two entries gets the key. The other gets a key of its own.
func collided(policy Policy, r, other row, fields entry.Fields, which string, at storage.Entity) []storage.Op {
	if !prevails(policy, r.fields, other.fields) {
		// The write must fail if the key no longer belongs to the other entry.
		return append(r.moved(yielded(fields, which)), storage.Op{Kind: storage.Merge, Entity: at})
	}
	var ops []storage.Op
	for _, op := range append(other.moved(yielded(other.fields, which)), r.moved(fields)...) {
		if op.Entity.Key != at.Key {
			ops = append(ops, op)
		}
	}
	at.Props["entry_id"] = r.fields.Text("id")
	return append(ops, storage.Op{Kind: storage.Replace, Entity: at})
}

// yielded returns the fields of an entry without the key that belongs to another entry. If the entry then has no key,
// it gets a key of its own that no lookup uses.
func yielded(f entry.Fields, which string) entry.Fields {
	out := maps.Clone(f)
	if which == "p" {
		delete(out, "idempotency_key_primary")
	} else {
		delete(out, "idempotency_key_secondary")
	}
	if k := entry.KeysOf(out); k.Primary+k.Secondary == "" {
		out["idempotency_key_primary"] = "duplicate:" + f.Text("id")
	}
	return out
}

// prevails reports whether an entry gets a key that another entry also has.
func prevails(policy Policy, f, other entry.Fields) bool {
	if policy.OnConflict != Change {
		return cmp.Or(cmp.Compare(f.Text("created_at"), other.Text("created_at")), cmp.Compare(f.Text("id"),
			other.Text("id"))) < 0
	}
	written, known := f.Written()
	others, alsoKnown := other.Written()
	if known && alsoKnown && !written.Equal(others) {
		return written.After(others)
	}
	return cmp.Or(cmp.Compare(f.Text("updated_at"), other.Text("updated_at")), cmp.Compare(f.Text("id"),
		other.Text("id"))) > 0
}
