package registry

import (
	"context"
	"errors"
	"iter"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// maxShown is how many partitions are asked for an item, to learn how items are spread over partitions.
const maxShown = 20

// MadeBy returns the strategy by which items are spread over partitions, and whether there are items. The strategy is
// "" if some are spread by one strategy and some by the other. It reads a few items, of tables that it creates.
func (r *Registry) MadeBy(ctx context.Context) (by source.Strategy, found bool, err error) {
	if err := errors.Join(r.s.Index.Create(ctx), r.s.Items.Create(ctx)); err != nil {
		return "", false, err
	}
	asked := 0
	for p, err := range r.s.Index.Query(ctx, storage.Query{Partition: partitionsKey, PageSize: maxShown}) {
		if err != nil || asked == maxShown {
			return by, found, err
		}
		asked++
		it, there, err := firstOf(r.s.Walk(ctx, storage.Query{Partition: p.Row, PageSize: 1}))
		if err != nil {
			return "", false, err
		}
		if !there {
			continue
		}
		shown := source.ByScheme
		if it.Source().Host == p.Row {
			shown = source.ByHost
		}
		if found && shown != by {
			return "", true, nil
		}
		by, found = shown, true
	}
	return by, found, nil
}

func firstOf(items iter.Seq2[Item, error]) (it Item, found bool, err error) {
	for it, err := range items {
		return it, err == nil, err
	}
	return it, false, nil
}

// A Duplicate is one address with two items.
type Duplicate struct {
	Source     string
	Partitions [2]string
}

// maxDuplicates limits how many addresses [Registry.Twice] returns.
const maxDuplicates = 100

// Twice reads all items and returns the addresses that have two, which happens where REGISTRY_PARTITION_STRATEGY was
// changed. It returns at most a hundred.
func (r *Registry) Twice(ctx context.Context) (found []Duplicate, err error) {
	seen, partition := map[uint64]string{}, "" // rows come by partition, whose items share one string
	for e, err := range r.s.Items.Query(ctx, storage.Query{}) {
		if err != nil || len(found) == maxDuplicates {
			return found, err
		}
		if !isItemRow(e.Row) {
			continue
		}
		if e.Partition != partition {
			partition = e.Partition
		}
		identity := xxhash.Sum64String(e.Row)
		if at, again := seen[identity]; again {
			it := itemOf(e)
			found = append(found, Duplicate{it.DisplaySource, [2]string{at, partition}})
		}
		seen[identity] = partition
	}
	return found, nil
}
