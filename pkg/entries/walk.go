package entries

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"golang.org/x/sync/errgroup"
)

const (
	afterRows = "e}" // sorts after the keys of all entries
	afterKey  = "!"  // after a key, it sorts between that key and all later ones
)

// some reads a number of entries after a cursor, all of one partition, and returns the next cursor. At the end of the
// walk it returns no entries and the zero Cursor. It reads only the given columns.
func (s *Session) some(
	ctx context.Context, partitions []string, from registry.Cursor, top int, columns ...string,
) (found []storage.Entity, next registry.Cursor, err error) {
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

// Reindex puts a batch of production entries into the index, beginning after a cursor. It returns the number of
// entries that it examined, and either the next cursor or that it is done. If differs is not nil, Reindex only
// repairs entries that are wrong in the index, and calls differs for each of them. Entries that the index does not
// accept now remain for [Store.FlushOutbox], so an error always comes from the store. A call may be repeated.
//
// A hundred entries cost five requests, one to the index, and one for each partition. To find wrong entries, one
// request to the index for each entry is added.
func (s *Store) Reindex(
	ctx context.Context, from registry.Cursor, differs func(id, what string),
) (n int, next registry.Cursor, done bool, err error) {
	session, f := s.In(Production), s.flusher()
	partitions, err := session.policies.partitions(ctx)
	if err != nil || s.o.Index == nil {
		return 0, from, err == nil, err
	}
	found, next, err := session.some(ctx, partitions, from, flushBatch, "id")
	if err != nil || len(found) == 0 {
		return 0, from, err == nil, err
	}
	entries, err := f.missing(ctx, found)
	if err == nil && differs != nil {
		entries, err = f.differing(ctx, entries, differs)
	}
	if err != nil {
		return 0, from, false, err
	}
	claimed, err := f.claim(ctx, storage.Insert, entries)
	if err != nil {
		return 0, from, false, err
	}
	// Entries may have changed before they were claimed, so they are read after the claim.
	pending, err := f.loadRange(ctx, claimed)
	if err == nil {
		err = f.flush(ctx, pending)
	}
	if err != nil {
		s.o.Log.WarnContext(ctx, "entries reindexed later",
			"partition", next.Partition, "entries", len(claimed), "kind", fault.KindOf(err), "err", err)
	}
	return len(found), next, false, nil
}

// differing returns the entries whose state in the index differs from the stored state.
func (f *flusher) differing(
	ctx context.Context, entries []outboxEntry, differs func(id, what string),
) ([]outboxEntry, error) {
	pending, err := f.loadRange(ctx, entries)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	what := map[storage.Key]string{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readers)
	for _, e := range pending {
		g.Go(func() error {
			said, err := f.difference(ctx, e)
			mu.Lock()
			defer mu.Unlock()
			what[e.key] = said
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e outboxEntry) bool {
		if what[e.key] != "" {
			differs(idAt(e.entry()), what[e.key])
		}
		return what[e.key] == ""
	}), nil
}

// difference describes how the state of an entry in the index differs from the stored state; "" if it does not. It
// compares the names of chunks, which depend on the text of the chunks.
func (f *flusher) difference(ctx context.Context, e pendingEntry) (string, error) {
	stored, err := f.index.Inspect(ctx, idAt(e.entry()))
	there := !fault.Is(err, fault.NotFound)
	switch {
	case err != nil && there:
		return "", err
	case e.fields == nil && there:
		return "the index holds an entry that cannot be read", nil
	case e.fields == nil:
		return "", nil
	case !there:
		return "the index lacks the entry", nil
	}
	chunks, uids := entry.PageOf(e.fields, f.now()).Chunks, map[string]int{}
	for _, uid := range stored.Chunks {
		uids[uid]++
	}
	lacks := 0
	for _, c := range chunks {
		if uids[c.UID]--; uids[c.UID] < 0 {
			lacks++
		}
	}
	if lacks > 0 || len(stored.Chunks) != len(chunks) {
		return fmt.Sprintf("chunks missing: %d of %d, held: %d", lacks, len(chunks), len(stored.Chunks)), nil
	}
	return "", nil
}

// Has reports whether production has an entry with the given id.
func (s *Store) Has(ctx context.Context, id string) (bool, error) {
	key, err := keyOf(id)
	if err != nil {
		return false, nil
	}
	q := storage.Query{Partition: key.Partition, RowFrom: key.Row, RowTo: key.Row + afterKey, Select: []string{"id"}}
	for _, err := range s.In(Production).entries.Query(ctx, q) {
		return err == nil, err
	}
	return false, nil
}

// Any reports whether production has entries.
func (s *Store) Any(ctx context.Context) (bool, error) {
	session := s.In(Production)
	partitions, err := session.policies.partitions(ctx)
	if err != nil {
		return false, err
	}
	found, _, err := session.some(ctx, partitions, registry.Cursor{}, 1, "id")
	return len(found) > 0, err
}

// MaxList limits the number of entries in a list: two hundred, and one more to see whether further entries exist.
const MaxList = 201

// listed are the columns that lists show.
var listed = []string{
	"id", "entry_id", "source", "content_type", "title", "author", "url", "url_canonical", "idempotency_policy_key",
	"retrieval_excerpt", "gist", "topic_primary", "tier1_status", "created_at", "updated_at",
}

// List returns entries of a policy, or of all policies if policy is "", without their texts. The maximum number is
// given as top. If after is not "", it is the id of an entry, and the list begins after that entry. Entries are
// ordered by policy and then by id, which is unrelated to their age. Entries without a policy come first. Errors:
// Invalid, with the field policy, top or continuation.
func (s *Session) List(ctx context.Context, policy string, top int, after string) ([]entry.Fields, error) {
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
	var out []entry.Fields
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

// begin returns the cursor at which a list begins, and the partitions of the list.
func (s *Session) begin(
	ctx context.Context, policy, after string,
) (from registry.Cursor, partitions []string, err error) {
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
	partitions, err = s.policies.partitions(ctx)
	return from, partitions, err
}

// IsLink reports whether an id belongs to an entry of policy [entry.TelegramLink].
func IsLink(id string) bool { return strings.HasPrefix(id, makeID(entry.TelegramLink, "")) }

// Written returns the time when an entry of production was last changed. Errors: NotFound.
func (s *Store) Written(ctx context.Context, id string) (time.Time, error) {
	f, err := s.In(Production).Get(ctx, id)
	if err != nil {
		return time.Time{}, err
	}
	return storage.ParseTime(f.Text("updated_at")), nil
}
