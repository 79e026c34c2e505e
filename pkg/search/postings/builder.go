package postings

import (
	"fmt"
)

// builder writes the leaves and lists of a segment. Words must be added in ascending order.
type builder struct {
	w           *Writer
	segment     segment
	leaves      int64 // id of the next leaf to write
	lists       int64 // id of the next row of table lists to write
	leaf        []byte
	first, last string
	written     int

	// The following fields are the state of the word that is being written.
	count               int
	rows, firstRow      int64
	inRow               int
	behind              int64
	postings, positions []byte
}

func newBuilder(w *Writer, s segment) *builder {
	return &builder{w: w, segment: s, leaves: s.id << rowBits, lists: s.id << rowBits}
}

// resume continues after the rows that were already written.
func (b *builder) resume() error {
	for table, next := range map[string]*int64{"leaves": &b.leaves, "lists": &b.lists} {
		query := fmt.Sprintf("SELECT coalesce(max(id) + 1, ?) FROM %s WHERE id >= ? AND id < ?", table)
		from := b.segment.id << rowBits
		if err := b.w.tx.QueryRowContext(b.w.ctx, query, from, from, from+1<<rowBits).Scan(next); err != nil {
			return err
		}
	}
	return nil
}

// whole writes a word with its postings. In these postings, document numbers are relative to the beginning of the
// segment.
func (b *builder) whole(word string, g *gathered) error {
	if g.count <= rowPostings && len(g.postings)+len(g.positions) <= inlineBytes {
		return b.entry(entry{word: word, count: g.count, postings: g.postings, positions: g.positions})
	}
	hits, ok := appendHits(nil, b.segment.first, g.postings)
	if !ok {
		return damaged("segment", b.segment.id)
	}
	r := positionsReader{g.positions}
	b.begin()
	for _, h := range hits {
		if err := b.add(h, r.next()); err != nil {
			return err
		}
	}
	return b.finish(word)
}

// begin starts a word.
func (b *builder) begin() {
	b.count, b.rows, b.firstRow = 0, 0, b.lists&(1<<rowBits-1)
	b.clear()
}

func (b *builder) clear() {
	b.inRow, b.behind, b.postings, b.positions = 0, b.segment.first, b.postings[:0], b.positions[:0]
}

// add adds a posting of the current word, with its packed positions.
func (b *builder) add(h Hit, positions []byte) error {
	b.postings = appendPosting(b.postings, h.Document()-b.behind, h.Impact())
	b.positions = appendBytes(b.positions, positions)
	b.behind = h.Document()
	b.count++
	if b.inRow++; b.inRow < rowPostings {
		return nil
	}
	return b.putRow()
}

func (b *builder) putRow() error {
	_, err := b.w.exec("INSERT INTO lists (id, postings, positions) VALUES (?, ?, ?)", b.lists, b.postings, b.positions)
	b.written += len(b.postings) + len(b.positions)
	b.lists++
	b.rows++
	b.clear()
	return err
}

// finish completes the current word. A word without postings is omitted.
func (b *builder) finish(word string) error {
	switch {
	case b.count == 0:
		return nil
	case b.rows == 0 && len(b.postings)+len(b.positions) <= inlineBytes:
		return b.entry(entry{word: word, count: b.count, postings: b.postings, positions: b.positions})
	case b.inRow > 0:
		if err := b.putRow(); err != nil {
			return err
		}
	}
	return b.entry(entry{word: word, count: b.count, rows: b.rows, firstRow: b.firstRow})
}

func (b *builder) entry(e entry) error {
	if len(b.leaf) > 0 && len(b.leaf)+len(e.word)+len(e.postings)+len(e.positions) > leafBytes {
		if err := b.end(); err != nil {
			return err
		}
	}
	if len(b.leaf) == 0 {
		b.first, b.last = e.word, ""
	}
	b.leaf = appendEntry(b.leaf, b.last, e)
	b.last = e.word
	return nil
}

// end writes the last leaf, which is incomplete.
func (b *builder) end() error {
	if len(b.leaf) == 0 {
		return nil
	}
	_, err := b.w.exec("INSERT INTO leaves (id, segment, first, data) VALUES (?, ?, ?, ?)", b.leaves, b.segment.id,
		b.first, b.leaf)
	b.written += len(b.leaf)
	b.leaves++
	b.leaf = b.leaf[:0]
	return err
}
