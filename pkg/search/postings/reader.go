package postings

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// Reader reads the index in a transaction.
type Reader struct {
	ctx      context.Context
	tx       *sqlitefile.Statements
	segments map[int64]segment // the segments that queries use
	totals   Totals
}

// Totals are totals over the whole index.
type Totals struct {
	Documents int64
	Length    float64 // average number of words in a document
}

// NewReader returns a reader for a transaction.
func NewReader(ctx context.Context, tx *sqlitefile.Statements) (*Reader, error) {
	r := &Reader{ctx: ctx, tx: tx, segments: map[int64]segment{}}
	w := Writer{ctx: ctx, tx: tx}
	all, err := w.segments(merging)
	if err != nil {
		return nil, err
	}
	var documents, length int64
	for _, s := range all {
		r.segments[s.id] = s
		r.totals.Documents += s.documents - s.gone
		documents, length = documents+s.documents, length+s.length
	}
	r.totals.Length = float64(length) / float64(max(1, documents))
	return r, nil
}

// Totals returns the totals of the index.
func (r *Reader) Totals() Totals { return r.totals }

// Entry describes a word of the index.
type Entry struct {
	Documents int // number of documents with the word, including some removed documents
	pieces    []piece
}

// piece describes the postings of a word in one segment.
type piece struct {
	segment segment
	entry
}

func pieceOf(s segment, e entry) piece {
	e.postings, e.positions = slices.Clone(e.postings), slices.Clone(e.positions)
	return piece{s, e}
}

func (e *Entry) add(p piece) {
	e.Documents += p.count
	e.pieces = append(e.pieces, p)
}

// Lookup returns the entries of words, by word. Unknown words have no entry.
func (r *Reader) Lookup(words ...string) (map[string]Entry, error) {
	words = slices.Compact(slices.Sorted(slices.Values(words)))
	list, _ := json.Marshal(words) // encoding strings never fails
	found := make(map[string]Entry, len(words))
	var at int
	var segment, leaf int64
	var data sql.RawBytes
	for err := range r.tx.Rows(r.ctx, `
SELECT w.key, s.id, l.id, l.data
FROM json_each(?) w CROSS JOIN segments s CROSS JOIN leaves l
WHERE s.state <= 1 AND l.id =
	(SELECT id FROM leaves WHERE segment = s.id AND first <= w.value ORDER BY first DESC LIMIT 1)`,
		[]any{string(list)}, &at, &segment, &leaf, &data) {
		if err != nil {
			return nil, err
		}
		e, ok, err := find(words[at], leaf, data)
		if err != nil {
			return nil, err
		}
		if ok {
			all := found[words[at]]
			all.add(pieceOf(r.segments[segment], e))
			found[words[at]] = all
		}
	}
	order(found)
	return found, nil
}

// order sorts the pieces of each word by document number.
func order(words map[string]Entry) {
	for _, e := range words {
		slices.SortFunc(e.pieces, func(a, b piece) int { return cmp.Compare(a.segment.first, b.segment.first) })
	}
}

// find finds a word in a leaf.
func find(word string, leaf int64, data []byte) (e entry, found bool, err error) {
	l := leafReader{data: data}
	for l.next(&e) {
		if string(l.word) >= word {
			return e, string(l.word) == word, nil
		}
	}
	if l.bad {
		return e, false, damaged("leaf", leaf)
	}
	return e, false, nil
}

// Prefix finds the words that are longer than the prefix and begin with it. It stops after reading the given number
// of entries. A word has one entry in each segment.
func (r *Reader) Prefix(prefix string, most int) (found map[string]Entry, err error) {
	found = map[string]Entry{}
	for id, s := range r.segments {
		var leaf int64
		var data sql.RawBytes
		for err := range r.tx.Rows(r.ctx, `
SELECT id, data FROM leaves WHERE segment = ?1 AND first < ?3 AND
	first >= coalesce((SELECT first FROM leaves WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1), ?2)
ORDER BY first`, []any{id, prefix, prefix + "\U0010ffff"}, &leaf, &data) {
			if err == nil && most > 0 {
				err = beginning(prefix, leaf, data, func(word string, e entry) {
					most--
					all := found[word]
					all.add(pieceOf(s, e))
					found[word] = all
				})
			}
			if err != nil {
				return nil, err
			}
			if most <= 0 {
				break
			}
		}
	}
	order(found)
	return found, nil
}

// beginning calls the given function with the words of a leaf that are longer than the prefix and begin with it.
func beginning(prefix string, leaf int64, data []byte, each func(string, entry)) error {
	l := leafReader{data: data}
	var e entry
	for l.next(&e) {
		if len(l.word) > len(prefix) && string(l.word[:len(prefix)]) == prefix {
			each(string(l.word), e)
		}
	}
	if l.bad {
		return damaged("leaf", leaf)
	}
	return nil
}

// maxAtOnce limits the memory that is allocated before the data are read. A stored count alone is not reliable.
const maxAtOnce = 1 << 20

// Hits returns the postings of a word in document order. Some may be postings of removed documents.
func (r *Reader) Hits(e Entry) ([]Hit, error) {
	all := make([]Hit, 0, min(e.Documents, maxAtOnce))
	for _, p := range e.pieces {
		err := r.rows(p, false, func(packed, _ []byte) (err error) {
			all, err = p.hits(all, packed)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// hits appends the postings of one row of a piece.
func (p piece) hits(to []Hit, packed []byte) ([]Hit, error) {
	to, ok := appendHits(to, p.segment.first, packed)
	if !ok {
		return to, damaged("postings of segment", p.segment.id)
	}
	return to, nil
}

// each calls the given function with the postings of a piece and their positions, row by row, in order. The hits are
// valid until the next call of the function.
func (r *Reader) each(p piece, each func(hits []Hit, positions []byte) error) error {
	var hits []Hit
	return r.rows(p, true, func(packed, positions []byte) (err error) {
		if hits, err = p.hits(hits[:0], packed); err != nil {
			return err
		}
		return each(hits, positions)
	})
}

// rows calls the given function with the stored postings of a piece, row by row. If positions are requested, the
// function also gets these.
func (r *Reader) rows(p piece, positions bool, each func(postings, positions []byte) error) error {
	if p.rows == 0 {
		return each(p.postings, p.positions)
	}
	first := p.segment.id<<rowBits | p.firstRow
	query := "SELECT postings, NULL FROM lists WHERE id >= ? AND id < ? ORDER BY id"
	if positions {
		query = "SELECT postings, positions FROM lists WHERE id >= ? AND id < ? ORDER BY id"
	}
	var packed, places sql.RawBytes
	n := int64(0)
	for err := range r.tx.Rows(r.ctx, query, []any{first, first + p.rows}, &packed, &places) {
		if err == nil {
			err = each(packed, places)
		}
		if err != nil {
			return err
		}
		n++
	}
	if n != p.rows {
		return damaged("lists of segment", p.segment.id)
	}
	return nil
}

// Keys returns the key of each hit's document, or 0 if the document was removed. The hits must be in document order.
func (r *Reader) Keys(hits []Hit) ([]int64, error) {
	var blocks []int64
	for _, h := range hits {
		if b := h.Document() / blockSize; len(blocks) == 0 || blocks[len(blocks)-1] != b {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	list, _ := json.Marshal(blocks)
	keys := make([]int64, len(hits))
	var block int64
	var packed sql.RawBytes
	at := 0
	for err := range r.tx.Rows(r.ctx,
		"SELECT block, keys FROM json_each(?) w CROSS JOIN documents d ON d.block = w.value", []any{string(list)},
		&block, &packed) {
		if err != nil {
			return nil, err
		}
		for ; at < len(hits) && hits[at].Document()/blockSize <= block; at++ {
			from := hits[at].Document() % blockSize * keyBytes
			if hits[at].Document()/blockSize == block && from+keyBytes <= int64(len(packed)) {
				keys[at] = int64(binary.LittleEndian.Uint64(packed[from:]))
			}
		}
	}
	return keys, nil
}
