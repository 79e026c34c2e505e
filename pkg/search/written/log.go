package written

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	logPartition = "log"
	intentPrefix = "i"
	intentsEnd   = "j"
	numberPrefix = "n"
	numbersEnd   = "o"

	// abandoned is the age at which an intent is of no running call: requests end sooner.
	abandoned = 15 * time.Minute
	// maxIntents limits the number of old intents that one call makes good.
	maxIntents = 50
	// appendTries limits how often a row is appended if another writer is quicker each time.
	appendTries = 20
	// maxPerRow limits the bytes of the keys in a row of the log, before compression.
	maxPerRow = 256 << 10
)

type (
	// headRow is the state of the log.
	headRow struct {
		Feed      string `col:"feed"`      // random name
		Last      int    `col:"last"`      // the number of the last row
		Forgotten int    `col:"forgotten"` // the number of the last row that is forgotten
		Filled    bool   `col:"filled"`    // all pages that were put before there was a log are certain to be put again
	}
	// numberRow is a row of the log.
	numberRow struct {
		At      time.Time `col:"at"`
		Entries []entry   `col:"entries,gzip,must"`
	}
	intentRow struct {
		Page string    `col:"page"`
		At   time.Time `col:"at"`
	}
)

var (
	headRows   = row.Of[headRow]()
	numberRows = row.Of[numberRow]()
	intentRows = row.Of[intentRow]()

	headKey = storage.Key{Partition: logPartition, Row: "head"}
)

func numberKey(n int) storage.Key {
	return storage.Key{Partition: logPartition, Row: fmt.Sprintf("%s%012d", numberPrefix, n)}
}

// head is the head of the log with the revision that was read.
type head struct {
	headRow
	etag storage.ETag
}

// writeLog is the log of what was written.
type writeLog struct {
	rows storage.Table
	now  func() time.Time
	// writing is a lock for the goroutine that appends. Concurrent appends of one process would only conflict.
	writing chan struct{}
	last    *head // nil if it has to be read first; guarded by writing
}

func newLog(rows storage.Table, now func() time.Time) *writeLog {
	return &writeLog{rows: rows, now: now, writing: make(chan struct{}, 1)}
}

// read returns the head. If there is none, read writes it.
func (l *writeLog) read(ctx context.Context) (h head, err error) {
	h.headRow, h.etag, err = headRows.Load(ctx, l.rows, headKey)
	if err != nil || h.etag != "" {
		return h, err
	}
	h.Feed = strings.ToLower(rand.Text()[:12])
	tags, err := l.rows.Transact(ctx, headRows.Put(headKey, "", &h.headRow))
	if fault.Is(err, fault.Conflict) {
		h.headRow, h.etag, err = headRows.Load(ctx, l.rows, headKey)
		return h, err
	}
	if err == nil {
		h.etag = tags[0]
	}
	return h, err
}

// change changes the head, together with other rows. The function is called again if another writer was quicker; if it
// returns no operations, nothing is written.
func (l *writeLog) change(ctx context.Context, do func(h *headRow) []storage.Op) (head, error) {
	select {
	case l.writing <- struct{}{}:
	case <-ctx.Done():
		return head{}, fault.New(fault.Unavailable, "the log of the index was not written: %w", ctx.Err())
	}
	defer func() { <-l.writing }()
	for range appendTries {
		if l.last == nil {
			h, err := l.read(ctx)
			if err != nil {
				return h, err
			}
			l.last = &h
		}
		next := *l.last
		more := do(&next.headRow)
		if next == *l.last && len(more) == 0 {
			return next, nil
		}
		ops := append([]storage.Op{headRows.Put(headKey, next.etag, &next.headRow)}, more...)
		tags, err := l.rows.Transact(ctx, ops...)
		if err == nil {
			next.etag = tags[0]
			l.last = &next
			return next, nil
		}
		l.last = nil
		if !fault.Lost(err) {
			return head{}, err
		}
		if op, blamed := errors.AsType[*storage.OpError](err); blamed && op.Index > 1 {
			return head{}, err
		}
	}
	return head{}, fault.New(fault.Unavailable, "the log of the index is written by too many at once")
}

// fill records that all pages are certain to be put.
func (l *writeLog) fill(ctx context.Context) (head, error) {
	return l.change(ctx, func(h *headRow) []storage.Op {
		h.Filled = true
		return nil
	})
}

// append appends entries, and deletes the intents that they fulfil. Without either it does nothing.
func (l *writeLog) append(ctx context.Context, entries []entry, done intents) error {
	parts := split(entries)
	for i, part := range parts {
		var fulfilled intents
		if i == len(parts)-1 {
			fulfilled = done
		}
		if err := l.appendRow(ctx, part, fulfilled); err != nil {
			return err
		}
	}
	return nil
}

// split distributes entries over rows.
func split(entries []entry) (parts [][]entry) {
	size := 0
	for _, e := range entries {
		n := e.bytes()
		if len(parts) == 0 || size+n > maxPerRow {
			parts, size = append(parts, nil), 0
		}
		last := len(parts) - 1
		parts[last], size = append(parts[last], e), size+n
	}
	return parts
}

func (l *writeLog) appendRow(ctx context.Context, entries []entry, done intents) error {
	props := numberRows.Encode(&numberRow{At: l.now(), Entries: entries})
	for {
		_, err := l.change(ctx, func(h *headRow) []storage.Op {
			h.Last++
			ops := []storage.Op{{Kind: storage.Insert, Entity: storage.Entity{Key: numberKey(h.Last), Props: props}}}
			for _, i := range done {
				ops = append(ops, storage.DeleteOp(i.key, storage.AnyETag))
			}
			return ops
		})
		op, blamed := errors.AsType[*storage.OpError](err)
		if !blamed || op.Index < 2 || !fault.Is(err, fault.NotFound) {
			return err
		}
		gone := op.Index - 2 // another call has made good what this intent was for
		done = slices.Concat(done[:gone], done[gone+1:])
	}
}

// intent is a page that is about to be written, or whose write was interrupted.
type intent struct {
	page string
	at   time.Time
	key  storage.Key
}

type intents []intent

// of reports whether there is an intent of a page.
func (all intents) of(page string) bool {
	return slices.ContainsFunc(all, func(i intent) bool { return i.page == page })
}

// before returns the first intents that are older than a time.
func (all intents) before(t time.Time) (old intents) {
	for _, i := range all {
		if i.at.Before(t) && len(old) < maxIntents {
			old = append(old, i)
		}
	}
	return old
}

// intend stores that pages are about to be written.
func (l *writeLog) intend(ctx context.Context, pages []string) (made intents, err error) {
	var ops []storage.Op
	for _, page := range pages {
		i := intent{page, l.now(), storage.Key{Partition: logPartition, Row: intentPrefix + rand.Text()}}
		ops = append(ops, intentRows.Put(i.key, "", &intentRow{i.page, i.at}))
		made = append(made, i)
	}
	return made, storage.TransactAll(ctx, l.rows, ops)
}

// intents returns all intents.
func (l *writeLog) intents(ctx context.Context) (all intents, err error) {
	q := storage.Query{Partition: logPartition, RowFrom: intentPrefix, RowTo: intentsEnd}
	for e, err := range l.rows.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		i, _ := intentRows.Decode(e.Props)
		all = append(all, intent{i.Page, i.At, e.Key})
	}
	return all, nil
}

// numbered is a row of the log with its number.
type numbered struct {
	numberRow
	number int
}

// from yields the rows from a number on. It stops where a number is missing: a query may see a
// row that was written while it ran, and not the one before.
func (l *writeLog) from(ctx context.Context, n int) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		q := storage.Query{Partition: logPartition, RowFrom: numberKey(n).Row, RowTo: numbersEnd, PageSize: 100}
		for e, err := range l.rows.Query(ctx, q) {
			var r numbered
			if err == nil {
				r.number, err = strconv.Atoi(strings.TrimPrefix(e.Row, numberPrefix))
			}
			if err == nil && r.number != n {
				return
			}
			if err == nil {
				if r.numberRow, err = numberRows.Decode(e.Props); err != nil {
					err = search.ErrExpired // the row is damaged
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
			n++
		}
	}
}

// Forget forgets what was written before the given time. First it moves the number by which old cursors expire. So
// nobody misses a row that it deletes. Forget also makes old intents good.
func (x *Index) Forget(ctx context.Context, before time.Time) error {
	open, err := x.log.intents(ctx)
	if err == nil {
		err = x.commit(ctx, nil, open)
	}
	if err != nil {
		return err
	}
	var old []storage.Op
	last := 0
	q := storage.Query{Partition: logPartition, RowFrom: numberPrefix, RowTo: numbersEnd, Select: []string{"at"}}
	for e, err := range x.log.rows.Query(ctx, q) {
		if err != nil {
			return err
		}
		if r, _ := numberRows.Decode(e.Props); !r.At.Before(before) {
			break
		}
		n, err := strconv.Atoi(strings.TrimPrefix(e.Row, numberPrefix))
		if err != nil {
			return fault.New(fault.Internal, "the log of the index has a row %q", e.Row)
		}
		old, last = append(old, storage.DeleteOp(e.Key, storage.AnyETag)), n
	}
	if len(old) == 0 {
		return nil
	}
	_, err = x.log.change(ctx, func(h *headRow) []storage.Op {
		h.Forgotten = max(h.Forgotten, last)
		return nil
	})
	if err == nil {
		err = storage.TransactAll(ctx, x.log.rows, old)
	}
	return fault.Except(err, fault.NotFound) // another process forgets them
}
