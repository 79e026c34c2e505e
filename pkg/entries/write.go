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

// Result is what became of an entry.
type Result struct {
	Entry  entry.Fields // as it is now
	Action Action       // Inserted, Skipped or Updated
	// Conflict is set when the two keys belong to different entries.
	Conflict *Conflict

	written // what [Store.Flush] has to do for it
}

// written is what a write leaves to be done.
type written struct {
	claimed outboxEntry // for the index
	news    news        // for the feed
}

// Conflict says that the primary key of what was sent belongs to one entry and the secondary key to
// another. The primary key decides: its entry is the one that was skipped or updated, and an update
// leaves it without a secondary key, since the one that it should have is the other's.
type Conflict struct {
	PrimaryID   string // the entry that was chosen
	SecondaryID string // the other, left as it is
}

// Insert stores an entry, or does what its policy says when an entry with one of its keys exists. Entries of
// Telegram and mail need a policy and a key; others may have none, and are then always inserted. A
// call whose end is unknown may be repeated.
//
// The errors are Invalid, which blames a column, and Blocked for a disabled policy.
func (s *Session) Insert(ctx context.Context, in entry.Fields) (Result, error) {
	return s.insertAs(ctx, "", in, false)
}

// InsertAs is [Session.Insert] for a caller that may die before it knows the end, and then does the
// same again under the same name, which nobody else uses. A new entry gets its id from the name, so
// one that an earlier call has stored is known: the action is Inserted again, and the entry is as it
// is now. A mail that is older than that of the entry it would update writes nothing: see
// [entry.Fields.OlderMail].
func (s *Session) InsertAs(ctx context.Context, name string, in entry.Fields) (Result, error) {
	return s.insertAs(ctx, namedToken(name), in, false)
}

// insertAs makes an entry of a token, or when it is empty of a new one. Likely says that
// entries may well exist with its keys.
func (s *Session) insertAs(ctx context.Context, token string, in entry.Fields, likely bool) (Result, error) {
	if err := in.Check(); err != nil {
		return Result{}, err
	}
	in, _ = entry.Rekeyed(in.Writable()) // it may have been normalized before the last update of the app
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
			res, err = s.insert(ctx, policy, in, token, likely || try > 0)
		}
		return err
	})
	return res, err
}

// identified holds entries to what their sources promise (spec 001 Core rules: fail closed).
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

// insert tries to store a new entry at once, because most are, and looks for existing entries only when that
// has failed.
func (s *Session) insert(ctx context.Context, policy Policy, in entry.Fields, token string, look bool) (Result, error) {
	named := token != ""
	if look {
		found, err := s.match(ctx, entry.KeysOf(in))
		if err != nil {
			return Result{}, err
		}
		ours := named && found.id == makeID(policy.Key, token) // of an earlier call
		if found.id != "" && !ours {
			return s.resolve(ctx, policy, in, found, named)
		}
	}
	if !named {
		token = s.s.o.Token()
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
		r, err = s.load(ctx, r.fields.Text("id")) // our own, of an earlier call
		n = news{}
	}
	if fault.Is(err, fault.Conflict) {
		return Result{}, errRaced
	} else if err != nil {
		return Result{}, err
	}
	return Result{Entry: r.fields, Action: Inserted, written: written{claimed, n}}, nil
}

// found is the entry that has a pair of keys, and the other that has one of them, if any.
type found struct{ id, other string }

// match looks both keys up.
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

// holder is the id of the entry that has a key, or "".
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

// resolve does what the policy says about the existing entry.
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
	if named && in.OlderMail(r.fields, s.s.o.Clock()) {
		return res, nil
	}
	fields := entry.Overlay(r.fields, in, policy.UpdateFields)
	if f.other != "" && fields.Text("idempotency_key_secondary") == in.Text("idempotency_key_secondary") {
		delete(fields, "idempotency_key_secondary")
	}
	res.Entry, res.written, err = s.rewrite(ctx, r, fields)
	if _, taken := errors.AsType[*takenError](err); taken {
		err = errRaced // since the keys were looked up
	}
	return res, err
}

// Update writes the given columns of the entry that id or entry_id names. Keys that change are moved by
// the same transaction; the policy of an entry never changes. Columns that the store writes are passed
// over, and so is the source of a page's text.
//
// The errors are NotFound, Invalid, which blames a column, and Conflict for a key that is another
// entry's.
func (s *Session) Update(ctx context.Context, in entry.Fields) (Result, error) {
	id, err := idOf(in)
	if err != nil {
		return Result{}, err
	}
	if err := in.Check(); err != nil {
		return Result{}, err
	}
	in = in.Writable()
	if in.Text("source") == entry.FromWebpage { // which says what the text is of, not where the entry came from
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
		fields := entry.Overlay(r.fields, in, nil)
		if err := identified(fields); err != nil {
			return err
		}
		res.Entry, res.written, err = s.rewrite(ctx, r, fields)
		return s.told(ctx, entry.KeysOf(fields), err)
	})
	return res, err
}

// idOf is the entry that an update is for.
func idOf(f entry.Fields) (string, error) {
	id, other := f.Text("entry_id"), f.Text("id")
	if id == "" {
		id = other
	}
	if id == "" {
		return "", fault.Field("entry_id", "entry_id is missing: give that of the entry to update")
	}
	if other != "" && other != id {
		return "", fault.Field("id", "id and entry_id name different entries")
	}
	return id, nil
}

// takenError says that a key row could not be inserted: p or s.
type takenError struct{ which string }

func (e *takenError) Error() string { return "the key is another entry's: " + e.which }

// told turns a taken key into an error for the caller, which names the entry that has it.
func (s *Session) told(ctx context.Context, k entry.Keys, err error) error {
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
		return errRaced // it has left meanwhile
	}
	return fault.New(fault.Conflict, "idempotency_key_%s is that of the entry %s", name, id)
}

// rewrite stores an entry's new fields and moves the keys that changed, all or nothing. What is the
// same is not written.
func (s *Session) rewrite(ctx context.Context, r row, fields entry.Fields) (entry.Fields, written, error) {
	if reflect.DeepEqual(row{fields: fields}.entity(), row{fields: r.fields}.entity()) {
		return r.fields, written{}, nil
	}
	if err := fields.Check(); err != nil {
		return nil, written{}, err
	}
	now := s.s.o.Clock()
	fields["updated_at"] = storage.FormatTime(now)
	changed := row{key: r.key, etag: r.etag, fields: fields, revision: entry.KeyRevision}
	ops := append(
		[]storage.Op{{Kind: storage.Replace, Entity: changed.entity()}},
		keyOps(entry.KeysOf(r.fields), entry.KeysOf(fields), fields.Text("id"))...)
	n, err := s.outbox.news(ctx, r.key, updated(r.fields, fields, now))
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

// keyOps moves an entry's keys. Key rows change only together with their entry, whose revision the same
// transaction checks, so they are deleted whatever their own is.
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
