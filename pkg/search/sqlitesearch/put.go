package sqlitesearch

import (
	"context"
	"database/sql"
	"errors"
	"strings"

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
	return ix.fault("put", ix.inTransaction(ctx, func(w *writer) error {
		for _, p := range pages {
			page, err := w.putPage(p)
			if err != nil {
				return err
			}
			if err := w.replaceChunks(page.row, wanted(p)); err != nil {
				return err
			}
			if err := w.replaceImages(page, p.Images); err != nil {
				return err
			}
			if err := w.learn(p); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Remove takes a page out; a page that is not there is no error.
func (ix *Index) Remove(ctx context.Context, id string) error {
	return ix.fault("remove", ix.inTransaction(ctx, func(w *writer) error {
		page, err := w.rowOf(id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.replaceChunks(page.row, nil); err != nil {
			return err
		}
		if err := w.replaceImages(page, nil); err != nil {
			return err
		}
		return w.exec("DELETE FROM pages WHERE rowid = ?", page.row)
	}))
}

func (ix *Index) inTransaction(ctx context.Context, do func(*writer) error) error {
	tx, err := ix.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // closes the statements, too
	w := &writer{ctx: ctx, tx: tx, stmts: map[string]*sql.Stmt{}, words: &ix.words, learned: map[uint64]bool{}}
	if err := do(w); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	ix.words.add(w.learned)
	return nil
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
	return checkImages(p)
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

// wanted are the rows that the page should have, without their ids.
func wanted(p search.Page) []row {
	title := separated(p.Title)
	rows := make([]row, len(p.Chunks))
	for i, c := range p.Chunks {
		rows[i] = row{uid: c.UID, title: title, heading: separated(c.Heading), body: separated(c.Text), ordinal: c.Ordinal}
	}
	return rows
}

func firstSlot(page int64) int64 { return page << slotBits }
func lastSlot(page int64) int64  { return page<<slotBits | (maxChunks - 1) }
