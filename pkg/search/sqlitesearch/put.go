package sqlitesearch

import (
	"context"
	"database/sql"
	"errors"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// Put replaces the contents of the index for these pages with exactly the given contents, in one transaction. A
// transaction writes one segment of postings, so putting a hundred pages together costs a fraction of putting them
// one by one. Only rows that differ are written: an unchanged page costs one read for each chunk. Put ignores
// [search.Page.Known], because reading from the index is cheap here.
func (ix *Index) Put(ctx context.Context, pages ...search.Page) error {
	for _, p := range pages {
		if err := p.Check(); err != nil {
			return err
		}
	}
	return ix.fault("put", ix.inTransaction(ctx, func(w *writer) error {
		for _, p := range pages {
			if err := w.put(p); err != nil {
				return err
			}
		}
		return w.finish()
	}))
}

// finish writes the data that are written once for all pages: the signs of vectors, and the postings.
func (w *writer) finish() error {
	if err := w.putBits(); err != nil {
		return err
	}
	return w.postings.Flush()
}

// put replaces the contents of the index for one page.
func (w *writer) put(p search.Page) error {
	page, err := w.putPage(p)
	if err != nil {
		return err
	}
	want, before := wanted(p), len(w.added)
	gone, wrote, err := w.replaceChunks(page.row, want)
	if err != nil {
		return err
	}
	if err := w.note(page, p, gone, wrote); err != nil {
		return err
	}
	if err := w.replaceImages(page, p.Images); err != nil {
		return err
	}
	added := w.added[before:]
	if page.language != p.Language { // in a new language, the words of unchanged texts have other forms
		added = want
	}
	return w.learn(p.Language, added)
}

// Remove removes a page. A missing page is not an error.
func (ix *Index) Remove(ctx context.Context, id string, _ *search.Contents) error {
	return ix.fault("remove", ix.inTransaction(ctx, func(w *writer) error {
		page, err := w.remove(id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			err = w.noteRemoval(id, page)
		}
		if err != nil {
			return err
		}
		return w.finish()
	}))
}

// remove removes a page, and returns its former row. Errors: sql.ErrNoRows if there is no such page.
func (w *writer) remove(id string) (was stored, err error) {
	if was, err = w.rowOf(id); err != nil {
		return was, err
	}
	if _, _, err := w.replaceChunks(was.row, nil); err != nil {
		return was, err
	}
	if err := w.replaceImages(was, nil); err != nil {
		return was, err
	}
	return was, w.exec("DELETE FROM pages WHERE rowid = ?", was.row)
}

func (ix *Index) inTransaction(ctx context.Context, do func(*writer) error) error {
	tx, prepared, err := ix.writes.Begin(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	w := &writer{ctx: ctx, tx: prepared, words: &ix.words, learned: map[uint64]bool{}, vectors: map[int64][]byte{},
		analyzer: ranking.NewAnalyzer(postings.MaxWord), postings: postings.NewWriter(ctx, prepared)}
	if w.last, err = lastWrite(ctx, prepared); err != nil {
		return err
	}
	if err := do(w); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	ix.words.add(w.learned)
	return nil
}

// wanted returns the rows that the page should have, without ids.
func wanted(p search.Page) []row {
	title := tokens.Separate(p.Title)
	rows := make([]row, len(p.Chunks))
	for i, c := range p.Chunks {
		rows[i] = row{key: c.Key, uid: tokens.Plain(c.UID), title: title, heading: tokens.Separate(c.Heading),
			body: tokens.Separate(c.Text), anchor: tokens.Plain(c.Anchor), zone: c.Zone, vector: packed(c.Vector)}
	}
	return rows
}
