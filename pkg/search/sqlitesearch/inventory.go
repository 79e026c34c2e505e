package sqlitesearch

import (
	"context"
	"database/sql"
	"errors"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

var _ search.Inventory = (*Index)(nil)

// Inspect returns the contents of the index for a page. Errors: NotFound if there are none.
func (ix *Index) Inspect(ctx context.Context, id string) (search.Stored, error) {
	stored, err := ix.inspect(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return stored, fault.New(fault.NotFound, "the index holds no page %s", id)
	}
	return stored, ix.fault("inspect", err)
}

func (ix *Index) inspect(ctx context.Context, id string) (stored search.Stored, err error) {
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return stored, err
	}
	defer tx.Rollback()
	r := &writer{ctx: ctx, tx: sqlitefile.NewStatements(tx)} // this writer only reads
	page, err := r.rowOf(id)
	if err != nil {
		return stored, err
	}
	stored = search.Stored{Chunks: map[string]string{}, Images: map[string]bool{}}
	chunks, err := r.readChunks(page.row)
	if err != nil {
		return stored, err
	}
	for key, c := range chunks {
		stored.Chunks[key] = c.uid
	}
	var tags string
	if err := tx.QueryRowContext(ctx, "SELECT tags FROM pages WHERE rowid = ?", page.row).Scan(&tags); err != nil {
		return stored, err
	}
	stored.Tags = tagsOf(tags)
	images, err := r.readImages(page.row)
	for id := range images {
		stored.Images[id] = true
	}
	return stored, err
}

// IDs returns page ids in ascending order, starting after the given id. It returns at most top ids.
func (ix *Index) IDs(ctx context.Context, after string, top int) (ids []string, err error) {
	var id string
	for err := range sqlitefile.Rows(ctx, ix.read, "SELECT id FROM pages WHERE id > ? ORDER BY id LIMIT ?",
		[]any{after, top}, &id) {
		if err != nil {
			return nil, ix.fault("ids", err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Texts returns the texts of chunks of a page, by their uids.
func (ix *Index) Texts(ctx context.Context, id string, uids []string) (map[string]string, error) {
	texts := map[string]string{}
	var uid, body string
	for err := range sqlitefile.Rows(ctx, ix.read, "SELECT c.uid, c.body FROM pages p JOIN chunks c ON c.id BETWEEN "+
		"p.rowid << ? AND (p.rowid << ? | ?) WHERE p.id = ? AND c.uid IN (SELECT value FROM json_each(?))",
		[]any{slotBits, slotBits, lastSlot(0), id, asJSON(uids)}, &uid, &body) {
		if err != nil {
			return nil, ix.fault("texts", err)
		}
		texts[uid] = tokens.Join(body)
	}
	return texts, nil
}
