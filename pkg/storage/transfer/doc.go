// Package transfer moves all state of one store into another, by way of a folder of plain files, between any two
// kinds of store, and verifies that all of it arrived.
//
//	manifest.json                    what there is: counts and SHA-256 of each file; written last
//	tables/<table>.jsonl             a row on each line, columns with their types, and its digest
//	blobs/<container>.jsonl          a blob on each line: name, type, metadata, size, digest
//	blobs/<container>/ab/<64 hex>    a blob's bytes, under the SHA-256 of its name; beside it, in a
//	                                 file .json, its line, by which an export is taken up again
//	import.checkpoint                how far an import has come, while it is not done
//
// The folder depends on the state alone, byte for byte: two stores are the same if their manifests
// are. Revisions and queue messages are not moved. What rows say about workers and messages of
// the old store is taken out by [Plan.Thaw], and due rows bring the work back.
//
// The app must be stopped at both ends. Everything may be interrupted and started again: an export
// writes rows anew, which must be of one moment, and keeps the blobs that it has, which never
// change; an import goes on at its checkpoint and passes over what is there and equal.
//
// # Alternatives considered
//
// Blobs are not stored under their own names, because a name may hold what a file system forbids
// or takes for another name, and because a folder from an unknown source must not decide where files are read.
//
// Import could merge into a store that has state of its own. It refuses: host rows count the
// items beside them, and a merged count would be wrong.
package transfer

import (
	"github.com/tidemark/tidemark/pkg/storage"
)

// Plan says what belongs to the state of an app.
type Plan struct {
	Tables     []string // by name; rows are written in this order
	Containers []string
	// Later are those of Tables that stores and folders of earlier versions lack.
	Later []string
	// Hints is the table that the hints of Thaw go to. It is not moved itself.
	Hints string
	// Thaw makes a row of a table fit for another store, and may give a row for the table Hints
	// that must be there before it. The first hint of each partition is written. It must be pure,
	// and thawing twice must be thawing once. Rows are moved as they are when nil.
	Thaw func(table string, e storage.Entity) (thawed, hint storage.Entity, hinted bool)
}

func (p Plan) thaw(table string, e storage.Entity) (thawed, hint storage.Entity, hinted bool) {
	if p.Thaw == nil {
		return e, storage.Entity{}, false
	}
	return p.Thaw(table, e)
}

// Progress is how far one table or container has come.
type Progress struct {
	Doing string // "exporting", "checking", "importing" or "verifying"
	Name  string // of the table or container
	Done  int
	Total int // -1 when unknown
}

// Options adjust an export or an import. The zero value works.
type Options struct {
	// Overwrite has an import replace rows and blobs that are there with other content.
	Overwrite bool
	// Progress is told how far it has come, now and then, by one goroutine at a time. Nobody when nil.
	Progress func(Progress)
}

func (o Options) progress(doing, name string, done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{doing, name, done, total})
	}
}

// Report counts what an export or import did.
type Report struct {
	Rows, Blobs int   // in all
	Bytes       int64 // of all blobs
	Found       int   // rows and blobs that an import found there and equal
	Replaced    int   // rows and blobs that an import overwrote
}
