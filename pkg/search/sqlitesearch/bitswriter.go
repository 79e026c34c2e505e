package sqlitesearch

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"maps"
	"slices"
)

// putBits writes the signs of the vectors that this transaction wrote, and deletes those of the vectors that it
// removed. A removed vector is nil in w.vectors.
func (w *writer) putBits() error {
	rows := map[int64]map[uint32][]byte{}
	for chunk, vector := range w.vectors {
		row, index := rowAndIndex(chunk)
		if rows[row] == nil {
			rows[row] = map[uint32][]byte{}
		}
		rows[row][index] = vector
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
		byLength[length] = without(data, indexBytes+8*signWords(length), changed)
	}
	for _, index := range slices.Sorted(maps.Keys(changed)) {
		vector := changed[index]
		if vector == nil {
			continue
		}
		v := unpacked(vector)
		data := binary.LittleEndian.AppendUint32(byLength[len(v)], index)
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

// putParts writes the rows whose bytes changed.
func (w *writer) putParts(row int64, length int, data, before []byte) error {
	size := indexBytes + 8*signWords(length)
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

// slice returns b[from:to], limited to the bytes that exist.
func slice(b []byte, from, to int) []byte { return b[min(from, len(b)):min(to, len(b))] }

func (w *writer) bitsOf(row int64) (byLength map[int][]byte, err error) {
	var length int
	var data sql.RawBytes
	byLength = map[int][]byte{}
	for err := range w.tx.Rows(w.ctx, "SELECT length, data FROM bits WHERE pages = ? ORDER BY length, part", []any{row},
		&length, &data) {
		if err != nil {
			return nil, err
		}
		byLength[length] = append(byLength[length], data...)
	}
	return byLength, nil
}

// without removes the entries of some chunks.
func without(data []byte, size int, indexes map[uint32][]byte) []byte {
	kept := data[:0]
	for entry := range slices.Chunk(data, size) {
		if _, gone := indexes[binary.LittleEndian.Uint32(entry)]; !gone {
			kept = append(kept, entry...)
		}
	}
	return kept
}
