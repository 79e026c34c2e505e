package entries

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Result is the result of writing an entry.
type Result struct {
	Entry  entry.Fields // the entry's current state
	Action Action       // Inserted, Skipped or Updated
	// Conflict is set when the two keys belong to different entries.
	Conflict *Conflict

	written // the work that remains for [Store.Flush]
}

// written is the work that remains for a flush after an entry was written.
type written struct {
	claimed outboxEntry // the claimed outbox entry, for the index
	news    news        // the change, for the feed
}

// Conflict means that the primary key of the input belongs to one entry and the secondary key to another entry. The
// primary key decides: the entry with that key is skipped or updated. An update leaves that entry without a secondary
// key, because the input's secondary key belongs to the other entry.
type Conflict struct {
	PrimaryID   string // id of the entry that was chosen
	SecondaryID string // id of the other entry, which is unchanged
}

// Insert stores an entry. If an entry with one of its keys exists, Insert does what the policy demands. Entries of
// Telegram and mail need a policy and a key. Other entries may have neither a policy nor a key; such entries are
// always inserted. Callers may repeat a call whose result is unknown.
//
// A text that is empty after cleaning never overwrites a text: the stored text stays, with its excerpt, counts and
// quality. A page whose normalization found no text is not stored: its result is Skipped, without an entry.
//
// Errors: Invalid, with the name of a column; Blocked for a disabled policy.
func (s *Session) Insert(ctx context.Context, in entry.Fields) (Result, error) {
	return s.insertAs(ctx, "", in, false)
}

// insertAs inserts an entry with a token, or with a new token if token is empty. The caller states whether entries
// with the same keys probably exist.
func (s *Session) insertAs(ctx context.Context, token string, in entry.Fields, likely bool) (Result, error) {
	if err := in.Check(); err != nil {
		return Result{}, err
	}
	if in.KeepsText() && in.Text("source") == entry.FromWebpage {
		return Result{Action: Skipped}, nil
	}
	in, _ = entry.Rekeyed(in.Writable()) // the input may have been normalized before the app's last update
	if err := identified(in); err != nil {
		return Result{}, err
	}
	var policy Policy
	if key := in.Text("idempotency_policy_key"); key != "" {
		var err error
		if policy, err = s.policies.enabled(ctx, key); err != nil {
			return Result{}, err
		}
		if from := in.Text("source"); strings.TrimSuffix(from, "-batch") != policy.Source {
			return Result{}, fault.Field("source", "the policy %s is for entries of %s, not %.50q", key, policy.Source, from)
		}
	}
	if err := s.registerPage(ctx, in); err != nil {
		return Result{}, err
	}
	var res Result
	err := s.s.retry(ctx, func(try int) (err error) {
		if err = s.rekeyMatches(ctx, policy, in); err == nil {
			res, err = s.insert(ctx, policy, in, token, likely || try > 0 || entry.HasFormerSubject(in))
		}
		return err
	})
	return res, err
}

// identified checks that an entry has the identity that its source requires (spec 001 Core rules: fail closed).
func identified(f entry.Fields) error {
	k := entry.KeysOf(f)
	closed := slices.Contains([]string{"telegram", "email", "email-batch"}, f.Text("source"))
	switch {
	case f.Text("source") == "":
		return fault.Field("source", "source is missing: telegram, email, email-batch or what else the entry comes from")
	case k.Policy == "" && (closed || k.Primary+k.Secondary != ""):
		return fault.Field("idempotency_policy_key", "idempotency_policy_key is missing: send what normalization answered")
	case k.Policy != "" && k.Primary+k.Secondary == "":
		return fault.Field("idempotency_key_primary",
			"idempotency_key_primary is missing, and the secondary key, too: send what normalization answered")
	}
	return nil
}

// insert first tries to store a new entry, because most entries are new. It looks up existing entries only if that
// has failed, or if the caller demands it.
func (s *Session) insert(ctx context.Context, policy Policy, in entry.Fields, token string, look bool) (Result, error) {
	named := token != ""
	if look {
		found, err := s.match(ctx, entry.KeysOf(in))
		if err == nil && found.id == "" && entry.HasFormerSubject(in) {
			found, err = s.matchFormer(ctx, in)
		}
		if err != nil {
			return Result{}, err
		}
		ours := named && found.id == makeID(policy.Key, token) // the found entry was stored by an earlier call
		if found.id != "" && !ours {
			return s.resolve(ctx, policy, in, found, named)
		}
	}
	if !named {
		token = s.s.o.Token()
	}
	if in.HasEmptyText() {
		in = in.WithoutSignals()
	}
	r := newRow(in, token, s.s.o.Clock())
	ops := append(
		[]storage.Op{{Kind: storage.Insert, Entity: r.entity()}},
		keyOps(entry.Keys{}, entry.KeysOf(in), r.fields.Text("id"))...)
	n, err := s.outbox.news(ctx, r.key, inserted(r, s.s.o.Clock()))
	if err != nil {
		return Result{}, err
	}
	claimed, err := s.outbox.commit(ctx, r.key, claimTime, n, ops...)
	if named && fault.Is(err, fault.Conflict) && refuses(err, 0) {
		r, err = s.load(ctx, r.fields.Text("id")) // an earlier call has stored the entry
		n = news{}
	}
	if fault.Is(err, fault.Conflict) {
		return Result{}, errRaced
	} else if err != nil {
		return Result{}, err
	}
	return Result{Entry: r.fields, Action: Inserted, written: written{claimed, n}}, nil
}

// found is the id of the entry that has a pair of keys. If the keys belong to two entries, it also has the id of the
// second entry.
type found struct{ id, other string }

// match looks up the entries that have the given keys.
func (s *Session) match(ctx context.Context, k entry.Keys) (found, error) {
	primary, err := s.holder(ctx, k.Policy, "p", k.Primary)
	if err != nil {
		return found{}, err
	}
	secondary, err := s.holder(ctx, k.Policy, "s", k.Secondary)
	if err != nil {
		return found{}, err
	}
	switch {
	case primary == "":
		return found{id: secondary}, nil
	case secondary == primary:
		return found{id: primary}, nil
	}
	return found{id: primary, other: secondary}, nil
}

// matchFormer looks up the entry that has a key of an older revision that re-keying cannot change, because the entry
// has only a subject that was decoded wrongly. It also finds a newsletter by its message id in <>. If the entry is
// updated, it gets current keys.
func (s *Session) matchFormer(ctx context.Context, in entry.Fields) (found, error) {
	for _, k := range entry.FormerKeys(in) {
		id, err := s.holder(ctx, k.Policy, which(k), k.Primary+k.Secondary)
		if id != "" || err != nil {
			return found{id: id}, err
		}
	}
	return found{}, nil
}

// holder returns the id of the entry that has a key; "" if there is none.
func (s *Session) holder(ctx context.Context, policy, which, key string) (string, error) {
	if key == "" {
		return "", nil
	}
	e, err := s.entries.Get(ctx, keyRow(policy, which, key))
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	id, _ := e.Props["entry_id"].(string)
	return id, err
}

// resolve applies the policy to the existing entry that was found.
func (s *Session) resolve(ctx context.Context, policy Policy, in entry.Fields, f found, named bool) (Result, error) {
	r, err := s.loadCurrent(ctx, f.id)
	if err == nil && f.other != "" && policy.Revision < entry.KeyRevision {
		_, err = s.loadCurrent(ctx, f.other)
	}
	if err != nil {
		return Result{}, err
	}
	res := Result{Entry: r.fields, Action: Skipped}
	if f.other != "" {
		res.Conflict = &Conflict{PrimaryID: f.id, SecondaryID: f.other}
	}
	if policy.OnConflict == Skip {
		return res, nil
	}
	res.Action = Updated
	if named && in.OutdoneBy(r.fields, s.s.o.Clock()) {
		return res, nil
	}
	if in.HasEmptyText() {
		in = in.WithoutText()
	}
	fields := entry.Overlay(r.fields, in, policy.UpdateFields)
	if f.other != "" && fields.Text("idempotency_key_secondary") == in.Text("idempotency_key_secondary") {
		delete(fields, "idempotency_key_secondary")
	}
	res.Entry, res.written, err = s.rewrite(ctx, r, fields)
	if _, taken := errors.AsType[*takenError](err); taken {
		err = errRaced // the entry has changed since the keys were looked up
	}
	return res, err
}

// Update writes the given columns of the entry that the column id or entry_id identifies. The same transaction moves
// the keys that change. The policy of an entry never changes. Update ignores columns that only the store writes, and
// the source of a page's text. If the input has an empty text, Update clears the text, its excerpt, counts and quality
// together, unless normalization has said that the text is to be kept.
//
// Errors: NotFound; Invalid, with the name of a column; Conflict for a key of another entry.
func (s *Session) Update(ctx context.Context, in entry.Fields) (Result, error) {
	id, err := in.ID()
	if err != nil {
		return Result{}, err
	}
	if err := in.Check(); err != nil {
		return Result{}, err
	}
	keeps, empty := in.KeepsText(), in.HasEmptyText()
	if in = in.Writable(); keeps {
		in = in.WithoutText()
	}
	if in.Text("source") == entry.FromWebpage { // this source describes the text, not the origin of the entry
		delete(in, "source")
	}
	res := Result{Action: Updated}
	err = s.s.retry(ctx, func(int) error {
		r, err := s.loadCurrent(ctx, id)
		if err != nil {
			return err
		}
		if p := in.Text("idempotency_policy_key"); p != "" && p != r.fields.Text("idempotency_policy_key") {
			return fault.Field("idempotency_policy_key", "the policy of an entry cannot change: insert it anew under %.64s", p)
		}
		fields, _ := entry.Overlay(r.fields, in, nil).WithBareKey()
		if empty && !keeps {
			fields = fields.WithoutText()
		}
		if err := identified(fields); err != nil {
			return err
		}
		res.Entry, res.written, err = s.rewrite(ctx, r, fields)
		return s.conflict(ctx, entry.KeysOf(fields), err)
	})
	return res, err
}

// takenError means that the row of a key could not be inserted. It states whether that is a primary key ("p") or a
// secondary key ("s").
type takenError struct{ which string }

func (e *takenError) Error() string { return "the key is another entry's: " + e.which }

// conflict converts the error about a taken key to an error for the caller, with the id of the entry that has the
// key.
func (s *Session) conflict(ctx context.Context, k entry.Keys, err error) error {
	taken, ok := errors.AsType[*takenError](err)
	if !ok {
		return err
	}
	name, key := "primary", k.Primary
	if taken.which == "s" {
		name, key = "secondary", k.Secondary
	}
	id, err := s.holder(ctx, k.Policy, taken.which, key)
	if err != nil {
		return err
	}
	if id == "" {
		return errRaced // the key's row was removed in the meantime
	}
	return fault.New(fault.Conflict, "idempotency_key_%s is that of the entry %s", name, id)
}

// rewrite stores an entry's new fields and moves its changed keys, in one transaction. It writes nothing when the
// fields are unchanged.
func (s *Session) rewrite(ctx context.Context, r row, fields entry.Fields) (entry.Fields, written, error) {
	if reflect.DeepEqual(row{fields: fields}.entity(), row{fields: r.fields}.entity()) {
		return r.fields, written{}, nil
	}
	if err := fields.Check(); err != nil {
		return nil, written{}, err
	}
	now := s.s.o.Clock()
	fields["updated_at"] = storage.FormatTime(now)
	news, lines := updated(r, fields, now)
	changed := row{key: r.key, etag: r.etag, fields: fields, revision: entry.KeyRevision, lines: lines}
	ops := append(
		[]storage.Op{{Kind: storage.Replace, Entity: changed.entity()}},
		keyOps(entry.KeysOf(r.fields), entry.KeysOf(fields), fields.Text("id"))...)
	n, err := s.outbox.news(ctx, r.key, news)
	if err != nil {
		return nil, written{}, err
	}
	claimed, err := s.outbox.commit(ctx, r.key, claimTime, n, ops...)
	for i, op := range ops {
		if op.Kind == storage.Insert && fault.Is(err, fault.Conflict) && refuses(err, i) {
			return nil, written{}, &takenError{op.Entity.Row[:1]}
		}
	}
	if fault.Is(err, fault.Conflict) {
		err = errRaced
	}
	if err != nil {
		return nil, written{}, err
	}
	return fields, written{claimed, n}, nil
}

// keyOps returns the writes that move an entry's keys. Key rows change only in a transaction that also writes their
// entry and checks the entry's ETag. So they are deleted without a check of their own ETags.
func keyOps(old, new entry.Keys, id string) []storage.Op {
	var ops []storage.Op
	for _, k := range []struct{ which, old, new string }{{"p", old.Primary, new.Primary},
		{"s", old.Secondary, new.Secondary}} {
		if k.old == k.new {
			continue
		}
		if k.old != "" {
			ops = append(
				ops,
				storage.Op{
					Kind:   storage.Delete,
					Entity: storage.Entity{Key: keyRow(old.Policy, k.which, k.old), ETag: storage.AnyETag},
				},
			)
		}
		if k.new != "" {
			ops = append(ops, storage.Op{Kind: storage.Insert, Entity: storage.Entity{
				Key: keyRow(new.Policy, k.which, k.new), Props: storage.Properties{"entry_id": id, "key": k.new},
			}})
		}
	}
	return ops
}
