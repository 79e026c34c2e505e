// Package transfer moves the whole state of one store into another, of any kind, through a folder of plain files, and
// verifies that all of it has arrived.
//
//	manifest.json                    the contents: counts and SHA-256 of each file; written last
//	tables/<table>.jsonl             a row on each line, columns with their types, and its digest
//	blobs/<container>.jsonl          a blob on each line: name, type, metadata, size, digest
//	blobs/<container>/ab/<64 hex>    a blob's bytes, under the SHA-256 of its name; beside it, in a
//	                                 file .json, its line, from which an interrupted export resumes
//	import.checkpoint                the progress of an import until it is done
//
// The folder depends only on the state, byte for byte: two stores are equal when their manifests are equal. Revisions
// and queue messages are not moved. [Plan.Thaw] removes from rows the references to workers and messages of the old
// store, and due rows make the new store resume the work.
//
// The app must be stopped at both ends. Export and import may be interrupted and started again. An export writes all
// rows again, because they must be from one moment, and keeps the blobs that it has, because they never change. An
// import resumes at its checkpoint and skips rows and blobs that are already equal.
//
// # Alternatives considered
//
// Blobs are not stored under their own names. A name may contain characters that a file system forbids or changes,
// and a folder made by a stranger must not decide which files are read.
//
// Import could merge the state into a store that is not empty. It refuses, because host rows count the items beside
// them, and a merged count would be wrong.
package transfer

import (
	"github.com/tidemark/tidemark/pkg/storage"
)

// Plan names the tables and containers with the state of an app.
type Plan struct {
	Tables     []string // by name; rows are written in this order
	Containers []string
	// Later lists those of Tables that stores and folders of earlier versions lack.
	Later []string
	// Hints is the table for the hints of Thaw. It is not moved itself.
	Hints string
	// Thaw changes a row of a table for another store. It may also return a row for the table Hints, which must be
	// written before it. Only the first hint of each partition is written. Thaw must be pure and idempotent. When it
	// is nil, rows are moved unchanged.
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
	Name  string // of the table or container
	Done  int
	Total int // -1 when unknown
}

// Options configure an export or an import. The zero value works.
type Options struct {
	// Overwrite makes an import replace rows and blobs that exist with other content.
	Overwrite bool
	// Progress is called now and then, by one goroutine at a time. It may be nil.
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
	Bytes       int64 // of all blobs
	Found       int   // rows and blobs that an import found unchanged in the store
	Replaced    int   // rows and blobs that an import overwrote
}
