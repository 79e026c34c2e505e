package feed

import (
	"context"
	"iter"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// Reader records what a person has read of the feed: everything up to a position but for some changes, and some
// changes after it.
type Reader struct {
	UpTo   Position
	Beyond []Position // positions of changes after UpTo that were read one by one, ascending
	Again  []Position // positions of changes up to UpTo that were made unread again, ascending
	// Filters are the lists that the person has saved.
	Filters []SavedFilter
	// Undo takes back what was just marked; nil if nothing was.
	Undo *api.Undo
}

// SavedFilter is a list that a person has saved.
type SavedFilter struct {
	Name  string `json:"name"`
	List  string `json:"list"`  // "changes" or "items"
	Query string `json:"query"` // the query part of the list's address
}

// Readers holds the readers of a feed.
type Readers struct {
	feed *Feed
	undo *undo.Log
}

// ReadersOf returns the readers of a feed. Their rows are in the feed's table.
func ReadersOf(f *Feed) Readers { return Readers{feed: f} }

// Recorded returns readers of whom a log takes back what they mark.
func (f Readers) Recorded(l *undo.Log) Readers {
	f.undo = l
	return f
}

// maxBeyond limits the number of changes after UpTo that are recorded as read one by one, and of those up to it that
// are recorded as unread.
const maxBeyond = 2000

// readerPartition is the partition of the readers' rows, beside the partitions of the segments.
const readerPartition = "reader"

// readerRow is the stored form of a reader.
type readerRow struct {
	UpTo   string   `col:"upTo"`
	Beyond []string `col:"beyond,gzip"`
	Again  []string `col:"again,gzip"`

	Filters []SavedFilter `col:"filters"`
}

var readerRows = row.Of[readerRow]()

// Has reports whether the reader has read the change at the given position.
func (r Reader) Has(p Position) bool {
	if !p.After(r.UpTo) {
		return !has(r.Again, p)
	}
	return has(r.Beyond, p)
}

func has(all []Position, p Position) bool {
	_, found := slices.BinarySearchFunc(all, p, compare)
	return found
}

// Begin returns the position up to which all changes are read.
func (r Reader) Begin() Position {
	if len(r.Again) == 0 || r.Again[0].After(r.UpTo) {
		return r.UpTo
	}
	p := r.Again[0]
	p.Index = max(0, p.Index-1)
	return p
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

// Newest is like [Reader.Unread], for changes that come newest first. It ends where all changes before are read.
func (r Reader) Newest(changes iter.Seq2[Change, error]) iter.Seq2[Change, error] {
	return r.Unread(func(yield func(Change, error) bool) {
		for c, err := range changes {
			if err == nil && !c.Position.After(r.Begin()) || !yield(c, err) {
				return
			}
		}
	})
}

// Since yields changes, oldest first. It begins before the first that the reader has not read, or after the given
// position, whichever is later. It also yields later changes that are read. If it begins at the reader's own position,
// and the next changes were purged, it yields the oldest changes that remain. If it begins at the given position, and
// that position was purged, the error is Expired.
func (f Readers) Since(ctx context.Context, r Reader, after Position) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		own := !after.After(r.Begin())
		if own {
			after = r.Begin()
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
	r.Beyond, r.Again = positions(stored.Beyond), positions(stored.Again)
	return r, etag, err
}

// positions reads positions. Damaged ones are left out.
func positions(texts []string) (out []Position) {
	for _, text := range texts {
		if p, err := ParsePosition(text); err == nil {
			out = append(out, p)
		}
	}
	return out
}

func textsOf(all []Position) (out []string) {
	for _, p := range all {
		out = append(out, p.String())
	}
	return out
}

func readerKey(name string) storage.Key { return storage.Key{Partition: readerPartition, Row: name} }

// MarkRead records that a reader has read everything up to the position upTo, and also the changes at the positions
// in ids. It may be repeated. Errors: Invalid, with the field upTo or ids, for a
// position beyond the end of the feed; Invalid, with the field ids, if more than maxBeyond changes would be
// recorded one by one.
func (f Readers) MarkRead(ctx context.Context, name string, upTo Position, ids ...Position) (Reader, error) {
	if err := f.check(ctx, upTo, ids); err != nil {
		return Reader{}, err
	}
	return f.mark(ctx, name, func(r *Reader) error { return f.advance(ctx, r, upTo, ids) })
}

// check checks that positions are not beyond the end of the feed.
func (f Readers) check(ctx context.Context, upTo Position, ids []Position) error {
	end, err := f.feed.End(ctx)
	if err != nil {
		return err
	}
	if upTo.After(end) {
		return fault.Field("upTo", "upTo is after everything in the feed: send the cursor of a list of changes")
	}
	for _, id := range ids {
		if id.After(end) {
			return fault.Field("ids", "ids: no change has the id %s", id)
		}
	}
	return nil
}

// MakeUnread records that a reader has not read the changes at some positions. It may be repeated. Errors: Invalid,
// with the field ids, for a position beyond the end of the feed, and if more than maxBeyond changes would be recorded
// one by one.
func (f Readers) MakeUnread(ctx context.Context, name string, ids ...Position) (Reader, error) {
	if err := f.check(ctx, Position{}, ids); err != nil {
		return Reader{}, err
	}
	return f.mark(ctx, name, func(r *Reader) error {
		r.Beyond = slices.DeleteFunc(r.Beyond, func(p Position) bool { return slices.Contains(ids, p) })
		for _, id := range ids {
			if !id.After(r.UpTo) {
				r.Again = append(r.Again, id)
			}
		}
		slices.SortFunc(r.Again, compare)
		if r.Again = slices.Compact(r.Again); len(r.Again) > maxBeyond {
			return fault.Field("ids", "more than %d changes would be unread again, one by one", maxBeyond)
		}
		return nil
	})
}

// Keep replaces the saved filters of a reader.
func (f Readers) Keep(ctx context.Context, name string, filters []SavedFilter) (Reader, error) {
	return f.change(ctx, name, nil, func(r *Reader) error {
		r.Filters = filters
		return nil
	})
}

// marks are what a record says of a reader: UpTo, Beyond and Again. They mean nothing without each other, so a record
// compares them as one.
type marks struct {
	Read [3][]string `json:"what was read"`
}

func marksOf(r Reader) marks {
	return marks{[3][]string{textsOf([]Position{r.UpTo}), textsOf(r.Beyond), textsOf(r.Again)}}
}

// TakeBack takes back what a record says that a reader has marked. Errors: Conflict if the reader has marked something
// since.
func (f Readers) TakeBack(ctx context.Context, done *undo.Record) (Reader, error) {
	return f.mark(ctx, done.Subject, func(r *Reader) error {
		m := marksOf(*r)
		if err := undo.Back(done, &m); err != nil {
			return err
		}
		r.UpTo = Position{}
		for _, upTo := range positions(m.Read[0]) {
			r.UpTo = upTo
		}
		r.Beyond, r.Again = positions(m.Read[1]), positions(m.Read[2])
		return nil
	})
}

// mark is [Readers.change] that can be taken back.
func (f Readers) mark(ctx context.Context, name string, do func(*Reader) error) (Reader, error) {
	return f.change(ctx, name, f.undo.Begin(undo.Reader, name, telemetry.From(ctx).Actor, undo.Short), do)
}

// change loads a reader, changes it and writes it, after the record that takes the change back. If another process has
// written the row in the meantime, change tries again.
func (f Readers) change(ctx context.Context, name string, done *undo.Record, do func(*Reader) error) (Reader, error) {
	for range writeTries {
		r, etag, err := f.load(ctx, name)
		if err != nil {
			return r, err
		}
		was := marksOf(r)
		if err := do(&r); err != nil {
			return r, err
		}
		if err := f.undo.Keep(ctx, done, was, marksOf(r)); err != nil {
			return r, err
		}
		r.Undo = done.Ref()
		stored := readerRow{UpTo: r.UpTo.String(), Beyond: textsOf(r.Beyond), Again: textsOf(r.Again),
			Filters: r.Filters}
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
	r.Again = slices.DeleteFunc(r.Again, func(p Position) bool { return !p.After(upTo) || slices.Contains(ids, p) })
	r.Beyond = append(r.Beyond, ids...)
	slices.SortFunc(r.Beyond, compare)
	r.Beyond = slices.Compact(r.Beyond)
	drop := func() {
		r.Beyond = slices.DeleteFunc(r.Beyond, func(p Position) bool { return !p.After(r.UpTo) })
	}
	if drop(); len(r.Beyond) > 0 {
		for c, err := range f.Since(ctx, Reader{UpTo: r.UpTo}, Position{}) {
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
