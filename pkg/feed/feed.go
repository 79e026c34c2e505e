package feed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Table is the name of the table.
const Table = "Changes"

const (
	// perWrite is how many groups one transaction writes: each is two operations.
	perWrite = 30
	// maxWaiting bounds the groups that a process keeps for a better time. Those that it drops are still where they were
	// committed.
	maxWaiting = 1000
	// writeTries is how often a write is tried that others get ahead of.
	writeTries = 20
	// maxKnown is how many groups a process remembers to have written.
	maxKnown = 4096
)

// Feed is safe for concurrent use by any number of processes.
type Feed struct {
	rows storage.Table
	now  func() time.Time

	// writing is held by who writes: others of this process would only get in its way.
	writing chan struct{}
	head    *head // of the segment that is written to; nil: to be read
	waiting []Group

	known recent.Map[string, struct{}] // by the ids of groups

	mu      sync.Mutex
	segment int // the last that was seen to be written to
}

// Open opens the feed of a store. It touches nothing; see [Feed.Create].
func Open(s storage.Store, now func() time.Time) *Feed {
	return &Feed{rows: s.Table(Table), now: now, writing: make(chan struct{}, 1),
		known: recent.Map[string, struct{}]{Most: maxKnown}}
}

// Create makes the table if it is missing.
func (f *Feed) Create(ctx context.Context) error { return f.rows.Create(ctx) }

// Segment is one that is written to now or was before, for [Group]'s Since. It is read once in a process.
func (f *Feed) Segment(ctx context.Context) (int, error) {
	if n := f.seen(0); n > 0 {
		return n, nil
	}
	now, _, err := nowRows.Load(ctx, f.rows, nowKey)
	return f.seen(max(now.Segment, 1)), err
}

// seen takes note that a segment is written to, and gives the last one.
func (f *Feed) seen(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.segment = max(f.segment, n)
	return f.segment
}

// Knows reports whether this process has seen the group of that id in the feed, or given it up.
func (f *Feed) Knows(id string) bool {
	_, known := f.known.Get(id)
	return known
}

// Publish writes groups into the feed that are not there yet, and those that an earlier call of this process could not
// write. It costs one request while nobody else writes. After an error it is unknown what was written: the caller
// calls it again with the same groups, at any time. A group that the store refuses for what it is (Invalid, TooLarge)
// is given up.
func (f *Feed) Publish(ctx context.Context, groups ...Group) (failed error) {
	select {
	case f.writing <- struct{}{}:
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "the feed was not written: %w", ctx.Err())
	}
	defer func() { <-f.writing }()
	for _, g := range groups {
		waits := slices.ContainsFunc(f.waiting, func(w Group) bool { return w.ID == g.ID })
		if len(g.Changes) > 0 && !waits && !f.Knows(g.ID) {
			f.waiting = append(f.waiting, g)
		}
	}
	f.waiting = f.waiting[max(0, len(f.waiting)-maxWaiting):]
	for len(f.waiting) > 0 {
		some := f.waiting[:min(len(f.waiting), perWrite)]
		err := f.write(ctx, slices.Clone(some))
		if fault.Refused(err) && len(some) > 1 {
			some = some[:1] // only one of them need be at fault
			err = f.write(ctx, slices.Clone(some))
		}
		if err != nil && !fault.Refused(err) {
			return err
		}
		failed = errors.Join(failed, err)
		for _, g := range some {
			f.known.Put(g.ID, struct{}{})
		}
		f.waiting = f.waiting[len(some):]
	}
	return failed
}

// write writes at most perWrite groups in one transaction, without those that are there.
func (f *Feed) write(ctx context.Context, groups []Group) error {
	for range writeTries {
		h, err := f.current(ctx)
		if err != nil {
			return err
		}
		if groups, err = f.missing(ctx, h.Number-1, groups); err != nil || len(groups) == 0 {
			return err
		}
		tags, err := f.rows.Transact(ctx, h.ops(groups)...)
		if err == nil {
			h.Groups, h.etag = h.Groups+len(groups), tags[0]
			f.head = &h
			return nil
		}
		f.head = nil
		op, blamed := errors.AsType[*storage.OpError](err)
		switch {
		case !blamed || !fault.Lost(err):
			return err
		case op.Index > 0: // the mark of a group, which therefore is there
			if groups, err = f.missing(ctx, h.Number, groups); err != nil {
				return err
			}
		}
	}
	return fault.New(fault.Conflict, "the feed is written by too many at once")
}

// missing leaves out the groups that are in a segment up to that one. Before the present one nobody can write any more.
func (f *Feed) missing(ctx context.Context, last int, groups []Group) ([]Group, error) {
	var out []Group
	for _, g := range groups {
		there := false
		for n := max(g.Since, 1); n <= last && !there; n++ {
			_, err := f.rows.Get(ctx, markKey(n, g.ID))
			if err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
			there = err == nil
		}
		if !there {
			out = append(out, g)
		}
	}
	return out, nil
}

// groupRow is a group as it is stored.
type groupRow struct {
	ID      string   `col:"id"`
	Changes []Change `col:"changes,gzip"`
}

// mark says where a group is.
type mark struct {
	Group int `col:"group"`
}

var (
	groupRows = row.Of[groupRow]()
	markRows  = row.Of[mark]()
)

// ops writes groups behind those that the segment has: the head first, and for each group its row and its mark.
func (h head) ops(groups []Group) []storage.Op {
	next := h
	next.Groups += len(groups)
	ops := []storage.Op{headRows.Put(headKey(h.Number), h.etag, &next.headRow)}
	for i, g := range groups {
		n := h.Groups + 1 + i
		ops = append(ops,
			storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: groupKey(h.Number, n),
				Props: groupRows.Encode(&groupRow{g.ID, g.Changes})}},
			storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: markKey(h.Number, g.ID),
				Props: markRows.Encode(&mark{n})}})
	}
	return ops
}
