package sqlitesearch

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
)

// Reading every vector would take a microsecond for each. Therefore the signs of a vector's numbers, after a rotation
// of the vector, are stored separately, with one bit for each number. A query reads these signs first. It then
// compares in full only the vectors whose signs agree most with those of the query's vector.
//
// A row of the table "bits" holds the signs of all vectors of one length on eight pages. For each vector, the row has
// the signs, and a number that identifies the vector's chunk within the row. Rows are small, because SQLite takes
// several times as long to read a row that is longer than a page of the file. The rotation mixes the numbers of a
// vector, so that each sign carries the same amount of information, even for models whose vectors have only few large
// numbers.

const (
	bitsTable = "CREATE TABLE bits (id INTEGER PRIMARY KEY AUTOINCREMENT, pages INTEGER NOT NULL, " +
		"length INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (pages, length, part));"
	bitsBytes  = 3900 // maximum size of a row with more than one vector
	pagesBits  = 3    // pages whose row ids differ only in this number of low bits share a row of bits
	indexBytes = 4
	// compared is the number of vectors that a query compares in full. A query with filters compares manyCompared
	// vectors, because many of them may not pass the filters.
	compared, manyCompared = 250, 4000
)

// rowAndIndex returns the row of bits that contains a chunk, and the index of the chunk within the row.
func rowAndIndex(chunk int64) (row int64, index uint32) {
	return chunk >> (slotBits + pagesBits), uint32(chunk & (1<<(slotBits+pagesBits) - 1))
}

// signWords returns the number of 64-bit words for the signs of a vector.
func signWords(length int) int { return (length + 63) / 64 }

// signs returns the signs of a vector's numbers after its rotation.
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

// rotated rotates a vector. Twice, it flips the signs of a fixed selection of numbers, applies a Walsh–Hadamard
// transform to runs whose lengths are powers of two, and shuffles the numbers.
func rotated(v []float32) []float32 {
	drawn := rotationOf(len(v))
	out := slices.Clone(v)
	for round := range 2 {
		for i := range out {
			out[i] *= drawn.signs[round][i]
		}
		for from := 0; from < len(out); {
			n := 1 << (bits.Len(uint(len(out)-from)) - 1)
			hadamard(out[from : from+n])
			from += n
		}
		dealt := make([]float32, len(out))
		for i, to := range drawn.order {
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

// rotation holds the random choices for the vectors of one length.
type rotation struct {
	signs [2][]float32
	order []int
}

var rotations sync.Map // rotations by length of the vectors

func rotationOf(length int) rotation {
	if l, known := rotations.Load(length); known {
		return l.(rotation)
	}
	rng := rand.New(rand.NewPCG(uint64(length), 1))
	l := rotation{order: rng.Perm(length)}
	for round := range l.signs {
		l.signs[round] = make([]float32, length)
		for i := range l.signs[round] {
			l.signs[round][i] = float32(1 - 2*rng.IntN(2))
		}
	}
	rotations.Store(length, l)
	return l
}

// unpacked returns a stored vector without its scale.
func unpacked(stored []byte) []float32 {
	v := make([]float32, len(stored)-scaleBytes)
	for i, b := range stored[scaleBytes:] {
		v[i] = float32(int8(b))
	}
	return v
}
