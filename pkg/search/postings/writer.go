package postings

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

const (
	leafBytes   = 3500 // maximum size of a leaf, which must fit in a page of the file with its row header
	inlineBytes = 700  // maximum size of a word's postings and positions that are stored in the leaf
	rowPostings = 2048 // number of postings in a row of table lists
)

// Word is a word of a document.
type Word struct {
	Text      string
	Impact    uint16
	Positions []uint32 // in ascending order
}

// Writer changes the index in a transaction. It writes nothing before [Writer.Flush].
type Writer struct {
	ctx context.Context
	tx  *sqlitefile.Statements

	first, next int64 // numbers of the added documents: [first, next)
	keys        []int64
	length      int64
	words       map[string]*gathered
	removed     []int64
	scratch     []byte
}

// gathered holds the postings of a word in this transaction.
type gathered struct {
	count               int
	last                int64
	postings, positions []byte
}

// NewWriter returns a writer for a transaction.
func NewWriter(ctx context.Context, tx *sqlitefile.Statements) *Writer {
	return &Writer{ctx: ctx, tx: tx, words: map[string]*gathered{}}
}

// Add adds a document and returns its number. The length is the number of all words in the document. The words are
// its distinct words, in any order.
func (w *Writer) Add(key int64, length int, words []Word) (document int64, err error) {
	if w.next == 0 {
		const end = "SELECT coalesce(max(last), 1) FROM segments"
		if err := w.tx.QueryRowContext(w.ctx, end).Scan(&w.first); err != nil {
			return 0, err
		}
		w.next = w.first
	}
	document = w.next
	w.next++
	w.keys, w.length = append(w.keys, key), w.length+int64(length)
	for _, word := range words {
		g := w.words[word.Text]
		if g == nil {
			g = &gathered{last: w.first}
			w.words[word.Text] = g
		}
		g.postings = appendPosting(g.postings, document-g.last, word.Impact)
		g.positions = appendPositions(g.positions, &w.scratch, word.Positions)
		g.count, g.last = g.count+1, document
	}
	return document, nil
}

// Remove removes the document with the given number.
func (w *Writer) Remove(document int64) { w.removed = append(w.removed, document) }

// Flush writes the gathered changes, and does a step of each merge that is due.
func (w *Writer) Flush() error {
	written := 0
	if len(w.keys) > 0 {
		var err error
		if written, err = w.putSegment(); err != nil {
			return err
		}
	} else if len(w.removed) == 0 {
		return nil
	}
	if err := w.putKeys(); err != nil {
		return err
	}
	if err := w.countGone(); err != nil {
		return err
	}
	w.keys, w.removed, w.next, w.length = nil, nil, 0, 0
	clear(w.words)
	return w.merge(written)
}

// putSegment writes the gathered words, and returns their size in bytes.
func (w *Writer) putSegment() (written int, err error) {
	s := segment{first: w.first, last: w.next, documents: int64(len(w.keys)), length: w.length}
	if err := w.insert(&s); err != nil {
		return 0, err
	}
	b := newBuilder(w, s)
	for _, word := range slices.Sorted(maps.Keys(w.words)) {
		g := w.words[word]
		if err := b.whole(word, g); err != nil {
			return 0, err
		}
	}
	return b.written, b.end()
}

func (w *Writer) insert(s *segment) error {
	const insert = "INSERT INTO segments (first, last, level, state, documents, gone, length) " +
		"VALUES (?, ?, ?, ?, ?, ?, ?)"
	res, err := w.exec(insert, s.first, s.last, s.level, s.state, s.documents, s.gone, s.length)
	if err == nil {
		s.id, err = res.LastInsertId()
	}
	return err
}

// putKeys writes the keys of added documents, and sets those of removed documents to 0.
func (w *Writer) putKeys() error {
	changed := map[int64]map[int64]int64{}
	note := func(document, key int64) {
		block := document / blockSize
		if changed[block] == nil {
			changed[block] = map[int64]int64{}
		}
		changed[block][document%blockSize] = key
	}
	for i, key := range w.keys {
		note(w.first+int64(i), key)
	}
	for _, document := range w.removed {
		note(document, 0)
	}
	for _, block := range slices.Sorted(maps.Keys(changed)) {
		if err := w.putBlock(block, changed[block]); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) putBlock(block int64, changed map[int64]int64) error {
	var keys []byte
	err := w.tx.QueryRowContext(w.ctx, "SELECT keys FROM documents WHERE block = ?", block).Scan(&keys)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	for at, key := range changed {
		if end := int(at+1) * keyBytes; len(keys) < end {
			keys = append(keys, make([]byte, end-len(keys))...)
		}
		binary.LittleEndian.PutUint64(keys[at*keyBytes:], uint64(key))
	}
	if len(bytes.Trim(keys, "\x00")) == 0 { // all documents of the row were removed
		_, err = w.exec("DELETE FROM documents WHERE block = ?", block)
	} else {
		_, err = w.exec("REPLACE INTO documents (block, keys) VALUES (?, ?)", block, keys)
	}
	return err
}

// countGone updates, for each segment, the number of documents that were removed.
func (w *Writer) countGone() error {
	if len(w.removed) == 0 {
		return nil
	}
	slices.Sort(w.removed)
	all, err := w.segments(merging)
	if err != nil {
		return err
	}
	for _, s := range all {
		from, _ := slices.BinarySearch(w.removed, s.first)
		to, _ := slices.BinarySearch(w.removed, s.last)
		if from == to {
			continue
		}
		if _, err := w.exec("UPDATE segments SET gone = gone + ? WHERE id = ?", to-from, s.id); err != nil {
			return err
		}
	}
	return nil
}

// segments returns the segments whose state is at most the given state, in the order of their documents.
func (w *Writer) segments(state int) (all []segment, err error) {
	var s segment
	for err := range w.tx.Rows(w.ctx, "SELECT id, first, last, level, state, target, done, documents, gone, length "+
		"FROM segments WHERE state <= ?", []any{state}, &s.id, &s.first, &s.last, &s.level, &s.state, &s.target, &s.done,
		&s.documents, &s.gone, &s.length) {
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b segment) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.id, b.id))
	})
	return all, nil
}

func (w *Writer) exec(query string, args ...any) (sql.Result, error) {
	return w.tx.ExecContext(w.ctx, query, args...)
}
