package entries

import (
	"context"
	"regexp"
	"slices"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
	rows "github.com/tidemark/tidemark/pkg/storage/row"
)

// Action is what happens to an entry that is sent, or to an existing entry with the same keys.
type Action string

// The actions. Some are what a policy demands if an entry with the same key exists, and some are results of a call.
const (
	Skip     Action = "skip"
	Change   Action = "update"
	Inserted Action = "inserted"
	Skipped  Action = "skipped"
	Updated  Action = "updated"
)

// Policy defines what identifies the entries of one kind, and what happens when an entry is sent again (spec 001). ID
// and Key never change.
type Policy struct {
	ID          string `col:"policy_id,always"`
	Key         string `col:"policy_key,always"`
	Source      string `col:"source,always"`
	ContentType string `col:"content_type,always"`
	OnConflict  Action `col:"conflict_action,always"` // Skip or Change
	// UpdateFields are the columns that Change may write. If nil, it may write all columns but the immutable ones.
	UpdateFields []string `col:"update_fields,must"`
	Enabled      bool     `col:"enabled"`
	// Revision is the revision of the rules by which the keys of all entries of the policy were made. Only
	// [Store.Rekey] changes it.
	Revision int64 `col:"key_revision"`
}

var policyRow = rows.Of[Policy]()

// policyRows is the partition of the policies in their table.
const policyRows = "policy"

var policyName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// seeds are the policies with which every schema is seeded.
var seeds = []Policy{
	{Key: entry.TelegramThought, Source: "telegram", ContentType: "thought/note", OnConflict: Change, Enabled: true},
	{Key: entry.TelegramLink, Source: "telegram", ContentType: "link", OnConflict: Skip, Enabled: true},
	{Key: entry.EmailNewsletter, Source: "email", ContentType: entry.Newsletter, OnConflict: Skip, Enabled: true},
	{Key: entry.EmailThread, Source: "email", ContentType: entry.Correspondence, OnConflict: Change, Enabled: true},
}

// check returns an error for a policy that could not be applied. Errors: Invalid, with the name of a column.
func (p Policy) check() error {
	if !policyName.MatchString(p.Key) {
		return fault.Field("policy_key",
			"policy_key must be 1 to 64 lower-case letters, digits and _, a letter first, not %.100q", p.Key)
	}
	if p.OnConflict != Skip && p.OnConflict != Change {
		return fault.Field("conflict_action",
			"conflict_action of %s must be %s or %s, not %.50q", p.Key, Skip, Change, p.OnConflict)
	}
	for _, name := range p.UpdateFields {
		if !entry.Known(name) {
			return fault.Field("update_fields", "update_fields of %s has %.100q, which is no column", p.Key, name)
		}
	}
	return nil
}

func (p Policy) entity() storage.Entity {
	props := policyRow.Encode(&p)
	if p.UpdateFields == nil {
		props["update_fields"] = "" // so that a Merge clears the column
	}
	if p.Revision == 0 {
		delete(props, revisionColumn) // so that a Merge keeps the column
	}
	return storage.Entity{Key: storage.Key{Partition: policyRows, Row: p.Key}, Props: props}
}

// policyOf reads a row that an operator may have written. A policy is enabled only if its column "enabled" is true.
// Errors: Invalid for a damaged row.
func policyOf(e storage.Entity) (Policy, error) {
	p, err := policyRow.Decode(e.Props)
	p.Enabled, _ = e.Props["enabled"].(bool) // false if an operator wrote the text "true"
	if p.Key = e.Row; err != nil {
		return Policy{}, fault.Field("update_fields", "update_fields of %s is no JSON list of names", p.Key)
	}
	return p, p.check()
}

// policies reads and writes the policies of a schema.
type policies struct {
	rows storage.Table

	reading sync.Mutex // makes callers of the same policy wait for one read
	known   map[string]Policy
}

// all lists the policies. If a policy cannot be read, it returns an error.
func (p *policies) all(ctx context.Context) (out []Policy, err error) {
	for e, err := range p.rows.Query(ctx, storage.Query{Partition: policyRows}) {
		if err != nil {
			return nil, err
		}
		policy, err := policyOf(e)
		if err != nil {
			return nil, err
		}
		out = append(out, policy)
	}
	return out, nil
}

// keys lists the keys of all policies, including damaged ones.
func (p *policies) keys(ctx context.Context) (out []string, err error) {
	for e, err := range p.rows.Query(ctx, storage.Query{Partition: policyRows, Select: []string{"policy_key"}}) {
		if err != nil {
			return nil, err
		}
		out = append(out, e.Row)
	}
	return out, nil
}

// partitions lists the partitions that may have entries, in order: one for each policy, and one for entries without a
// policy.
func (p *policies) partitions(ctx context.Context) ([]string, error) {
	keys, err := p.keys(ctx)
	if err != nil {
		return nil, err
	}
	out := append(keys, nowhere)
	slices.Sort(out)
	return out, nil
}

// seed writes the seeded policies that are missing. It does not change existing policies.
func (p *policies) seed(ctx context.Context) error {
	exist, err := p.keys(ctx)
	if err != nil {
		return err
	}
	for _, policy := range seeds {
		if slices.Contains(exist, policy.Key) {
			continue
		}
		policy.ID, policy.Revision = policyID(policy.Key), entry.KeyRevision
		_, err := p.rows.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: policy.entity()})
		if err != nil && !fault.Is(err, fault.Conflict) { // on a Conflict, another process has seeded the policy
			return err
		}
	}
	return nil
}

// save writes a policy. An existing policy keeps the revision of its keys; a new policy has no entries yet.
func (p *policies) save(ctx context.Context, policy Policy) error {
	e := policy.entity()
	e.ETag = storage.AnyETag
	_, err := p.rows.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: e})
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	policy.Revision = entry.KeyRevision
	_, err = p.rows.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: policy.entity()})
	if fault.Is(err, fault.Conflict) {
		return errRaced
	}
	return err
}

// rekeyed records that no entry of a policy has keys of an older revision. From then on, inserts need not look for
// such keys.
func (p *policies) rekeyed(ctx context.Context, key string) error {
	_, err := p.rows.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: storage.Key{Partition: policyRows, Row: key}, ETag: storage.AnyETag,
		Props: storage.Properties{revisionColumn: entry.KeyRevision},
	}})
	return fault.Except(err, fault.NotFound) // a policy that was removed accepts no inserts
}

// enabled reads a policy that is enabled. Errors: Invalid for an unknown policy, Blocked for a disabled one.
func (p *policies) enabled(ctx context.Context, key string) (Policy, error) {
	policy, err := p.read(ctx, key)
	if err == nil && !policy.Enabled {
		return Policy{}, fault.New(fault.Blocked, "the policy %s is disabled", key)
	}
	return policy, err
}

// read reads a policy, enabled or not. It reads each policy once per session. Errors: Invalid for an unknown policy.
func (p *policies) read(ctx context.Context, key string) (Policy, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	if policy, known := p.known[key]; known {
		return policy, nil
	}
	if !policyName.MatchString(key) {
		return Policy{}, noPolicy(key)
	}
	e, err := p.rows.Get(ctx, storage.Key{Partition: policyRows, Row: key})
	if fault.Is(err, fault.NotFound) {
		return Policy{}, noPolicy(key)
	}
	if err != nil {
		return Policy{}, err
	}
	policy, err := policyOf(e)
	if err != nil {
		return Policy{}, err
	}
	p.known[key] = policy
	return policy, nil
}

func (p *policies) forget(key string) {
	p.reading.Lock()
	defer p.reading.Unlock()
	delete(p.known, key)
}

func noPolicy(key string) error {
	return fault.Field("idempotency_policy_key", "there is no policy %.100q", key)
}

// policyID returns the id of the policy with the given key. The id is the same in both schemas.
func policyID(key string) string { return entry.Digest(key)[:16] }
