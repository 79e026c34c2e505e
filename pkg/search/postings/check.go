package postings

import (
	"encoding/binary"
	"fmt"
)

// Known describes the entry of a document in the index.
type Known struct {
	Key   int64
	Words int // number of distinct words
}

// Check reads the whole index and returns its documents by number. It returns an error if anything in the index is
// damaged or inconsistent.
func (r *Reader) Check() (map[int64]Known, error) {
	known, err := r.documents()
	if err != nil {
		return nil, err
	}
	if n := len(known); int64(n) != r.totals.Documents {
		return nil, fmt.Errorf("%w: %d documents of %d have keys", ErrDamaged, n, r.totals.Documents)
	}
	for _, s := range r.segments {
		err := r.checkSegment(s, func(document int64) {
			if d, ok := known[document]; ok {
				d.Words++
				known[document] = d
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

// documents returns all documents that are not removed.
func (r *Reader) documents() (map[int64]Known, error) {
	known := map[int64]Known{}
	var block int64
	var keys []byte
	for err := range r.tx.Rows(r.ctx, "SELECT block, keys FROM documents", nil, &block, &keys) {
		if err != nil {
			return nil, err
		}
		for i := range int64(len(keys) / keyBytes) {
			if key := binary.LittleEndian.Uint64(keys[i*keyBytes:]); key != 0 {
				known[block*blockSize+i] = Known{Key: int64(key)}
			}
		}
	}
	return known, nil
}

func (r *Reader) checkSegment(s segment, each func(document int64)) error {
	last := ""
	var leaf int64
	var first string
	var data []byte
	for err := range r.tx.Rows(r.ctx, "SELECT id, first, data FROM leaves WHERE segment = ? ORDER BY id", []any{s.id},
		&leaf, &first, &data) {
		if err != nil {
			return err
		}
		l := leafReader{data: data}
		var e entry
		for n := 0; l.next(&e); n++ {
			word := string(l.word)
			if n == 0 && word != first || word <= last && last != "" {
				return damaged("order of leaf", leaf)
			}
			last = word
			if err := r.checkEntry(s, e, each); err != nil {
				return err
			}
		}
		if l.bad {
			return damaged("leaf", leaf)
		}
	}
	return nil
}

// checkEntry reads all that a segment stores for a word.
func (r *Reader) checkEntry(s segment, e entry, each func(document int64)) error {
	n, last := 0, s.first-1
	err := r.each(pieceOf(s, e), func(hits []Hit, packed []byte) error {
		places := positionsReader{packed}
		for _, h := range hits {
			if d := h.Document(); d <= last || d >= s.last || places.next() == nil {
				return damaged("postings of segment", s.id)
			}
			last = h.Document()
			each(last)
		}
		n += len(hits)
		if len(places.data) > 0 {
			return damaged("positions of segment", s.id)
		}
		return nil
	})
	if err == nil && n != e.count {
		err = damaged("postings of segment", s.id)
	}
	return err
}
