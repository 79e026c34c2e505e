// Package feed keeps a list of all changes, each once and in one order. Followers miss no change, even if processes
// die or clocks differ.
//
// # Promises
//
// Every change has a [Position], its position in the feed, which is also the id of the change. Changes that are
// written later have later positions. A reader that has seen everything up to a position, and asks for the changes
// after it, gets every later change exactly once. Any process may repeat [Feed.Publish], even after a crash: each
// group of changes is written only once.
//
// # Storage
//
// The feed is a sequence of segments, numbered from 1. A segment is a partition of the table Changes:
//
//	<segment>  head        how many groups the segment has, and whether it is sealed
//	<segment>  g<number>   a group: the changes of one commit, numbered without gaps
//	<segment>  m<id>       a marker: the segment contains the group with that id
//	feed       now         the open segment, which writers write to
//	feed       s<segment>  when the segment was opened
//	reader     <name>      what a reader has read: everything up to a position, and some changes after it
//
// One transaction writes a group and its marker, and updates the head if the head has not changed since it was read.
// If two writers compete, one fails and reads the head again. A write may reach the store after its client gave up.
// It also fails if another write took effect before it. After a day, or after [maxGroups] groups, the head is sealed,
// which ends all writing to the segment, and the next segment is opened. A writer that does not know whether a group
// was written searches for the group's marker in all segments that have been open since the commit.
//
// Alternatives considered: Keys made from times need clocks that agree, and readers that wait for the slowest writer.
// A row for each change costs 32 times as many writes and saves nothing, because changes are read in sequence.
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

// Table is the name of the feed's table.
const Table = "Changes"

const (
	// perWrite is the number of groups that one transaction writes. Each group takes two operations.
	perWrite = 30
	// maxWaiting limits the number of groups that a process keeps for a later try. Further groups are dropped, but
	// remain in the rows in which they were committed.
	maxWaiting = 1000
	// writeTries limits how often a write is tried if another writer is quicker each time.
	writeTries = 20
	// maxKnown is the number of published groups that a process remembers.
	maxKnown = 4096
)

// Feed is a feed of changes. It is safe for concurrent use by any number of processes.
type Feed struct {
	rows storage.Table
	now  func() time.Time

	// writing is a lock for the goroutine that writes to the feed. Concurrent writes of one process would only
	// conflict with each other.
	writing chan struct{}
	head    *head // head of the open segment; nil if it has to be read first
	waiting []Group

	known recent.Map[string, struct{}] // ids of groups that this process has found in the feed or has given up on

	published func(ctx context.Context, changes []Change) // see [Feed.OnPublish]; may be nil

	mu      sync.Mutex
	segment int       // the last segment known to have been open
	learned time.Time // when that was read
}

// Open returns the feed of a store. It sends no request; see [Feed.Create].
func Open(s storage.Store, now func() time.Time) *Feed {
	return &Feed{rows: s.Table(Table), now: now, writing: make(chan struct{}, 1),
		known: recent.Map[string, struct{}]{Most: maxKnown}}
}

// Create creates the feed's table if it is missing.
func (f *Feed) Create(ctx context.Context) error { return f.rows.Create(ctx) }

// Segment returns the number of a segment that is open or was open before. Callers store the number in the field
// Since of a [Group]. A process reads the number from the store at most once in [segmentTime], so what callers write to
// the segment is kept about as long as their group.
func (f *Feed) Segment(ctx context.Context) (int, error) {
	if n, learned := f.open(); n > 0 && f.now().Sub(learned) < segmentTime {
		return n, nil
	}
	now, _, err := nowRows.Load(ctx, f.rows, nowKey)
	return f.seen(max(now.Segment, 1)), err
}

// open returns the last segment that is known to be or to have been open, and when that was read.
func (f *Feed) open() (int, time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.segment, f.learned
}

// seen records that segment n was read as the open one. It returns the last segment that is known to be or to have been
// open.
func (f *Feed) seen(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.segment, f.learned = max(f.segment, n), f.now()
	return f.segment
}

// Knows reports whether this process has found the group with the given id in the feed, or has given up on the group.
func (f *Feed) Knows(id string) bool {
	_, known := f.known.Get(id)
	return known
}

// OnPublish sets a function that [Feed.Publish] calls after this process has written changes to the feed. It must be
// set before the feed is used. A process that dies in between does not call it.
func (f *Feed) OnPublish(call func(ctx context.Context, changes []Change)) { f.published = call }

// Publish writes those of the groups that are not in the feed yet. It also writes groups that an earlier call of this
// process could not write. It costs one request if there is no other writer. After an error, it is not known which
// groups were written. The caller may then repeat the call with the same groups at any time. Publish gives up on a
// group that the store refuses as Invalid or TooLarge.
func (f *Feed) Publish(ctx context.Context, groups ...Group) error {
	written, err := f.publish(ctx, groups)
	if len(written) > 0 && f.published != nil {
		f.published(ctx, written)
	}
	return err
}

// publish is [Feed.Publish]. It returns the changes that it has written.
func (f *Feed) publish(ctx context.Context, groups []Group) (written []Change, failed error) {
	select {
	case f.writing <- struct{}{}:
	case <-ctx.Done():
		return nil, fault.New(fault.Unavailable, "the feed was not written: %w", ctx.Err())
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
		added, err := f.write(ctx, slices.Clone(some))
		if fault.Refused(err) && len(some) > 1 {
			some = some[:1] // the store may refuse only one of the groups
			added, err = f.write(ctx, slices.Clone(some))
		}
		if err != nil && !fault.Refused(err) {
			return written, err
		}
		failed = errors.Join(failed, err)
		for _, g := range added {
			written = append(written, g.Changes...)
		}
		for _, g := range some {
			f.known.Put(g.ID, struct{}{})
		}
		f.waiting = f.waiting[len(some):]
	}
	return written, failed
}

// write writes at most perWrite groups in one transaction. It omits groups that are in the feed, and returns the
// others.
func (f *Feed) write(ctx context.Context, groups []Group) ([]Group, error) {
	for range writeTries {
		h, err := f.current(ctx)
		if err != nil {
			return nil, err
		}
		if groups, err = f.missing(ctx, h.Number-1, groups); err != nil || len(groups) == 0 {
			return nil, err
		}
		tags, err := f.rows.Transact(ctx, h.ops(groups)...)
		if err == nil {
			h.Groups, h.etag = h.Groups+len(groups), tags[0]
			f.head = &h
			return groups, nil
		}
		f.head = nil
		op, blamed := errors.AsType[*storage.OpError](err)
		switch {
		case !blamed || !fault.Lost(err):
			return nil, err
		case op.Index > 0: // the marker exists, so the group is in the feed
			if groups, err = f.missing(ctx, h.Number, groups); err != nil {
				return nil, err
			}
		}
	}
	return nil, fault.New(fault.Conflict, "the feed is written by too many at once")
}

// missing returns the groups that are in none of the segments up to number last. Segments before the open one are
// sealed, so the result for them cannot change.
func (f *Feed) missing(ctx context.Context, last int, groups []Group) ([]Group, error) {
	var out []Group
	for _, g := range groups {
		there := false
		for n := max(g.Since, 1); n <= last && !there; n++ {
			_, err := f.rows.Get(ctx, markerKey(n, g.ID))
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

// groupRow is the stored form of a group.
type groupRow struct {
	ID      string   `col:"id"`
	Changes []Change `col:"changes,gzip"`
}

// groupMarker is the row by which the id of a group leads to the group's number.
type groupMarker struct {
	Group int `col:"group"`
}

var (
	groupRows  = row.Of[groupRow]()
	markerRows = row.Of[groupMarker]()
)

// ops returns the operations that append groups to the segment. The head comes first, then the row and the marker of
// each group.
func (h head) ops(groups []Group) []storage.Op {
	next := h
	next.Groups += len(groups)
	ops := []storage.Op{headRows.Put(headKey(h.Number), h.etag, &next.headRow)}
	for i, g := range groups {
		n := h.Groups + 1 + i
		ops = append(ops,
			storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: groupKey(h.Number, n),
				Props: groupRows.Encode(&groupRow{g.ID, g.Changes})}},
			storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: markerKey(h.Number, g.ID),
				Props: markerRows.Encode(&groupMarker{n})}})
	}
	return ops
}
