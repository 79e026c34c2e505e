package entries

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	afterRows = "e}" // sorts after the keys of all entries
	afterKey  = "!"  // behind a key it sorts after the key, and before all others
)

// some are keys of at most top entries that come after a place, all of one partition, and where to go on; no
// entry is there when the next place is the zero Cursor. Columns other than select are left out.
func (s *Session) some(ctx context.Context, partitions []string, from registry.Cursor, top int, columns ...string) (found []storage.Entity, next registry.Cursor, err error) {
	for _, partition := range partitions {
		if partition < from.Partition {
			continue
		}
		q := storage.Query{Partition: partition, RowFrom: rowText, RowTo: afterRows, Select: columns, PageSize: top}
		if partition == from.Partition && from.Row != "" {
			q.RowFrom = from.Row + afterKey
		}
		for e, err := range s.entries.Query(ctx, q) {
			if err != nil {
				return nil, from, err
			}
			if found = append(found, e); len(found) == top {
				break
			}
		}
		if len(found) > 0 {
			return found, registry.Cursor{Partition: partition, Row: found[len(found)-1].Row}, nil
		}
	}
	return nil, registry.Cursor{}, nil
}

// Reindex has the index hold a hundred entries of production, those that come after a place, and says how many
// it looked at and where to go on, or that it is done. With differs it is told what the index holds otherwise
// than it should, and has only that mended. What the index does not take now is left to [Store.Drain], so an
// error is that of the store; the step may be repeated.
//
// For a hundred entries it costs five requests, one to the index, and one for each partition; with differs,
// one to the index for each entry.
func (s *Store) Reindex(ctx context.Context, from registry.Cursor, differs func(id, what string)) (n int, next registry.Cursor, done bool, err error) {
	session := s.In(Production)
	partitions, err := session.partitions(ctx)
	if err != nil || s.o.Index == nil {
		return 0, from, err == nil, err
	}
	found, next, err := session.some(ctx, partitions, from, portion, "id")
	if err != nil || len(found) == 0 {
		return 0, from, err == nil, err
	}
	debts, err := session.unowed(ctx, found)
	if err == nil && differs != nil {
		debts, err = s.differing(ctx, debts, differs)
	}
	if err != nil {
		return 0, from, false, err
	}
	if debts, err = session.hold(ctx, storage.Insert, debts); err != nil {
		return 0, from, false, err
	}
	// Read after they are held, for they may have been changed before.
	held, err := s.loadRange(ctx, debts)
	if err == nil {
		err = s.settle(ctx, held)
	}
	if err != nil {
		s.o.Log.WarnContext(ctx, "entries reindexed later", "partition", next.Partition, "entries", len(debts), "kind", fault.KindOf(err), "err", err)
	}
	return len(found), next, false, nil
}

// unowed are debts that could be made of entries of one partition: the index is not owed them yet.
func (s *Session) unowed(ctx context.Context, found []storage.Entity) (debts []debt, err error) {
	standing := map[storage.Key]bool{}
	first, last := owedKey(found[0].Key), owedKey(found[len(found)-1].Key)
	for e, err := range s.entries.Query(ctx, storage.Query{Partition: first.Partition, RowFrom: first.Row, RowTo: last.Row + afterKey, Select: []string{"until"}}) {
		if err != nil {
			return nil, err
		}
		standing[e.Key] = true
	}
	for _, e := range found {
		if key := owedKey(e.Key); !standing[key] {
			debts = append(debts, debt{key: key})
		}
	}
	return debts, nil
}

// loadRange reads the entries of debts that follow each other, in one query.
func (s *Store) loadRange(ctx context.Context, debts []debt) ([]owing, error) {
	if len(debts) == 0 {
		return nil, nil
	}
	byKey := map[storage.Key]debt{}
	for _, d := range debts {
		byKey[d.entry()] = d
	}
	var out []owing
	first, last := debts[0].entry(), debts[len(debts)-1].entry()
	for e, err := range s.In(Production).entries.Query(ctx, storage.Query{Partition: first.Partition, RowFrom: first.Row, RowTo: last.Row + afterKey}) {
		if err != nil {
			return nil, err
		}
		if d, ok := byKey[e.Key]; ok {
			out = append(out, s.owingOf(ctx, d, e))
		}
	}
	return out, nil
}

// differing are those debts whose entries the index holds otherwise than it should.
func (s *Store) differing(ctx context.Context, debts []debt, differs func(id, what string)) ([]debt, error) {
	read, err := s.loadRange(ctx, debts)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	what := map[storage.Key]string{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readers)
	for _, o := range read {
		g.Go(func() error {
			said, err := s.difference(ctx, o)
			mu.Lock()
			defer mu.Unlock()
			what[o.key] = said
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(debts, func(d debt) bool {
		if what[d.key] != "" {
			differs(idAt(d.entry()), what[d.key])
		}
		return what[d.key] == ""
	}), nil
}

// difference says how the index differs from an entry; "" if it does not. It goes by the names of chunks, which
// follow their text.
func (s *Store) difference(ctx context.Context, o owing) (string, error) {
	held, err := s.o.Index.Holds(ctx, idAt(o.entry()))
	there := !fault.Is(err, fault.NotFound)
	switch {
	case err != nil && there:
		return "", err
	case o.fields == nil && there:
		return "the index holds an entry that cannot be read", nil
	case o.fields == nil:
		return "", nil
	case !there:
		return "the index lacks the entry", nil
	}
	chunks, uids := pageOf(o.fields, s.o.Clock()).Chunks, map[string]int{}
	for _, uid := range held.Chunks {
		uids[uid]++
	}
	lacks := 0
	for _, c := range chunks {
		if uids[c.UID]--; uids[c.UID] < 0 {
			lacks++
		}
	}
	if lacks > 0 || len(held.Chunks) != len(chunks) {
		return fmt.Sprintf("%d of %d chunks are missing, %d are held", lacks, len(chunks), len(held.Chunks)), nil
	}
	return "", nil
}

// Has reports whether production has an entry of an id.
func (s *Store) Has(ctx context.Context, id string) (bool, error) {
	key, err := keyOf(id)
	if err != nil {
		return false, nil
	}
	for _, err := range s.In(Production).entries.Query(ctx, storage.Query{Partition: key.Partition, RowFrom: key.Row, RowTo: key.Row + afterKey, Select: []string{"id"}}) {
		return err == nil, err
	}
	return false, nil
}

// Any reports whether production has an entry.
func (s *Store) Any(ctx context.Context) (bool, error) {
	session := s.In(Production)
	partitions, err := session.partitions(ctx)
	if err != nil {
		return false, err
	}
	found, _, err := session.some(ctx, partitions, registry.Cursor{}, 1, "id")
	return len(found) > 0, err
}

// MaxList is how many entries are listed at once: two hundred, and one that tells whether there are more.
const MaxList = 201

// listed are the columns that a list shows.
var listed = []string{
	"id", "entry_id", "source", "content_type", "title", "author", "url", "url_canonical", "idempotency_policy_key",
	"retrieval_excerpt", "gist", "topic_primary", "tier1_status", "created_at", "updated_at",
}

// List reads at most top entries of a policy, or of all when it is "", without their texts: those that come after
// the entry of an id, or the first when that is "". They are ordered by policy, and within it by id, which says
// nothing of their age; those without a policy come first. The error is Invalid and blames policy, top or
// continuation.
func (s *Session) List(ctx context.Context, policy string, top int, after string) ([]Fields, error) {
	if policy != "" && !policyName.MatchString(policy) {
		return nil, fault.Field("policy", "%.100q is not the key of a policy", policy)
	}
	if top < 1 || top > MaxList {
		return nil, fault.Field("top", "top must be from 1 to %d, not %d", MaxList, top)
	}
	from, partitions, err := s.begin(ctx, policy, after)
	if err != nil {
		return nil, err
	}
	var out []Fields
	for len(out) < top {
		found, next, err := s.some(ctx, partitions, from, top-len(out), listed...)
		if err != nil || len(found) == 0 {
			return out, err
		}
		for _, e := range found {
			r, err := rowOf(e)
			if err != nil {
				return nil, err
			}
			out = append(out, r.fields)
		}
		from = next
	}
	return out, nil
}

// begin is where a list begins, and in which partitions it is.
func (s *Session) begin(ctx context.Context, policy, after string) (from registry.Cursor, partitions []string, err error) {
	if after != "" {
		key, err := keyOf(after)
		if err != nil || policy != "" && key.Partition != policy {
			return from, nil, fault.Field("continuation", "%.120q does not name an entry of this list", after)
		}
		from = registry.Cursor{Partition: key.Partition, Row: key.Row}
	}
	if policy != "" {
		return from, []string{policy}, nil
	}
	partitions, err = s.partitions(ctx)
	return from, partitions, err
}

// IsID reports whether a text may be the id of an entry.
func IsID(id string) bool { return idPattern.MatchString(id) }

// IsLink reports whether an id is that of an entry of policy [TelegramLink].
func IsLink(id string) bool { return strings.HasPrefix(id, makeID(TelegramLink, "")) }
