package sqlitesearch

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// The index counts its writes, one for each page that a call changes. The transaction of a write also records it, so
// the index and the list of its writes always agree:
//
//	writes  number, page = pages.id, at (Unix), whole (1 if the page was removed), keys (JSON, of the deleted chunks),
//	        was (host and tags that the page had before and has no more, one a line);
//	        where another generation of the index took over, page is '' and keys is a [search.Takeover]
//	chunks  written: the number of the last write of this chunk
//	pages   written: the number of the last write that concerns all chunks of the page, such as of its title or its tags
//	feed    name, forgotten: the number of the last write whose deletions are forgotten
//
// Texts stand in chunks only. So a list of writes has no text of a removed page, and a chunk stands in it once.

// cursor is where a follower is in the writes of an index.
type cursor struct {
	feed   string // name of the feed
	number int64  // the write that comes next, of which some events may have been given
	gone   int    // number of deletions of that write that were given
	chunk  int64  // the last chunk of that write that was given
	// began is the last write before the follower began, until it has seen all that there is; then 0. Deletions up to
	// this write mean nothing to it.
	began  int64
	filter uint64 // digest of the query's filter
}

func (p cursor) String() string {
	return fmt.Sprintf("%s.%d.%d.%d.%d.%x", p.feed, p.number, p.gone, p.chunk, p.began, p.filter)
}

// cursorOf reads the cursor of a query.
func cursorOf(q search.FollowQuery) (p cursor, err error) {
	if err := q.Check(); err != nil {
		return p, err
	}
	p.filter = q.Filter()
	if q.Since == "" {
		return p, nil
	}
	var filter uint64
	parts := strings.SplitN(q.Since, ".", 2)
	if len(parts) != 2 {
		return p, search.ErrNoCursor
	}
	p.feed = parts[0]
	n, err := fmt.Sscanf(parts[1], "%d.%d.%d.%d.%x", &p.number, &p.gone, &p.chunk, &p.began, &filter)
	if err != nil || n != 5 {
		return p, search.ErrNoCursor
	}
	if filter != p.filter {
		return p, search.ErrOtherFilter
	}
	return p, nil
}

// Follow returns what was written to the index since a cursor.
func (ix *Index) Follow(ctx context.Context, q search.FollowQuery) (out search.Followed, err error) {
	at, err := cursorOf(q)
	if err != nil {
		return out, err
	}
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return out, ix.fault("follow", err)
	}
	defer tx.Rollback()
	f := &follower{writer: writer{ctx: ctx, tx: sqlitefile.NewStatements(tx)}, q: q, at: at}
	err = f.begin()
	if err == nil {
		err = f.events()
	}
	if err != nil {
		if fault.Is(err, fault.Expired) {
			return out, err
		}
		return out, ix.fault("follow", err)
	}
	return search.Followed{Events: f.out, Cursor: f.at.String(), Copying: f.at.began > 0, Index: f.at.feed}, nil
}

// follower collects the events of one answer.
type follower struct {
	writer // which only reads
	q      search.FollowQuery
	at     cursor
	whole  bool // the index is known to be filled
	out    []search.Event
	bytes  int
}

// begin finds out what the index knows, and whether the cursor is one of it.
func (f *follower) begin() error {
	var name, unfilled string
	var forgotten int64
	err := f.tx.QueryRowContext(f.ctx, "SELECT name, forgotten, (SELECT coalesce(max(name), '') FROM begun) FROM feed").
		Scan(&name, &forgotten, &unfilled)
	if err == nil {
		f.last, err = lastWrite(f.ctx, f.tx)
	}
	if err != nil {
		return err
	}
	f.whole = unfilled == ""
	if f.q.Since == "" {
		f.at.feed, f.at.began = name, max(f.last, 1)
		return nil
	}
	if f.at.feed != name || f.at.number > f.last+1 || max(f.at.number-1, f.at.began) < forgotten {
		return search.ErrExpired
	}
	return nil
}

// write is a row of the table "writes".
type write struct {
	number    int64
	page      string
	at        int64
	whole     bool
	keys, was string
}

// atOnce is the number of writes that are read together.
const atOnce = 100

// events adds events until the answer is full or there are no more.
func (f *follower) events() error {
	for {
		writes, err := f.writes()
		if err != nil {
			return err
		}
		for _, w := range writes {
			if w.number != f.at.number { // the write that was begun has nothing more
				f.at.number, f.at.gone, f.at.chunk = w.number, 0, 0
			}
			if full, err := f.eventsOf(w); err != nil || full {
				return err
			}
			f.at.number, f.at.gone, f.at.chunk = w.number+1, 0, 0
		}
		if len(writes) < atOnce {
			if f.whole {
				f.at.began = 0
			}
			return nil
		}
	}
}

func (f *follower) writes() (all []write, err error) {
	var w write
	for err := range f.tx.Rows(f.ctx, "SELECT number, page, at, whole, keys, was FROM writes WHERE number >= ? "+
		"ORDER BY number LIMIT ?", []any{f.at.number, atOnce}, &w.number, &w.page, &w.at, &w.whole, &w.keys, &w.was) {
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// eventsOf adds the events of a write. It reports whether the answer was full before all of them were added.
func (f *follower) eventsOf(w write) (full bool, err error) {
	if f.full() {
		return true, nil
	}
	if w.page == "" {
		f.takeover(w)
		return false, nil
	}
	page, row, written, err := f.page(w.page)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	at := time.Unix(w.at, 0).UTC()
	if f.left(w) && w.number > f.at.began { // if the page matches again, a later write puts all of it
		f.add(search.Event{Op: search.OpDeletePage, Page: search.Page{ID: w.page}, At: at})
	}
	if w.whole || err != nil || !f.matches(page) {
		return false, nil
	}
	if w.number > f.at.began && f.at.chunk == 0 {
		if full := f.deletions(w, page, at); full {
			return true, nil
		}
	}
	return f.puts(w, page, row, written, at)
}

// takeover adds the event that another generation took over.
func (f *follower) takeover(w write) {
	var now search.Takeover
	if json.Unmarshal([]byte(w.keys), &now) == nil && w.number > f.at.began {
		f.add(search.Event{Op: search.OpTakeover, Takeover: now, At: time.Unix(w.at, 0).UTC()})
	}
}

// left reports whether the page of a write may have matched the query before the write and did not after it.
func (f *follower) left(w write) bool {
	if f.q.Host == "" && f.q.Tag == "" {
		return w.whole
	}
	was := strings.Split(w.was, "\n")
	return f.q.Host != "" && slices.Contains(was, hostLine(f.q.Host)) ||
		f.q.Tag != "" && slices.Contains(was, tagLine(f.q.Tag))
}

func (f *follower) matches(p search.Page) bool {
	return (f.q.Host == "" || p.Host == f.q.Host) && (f.q.Tag == "" || slices.Contains(p.Tags, f.q.Tag))
}

func (f *follower) deletions(w write, page search.Page, at time.Time) (full bool) {
	var keys []string
	_ = json.Unmarshal([]byte(w.keys), &keys) // written by asJSON
	for i, key := range keys[min(f.at.gone, len(keys)):] {
		if f.full() {
			f.at.gone += i
			return true
		}
		f.add(search.Event{Op: search.OpDelete, Page: search.Page{ID: page.ID},
			Chunk: search.Chunk{Key: key}, At: at})
	}
	f.at.gone = len(keys)
	return false
}

// puts adds the chunks whose last write this is.
func (f *follower) puts(w write, page search.Page, row, all int64, at time.Time) (full bool, err error) {
	const columns = "SELECT id, key, uid, heading, body, anchor, zone FROM chunks WHERE id > ? AND id <= ? AND written "
	where := "= ? ORDER BY id LIMIT ?"
	switch {
	case all > w.number:
		return false, nil
	case all == w.number:
		where = "<= ? ORDER BY id LIMIT ?"
	}
	args := []any{max(f.at.chunk, firstSlot(row)-1), lastSlot(row), w.number, f.q.Top + 1}
	var id int64
	var c search.Chunk
	for err := range f.tx.Rows(f.ctx, columns+where, args, &id, &c.Key, &c.UID, &c.Heading, &c.Text, &c.Anchor, &c.Zone) {
		if err != nil {
			return false, err
		}
		if f.full() {
			return true, nil
		}
		f.at.chunk = id
		f.add(search.Event{Op: search.OpPut, Page: page, At: at, Chunk: search.Chunk{
			Key: search.BaseKey(c.Key), UID: c.UID, Heading: tokens.Join(c.Heading), Text: tokens.Join(c.Text),
			Anchor: c.Anchor, Zone: c.Zone}})
	}
	return false, nil
}

func (f *follower) full() bool { return len(f.out) >= f.q.Top || f.bytes >= search.FollowedBytes }

func (f *follower) add(e search.Event) {
	f.out = append(f.out, e)
	f.bytes += len(e.Chunk.Text) + len(e.Chunk.Heading)
}

// page reads a page, its row, and the last write that concerns all its chunks.
func (f *follower) page(id string) (p search.Page, row, written int64, err error) {
	var changed, published int64
	var tags string
	err = f.tx.QueryRowContext(f.ctx, "SELECT rowid, written, id, url, host, type, title, language, changed_at, "+
		"published_at, tags, capture FROM pages WHERE id = ?", id).Scan(&row, &written, &p.ID, &p.URL, &p.Host, &p.Type,
		&p.Title, &p.Language, &changed, &published, &tags, &p.Capture)
	p.ChangedAt, p.Tags = time.Unix(changed, 0).UTC(), tagsOf(tags)
	if published != 0 {
		p.PublishedAt = time.Unix(published, 0).UTC()
	}
	return p, row, written, err
}

// Page returns what the index holds of a page.
func (ix *Index) Page(ctx context.Context, id string) (p search.Page, err error) {
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return p, ix.fault("page", err)
	}
	defer tx.Rollback()
	f := &follower{writer: writer{ctx: ctx, tx: sqlitefile.NewStatements(tx)}}
	p, row, _, err := f.page(id)
	if errors.Is(err, sql.ErrNoRows) {
		return p, fault.New(fault.NotFound, "the index holds no page %s", id)
	}
	if err != nil {
		return p, ix.fault("page", err)
	}
	rows, err := f.readRange(firstSlot(row), lastSlot(row), math.MaxInt32)
	for _, r := range rows {
		p.Chunks = append(p.Chunks, search.Chunk{Key: search.BaseKey(r.key), UID: r.uid, Heading: tokens.Join(r.heading),
			Text: tokens.Join(r.body), Anchor: r.anchor, Zone: r.zone})
	}
	return p, ix.fault("page", err)
}

// forgetting removes what is known of deletions up to a number, and writes by which no chunk is known any more. The
// last write stays, so that no number is given twice.
var forgetting = []string{
	"UPDATE feed SET forgotten = max(forgotten, ?1)",
	"DELETE FROM writes WHERE number <= ?1 AND (whole OR keys <> '[]' OR was <> '') " +
		"AND number < (SELECT max(number) FROM writes) AND NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = writes.page " +
		"AND (p.written = writes.number OR EXISTS (SELECT 1 FROM chunks c WHERE c.id BETWEEN p.rowid << 16 " +
		"AND (p.rowid << 16 | 65535) AND c.written = writes.number)))",
	"UPDATE writes SET keys = '[]', was = '' WHERE number <= ?1 AND (keys <> '[]' OR was <> '')",
}

// Forget forgets the deletions before the given time.
func (ix *Index) Forget(ctx context.Context, before time.Time) error {
	return ix.fault("forget", ix.forget(ctx, before))
}

func (ix *Index) forget(ctx context.Context, before time.Time) error {
	tx, prepared, err := ix.writes.Begin(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	const old = "SELECT coalesce(max(number), 0) FROM writes WHERE at < ? AND (whole OR keys <> '[]' OR was <> '')"
	if err := prepared.QueryRowContext(ctx, old, before.Unix()).Scan(&last); err != nil || last == 0 {
		return err
	}
	for _, statement := range forgetting {
		if _, err := prepared.ExecContext(ctx, statement, last); err != nil {
			return err
		}
	}
	return tx.Commit()
}
