package feed

import (
	"context"
	"iter"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Reader records what a person has read of the feed: everything up to a position, and some changes after it.
type Reader struct {
	UpTo   Position
	Beyond []Position // positions of changes after UpTo that were read one by one, ascending
	// Filters are the lists that the person has saved.
	Filters []SavedFilter
}

// SavedFilter is a list that a person has saved.
type SavedFilter struct {
	Name  string `json:"name"`
	List  string `json:"list"`  // "changes" or "items"
	Query string `json:"query"` // the query part of the list's address
}

// Readers holds the readers of a feed.
type Readers struct{ feed *Feed }

// ReadersOf returns the readers of a feed. Their rows are in the feed's table.
func ReadersOf(f *Feed) Readers { return Readers{f} }

// maxBeyond limits the number of changes after UpTo that are recorded as read one by one.
const maxBeyond = 2000

// readerPartition is the partition of the readers' rows, beside the partitions of the segments.
const readerPartition = "reader"

// readerRow is the stored form of a reader.
type readerRow struct {
	UpTo   string   `col:"upTo"`
	Beyond []string `col:"beyond,gzip"`

	Filters []SavedFilter `col:"filters"`
}

var readerRows = row.Of[readerRow]()

// Has reports whether the reader has read the change at the given position.
func (r Reader) Has(p Position) bool {
	if !p.After(r.UpTo) {
		return true
	}
	_, found := slices.BinarySearchFunc(r.Beyond, p, compare)
	return found
}

// Unread yields the changes that the reader has not read.
func (r Reader) Unread(changes iter.Seq2[Change, error]) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for c, err := range changes {
			if (err != nil || !r.Has(c.Position)) && !yield(c, err) {
				return
			}
		}
	}
}

// Newest is like [Reader.Unread], for changes that come newest first. It ends at UpTo, because all changes before
// UpTo are read.
func (r Reader) Newest(changes iter.Seq2[Change, error]) iter.Seq2[Change, error] {
	return r.Unread(func(yield func(Change, error) bool) {
		for c, err := range changes {
			if err == nil && !c.Position.After(r.UpTo) || !yield(c, err) {
				return
			}
		}
	})
}

// Since yields changes, oldest first. It begins after UpTo or after the given position, whichever is later. It also
// yields changes after UpTo that were read one by one. If it begins at UpTo, and the next changes were purged, it
// yields the oldest changes that remain. If it begins at the given position, and that position was purged, the error
// is Expired.
func (f Readers) Since(ctx context.Context, r Reader, after Position) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		own := !after.After(r.UpTo)
		if own {
			after = r.UpTo
		}
		for c, err := range f.feed.Oldest(ctx, after) {
			if own && fault.Is(err, fault.Expired) { // changes were purged, so begin with the oldest that remains
				f.feed.Oldest(ctx, Position{})(yield)
				return
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

func compare(a, b Position) int {
	switch {
	case a.less(b):
		return -1
	case b.less(a):
		return 1
	}
	return 0
}

// Load returns what the reader with the given name has read. If nothing is recorded for a reader, the reader has read
// nothing.
func (f Readers) Load(ctx context.Context, name string) (Reader, error) {
	r, _, err := f.load(ctx, name)
	return r, err
}

func (f Readers) load(ctx context.Context, name string) (r Reader, etag storage.ETag, err error) {
	stored, etag, err := readerRows.Load(ctx, f.feed.rows, readerKey(name))
	r.UpTo, _ = ParsePosition(stored.UpTo) // if the value is damaged, nothing counts as read
	r.Filters = stored.Filters
	for _, text := range stored.Beyond {
		if p, err := ParsePosition(text); err == nil {
			r.Beyond = append(r.Beyond, p)
		}
	}
	return r, etag, err
}

func readerKey(name string) storage.Key { return storage.Key{Partition: readerPartition, Row: name} }

// MarkRead records that a reader has read everything up to the position upTo, and also the changes at the positions
// in ids. It never makes a change unread, and it may be repeated. Errors: Invalid, with the field upTo or ids, for a
// position beyond the end of the feed; Invalid, with the field ids, if more than maxBeyond changes would be
// recorded one by one.
func (f Readers) MarkRead(ctx context.Context, name string, upTo Position, ids ...Position) (Reader, error) {
	end, err := f.feed.End(ctx)
	if err != nil {
		return Reader{}, err
	}
	if upTo.After(end) {
		return Reader{}, fault.Field("upTo", "upTo is after everything in the feed: send the cursor of a list of changes")
	}
	for _, id := range ids {
		if id.After(end) {
			return Reader{}, fault.Field("ids", "ids: no change has the id %s", id)
		}
	}
	return f.change(ctx, name, func(r *Reader) error { return f.advance(ctx, r, upTo, ids) })
}

// Keep replaces the saved filters of a reader.
func (f Readers) Keep(ctx context.Context, name string, filters []SavedFilter) (Reader, error) {
	return f.change(ctx, name, func(r *Reader) error {
		r.Filters = filters
		return nil
	})
}

// change loads a reader, changes it and writes it. If another process has written the row in the meantime, change
// tries again.
func (f Readers) change(ctx context.Context, name string, do func(*Reader) error) (Reader, error) {
	for range writeTries {
		r, etag, err := f.load(ctx, name)
		if err != nil {
			return r, err
		}
		if err := do(&r); err != nil {
			return r, err
		}
		stored := readerRow{UpTo: r.UpTo.String(), Filters: r.Filters}
		for _, p := range r.Beyond {
			stored.Beyond = append(stored.Beyond, p.String())
		}
		_, err = f.feed.rows.Transact(ctx, readerRows.Put(readerKey(name), etag, &stored))
		if !fault.Lost(err) {
			return r, err
		}
	}
	return Reader{}, fault.New(fault.Conflict, "%.64q reads in too many places at once", name)
}

// advance adds positions to what a reader has read. Changes that directly follow UpTo are merged into UpTo. So once a
// reader has read all changes, in any order, UpTo alone records that.
func (f Readers) advance(ctx context.Context, r *Reader, upTo Position, ids []Position) error {
	if upTo.After(r.UpTo) {
		r.UpTo = upTo
	}
	r.Beyond = append(r.Beyond, ids...)
	slices.SortFunc(r.Beyond, compare)
	r.Beyond = slices.Compact(r.Beyond)
	drop := func() {
		r.Beyond = slices.DeleteFunc(r.Beyond, func(p Position) bool { return !p.After(r.UpTo) })
	}
	if drop(); len(r.Beyond) > 0 {
		for c, err := range f.Since(ctx, *r, Position{}) {
			if err != nil {
				return err
			}
			if !r.Has(c.Position) {
				break
			}
			r.UpTo = c.Position
		}
		drop()
	}
	if len(r.Beyond) > maxBeyond {
		return fault.Field("ids", "more than %d changes are read one by one: send upTo with the cursor of a list, which "+
			"marks everything up to there", maxBeyond)
	}
	return nil
}

// LastRead returns the raw digest of the capture that the reader read last, among the captures of the item with the
// given ids. It returns "" if the reader has read no capture of the item. If the item has no change after UpTo, it
// returns the given digest of the item's current capture. The number of changes that it examines is limited. Errors:
// TooLarge if more changes would have to be examined.
func (f Readers) LastRead(ctx context.Context, r Reader, ids []string, present string, most int) (string, error) {
	last, seen := "", false
	for c, err := range f.Since(ctx, r, Position{}) {
		if most--; err == nil && most < 0 {
			err = fault.New(fault.TooLarge, "too many changes came since: mark some of them as read, or give a capture")
		}
		switch {
		case err != nil:
			return "", err
		case c.To == "" || !slices.Contains(ids, c.ItemID):
		case r.Has(c.Position):
			last, seen = c.To, true
		case !seen:
			last, seen = c.From, true
		}
	}
	if !seen {
		return present, nil
	}
	return last, nil
}
