package entries

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Action is what becomes of an entry that is sent, or of what stands under its keys.
type Action string

// What a policy does when an entry with the same key stands, and what a call has done.
const (
	Skip     Action = "skip"
	Change   Action = "update"
	Inserted Action = "inserted"
	Skipped  Action = "skipped"
	Updated  Action = "updated"
)

// Policy is how the entries of one kind are told from each other, and what follows when one comes
// again (seed 001, "Policy definitions"). ID and Key never change.
type Policy struct {
	ID, Key, Source, ContentType string
	OnConflict                   Action // Skip or Change
	// UpdateFields are the columns that Change may write; nil allows all but the immutable ones.
	UpdateFields []string
	Enabled      bool
}

// policyRows is the partition of the policies in their table.
const policyRows = "policy"

var policyName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// seeds are the policies that every schema begins with.
var seeds = []Policy{
	{Key: TelegramThought, Source: "telegram", ContentType: "thought/note", OnConflict: Change, Enabled: true},
	{Key: TelegramLink, Source: "telegram", ContentType: "link", OnConflict: Skip, Enabled: true},
	{Key: EmailNewsletter, Source: "email", ContentType: newsletter, OnConflict: Skip, Enabled: true},
	{Key: EmailThread, Source: "email", ContentType: correspondence, OnConflict: Change, Enabled: true},
}

// check refuses a policy that could not be followed. The error is Invalid and blames a column.
func (p Policy) check() error {
	if !policyName.MatchString(p.Key) {
		return fault.Field("policy_key", "policy_key must be 1 to 64 lower-case letters, digits and _, a letter first, not %.100q", p.Key)
	}
	if p.OnConflict != Skip && p.OnConflict != Change {
		return fault.Field("conflict_action", "conflict_action of %s must be %s or %s, not %.50q", p.Key, Skip, Change, p.OnConflict)
	}
	for _, name := range p.UpdateFields {
		if _, known := columns[name]; !known && !slices.Contains(immutable, name) {
			return fault.Field("update_fields", "update_fields of %s has %.100q, which is no column", p.Key, name)
		}
	}
	return nil
}

func (p Policy) entity() storage.Entity {
	props := storage.Properties{
		"policy_id": p.ID, "policy_key": p.Key, "source": p.Source, "content_type": p.ContentType,
		"conflict_action": string(p.OnConflict), "enabled": p.Enabled,
	}
	if p.UpdateFields != nil {
		props["update_fields"] = jsonText(p.UpdateFields)
	}
	return storage.Entity{Key: storage.Key{Partition: policyRows, Row: p.Key}, Props: props}
}

// policyOf reads a row that an operator may have written. What cannot be read is Invalid; a policy is
// enabled only if it says so.
func policyOf(e storage.Entity) (Policy, error) {
	text := func(name string) string { s, _ := e.Props[name].(string); return s }
	enabled, _ := e.Props["enabled"].(bool)
	p := Policy{
		ID: text("policy_id"), Key: e.Row, Source: text("source"), ContentType: text("content_type"),
		OnConflict: Action(text("conflict_action")), Enabled: enabled,
	}
	if list := text("update_fields"); list != "" {
		if err := json.Unmarshal([]byte(list), &p.UpdateFields); err != nil {
			return Policy{}, fault.Field("update_fields", "update_fields of %s is no JSON list of names", p.Key)
		}
	}
	return p, p.check()
}

// seedPolicies writes the policies that are missing, and leaves alone those that stand.
func seedPolicies(ctx context.Context, t storage.Table) error {
	standing := map[string]bool{}
	for e, err := range t.Query(ctx, storage.Query{Partition: policyRows, Select: []string{"policy_key"}}) {
		if err != nil {
			return err
		}
		standing[e.Row] = true
	}
	for _, p := range seeds {
		if standing[p.Key] {
			continue
		}
		p.ID = policyID(p.Key)
		_, err := t.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: p.entity()})
		if err != nil && !fault.Is(err, fault.Conflict) { // another start was first
			return err
		}
	}
	return nil
}

// Policies lists the policies of the schema by key.
func (s *Session) Policies(ctx context.Context) ([]Policy, error) {
	var out []Policy
	for e, err := range s.policyTable.Query(ctx, storage.Query{Partition: policyRows}) {
		if err != nil {
			return nil, err
		}
		p, err := policyOf(e)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// policyID is the same for a policy of both schemas.
func policyID(key string) string { return digest(key)[:16] }

// SavePolicy writes a policy, new or not, and returns it with its id; the last writer wins. It holds
// for what is sent afterwards. The error is Invalid and blames a column.
func (s *Session) SavePolicy(ctx context.Context, p Policy) (Policy, error) {
	p.ID = policyID(p.Key)
	if err := p.check(); err != nil {
		return Policy{}, err
	}
	if p.Source == "" {
		return Policy{}, fault.Field("source", "source of %s is missing: what the entries come from", p.Key)
	}
	s.reading.Lock()
	delete(s.policies, p.Key)
	s.reading.Unlock()
	_, err := s.policyTable.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: p.entity()})
	return p, err
}

// policy reads a policy, once for each session. Invalid when there is none, Blocked when it is off.
func (s *Session) policy(ctx context.Context, key string) (Policy, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	p, known := s.policies[key]
	if !known {
		if !policyName.MatchString(key) {
			return Policy{}, noPolicy(key)
		}
		e, err := s.policyTable.Get(ctx, storage.Key{Partition: policyRows, Row: key})
		if fault.Is(err, fault.NotFound) {
			return Policy{}, noPolicy(key)
		}
		if err != nil {
			return Policy{}, err
		}
		if p, err = policyOf(e); err != nil {
			return Policy{}, err
		}
		s.policies[key] = p
	}
	if !p.Enabled {
		return Policy{}, fault.New(fault.Blocked, "the policy %s is disabled", key)
	}
	return p, nil
}

func noPolicy(key string) error {
	return fault.Field("idempotency_policy_key", "there is no policy %.100q", key)
}
