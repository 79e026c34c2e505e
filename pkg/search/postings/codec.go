package postings

import (
	"encoding/binary"
	"math"
)

// entry is a word in a leaf. Its postings are in the leaf, or in rows of table lists.
type entry struct {
	word                string
	count               int   // number of documents
	rows, firstRow      int64 // number of rows in table lists and index of the first row; 0 if there are none
	postings, positions []byte
}

// appendEntry adds an entry to a leaf. It gets the last word in the leaf so far, "" for an empty leaf.
func appendEntry(leaf []byte, last string, e entry) []byte {
	shared := 0
	for shared < min(len(last), len(e.word)) && last[shared] == e.word[shared] {
		shared++
	}
	leaf = binary.AppendUvarint(leaf, uint64(shared))
	leaf = appendBytes(leaf, []byte(e.word[shared:]))
	leaf = binary.AppendUvarint(leaf, uint64(e.count))
	leaf = binary.AppendUvarint(leaf, uint64(e.rows))
	if e.rows > 0 {
		return binary.AppendUvarint(leaf, uint64(e.firstRow))
	}
	return appendBytes(appendBytes(leaf, e.postings), e.positions)
}

func appendBytes(to, b []byte) []byte { return append(binary.AppendUvarint(to, uint64(len(b))), b...) }

// leafReader reads the entries of a leaf.
type leafReader struct {
	data []byte
	word []byte
	bad  bool
}

// next reads the next entry into e. The entry shares the leaf's bytes. It returns false at the end of the leaf, and
// if the leaf is damaged.
func (l *leafReader) next(e *entry) bool {
	if len(l.data) == 0 || l.bad {
		return false
	}
	shared := l.number()
	suffix := l.bytes()
	if shared > uint64(len(l.word)) {
		l.bad = true
		return false
	}
	l.word = append(l.word[:shared], suffix...)
	count, rows := l.number(), l.number()
	if count > math.MaxInt32 || rows > 1<<rowBits {
		l.bad = true
		return false
	}
	if *e = (entry{count: int(count), rows: int64(rows)}); rows > 0 {
		e.firstRow = int64(l.number())
	} else {
		e.postings, e.positions = l.bytes(), l.bytes()
	}
	return !l.bad
}

func (l *leafReader) number() uint64 {
	n, size := binary.Uvarint(l.data)
	if size <= 0 {
		l.bad, l.data = true, nil
		return 0
	}
	l.data = l.data[size:]
	return n
}

func (l *leafReader) bytes() []byte {
	n := l.number()
	if n > uint64(len(l.data)) {
		l.bad, l.data = true, nil
		return nil
	}
	b := l.data[:n:n]
	l.data = l.data[n:]
	return b
}

// appendPosting adds a posting. The document number is given as the difference from the number of the previous
// posting.
func appendPosting(to []byte, behind int64, impact uint16) []byte {
	return binary.LittleEndian.AppendUint16(binary.AppendUvarint(to, uint64(behind)), impact)
}

// appendHits decodes postings. The first document number is relative to base.
func appendHits(to []Hit, base int64, postings []byte) ([]Hit, bool) {
	document := uint64(base)
	for i := 0; i < len(postings); {
		n := uint64(postings[i])
		i++
		if n >= 0x80 {
			more, size := binary.Uvarint(postings[i-1:])
			if size <= 0 {
				return to, false
			}
			n, i = more, i-1+size
		}
		if i+2 > len(postings) {
			return to, false
		}
		document += n
		to = append(to, Hit(document<<impactBits)|Hit(postings[i])|Hit(postings[i+1])<<8)
		i += 2
	}
	return to, true
}

// appendPositions adds the positions of a word in a document, in ascending order.
func appendPositions(to []byte, scratch *[]byte, positions []uint32) []byte {
	*scratch = (*scratch)[:0]
	last := uint32(0)
	for _, p := range positions {
		*scratch = binary.AppendUvarint(*scratch, uint64(p-last))
		last = p
	}
	return appendBytes(to, *scratch)
}

// positionsReader reads positions document by document.
type positionsReader struct{ data []byte }

// next returns the packed positions in the next document, or nil if the data are damaged.
func (r *positionsReader) next() []byte {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > uint64(len(r.data)-size) {
		return nil
	}
	b := r.data[size : size+int(n)]
	r.data = r.data[size+int(n):]
	return b
}

// unpack appends packed positions to a list.
func unpack(to []uint32, packed []byte) []uint32 {
	last := uint32(0)
	for len(packed) > 0 {
		n, size := binary.Uvarint(packed)
		if size <= 0 {
			return to
		}
		packed = packed[size:]
		last += uint32(n)
		to = append(to, last)
	}
	return to
}
