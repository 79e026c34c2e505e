// Package transfer moves the whole state of one store into another store of any kind, through a folder of plain
// files. It verifies that all of the state has arrived.
//
//	manifest.json                    the contents: counts and SHA-256 of each file; written last
//	tables/<table>.jsonl             a row on each line, columns with their types, and the line's digest
//	blobs/<container>.jsonl          a blob on each line: name, type, metadata, size, digest
//	blobs/<container>/ab/<64 hex>    a blob's bytes, under the SHA-256 of its name; beside it, in a
//	                                 .json file, its line, by which an interrupted export resumes
//	import.checkpoint                the progress of an import until it is done
//
// The folder depends only on the state, byte for byte. So two stores are equal if their manifests are equal.
// Revisions and queue messages are not moved. Rows may refer to workers and messages of the old store. [Plan.Thaw]
// removes these references. It also adds due rows, which make the new store resume the work.
//
// The app must be stopped at both ends. Export and import may be interrupted and started again. A repeated export
// writes all rows again, because they must be from one moment. It keeps the blobs that it already has, because blobs
// never change. An import resumes at its checkpoint and skips rows and blobs that are already equal.
//
// # Alternatives considered
//
// Blobs are not stored under their own names. A name may contain characters that a file system forbids or changes.
// And a folder from an unknown source must not decide which files are read.
//
// Import could merge the state into a store that is not empty. It refuses to do so, because host rows contain the
// number of items of the host, and a merged number would be wrong.
package transfer

import (
	"iter"

	"github.com/tidemark/tidemark/pkg/storage"
)

// Plan lists the tables and containers that hold the state of an app.
type Plan struct {
	Tables     []string // table names, in the order in which rows are written
	Containers []string
	// Admit, if set, gets the rows of the first table in a folder. If it returns an error, nothing is imported.
	Admit func(rows iter.Seq2[storage.Entity, error]) error
	// Hints is the table for the hints that Thaw returns. This table itself is not moved.
	Hints string
	// Thaw adapts a row of a table to another store. It may also return a hint: a row for the table Hints, which must
	// be written before the adapted row. Only the first hint of each partition is written. Thaw must be pure and
	// idempotent. If Thaw is nil, rows are moved unchanged.
	Thaw func(table string, e storage.Entity) (thawed, hint storage.Entity, hinted bool)
}

func (p Plan) thaw(table string, e storage.Entity) (thawed, hint storage.Entity, hinted bool) {
	if p.Thaw == nil {
		return e, storage.Entity{}, false
	}
	return p.Thaw(table, e)
}

// Progress is the progress of one table or container.
type Progress struct {
	Doing string // "exporting", "checking", "importing" or "verifying"
	Name  string // name of the table or container
	Done  int
	Total int // -1 if the total is unknown
}

// Options configure an export or an import. The zero value works.
type Options struct {
	// If Overwrite is set, an import replaces rows and blobs that exist with other content.
	Overwrite bool
	// Progress is called from time to time, by one goroutine at a time. It may be nil.
	Progress func(Progress)
}

func (o Options) progress(doing, name string, done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{doing, name, done, total})
	}
}

// Report counts the rows and blobs of an export or import.
type Report struct {
	Rows, Blobs int   // in total
	Bytes       int64 // total size of all blobs
	Found       int   // rows and blobs that an import found unchanged in the store
	Replaced    int   // rows and blobs that an import overwrote
}
