package keys

import (
	"context"
	"maps"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// known returns all keys by their hashes. Callers must not change the map.
func (r *Ring) known(ctx context.Context) (map[string]Key, error) {
	if all, ok := r.fresh(); ok {
		return all, nil
	}
	if err := r.reading.Acquire(ctx, 1); err != nil {
		return nil, fault.New(fault.Unavailable, "waiting for the keys: %w", err)
	}
	defer r.reading.Release(1)
	if all, ok := r.fresh(); ok {
		return all, nil // another request has read the keys meanwhile
	}
	r.mu.Lock()
	began, changes := r.o.Clock(), r.changes
	r.mu.Unlock()
	all, err := r.readAll(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if changes == r.changes { // no key changed while the rows were read
		r.byHash, r.read = all, began
	}
	maps.DeleteFunc(r.used, func(hash string, _ time.Time) bool { _, still := all[hash]; return !still })
	return all, nil
}

// fresh returns the keys in memory. It returns false when they are older than [freshTime].
func (r *Ring) fresh() (map[string]Key, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	age := r.o.Clock().Sub(r.read)
	return r.byHash, r.byHash != nil && age >= 0 && age < freshTime
}

// forget makes the next request read the keys again.
func (r *Ring) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byHash = nil
	r.changes++
}

func (r *Ring) readAll(ctx context.Context) (map[string]Key, error) {
	all := map[string]Key{}
	for _, k := range r.o.Given {
		all[k.hash] = k
	}
	// While the file cannot be read, its keys are refused: it may have been removed on purpose.
	if listed, err := ReadFile(r.o.File); err != nil {
		r.o.Log.WarnContext(ctx, "no key of API_KEYS_FILE is taken", "err", err)
	} else {
		for _, k := range listed {
			all[k.hash] = k
		}
	}
	for found, err := range r.rows.Query(ctx, storage.Query{Partition: keyRows}) {
		if err != nil {
			return nil, err
		}
		e, err := entries.Decode(found.Props)
		if err != nil || checkScope(e.Scope) != nil {
			r.o.Log.WarnContext(ctx, "a key is damaged and not taken; remove it", "key", found.Row)
			continue
		}
		all[e.Hash] = e.key(found.Row)
	}
	return all, nil
}
