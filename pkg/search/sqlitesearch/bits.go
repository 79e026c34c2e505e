package sqlitesearch

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
)

// To read every vector costs a microsecond each. So one bit of each of its numbers, the sign after a rotation, is
// kept apart, and a query reads those: the vectors with the most signs in common are then compared in full.
//
// Table bits has rows for the vectors of one length of eight pages: for each, the place of its chunk among theirs and
// its signs. Rows are small, for SQLite reads what is longer than a page of the file at several times the cost. The
// rotation mixes the numbers of a vector, so that each sign says as much as any other, also of models in whose
// vectors few numbers are large.

const (
	bitsTable = "CREATE TABLE bits (id INTEGER PRIMARY KEY AUTOINCREMENT, pages INTEGER NOT NULL, " +
		"length INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (pages, length, part));"
	bitsBytes  = 3900 // of a row at most, unless it has but one vector
	pagesBits  = 3    // of a page's row, that tell it from the others of a row of bits
	placeBytes = 4
	// compared is how many vectors are compared in full, and manyCompared with filters that many may not pass.
	compared, manyCompared = 250, 4000
)

// placeOf is where a chunk is: the row of bits, and its place among the chunks there.
func placeOf(chunk int64) (row int64, place uint32) {
	return chunk >> (slotBits + pagesBits), uint32(chunk & (1<<(slotBits+pagesBits) - 1))
}

// words is how many 64-bit words the signs of a vector take.
func signWords(length int) int { return (length + 63) / 64 }

// signs are the signs of a vector's numbers after its rotation.
func signs(v []float32) []uint64 {
	turned := rotated(v)
	out := make([]uint64, signWords(len(v)))
	for i, x := range turned {
		if x > 0 {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// rotated turns a vector: twice, the signs of some numbers are changed by lot, always the same, and each run of a
// power of two of them goes through a Walsh–Hadamard transform; in between they are dealt out anew.
func rotated(v []float32) []float32 {
	lot := lotOf(len(v))
	out := slices.Clone(v)
	for round := range 2 {
		for i := range out {
			out[i] *= lot.signs[round][i]
		}
		for from := 0; from < len(out); {
			n := 1 << (bits.Len(uint(len(out)-from)) - 1)
			hadamard(out[from : from+n])
			from += n
		}
		dealt := make([]float32, len(out))
		for i, to := range lot.order {
			dealt[to] = out[i]
		}
		out = dealt
	}
	return out
}

func hadamard(v []float32) {
	for h := 1; h < len(v); h *= 2 {
		for i := 0; i < len(v); i += 2 * h {
			for j := i; j < i+h; j++ {
				v[j], v[j+h] = v[j]+v[j+h], v[j]-v[j+h]
			}
		}
	}
	scale := float32(1 / math.Sqrt(float64(len(v))))
	for i := range v {
		v[i] *= scale
	}
}

// lot is what was drawn for vectors of one length.
type lot struct {
	signs [2][]float32
	order []int
}

var lots sync.Map // by length

func lotOf(length int) lot {
	if l, known := lots.Load(length); known {
		return l.(lot)
	}
	rng := rand.New(rand.NewPCG(uint64(length), 1))
	l := lot{order: rng.Perm(length)}
	for round := range l.signs {
		l.signs[round] = make([]float32, length)
		for i := range l.signs[round] {
			l.signs[round][i] = float32(1 - 2*rng.IntN(2))
		}
	}
	lots.Store(length, l)
	return l
}

// unpacked is a vector that was stored, but for its length.
func unpacked(stored []byte) []float32 {
	v := make([]float32, len(stored)-scaleBytes)
	for i, b := range stored[scaleBytes:] {
		v[i] = float32(int8(b))
	}
	return v
}

// putBits writes what became of vectors in this transaction: nil for one that left.
func (w *writer) putBits() error {
	rows := map[int64]map[uint32][]byte{}
	for chunk, vector := range w.vectors {
		row, place := placeOf(chunk)
		if rows[row] == nil {
			rows[row] = map[uint32][]byte{}
		}
		rows[row][place] = vector
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		if err := w.putBitsRow(row, rows[row]); err != nil {
			return err
		}
	}
	clear(w.vectors)
	return nil
}

func (w *writer) putBitsRow(row int64, changed map[uint32][]byte) error {
	byLength, err := w.bitsOf(row)
	if err != nil {
		return err
	}
	before := map[int][]byte{}
	for length, data := range byLength {
		before[length] = slices.Clone(data)
		byLength[length] = without(data, placeBytes+8*signWords(length), changed)
	}
	for _, place := range slices.Sorted(maps.Keys(changed)) {
		vector := changed[place]
		if vector == nil {
			continue
		}
		v := unpacked(vector)
		data := binary.LittleEndian.AppendUint32(byLength[len(v)], place)
		for _, word := range signs(v) {
			data = binary.LittleEndian.AppendUint64(data, word)
		}
		byLength[len(v)] = data
	}
	for _, length := range slices.Sorted(maps.Keys(byLength)) {
		if err := w.putParts(row, length, byLength[length], before[length]); err != nil {
			return err
		}
	}
	return nil
}

// putParts writes the rows of which the bytes have changed.
func (w *writer) putParts(row int64, length int, data, before []byte) error {
	size := placeBytes + 8*signWords(length)
	most := max(1, bitsBytes/size) * size
	for part := 0; part*most < max(len(data), len(before)); part++ {
		from, to := part*most, (part+1)*most
		have, want := slice(before, from, to), slice(data, from, to)
		if bytes.Equal(have, want) {
			continue
		}
		const replace = "REPLACE INTO bits (pages, length, part, data) VALUES (?, ?, ?, coalesce(?, x''))"
		if err := w.exec(replace, row, length, part, want); err != nil {
			return err
		}
	}
	return nil
}

// slice is a part of some bytes, as far as there are any.
func slice(b []byte, from, to int) []byte { return b[min(from, len(b)):min(to, len(b))] }

func (w *writer) bitsOf(row int64) (byLength map[int][]byte, err error) {
	rows, err := w.tx.QueryContext(w.ctx, "SELECT length, data FROM bits WHERE pages = ? ORDER BY length, part", row)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	byLength = map[int][]byte{}
	for rows.Next() {
		var length int
		var data []byte
		if err := rows.Scan(&length, &data); err != nil {
			return nil, err
		}
		byLength[length] = append(byLength[length], data...)
	}
	return byLength, rows.Err()
}

// without leaves out the entries of some places.
func without(data []byte, size int, places map[uint32][]byte) []byte {
	kept := data[:0]
	for entry := range slices.Chunk(data, size) {
		if _, gone := places[binary.LittleEndian.Uint32(entry)]; !gone {
			kept = append(kept, entry...)
		}
	}
	return kept
}

// similar finds the chunks whose vectors have the most signs in common with a query's, the most similar first. strange
// is how many vectors have another length.
func (s *statement) similar(ctx context.Context, query []float32, most int) (chunks []int64, strange int, err error) {
	want, size := signs(query), placeBytes+8*signWords(len(query))
	// All distances are small numbers, so the nearest are found by counting.
	near := make([][]int64, len(query)+1)
	kept, worst := 0, len(query)
	err = s.signs.each(ctx, s.tx, func(r signRow) {
		if r.length != int64(len(query)) {
			strange += len(r.data) / (placeBytes + 8*signWords(int(r.length)))
			return
		}
		for data := r.data; len(data) >= size; data = data[size:] {
			differ := 0
			for i, word := range want {
				differ += bits.OnesCount64(word ^ binary.LittleEndian.Uint64(data[placeBytes+8*i:]))
			}
			if differ > worst || kept >= most && differ == worst {
				continue
			}
			near[differ] = append(near[differ], r.pages<<(slotBits+pagesBits)|int64(binary.LittleEndian.Uint32(data)))
			for kept++; kept-len(near[worst]) >= most; worst-- {
				kept -= len(near[worst])
				near[worst] = nil
			}
		}
	})
	chunks = slices.Concat(near...)
	return chunks[:min(most, len(chunks))], strange, err
}

// nearChunks finds the chunks whose vectors are nearest to the query's, of pages that pass the filters.
func (s *statement) nearChunks(ctx context.Context) (chunks []int64, err error) {
	conditions, args := filters(s.query)
	for most := compared; ; most *= 16 {
		if len(args) > 0 && most == compared {
			most = manyCompared
		}
		if s.bounds.candidates == everything.candidates {
			most = math.MaxInt
		}
		found, strange, err := s.similar(ctx, s.query.Vector, most)
		if err != nil {
			return nil, err
		}
		s.strange = strange
		best, err := s.compare(ctx, found, conditions, args)
		// Filters that few pages pass need a wider look.
		if err != nil || len(best) >= maxNear || len(found) < most {
			for _, c := range best {
				chunks = append(chunks, c.chunk)
			}
			return chunks, err
		}
	}
}

// compare compares vectors in full, and gives those that are nearest.
func (s *statement) compare(ctx context.Context, chunks []int64, conditions string, args []any) ([]neighbour, error) {
	query := "SELECT v.chunk, v.vector FROM json_each(?) j CROSS JOIN vectors v ON v.chunk = j.value"
	if len(args) > 0 {
		query += " CROSS JOIN pages f ON f.rowid = (v.chunk >> 16) WHERE TRUE" + conditions
	}
	slices.Sort(chunks)
	rows, err := s.tx.QueryContext(ctx, query, append([]any{asJSON(chunks)}, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	best := nearest{n: maxNear}
	var stored sql.RawBytes
	for c := (neighbour{}); rows.Next(); {
		if err := rows.Scan(&c.chunk, &stored); err != nil {
			return nil, err
		}
		if len(stored) == scaleBytes+len(s.query.Vector) {
			c.similarity = similarity(s.query.Vector, stored)
			best.offer(c)
		}
	}
	return best.sorted(), rows.Err()
}
