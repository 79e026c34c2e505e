// Package sqlitesearch keeps the search index in one file on local disk, with SQLite in pure Go, so there is nothing
// to install. It is the embedded adapter of package search; package searchtest tests it against the port.
//
// A page whose Put has returned survives as a whole if the process is killed at any moment. A damaged file, or one of
// an earlier version, never stops the program: the file is set aside, an empty index replaces it, and [Index.Begun]
// reports the replacement. The index is derived from the registry's snapshots. So a power failure may cost the last
// seconds but never consistency (https://sqlite.org/pragma.html#pragma_synchronous, NORMAL under WAL).
//
// # Rows
//
//	pages   rowid, id (unique), url, host, type, title, language, mime, indexed_at, changed_at and
//	        published_at (Unix, 0 for none), tags (one a line, a
//	        line break on both sides), path (ASCII), images (their number)
//	begun   a random name, until the index is known to be filled
//	images  page = pages.rowid, id, ordinal, src, alt, title, caption
//	chunks  id = pages.rowid<<16 | slot, document, key, uid, title, heading, body, anchor, zone
//	forms   language, stem, word: words that pages of a language have, folded
//	vectors chunk = chunks.id, vector (vector.go)
//	bits    id, pages = pages.rowid>>3, length, part, data: the signs of vectors (bits.go)
//	model   the name of the model that the vectors are of, if any
//	writes, feed  what was written, for followers (follow.go)
//
// The words of the chunks are in the tables of package postings. There, each chunk is a document; its key is the
// chunk's id.
//
// The upper bits of a chunk's id identify the page, so hits are grouped by page without reading the chunks. Texts in
// chunks have separators for the tokenizer (package tokens). The title is repeated in every chunk, so that a chunk is
// found by words of the title and of its own text. The number of a page's images is in its row, so that a page
// without images costs no read of table images.
//
// # Words
//
// A word matches regardless of case, diacritics of Latin letters and Unicode normalization form. It also matches its
// other forms (tide, tides) in the languages that have a stemmer. Phrases and prefixes match only as they are
// written. One chunk, with its headings and the title of its page, must contain all content terms of a query: all
// words except function words and very common ones. If few chunks contain them all, chunks that lack one term match,
// too. If no chunk contains them all, chunks with any term match. Text in a script without spaces is found by every
// run of its characters.
//
// Of the matching chunks (candidates.go), those whose words have the greatest impacts are read, and package ranking
// scores them by their texts (rank.go). The number of chunks to read is bounded, so a query takes about as long in a
// large index as in a small one.
//
// # Vectors
//
// A query with a vector also finds the fifty chunks nearest to this vector, and the two rankings are fused. The query
// first compares the signs of all vectors (bits.go). It then compares in full only the vectors whose signs agree most
// with its own (nearest.go).
//
// # Concurrency
//
// One connection writes while a few others read (WAL). Other processes may open the same file. Writers wait for each
// other up to ten seconds, then return Unavailable.
package sqlitesearch

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

var _ search.Index = (*Index)(nil)

// Words is the version of the analysis of words. It must be raised if package ranking or tokens makes other words of a
// text: an index with words of another version answers, but less well.
const Words = 1

// Index is a search index in a file. It is safe for concurrent use.
type Index struct {
	file   *sqlitefile.File
	write  *sql.DB                  // one connection; its transactions begin as write transactions
	writes *sqlitefile.Transactions // of write
	read   *sql.DB
	words  vocabulary
	log    *slog.Logger
	model  string
	bounds bounds

	warned sync.Once // so that the log states only once that queries ignore vectors
	signs  signCache
}

// Options are the settings of an index. The zero value is usable.
type Options struct {
	Log *slog.Logger // for messages that a damaged file is set aside; discarded if nil
	// Model is the model of the chunks' vectors, or "". An index with vectors of another model must be filled again.
	Model string
	// Exhaustive makes queries read all matching chunks, whatever the cost. It is for comparisons.
	Exhaustive bool
}

const (
	// readers is the number of queries that run at once; others wait. Queries are CPU-bound.
	readers = 4
	// mapped makes queries read the file through a memory mapping of up to the two gigabytes that SQLite allows. The
	// system may reclaim this memory. Each commit empties the caches of the reading connections. With a mapping, they
	// need no system calls to fill the caches again.
	mapped = "mmap_size(2147418112)"
)

// Open opens the index in the file at path. The file need not exist, but its folder must. Open renames a damaged file
// to path.corrupt-<n>, and one of an earlier version to path.old-<n>. Errors: Invalid for a file that a newer program
// wrote or that is not a search index. Such a file stays unchanged.
func Open(path string, o Options) (*Index, error) {
	ix := &Index{file: databaseAt(path), log: o.Log, model: o.Model, signs: signCache{most: cachedBytes}}
	defaults.Log(&ix.log)
	ix.bounds = usual
	if o.Exhaustive {
		ix.bounds = everything
	}
	if err := ix.setAsideIfUnusable(); err != nil {
		return nil, err
	}
	var err error
	if ix.write, err = ix.file.Writer(); err != nil {
		return nil, err
	}
	ix.writes = sqlitefile.NewTransactions(ix.write)
	if ix.read, err = ix.file.Readers(readers, mapped); err != nil {
		ix.write.Close()
		return nil, err
	}
	return ix, nil
}

// Create creates the missing tables.
func (ix *Index) Create(ctx context.Context) error {
	err := ix.makeTables(ctx)
	if err == nil {
		err = useModel(ctx, ix.write, ix.model)
	}
	return ix.fault("create", err)
}

func (ix *Index) makeTables(ctx context.Context) error {
	conn, err := ix.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return ix.file.Create(ctx, conn)
}

// Begun returns a name for the index until [Index.Filled] records that the index is filled, and "" after that. All
// processes that open the file get the same name. Until the index is filled, it lacks the pages that were indexed
// before its creation.
func (ix *Index) Begun(ctx context.Context) (name string, err error) {
	err = ix.read.QueryRowContext(ctx, "SELECT coalesce(max(name), '') FROM begun").Scan(&name)
	return name, ix.fault("begun", err)
}

// Filled records that all pages are certain to be put into the index with the given name. Repeating the call is
// harmless.
func (ix *Index) Filled(ctx context.Context, name string) error {
	_, err := ix.write.ExecContext(ctx, "DELETE FROM begun WHERE name = ?", name)
	return ix.fault("filled", err)
}

// Count returns the number of pages in the index.
func (ix *Index) Count(ctx context.Context) (n int, err error) {
	err = ix.read.QueryRowContext(ctx, "SELECT count(*) FROM pages").Scan(&n)
	return n, ix.fault("count", err)
}

// warnOfLength logs, once, that queries ignore vectors of another length.
func (ix *Index) warnOfLength(vectors, length int) {
	ix.warned.Do(func() {
		ix.log.Warn("vectors of another length than the query's are passed over: the model has changed under its name; run "+
			"tidemark rebuild", "vectors", vectors, "want", length)
	})
}

// Close releases the file. It waits for running calls.
func (ix *Index) Close() error {
	ix.signs.close()
	readErr := ix.read.Close()
	if err := ix.write.Close(); err != nil { // the last connection that is closed writes the log back
		return ix.file.Explain(err)
	}
	return ix.file.Explain(readErr)
}

// maxKnown is the maximum number of words in the cache.
const maxKnown = 200_000

// vocabulary caches which words are in the table "forms", as hashes of word and language. For a word that is not
// cached, the writer executes a statement that may change nothing.
type vocabulary struct {
	mu    sync.Mutex
	known map[uint64]struct{}
}

func (v *vocabulary) has(key uint64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, known := v.known[key]
	return known
}

// add caches the words of a transaction that was committed.
func (v *vocabulary) add(keys map[uint64]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known)+len(keys) > maxKnown {
		v.known = map[uint64]struct{}{}
	}
	for k := range keys {
		v.known[k] = struct{}{}
	}
}

// useModel records the model of the vectors in the index, or "" for no model. It deletes the vectors of another
// model. After a change of the model, the index must be filled again ([Index.Begun]), because searches by meaning
// would not find the pages that are not put again.
func useModel(ctx context.Context, db *sql.DB, model string) error {
	const known = "SELECT coalesce(max(name), '') FROM model"
	var had string
	if err := db.QueryRowContext(ctx, known).Scan(&had); err != nil || had == model {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// The model is read again, because another process may have changed it in the meantime.
	if err := tx.QueryRowContext(ctx, known).Scan(&had); err != nil || had == model {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM vectors; DELETE FROM bits; DELETE FROM model"); err != nil {
		return err
	}
	if model != "" {
		if _, err := tx.ExecContext(ctx, "INSERT INTO model VALUES (?)", model); err != nil {
			return err
		}
		const begin = "INSERT INTO begun SELECT lower(hex(randomblob(8))) WHERE NOT EXISTS (SELECT 1 FROM begun)"
		if _, err := tx.ExecContext(ctx, begin); err != nil {
			return err
		}
	}
	return tx.Commit()
}

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
