package sqlitesearch

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// slotBits is how much of a chunk's row id tells it from the other chunks of its page.
const (
	slotBits  = 16
	maxChunks = 1 << slotBits
	maxKey    = 1024 // bytes, as in Azure AI Search
)

// row is a chunk as it is stored.
type row struct {
	id                        int64
	uid, title, heading, body string
	ordinal                   int
}

// Put makes the index hold exactly these pages, in one transaction: FTS5 writes a segment for
// each, so a hundred pages together cost a fraction of a hundred by themselves. Only rows that
// differ are written: a page that did not change costs one read per chunk.
func (ix *Index) Put(ctx context.Context, pages ...search.Page) error {
	for _, p := range pages {
		if err := check(p); err != nil {
			return err
		}
	}
	return ix.fault("put", ix.inTransaction(ctx, func(tx *sql.Tx) error {
		for _, p := range pages {
			if err := replacePage(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	}))
}

func replacePage(ctx context.Context, tx *sql.Tx, p search.Page) error {
	page, err := putPage(ctx, tx, p)
	if err != nil {
		return err
	}
	old, err := readChunks(ctx, tx, page)
	if err != nil {
		return err
	}
	return replaceChunks(ctx, tx, page, old, wanted(p))
}

// Remove takes a page out; a page that is not there is no error.
func (ix *Index) Remove(ctx context.Context, id string) error {
	return ix.fault("remove", ix.inTransaction(ctx, func(tx *sql.Tx) error {
		var page int64
		err := tx.QueryRowContext(ctx, "SELECT rowid FROM pages WHERE id = ?", id).Scan(&page)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		old, err := readChunks(ctx, tx, page)
		if err != nil {
			return err
		}
		if err := replaceChunks(ctx, tx, page, old, nil); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM pages WHERE rowid = ?", page)
		return err
	}))
}

func (ix *Index) inTransaction(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := ix.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// check refuses what the port refuses.
func check(p search.Page) error {
	if !isKey(p.ID) {
		return fault.Field("id", "page id %.40q is not 1 to %d letters, digits, - and =, or _ after the first", p.ID, maxKey)
	}
	if len(p.Chunks) > maxChunks {
		return fault.Field("chunks", "page %s has more than %d chunks", p.ID, maxChunks)
	}
	seen := make(map[string]bool, len(p.Chunks))
	for _, c := range p.Chunks {
		if !isKey(c.UID) || seen[c.UID] {
			return fault.Field("chunks", "page %s: chunk uid %.40q is empty, doubled or has characters other than letters, digits, -, = and _", p.ID, c.UID)
		}
		seen[c.UID] = true
	}
	return nil
}

// isKey reports whether s may be a document key in Azure AI Search, so that an index can move
// there.
func isKey(s string) bool {
	if s == "" || len(s) > maxKey || s[0] == '_' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '='
	}) < 0
}

// putPage writes the page's row if it differs and returns its row id.
func putPage(ctx context.Context, tx *sql.Tx, p search.Page) (page int64, err error) {
	const upsert = `
INSERT INTO pages (id, url, host, type, title, language, mime, indexed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET url = excluded.url, host = excluded.host, type = excluded.type, title = excluded.title,
	language = excluded.language, mime = excluded.mime, indexed_at = excluded.indexed_at
WHERE (url, host, type, title, language, mime, indexed_at) IS NOT
	(excluded.url, excluded.host, excluded.type, excluded.title, excluded.language, excluded.mime, excluded.indexed_at)`
	_, err = tx.ExecContext(ctx, upsert, p.ID, plain(p.URL), plain(p.Host), plain(p.Type), plain(p.Title),
		plain(p.Language), plain(p.MimeType), p.IndexedAt.UTC().Format(time.RFC3339))
	if err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, "SELECT rowid FROM pages WHERE id = ?", p.ID).Scan(&page)
	return page, err
}

// wanted are the rows that the page should have, without their ids.
func wanted(p search.Page) []row {
	title := separated(p.Title)
	rows := make([]row, len(p.Chunks))
	for i, c := range p.Chunks {
		rows[i] = row{uid: c.UID, title: title, heading: separated(c.Heading), body: separated(c.Text), ordinal: c.Ordinal}
	}
	return rows
}

// readChunks reads the rows that the page has, by uid.
func readChunks(ctx context.Context, tx *sql.Tx, page int64) (map[string]row, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, uid, ordinal, title, heading, body FROM chunks WHERE id BETWEEN ? AND ?",
		firstSlot(page), lastSlot(page))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	old := map[string]row{}
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.id, &r.uid, &r.ordinal, &r.title, &r.heading, &r.body); err != nil {
			return nil, err
		}
		old[r.uid] = r
	}
	return old, rows.Err()
}

// replaceChunks writes the difference. Rows that leave go first, so that their slots are free.
func replaceChunks(ctx context.Context, tx *sql.Tx, page int64, old map[string]row, want []row) error {
	stays := make(map[string]bool, len(want))
	for _, w := range want {
		stays[w.uid] = true
	}
	taken := map[int64]bool{}
	for uid, o := range old {
		if stays[uid] {
			taken[o.id] = true
		} else if err := writeChunk(ctx, tx, o, row{}); err != nil {
			return err
		}
	}
	free := firstSlot(page)
	for _, w := range want {
		o, found := old[w.uid]
		if found {
			w.id = o.id
		} else {
			for taken[free] {
				free++
			}
			w.id = free
			free++
		}
		if err := writeChunk(ctx, tx, o, w); err != nil {
			return err
		}
	}
	return nil
}

// writeChunk makes old into want, as far as they differ. The zero row stands for none. FTS5 must be
// told the old texts before it is told the new ones (https://sqlite.org/fts5.html, "external
// content tables").
func writeChunk(ctx context.Context, tx *sql.Tx, old, want row) error {
	w := writer{ctx: ctx, tx: tx}
	sameText := old.title == want.title && old.heading == want.heading && old.body == want.body
	if old.id != 0 && (want.id == 0 || !sameText) {
		w.exec("INSERT INTO fts (fts, rowid, title, heading, body) VALUES ('delete', ?, ?, ?, ?)",
			old.id, old.title, old.heading, old.body)
	}
	switch {
	case want.id == 0:
		w.exec("DELETE FROM chunks WHERE id = ?", old.id)
	case old.id == 0:
		w.exec("INSERT INTO chunks (id, uid, ordinal, title, heading, body) VALUES (?, ?, ?, ?, ?, ?)",
			want.id, want.uid, want.ordinal, want.title, want.heading, want.body)
	case !sameText:
		w.exec("UPDATE chunks SET ordinal = ?, title = ?, heading = ?, body = ? WHERE id = ?",
			want.ordinal, want.title, want.heading, want.body, want.id)
	case old.ordinal != want.ordinal:
		w.exec("UPDATE chunks SET ordinal = ? WHERE id = ?", want.ordinal, want.id)
	}
	if want.id != 0 && (old.id == 0 || !sameText) {
		w.exec("INSERT INTO fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)", want.id, want.title, want.heading, want.body)
	}
	return w.err
}

// writer runs statements until one fails.
type writer struct {
	ctx context.Context
	tx  *sql.Tx
	err error
}

func (w *writer) exec(query string, args ...any) {
	if w.err == nil {
		_, w.err = w.tx.ExecContext(w.ctx, query, args...)
	}
}

func firstSlot(page int64) int64 { return page << slotBits }
func lastSlot(page int64) int64  { return page<<slotBits | (maxChunks - 1) }
