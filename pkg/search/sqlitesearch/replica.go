package sqlitesearch

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"os"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// An index can be a replica of another one, with other vectors: it follows the writes of that index. What it holds has
// the same numbers of writes, so a follower of the one can go on with the other.

// copiedWrites is the number of writes that one step copies, in one transaction.
const copiedWrites = 64

// replica is a page as another index has it.
type replica struct {
	page *search.Page // nil if the page was removed
	id   string
	origin
}

// Behind returns how many writes of another index this one has not copied, and how many there are.
func (ix *Index) Behind(ctx context.Context, from *Index) (left, of int64, err error) {
	const last = "SELECT coalesce(max(number), 0) FROM writes"
	var have int64
	err = ix.read.QueryRowContext(ctx, last).Scan(&have)
	if err == nil {
		err = from.read.QueryRowContext(ctx, last).Scan(&of)
	}
	return of - have, of, ix.fault("behind", err)
}

// CopyFrom copies the next writes of another index, and returns how many are left. Embed adds vectors to a page. If it
// fails, nothing of this step is copied. A crash loses no more than a step.
func (ix *Index) CopyFrom(ctx context.Context, from *Index,
	embed func(context.Context, *search.Page) error) (left int64, err error) {
	left, _, err = ix.Behind(ctx, from)
	if err != nil || left <= 0 {
		return left, err
	}
	c, err := from.copyable(ctx, ix)
	if err != nil {
		return left, from.fault("copy", err)
	}
	for _, r := range c.pages {
		if r.page != nil {
			if err := embed(ctx, r.page); err != nil {
				return left, err
			}
		}
	}
	if err := ix.inTransaction(ctx, func(w *writer) error { return w.copy(c) }); err != nil {
		return left, ix.fault("copy", err)
	}
	return c.last - c.writes[len(c.writes)-1].number, nil
}

// copied is what one step copies.
type copied struct {
	feed            string
	forgotten, last int64
	writes          []write
	pages           []*replica
}

// copyable reads the writes that a replica lacks, and their pages as they are now.
func (ix *Index) copyable(ctx context.Context, to *Index) (c copied, err error) {
	var have int64
	if err := to.read.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) FROM writes").Scan(&have); err != nil {
		return c, err
	}
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return c, err
	}
	defer tx.Rollback()
	f := &follower{writer: writer{ctx: ctx, tx: sqlitefile.NewStatements(tx)}, at: cursor{number: have + 1}}
	if c.last, err = lastWrite(ctx, f.tx); err != nil {
		return c, err
	}
	if err := tx.QueryRowContext(ctx, "SELECT name, forgotten FROM feed").Scan(&c.feed, &c.forgotten); err != nil {
		return c, err
	}
	if c.writes, err = f.writes(); err != nil {
		return c, err
	}
	c.writes = c.writes[:min(len(c.writes), copiedWrites)]
	seen := map[string]bool{"": true}
	for _, w := range c.writes {
		if seen[w.page] {
			continue
		}
		seen[w.page] = true
		r, err := f.replica(w.page)
		if err != nil {
			return c, err
		}
		c.pages = append(c.pages, r)
	}
	return c, nil
}

// replica reads a page with all that a row of it has.
func (f *follower) replica(id string) (*replica, error) {
	r := &replica{id: id, origin: origin{numbers: map[string]int64{}}}
	p, row, written, err := f.page(id)
	if errors.Is(err, sql.ErrNoRows) {
		return r, nil
	}
	var indexed string
	if err == nil {
		err = f.tx.QueryRowContext(f.ctx, "SELECT mime, indexed_at, same, place FROM pages WHERE id = ?", id).
			Scan(&p.MimeType, &indexed, &r.same, &p.Precedence)
	}
	if err != nil {
		return nil, err
	}
	p.IndexedAt, _ = time.Parse(time.RFC3339, indexed) // written in this form
	r.page, r.written = &p, written
	rows, err := f.readRange(firstSlot(row), lastSlot(row), math.MaxInt32)
	if err != nil {
		return nil, err
	}
	for _, c := range rows {
		key := search.BaseKey(c.key)
		r.numbers[key] = c.written
		p.Chunks = append(p.Chunks, search.Chunk{Key: key, UID: c.uid, Heading: tokens.Join(c.heading),
			Text: tokens.Join(c.body), Anchor: c.anchor, Zone: c.zone})
	}
	images, err := f.readImages(row)
	p.Images = make([]search.Image, len(images))
	for _, img := range images {
		p.Images[img.ordinal] = img.Image
	}
	return r, err
}

// copy writes what one step copies.
func (w *writer) copy(c copied) error {
	for _, r := range c.pages {
		w.copied = &r.origin
		var err error
		if r.page != nil {
			err = w.put(*r.page)
		} else if _, err = w.remove(r.id); errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	for _, row := range c.writes {
		if err := w.exec("INSERT OR REPLACE INTO writes (number, page, at, whole, keys, was) VALUES (?, ?, ?, ?, ?, ?)",
			row.number, row.page, row.at, row.whole, row.keys, row.was); err != nil {
			return err
		}
	}
	if err := w.exec("UPDATE feed SET name = ?, forgotten = ?", c.feed, c.forgotten); err != nil {
		return err
	}
	return w.finish()
}

// Announce tells the followers of the index that it took over from another generation.
func (ix *Index) Announce(ctx context.Context, now search.Takeover) error {
	said, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return ix.fault("announce", ix.inTransaction(ctx, func(w *writer) error {
		w.last++
		if err := w.exec("INSERT INTO writes (number, page, at, whole, keys, was) VALUES (?, '', ?, 0, ?, '')", w.last,
			time.Now().Unix(), string(said)); err != nil {
			return err
		}
		return w.finish()
	}))
}

// ModelOf returns the model of the vectors of the index at path, and whether there is an index that can be used.
func ModelOf(ctx context.Context, path string) (model string, found bool) {
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return "", false
	}
	ix := &Index{file: databaseAt(path)}
	if ix.examine() != nil {
		return "", false
	}
	db, err := ix.file.Readers(1)
	if err != nil {
		return "", false
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(name), '') FROM model").Scan(&model)
	return model, err == nil
}
