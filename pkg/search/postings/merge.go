package postings

import (
	"database/sql"
	"errors"
	"fmt"
)

const (
	fanout = 5 // number of segments of one level that are merged into one of the next level
	// A step of a merge writes stepLeast bytes, plus stepTimes bytes for each byte that the transaction has written. At
	// this rate, a merge ends before transactions have added as many new segments as the merge reads.
	stepTimes = 3
	stepLeast = 16 << 10
	// worthwhile is the smallest number of documents of a segment that is rewritten when half of them are removed.
	worthwhile = 256
	// rowsDeleted is the number of rows of merged segments that are deleted for each leaf that is written.
	rowsDeleted = 4
	leastRows   = 32
)

// merge starts the merges that are due, continues the running merges, and deletes rows of merged segments.
func (w *Writer) merge(written int) error {
	all, err := w.segments(left)
	if err != nil {
		return err
	}
	if err := w.beginMerges(all); err != nil {
		return err
	}
	if all, err = w.segments(left); err != nil {
		return err
	}
	for _, s := range all {
		if s.state == growing {
			if err := w.step(s, inputsOf(all, s.id), stepTimes*written+stepLeast); err != nil {
				return err
			}
		}
	}
	return w.deleteLeft(all, leastRows+rowsDeleted*written/leafBytes)
}

func inputsOf(all []segment, target int64) (inputs []segment) {
	for _, s := range all {
		if s.state == merging && s.target == target {
			inputs = append(inputs, s)
		}
	}
	return inputs
}

// beginMerges starts at most one merge for each level.
func (w *Writer) beginMerges(all []segment) error {
	levels, busy := map[int][]segment{}, map[int]bool{}
	for _, s := range all {
		switch s.state {
		case live:
			levels[s.level] = append(levels[s.level], s)
		case merging:
			busy[s.level] = true
		}
	}
	for level, segments := range levels {
		if busy[level] {
			continue
		}
		if len(segments) >= fanout {
			if err := w.beginMerge(segments, level+1); err != nil {
				return err
			}
			continue
		}
		for i, s := range segments {
			if s.documents >= worthwhile && 2*s.gone > s.documents {
				if err := w.beginMerge(segments[i:i+1], level); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// beginMerge creates the output segment of a merge. If at least a tenth of the documents in the inputs are removed,
// the merge omits the postings of these documents. Otherwise it copies all postings, and the field gone of the output
// stays 0 until the merge is complete.
func (w *Writer) beginMerge(inputs []segment, level int) error {
	into := segment{first: inputs[0].first, last: inputs[len(inputs)-1].last, level: level, state: growing}
	for _, s := range inputs {
		into.documents += s.documents
		into.gone += s.gone
		into.length += s.length
	}
	if 10*into.gone < into.documents {
		into.gone = 0
	}
	if err := w.insert(&into); err != nil {
		return err
	}
	for _, s := range inputs {
		if _, err := w.exec("UPDATE segments SET state = ?, target = ? WHERE id = ?", merging, into.id, s.id); err != nil {
			return err
		}
	}
	return nil
}

// step merges words until it has written about the given number of bytes.
func (w *Writer) step(into segment, inputs []segment, bytes int) error {
	b := newBuilder(w, into)
	if err := b.resume(); err != nil {
		return err
	}
	cursors := make([]*cursor, len(inputs))
	for i, s := range inputs {
		cursors[i] = &cursor{w: w, segment: s}
		if err := cursors[i].after(into.done); err != nil {
			return err
		}
	}
	alive := w.alive
	if into.gone == 0 {
		alive = func(hits []Hit) ([]bool, error) { return nil, nil }
	}
	for b.written < bytes {
		word, found := least(cursors)
		if !found {
			return errors.Join(b.end(), w.complete(into, inputs))
		}
		if err := mergeWord(b, word, cursors, alive); err != nil {
			return err
		}
		into.done = word
	}
	if err := b.end(); err != nil {
		return err
	}
	_, err := w.exec("UPDATE segments SET done = ? WHERE id = ?", into.done, into.id)
	return err
}

// least returns the smallest word among the current words of the cursors.
func least(cursors []*cursor) (word string, found bool) {
	for _, c := range cursors {
		if c.ok && (!found || c.entry.word < word) {
			word, found = c.entry.word, true
		}
	}
	return word, found
}

// mergeWord writes the postings of a word from all input segments.
func mergeWord(b *builder, word string, cursors []*cursor, alive func([]Hit) ([]bool, error)) error {
	b.begin()
	for _, c := range cursors {
		if !c.ok || c.entry.word != word {
			continue
		}
		err := c.pieces(func(hits []Hit, positions []byte) error {
			keep, err := alive(hits)
			if err != nil {
				return err
			}
			r := positionsReader{positions}
			for i, h := range hits {
				p := r.next()
				if p == nil {
					return damaged("positions of segment", c.segment.id)
				}
				if keep != nil && !keep[i] {
					continue
				}
				if err := b.add(h, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return b.finish(word)
}

// alive reports for each hit whether its document still exists.
func (w *Writer) alive(hits []Hit) ([]bool, error) {
	r := Reader{ctx: w.ctx, tx: w.tx}
	keys, err := r.Keys(hits)
	keep := make([]bool, len(hits))
	for i, key := range keys {
		keep[i] = key != 0
	}
	return keep, err
}

// complete replaces the inputs of a merge with its output.
func (w *Writer) complete(into segment, inputs []segment) error {
	dropped := into.gone
	into.documents, into.gone = -dropped, -dropped
	for _, s := range inputs {
		into.documents += s.documents
		into.gone += s.gone
		if _, err := w.exec("UPDATE segments SET state = ? WHERE id = ?", left, s.id); err != nil {
			return err
		}
	}
	_, err := w.exec("UPDATE segments SET state = ?, documents = ?, gone = ?, done = '' WHERE id = ?", live,
		into.documents, into.gone, into.id)
	return err
}

// deleteLeft deletes rows of merged segments, at most the given number.
func (w *Writer) deleteLeft(all []segment, most int) error {
	for _, s := range all {
		if s.state != left {
			continue
		}
		from := s.id << rowBits
		deleted := int64(0)
		for _, table := range []string{"leaves", "lists"} {
			query := fmt.Sprintf("DELETE FROM %[1]s WHERE id IN "+
				"(SELECT id FROM %[1]s WHERE id >= ? AND id < ? LIMIT ?)", table)
			res, err := w.exec(query, from, from+1<<rowBits, most)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			deleted += n
		}
		if most -= int(deleted); most <= 0 {
			return nil
		}
		if _, err := w.exec("DELETE FROM segments WHERE id = ?", s.id); err != nil {
			return err
		}
	}
	return nil
}

// cursor reads the words of a segment in ascending order.
type cursor struct {
	w       *Writer
	segment segment
	leaf    int64 // id of the current leaf
	reader  leafReader
	entry   entry
	ok      bool
}

// after moves the cursor to the first word that sorts after the given word.
func (c *cursor) after(word string) error {
	first := c.segment.id << rowBits
	const query = "SELECT coalesce(" +
		"(SELECT id FROM leaves WHERE segment = ? AND first <= ? ORDER BY first DESC LIMIT 1), ?)"
	if err := c.w.tx.QueryRowContext(c.w.ctx, query, c.segment.id, word, first).Scan(&c.leaf); err != nil {
		return err
	}
	if err := c.load(); err != nil {
		return err
	}
	for {
		if err := c.next(); err != nil || !c.ok || c.entry.word > word {
			return err
		}
	}
}

// load reads the current leaf. After the last leaf, it does nothing.
func (c *cursor) load() error {
	c.reader = leafReader{}
	err := c.w.tx.QueryRowContext(c.w.ctx, "SELECT data FROM leaves WHERE id = ?", c.leaf).Scan(&c.reader.data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// next moves to the next word.
func (c *cursor) next() error {
	if c.ok = c.reader.next(&c.entry); !c.ok && !c.reader.bad {
		c.leaf++
		if err := c.load(); err != nil {
			return err
		}
		c.ok = c.reader.next(&c.entry)
	}
	if c.reader.bad {
		return damaged("leaf", c.leaf)
	}
	c.entry.word = string(c.reader.word)
	return nil
}

// pieces calls the given function with the postings of the current word and their positions, piece by piece.
func (c *cursor) pieces(each func(hits []Hit, positions []byte) error) error {
	r := Reader{ctx: c.w.ctx, tx: c.w.tx}
	return r.each(pieceOf(c.segment, c.entry), each)
}
