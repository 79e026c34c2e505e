// Package sqlitesearch keeps the search index in one file on local disk: SQLite in pure Go,
// nothing to install. It is the embedded adapter of package search; searchtest holds it to the
// port.
//
// It promises that a page whose Put returned is still there, whole, after the process is killed
// at any moment, and that a damaged file, or one of an earlier version, never stops the program: the file is set aside,
// an empty index takes its place and [Index.Begun] says so. The index is derived from the registry's
// snapshots, so a power failure may cost the last seconds but never consistency
// (https://sqlite.org/pragma.html#pragma_synchronous, NORMAL under WAL).
//
// # Rows
//
//	pages   rowid, id (unique), url, host, type, title, language, mime, indexed_at, changed_at and
//	        published_at (Unix, 0 for none), tags (one a line, a
//	        line break on both sides), path (ASCII), images (their number)
//	begun   a random name, until the index is known to be filled
//	images  page = pages.rowid, id, ordinal, src, alt, title, caption
//	chunks  id = pages.rowid<<16 | slot, document, key, uid, title, heading, body, anchor
//	forms   language, stem, word: words that pages of a language have, folded
//	vectors chunk = chunks.id, vector (vector.go)
//	bits    id, pages = pages.rowid>>3, length, part, data: the signs of vectors (bits.go)
//	model   the name of the model that the vectors are of, if any
//
// The words of the chunks are in the tables of package postings, where a chunk is a document, whose key is its id.
//
// The page is in the upper bits of a chunk's id, so hits are grouped by page without touching
// the chunks. Texts in chunks are separated for the tokenizer (package tokens). The title is repeated in
// every chunk, so that a chunk is found by words of the title and of its own. The number of a
// page's images is in its row, so that pages without images never touch the images.
//
// # Words
//
// A word matches without regard to case, to diacritics of Latin letters and to Unicode's normal forms, and in its other
// forms (tide, tides) in the languages that have a stemmer; a phrase and a prefix match only as they are written. One
// chunk, with its headings and the title of its page, must have all content terms of a query, which are all words but
// function words and very common ones. When few chunks have them all, chunks that lack one match, too; when none has
// them all, chunks that have any. Scripts without spaces are found by every run of their characters.
//
// Of the chunks that match (candidates.go), those whose words have the greatest impacts are read, and package ranking
// scores them by their texts (rank.go). How many are read is bounded, so a query takes about as long in a large index
// as in a small one.
//
// # Vectors
//
// A query with a vector also finds the fifty chunks that are nearest to it, and the two rankings are fused. The signs
// of all vectors are compared first (bits.go), and in full only the vectors that share most of them with the query's
// (nearest.go).
//
// # Concurrency
//
// One connection writes, a few read beside it (WAL). Other processes may open the same file;
// writers wait for each other up to ten seconds, then Unavailable is returned.
package sqlitesearch

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

var _ search.Index = (*Index)(nil)

// Index is a search index in a file. Its methods may be called concurrently.
type Index struct {
	file   *sqlitefile.File
	write  *sql.DB // one connection, transactions begin as writers
	read   *sql.DB
	words  vocabulary
	log    *slog.Logger
	model  string
	bounds bounds

	warned sync.Once // of vectors of another length
	signs  signCache
}

// Options may be left zero.
type Options struct {
	Log *slog.Logger // told when a damaged file is set aside; discarded when nil
	// Model is the one that chunks have vectors of, or "". An index that had another begins anew.
	Model string
	// Exhaustive has queries read all that matches, whatever it takes: to be compared with.
	Exhaustive bool
}

const (
	// readers is how many queries run at once; more wait. Queries are bound by CPU.
	readers = 4
	// mapped has queries read the file as memory that the system may take back, up to the two gigabytes that SQLite
	// allows. Each commit empties the caches of the connections that read, and a mapping needs no calls to fill them
	// again.
	mapped = "mmap_size(2147418112)"
)

// Open opens the index in the file at path, which need not exist yet; its folder must. A damaged file, and one of an
// earlier version, is renamed to path.corrupt-<n>. A file that a newer program wrote, or that is not a search
// index, is Invalid and left unchanged.
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
	if ix.read, err = ix.file.Readers(readers, mapped); err != nil {
		ix.write.Close()
		return nil, err
	}
	return ix, nil
}

// Create makes the tables if they are missing.
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

// Begun names the index, alike for all who open the file, from its creation until [Index.Filled];
// then it is "". Pages that were indexed before it began are not in it.
func (ix *Index) Begun(ctx context.Context) (name string, err error) {
	err = ix.read.QueryRowContext(ctx, "SELECT coalesce(max(name), '') FROM begun").Scan(&name)
	return name, ix.fault("begun", err)
}

// Filled records that all pages are certain to be put into the index of that name. It may be repeated.
func (ix *Index) Filled(ctx context.Context, name string) error {
	_, err := ix.write.ExecContext(ctx, "DELETE FROM begun WHERE name = ?", name)
	return ix.fault("filled", err)
}

// Count is the number of pages in the index.
func (ix *Index) Count(ctx context.Context) (n int, err error) {
	err = ix.read.QueryRowContext(ctx, "SELECT count(*) FROM pages").Scan(&n)
	return n, ix.fault("count", err)
}

// warnOfLength logs, once, that queries ignore vectors.
func (ix *Index) warnOfLength(vectors, length int) {
	ix.warned.Do(func() {
		ix.log.Warn("vectors of another length than the query's are passed over: the model has changed under its name; run "+
			"tidemark rebuild", "vectors", vectors, "want", length)
	})
}

// Close releases the file. It waits for calls that are running.
func (ix *Index) Close() error {
	ix.signs.close()
	readErr := ix.read.Close()
	if err := ix.write.Close(); err != nil { // the last to close writes the log back
		return ix.file.Explain(err)
	}
	return ix.file.Explain(readErr)
}
