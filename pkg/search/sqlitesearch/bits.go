package sqlitesearch

import (
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
