package feed

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// window limits the number of groups that one request reads.
const window = 50

// clocks is the largest tolerated difference between the clocks of writers.
const clocks = 5 * time.Minute

// End returns the position after the newest change. A follower that begins there gets only later changes.
func (f *Feed) End(ctx context.Context) (Position, error) {
	now, _, err := nowRows.Load(ctx, f.rows, nowKey)
	if err != nil || now.Segment == 0 {
		return Position{}, err
	}
	h, err := f.loadHead(ctx, now.Segment)
	return Position{now.Segment, h.Groups + 1, 0}, err // before the next group, whose first change has the index 1
}

// From returns a position before all changes made at t or later, and allows for clocks that differ. If the feed no
// longer has changes that old, From returns the position before its oldest change.
func (f *Feed) From(ctx context.Context, t time.Time) (Position, error) {
	all, err := f.segments(ctx)
	if err != nil || len(all) == 0 {
		return Position{}, err
	}
	i, _ := slices.BinarySearchFunc(all, t.Add(-clocks), func(s segment, t time.Time) int { return s.began.Compare(t) })
	return Position{Segment: all[max(i-1, 0)].number}, nil
}

// Newest yields the changes before a position, newest first. For the zero Position it yields all changes. It reads 50
// groups per request.
func (f *Feed) Newest(ctx context.Context, before Position) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if before == (Position{}) {
			var err error
			if before, err = f.End(ctx); err != nil {
				yield(Change{}, err)
				return
			}
		}
		to := before.Group
		if before.Index == 0 {
			to-- // no change in that group is before the position
		}
		for n := before.Segment; n > 0; n-- {
			if n < before.Segment {
				h, err := f.loadHead(ctx, n)
				if err != nil {
					yield(Change{}, err)
					return
				}
				if h.etag == "" {
					return // the segment was purged, and so were all earlier segments
				}
				to = h.Groups
			}
			for ; to > 0; to -= window {
				groups, err := f.groups(ctx, n, max(to-window, 0), to)
				if err != nil {
					yield(Change{}, err)
					return
				}
				slices.Reverse(groups)
				if !each(groups, true, func(c Change, err error) bool {
					return err == nil && !c.Position.less(before) || yield(c, err)
				}) {
					return
				}
			}
		}
	}
}

// Oldest yields the changes after a position, oldest first. For the zero Position it yields all changes. The error is
// Expired if the position is in a purged segment. It is also Expired if the position is beyond the end of the feed,
// which can happen after an older copy of the store was restored.
func (f *Feed) Oldest(ctx context.Context, after Position) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if after == (Position{}) {
			all, err := f.segments(ctx)
			if err != nil || len(all) == 0 {
				if err != nil {
					yield(Change{}, err)
				}
				return
			}
			after.Segment = all[0].number
		}
		from := max(after.Group-1, 0)
		for n := after.Segment; ; n, from = n+1, 0 {
			own := n == after.Segment
			h, err := f.follower(ctx, n, own)
			if err == nil && own && after.Group > h.Groups+1 {
				err = errExpired // the position is from a feed that was replaced by an older copy
			}
			if err != nil {
				yield(Change{}, err)
				return
			}
			for ; from < h.Groups; from += window {
				groups, err := f.groups(ctx, n, from, min(from+window, h.Groups))
				if err != nil {
					yield(Change{}, err)
					return
				}
				if !each(groups, false, func(c Change, err error) bool {
					return err == nil && !after.less(c.Position) || yield(c, err)
				}) {
					return
				}
			}
			if !h.Sealed {
				return
			}
		}
	}
}

// follower returns the head of segment n for a follower. It returns Expired if the segment was purged. If the
// follower's cursor is in this segment (own is true), it also returns Expired if no such segment was ever opened. In
// any other case, the segment may be missing because it is not open yet.
func (f *Feed) follower(ctx context.Context, n int, own bool) (head, error) {
	h, err := f.loadHead(ctx, n)
	if err != nil || h.etag != "" {
		return h, err
	}
	now, _, err := nowRows.Load(ctx, f.rows, nowKey)
	if err == nil && (now.Segment > n || own && now.Segment < n) {
		err = errExpired
	}
	return h, err
}

var errExpired = fault.New(fault.Expired,
	"what came after that place is not kept any more: begin anew without a cursor")

// After reports whether p is a later position than q.
func (p Position) After(q Position) bool { return q.less(p) }

func (p Position) less(q Position) bool {
	if p.Segment != q.Segment {
		return p.Segment < q.Segment
	}
	if p.Group != q.Group {
		return p.Group < q.Group
	}
	return p.Index < q.Index
}

// stored is a group as it is stored: who needs few changes decodes few groups.
type stored struct {
	segment, group int
	props          storage.Properties
}

// changes decodes the changes of a group.
func (s stored) changes() ([]Change, error) {
	g, err := groupRows.Decode(s.props)
	if err != nil {
		return nil, fault.New(fault.Internal, "group %d of segment %d of the feed: %w", s.group, s.segment, err)
	}
	for i := range g.Changes {
		g.Changes[i].Position = Position{s.segment, s.group, i + 1}
	}
	return g.Changes, nil
}

// each passes the changes of groups on, until the function returns false or after an error; then each returns false.
func each(groups []stored, backwards bool, yield func(Change, error) bool) bool {
	for _, g := range groups {
		changes, err := g.changes()
		if err != nil {
			yield(Change{}, err)
			return false
		}
		if backwards {
			slices.Reverse(changes)
		}
		for _, c := range changes {
			if !yield(c, nil) {
				return false
			}
		}
	}
	return true
}

// read returns the changes in some groups of segment n, in order. It begins after the group with the first given
// number, and ends with the group with the second.
func (f *Feed) read(ctx context.Context, n, after, to int) (out []Change, err error) {
	groups, err := f.groups(ctx, n, after, to)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		changes, err := g.changes()
		if err != nil {
			return nil, err
		}
		out = append(out, changes...)
	}
	return out, nil
}

// groups returns those groups.
func (f *Feed) groups(ctx context.Context, n, after, to int) (out []stored, err error) {
	q := storage.Query{Partition: partition(n), RowFrom: groupKey(n, after+1).Row, RowTo: groupKey(n, to+1).Row,
		PageSize: to - after}
	group := after
	for e, err := range f.rows.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		group++
		out = append(out, stored{n, group, e.Props})
	}
	return out, nil
}

// At returns the change with the given id. Errors: NotFound if the change does not exist or was purged.
func (f *Feed) At(ctx context.Context, id string) (Change, error) {
	missing := fault.New(fault.NotFound, "there is no change %.64q, or it is not kept any more", id)
	p, err := ParsePosition(id)
	if err != nil || p.Group == 0 {
		return Change{}, missing
	}
	changes, err := f.read(ctx, p.Segment, p.Group-1, p.Group)
	if err != nil {
		return Change{}, err
	}
	for _, c := range changes {
		if c.Position == p {
			return c, nil
		}
	}
	return Change{}, missing
}

// Some returns the changes with the given ids that exist, by id. It reads each group once.
func (f *Feed) Some(ctx context.Context, ids []string) (map[string]Change, error) {
	out, read := map[string]Change{}, map[Position]bool{}
	wanted := map[Position]string{}
	for _, id := range ids {
		if p, err := ParsePosition(id); err == nil && p.Group > 0 {
			wanted[p] = id
		}
	}
	for p := range wanted {
		group := Position{Segment: p.Segment, Group: p.Group}
		if read[group] {
			continue
		}
		changes, err := f.read(ctx, p.Segment, p.Group-1, p.Group)
		if err != nil {
			return nil, err
		}
		read[group] = true
		for _, c := range changes {
			if id, asked := wanted[c.Position]; asked {
				out[id] = c
			}
		}
	}
	return out, nil
}
