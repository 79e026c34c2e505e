package feed

import (
	"context"
	"slices"
	"sort"
	"time"
)

// aboutThen is the largest difference between a given time and that of a change.
const aboutThen = time.Minute

// lateGroups is the number of groups before and after a time among which a change of that time is looked for.
const lateGroups = 12

// OfItem returns the changes of an item at about the given times, newest first. The feed has no index of items: so it
// looks for each time, by halves, in the segments of that time, among the groups that were written about then. It does
// not find a change that was published much later than it was made.
func (f *Feed) OfItem(ctx context.Context, ids []string, times []time.Time) (out []Change, err error) {
	all, err := f.segments(ctx)
	if err != nil {
		return nil, err
	}
	found := map[Position]bool{}
	heads, began := map[int]head{}, map[Position]time.Time{}
	for _, at := range times {
		i := sort.Search(len(all), func(i int) bool { return all[i].began.After(at.Add(clocks)) })
		for ; i > 0; i-- {
			s := all[i-1]
			if heads[s.number].etag == "" {
				if heads[s.number], err = f.loadHead(ctx, s.number); err != nil {
					return nil, err
				}
			}
			near, err := f.about(ctx, heads[s.number], at, began)
			if err != nil {
				return nil, err
			}
			for _, c := range near {
				if slices.Contains(ids, c.ItemID) && !found[c.Position] && c.At.Sub(at).Abs() <= aboutThen {
					found[c.Position] = true
					out = append(out, c)
				}
			}
			if s.began.Before(at.Add(-clocks)) {
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b Change) int {
		if a.Position.less(b.Position) {
			return 1
		}
		return -1
	})
	return out, nil
}

// about returns the changes of a segment that were written about a time. It notes the times of the groups that it
// reads.
func (f *Feed) about(ctx context.Context, h head, at time.Time, began map[Position]time.Time) ([]Change, error) {
	var failed error
	first := sort.Search(h.Groups, func(i int) bool { // the number of groups that are older
		key := Position{Segment: h.Number, Group: i}
		t, known := began[key]
		if !known && failed == nil {
			changes, err := f.read(ctx, h.Number, i, i+1)
			if failed = err; len(changes) > 0 {
				t = changes[0].At
			}
			began[key] = t
		}
		return !t.Before(at)
	})
	if failed != nil {
		return nil, failed
	}
	return f.read(ctx, h.Number, max(0, first-lateGroups), min(h.Groups, first+lateGroups))
}
