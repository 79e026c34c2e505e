// Package postings keeps which documents have which words, and where, in tables of an SQLite file; all changes are part
// of their user's transaction, and what it reads is of one moment.
//
// # Documents
//
// A document is what somebody calls by a key, a number other than 0. It has a number of its own, which rises with each
// that is added and is never given twice: a document that says something else now is removed and added. Table documents
// has the keys of 256 of them in each row, 0 for those that were removed.
//
// # Segments
//
// What one transaction adds is a segment: the words in order, packed into leaves of some kilobytes, each with its
// postings, or with the place of rows that have them if they are long. A segment never changes. Several of one size are
// merged into one, in steps as large as what is written, so no transaction waits for a merge: the segments that are
// merged are read until the last step. The documents of segments lie one behind the other, so those of a word are the
// postings of all segments in a row. One that has lost half of its documents is written anew.
//
// # Postings
//
// A posting is the number of a document and an impact, a number that the user of the package chooses: what the word
// adds to the document's score. Positions are stored apart and only read for phrases.
package postings

import (
	"fmt"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// Schema makes the tables.
const Schema = `
CREATE TABLE segments (
	id INTEGER PRIMARY KEY,
	first INTEGER NOT NULL, last INTEGER NOT NULL,
	level INTEGER NOT NULL, state INTEGER NOT NULL,
	target INTEGER NOT NULL DEFAULT 0, done TEXT NOT NULL DEFAULT '',
	documents INTEGER NOT NULL, gone INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL
);
CREATE TABLE leaves (id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, first TEXT NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX leaves_first ON leaves (segment, first);
CREATE TABLE lists (id INTEGER PRIMARY KEY, postings BLOB NOT NULL, positions BLOB NOT NULL);
CREATE TABLE documents (block INTEGER PRIMARY KEY, keys BLOB NOT NULL);
`

const (
	impactBits = 16
	rowBits    = 28 // of the id of a leaf or list, which say its place within its segment
	blockSize  = 256
	keyBytes   = 8
	// MaxWord is how many bytes of a word are told apart.
	MaxWord = 100
)

// Segments are live until they are merged, whole; and merging while that goes on. What they are merged into is growing
// until it takes their place, and they are left then, to be deleted piece by piece.
const (
	live = iota
	merging
	growing
	left
)

// segment is a row of table segments.
type segment struct {
	id, first, last int64 // last is the first number behind it
	level, state    int
	target          int64  // what it is merged into
	done            string // the last word that was written, of one that grows
	documents, gone int64
	length          int64 // of all documents together, in words
}

// ErrDamaged is what cannot be read.
const ErrDamaged = sqlitefile.Damage("the words of the index are damaged")

func damaged(what string, at int64) error { return fmt.Errorf("%w: %s %d", ErrDamaged, what, at) }

// Hit is a posting: the number of the document and the impact of the word there.
type Hit uint64

// NewHit makes one.
func NewHit(document int64, impact uint16) Hit { return Hit(document)<<impactBits | Hit(impact) }

// Document is its number.
func (h Hit) Document() int64 { return int64(h >> impactBits) }

// Impact is what was given for the word in the document.
func (h Hit) Impact() uint16 { return uint16(h) }

// Clip is as much of a word as is told apart: all words have to be clipped.
func Clip(word string) string {
	return words.Clip(word, MaxWord)
}
