// Package postings stores which words each document contains, and at which positions, in tables of an SQLite file.
// All changes are part of the caller's transaction, and all reads of a transaction see one state.
//
// # Documents
//
// The caller identifies a document by a key, a number other than 0. The package assigns each document a number of its
// own. These numbers rise with each added document and are never reused. To change a document, the caller removes it
// and adds it again. Each row of the table "documents" holds the keys of 256 documents, with 0 for removed ones.
//
// # Segments
//
// The words that one transaction adds form a segment. They are sorted and packed into leaves of some kilobytes. A
// leaf holds the postings of its words. If the postings of a word are long, the leaf instead holds the ids of the
// rows with these postings. A segment never changes. Several segments of one size are merged into one. A write does
// only one step of each running merge. The size of the step is proportional to the write, so no transaction waits for
// a whole merge. Until the last step, queries read the inputs. The document numbers of segments ascend and do not
// overlap. So the postings of a word are its postings in all segments, one segment after another. A segment that has
// lost half of its documents is rewritten.
//
// # Postings
//
// A posting is the number of a document and an impact. The impact is a number that the caller chooses: how much the
// word adds to the document's score. Positions are stored separately and read only for phrases.
package postings

import (
	"fmt"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// Schema creates the tables.
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
	rowBits    = 28 // number of low bits of a leaf's or list's id; they give its position within its segment
	blockSize  = 256
	keyBytes   = 8
	// MaxWord is the number of bytes of a word that are significant.
	MaxWord = 100
)

// The states of a segment. At first, a segment is live. It is merging while a merge reads it; a merge always reads
// whole segments. The output of a merge is growing until it replaces its inputs. From then on, the inputs are left
// until they have been deleted piece by piece.
const (
	live = iota
	merging
	growing
	left
)

// segment is a row of the table segments.
type segment struct {
	id, first, last int64 // its documents have the numbers in [first, last)
	level, state    int
	target          int64  // id of the segment into which this one is merged
	done            string // for a growing segment, the last word that was written
	documents, gone int64
	length          int64 // total number of words in all documents
}

// ErrDamaged reports data that cannot be read.
const ErrDamaged = sqlitefile.Damage("the words of the index are damaged")

func damaged(what string, at int64) error { return fmt.Errorf("%w: %s %d", ErrDamaged, what, at) }

// Hit is a posting: the number of a document, and the impact of a word in it.
type Hit uint64

// NewHit returns a posting with the given document and impact.
func NewHit(document int64, impact uint16) Hit { return Hit(document)<<impactBits | Hit(impact) }

// Document returns the number of the document.
func (h Hit) Document() int64 { return int64(h >> impactBits) }

// Impact returns the impact of the word in the document.
func (h Hit) Impact() uint16 { return uint16(h) }

// Clip returns the significant part of a word. Callers must clip all words that they pass.
func Clip(word string) string {
	return words.Clip(word, MaxWord)
}

// From returns the part of a sorted list that begins with the hit of a document, or else with the first hit after
// that document.
func From(hits []Hit, document int64) []Hit {
	step := 1
	for step < len(hits) && hits[step].Document() < document {
		step *= 2
	}
	from, to := step/2, min(step+1, len(hits))
	if from >= to {
		return hits
	}
	at, _ := slices.BinarySearch(hits[from:to], NewHit(document, 0))
	if from > 0 || at > 0 {
		return hits[from+at:]
	}
	return hits
}

// Union returns a hit for each document that is in any of the lists, with the document's greatest impact.
func Union(lists [][]Hit) []Hit {
	lists = slices.DeleteFunc(lists, func(l []Hit) bool { return len(l) == 0 })
	for len(lists) > 1 { // merge in pairs, so that no hit is merged too often
		merged := lists[:0]
		for pair := range slices.Chunk(lists, 2) {
			if len(pair) == 2 {
				pair[0] = either(pair[0], pair[1])
			}
			merged = append(merged, pair[0])
		}
		lists = merged
	}
	return slices.Concat(lists...)
}

// either returns the union of two lists.
func either(a, b []Hit) []Hit {
	if len(a) < len(b) {
		a, b = b, a
	}
	all := make([]Hit, 0, len(a)+len(b))
	for _, h := range b {
		after := From(a, h.Document())
		all = append(all, a[:len(a)-len(after)]...)
		if a = after; len(a) > 0 && a[0].Document() == h.Document() {
			h, a = max(h, a[0]), a[1:]
		}
		all = append(all, h)
	}
	return append(all, a...)
}

// Intersect returns a hit for each document that is in both lists, with the smaller of the document's two impacts.
func Intersect(a, b []Hit) (both []Hit) {
	for len(a) > 0 && len(b) > 0 {
		switch da, db := a[0].Document(), b[0].Document(); {
		case da < db:
			a = a[1:]
		case da > db:
			b = b[1:]
		default:
			both = append(both, min(a[0], b[0]))
			a, b = a[1:], b[1:]
		}
	}
	return both
}
