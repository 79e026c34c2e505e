package feed

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	// segmentTime and maxGroups limit the age and the size of a segment. A segment that reaches either limit is
	// sealed.
	segmentTime = 24 * time.Hour
	maxGroups   = 20_000
)

// feedKey is the partition that lists the segments.
const feedKey = "feed"

var nowKey = storage.Key{Partition: feedKey, Row: "now"}

func segmentKey(n int) storage.Key {
	return storage.Key{Partition: feedKey, Row: fmt.Sprintf("s%08d", n)}
}

func partition(n int) string { return fmt.Sprintf("%08d", n) }

func headKey(n int) storage.Key { return storage.Key{Partition: partition(n), Row: "head"} }

func groupKey(n, group int) storage.Key {
	return storage.Key{Partition: partition(n), Row: fmt.Sprintf("g%08d", group)}
}

func markerKey(n int, id string) storage.Key {
	return storage.Key{Partition: partition(n), Row: "m" + id}
}

type (
	// nowRow contains the number of the open segment.
	nowRow struct {
		Segment int `col:"segment"`
	}
	// segmentRow is an entry in the list of segments.
	segmentRow struct {
		Began time.Time `col:"began"`
	}
	// headRow is the state of a segment.
	headRow struct {
		Groups int  `col:"groups"`
		Sealed bool `col:"sealed"`
	}
)

var (
	nowRows     = row.Of[nowRow]()
	segmentRows = row.Of[segmentRow]()
	headRows    = row.Of[headRow]()
)

// head is the head of a segment, with the revision that was read.
type head struct {
	headRow
	Number int
	began  time.Time
	etag   storage.ETag
}

func (f *Feed) loadHead(ctx context.Context, n int) (h head, err error) {
	h.Number = n
	h.headRow, h.etag, err = headRows.Load(ctx, f.rows, headKey(n))
	return h, err
}

// current returns the head of the open segment. If that segment has reached a limit, current seals it and opens the
// next one.
func (f *Feed) current(ctx context.Context) (head, error) {
	for range writeTries {
		h := f.head
		if h == nil {
			read, err := f.readCurrent(ctx)
			if err != nil {
				return read, err
			}
			h = &read
		}
		if !h.Sealed && h.Groups < maxGroups && f.now().Sub(h.began) < segmentTime {
			return *h, nil
		}
		f.head = nil
		if err := f.follow(ctx, *h); err != nil && !fault.Is(err, fault.Conflict) {
			return *h, err
		}
	}
	return head{}, fault.New(fault.Conflict, "segments of the feed end too quickly")
}

// readCurrent reads the head of the open segment. In an empty feed it opens the first segment.
func (f *Feed) readCurrent(ctx context.Context) (h head, err error) {
	now, etag, err := nowRows.Load(ctx, f.rows, nowKey)
	if err != nil {
		return h, err
	}
	if etag == "" {
		if err := f.begin(ctx, 1, ""); err != nil && !fault.Is(err, fault.Conflict) {
			return h, err
		}
		now.Segment = 1
	}
	began, _, err := segmentRows.Load(ctx, f.rows, segmentKey(now.Segment))
	if err == nil {
		h, err = f.loadHead(ctx, now.Segment)
	}
	h.began = began.Began
	f.seen(now.Segment)
	return h, err
}

// follow seals a segment and opens the next one. Errors: Conflict if another process has done part of this; the
// caller must then read the head again.
func (f *Feed) follow(ctx context.Context, h head) error {
	if !h.Sealed {
		sealed := h
		sealed.Sealed = true
		if _, err := f.rows.Transact(ctx, headRows.Put(headKey(h.Number), h.etag, &sealed.headRow)); err != nil {
			return err
		}
	}
	now, etag, err := nowRows.Load(ctx, f.rows, nowKey)
	if err != nil || now.Segment != h.Number {
		return err
	}
	return f.begin(ctx, h.Number+1, etag)
}

// begin opens segment n.
func (f *Feed) begin(ctx context.Context, n int, etag storage.ETag) error {
	_, err := f.rows.Transact(ctx, nowRows.Put(nowKey, etag, &nowRow{n}), storage.Op{Kind: storage.Insert,
		Entity: storage.Entity{Key: segmentKey(n), Props: segmentRows.Encode(&segmentRow{f.now()})}})
	return err
}

// segment is an entry in the list of segments.
type segment struct {
	number int
	began  time.Time
}

// segments returns the segments that are still stored, oldest first.
func (f *Feed) segments(ctx context.Context) (out []segment, err error) {
	for e, err := range f.rows.Query(ctx, storage.Query{Partition: feedKey, RowFrom: "s", RowTo: "t"}) {
		if err != nil {
			return nil, err
		}
		s, _ := segmentRows.Decode(e.Props)
		n, err := strconv.Atoi(e.Row[1:])
		if err != nil {
			return nil, fault.New(fault.Internal, "the feed has a segment %q", e.Row)
		}
		out = append(out, segment{n, s.Began})
	}
	return out, nil
}

// Purge removes the segments in which all changes are older than the given duration. Cursors that point into a
// removed segment expire.
func (f *Feed) Purge(ctx context.Context, keep time.Duration) (removed int, err error) {
	all, err := f.segments(ctx)
	if err != nil {
		return 0, err
	}
	for i, s := range all {
		if i+1 == len(all) || f.now().Sub(all[i+1].began) < keep {
			break
		}
		if err := f.remove(ctx, s.number); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// remove removes a segment. It deletes the row that lists the segment last. If it fails before that, the next Purge
// finds the segment again.
func (f *Feed) remove(ctx context.Context, n int) error {
	var ops []storage.Op
	drop := func() (err error) {
		if len(ops) > 0 {
			_, err = f.rows.Transact(ctx, ops...)
		}
		ops = nil
		return err
	}
	for e, err := range f.rows.Query(ctx, storage.Query{Partition: partition(n), Select: []string{"id"}}) {
		if err != nil {
			return err
		}
		ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: e.ETag}})
		if len(ops) == storage.MaxOps {
			if err := drop(); err != nil {
				return err
			}
		}
	}
	if err := drop(); err != nil {
		return err
	}
	ops = []storage.Op{{Kind: storage.Delete, Entity: storage.Entity{Key: segmentKey(n), ETag: storage.AnyETag}}}
	return drop()
}
