package registry

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// maxGap limits the number of other items that a query is expected to read between two items of a job. On Azurite, a
// point read costs as much as seven rows of a query, and on the embedded store more.
const maxGap = 4

// LoadJob reads the row of a job's host, and then the items of the job. Items that are close together, which the
// number of the host's items says, are read by one query. Items that do not exist are returned with an empty ETag.
func (r *rowStore) LoadJob(ctx context.Context, job Job) ([]Item, hostRecord, error) {
	h, err := r.LoadHost(ctx, job.PartitionKey, job.Host)
	if err != nil {
		return nil, hostRecord{}, err
	}
	if r.Options.Strategy == source.ByScheme { // the partition has items of other hosts, too
		items, err := r.LoadItems(ctx, job.PartitionKey, job.hashes())
		return items, h, err
	}
	items, err := r.loadClose(ctx, job.PartitionKey, job.hashes(), closeRanges(job.hashes(), h.items()))
	return items, h, err
}

// items returns the number of the host's items.
func (h *hostState) items() (n int) {
	for _, count := range h.Counts {
		n += count
	}
	return n
}

// closeRanges groups the keys of items in such a way that at most maxGap other items are expected between two keys of
// a group. It gets the number of items in the partition. The keys are hashes, so they are spread evenly.
func closeRanges(hashes []string, known int) (groups [][]string) {
	sorted := slices.Compact(slices.Sorted(slices.Values(hashes)))
	for i, hash := range sorted {
		if i == 0 || !areClose(sorted[i-1], hash, known) {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, hash)
	}
	return groups
}

// areClose reports whether one query should read the items with the keys a and b, of which a is less. It must not read
// along the rows of another kind, of which there may be as many as there are items.
func areClose(a, b string, known int) bool {
	return isItemRow(a) && isItemRow(b) && (shareBelow(b)-shareBelow(a))*float64(known) <= maxGap+1 &&
		!slices.ContainsFunc(otherPrefixes, func(prefix string) bool { return a < prefix && prefix < b })
}

// shareBelow returns the share of all hashes that are less than the given one, from 0 to 1.
func shareBelow(hash string) (share float64) {
	const digits = "234567abcdefghijklmnopqrstuvwxyz" // in the order of their characters
	step := 1.0
	for _, digit := range hash[:min(len(hash), 10)] {
		step /= float64(len(digits))
		share += step * float64(max(0, strings.IndexRune(digits, digit)))
	}
	return share
}

// loadClose reads items, each group by one query.
func (r *rowStore) loadClose(ctx context.Context, partition string, hashes []string, groups [][]string) (
	[]Item, error) {
	read := make([][]Item, len(groups))
	err := r.Parallel(ctx, len(groups), func(ctx context.Context, i int) (err error) {
		read[i], err = r.loadRange(ctx, partition, groups[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	byHash := map[string]Item{}
	for _, it := range slices.Concat(read...) {
		byHash[it.Hash()] = it
	}
	items := make([]Item, len(hashes))
	for i, hash := range hashes {
		items[i] = byHash[hash]
	}
	return items, nil
}

// loadRange reads the items of a group. What its query does not find is read by point reads: items that do not exist,
// and all others if there are more items between them than expected.
func (r *rowStore) loadRange(ctx context.Context, partition string, group []string) (items []Item, err error) {
	missing := slices.Clone(group)
	if len(group) > 1 {
		q := storage.Query{Partition: partition, RowFrom: group[0], RowTo: justPast(group[len(group)-1]),
			PageSize: min(2*(maxGap+1)*len(group), storage.MaxPage)}
		n := 0
		for e, err := range r.Items.Query(ctx, q) {
			if err != nil {
				return nil, err
			}
			if i := slices.Index(missing, e.Row); i >= 0 {
				items, missing = append(items, itemOf(e)), slices.Delete(missing, i, i+1)
			}
			if n++; n == q.PageSize {
				break
			}
		}
	}
	some, err := r.LoadItems(ctx, partition, missing)
	return append(items, some...), err
}
