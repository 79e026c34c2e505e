package sqlitesearch

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"math"
	"slices"
)

// A vector is stored as its scale (float32, little endian) and one signed byte for each number. This form has a
// quarter of the vector's size and makes searches cheaper, because their cost is the cost of reading. Multiplied by
// the scale, the numbers form a unit vector.
const scaleBytes = 4

// packed returns a vector in its stored form, or nil if the vector has no direction.
func packed(v []float32) []byte {
	var largest, sum float64
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil
	}
	b := make([]byte, scaleBytes, scaleBytes+len(v))
	binary.LittleEndian.PutUint32(b, math.Float32bits(float32(largest/math.Sqrt(sum)/math.MaxInt8)))
	for _, x := range v {
		b = append(b, byte(int8(math.RoundToEven(float64(x)/largest*math.MaxInt8))))
	}
	return b
}

// similarity returns the dot product of a query and a stored vector of the same length. It is the cosine if the query
// is normalized.
func similarity(query []float32, stored []byte) float32 {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(stored))
	stored = stored[scaleBytes : scaleBytes+len(query)]
	// With four sums, an addition need not wait for the result of the previous one.
	var a, b, c, d float32
	for len(query) >= 4 {
		q, s := query[:4:4], stored[:4:4]
		a += q[0] * float32(int8(s[0]))
		b += q[1] * float32(int8(s[1]))
		c += q[2] * float32(int8(s[2]))
		d += q[3] * float32(int8(s[3]))
		query, stored = query[4:], stored[4:]
	}
	for i, x := range query {
		a += x * float32(int8(stored[i]))
	}
	return (a + b + c + d) * scale
}

// neighbour is a chunk and its similarity to a query.
type neighbour struct {
	chunk      int64
	similarity float32
}

// nearest keeps the n nearest of the neighbours offered to it, and among equals those with the smallest ids. The
// worst is at the top of the heap.
type nearest struct {
	n    int
	kept []neighbour
}

// offer keeps a neighbour if it is near enough.
func (s *nearest) offer(c neighbour) {
	switch {
	case len(s.kept) < s.n:
		heap.Push(s, c)
	case nearer(c, s.kept[0]) < 0:
		s.kept[0] = c
		heap.Fix(s, 0)
	}
}

// sorted returns the neighbours, nearest first.
func (s *nearest) sorted() []neighbour {
	slices.SortFunc(s.kept, nearer)
	return s.kept
}

// nearer compares two neighbours for a sort that puts the nearest first.
func nearer(a, b neighbour) int {
	return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.chunk, b.chunk))
}

func (s *nearest) Len() int           { return len(s.kept) }
func (s *nearest) Less(i, j int) bool { return nearer(s.kept[i], s.kept[j]) > 0 }
func (s *nearest) Swap(i, j int)      { s.kept[i], s.kept[j] = s.kept[j], s.kept[i] }
func (s *nearest) Push(x any)         { s.kept = append(s.kept, x.(neighbour)) }
func (s *nearest) Pop() any           { panic("unreachable: neighbours are replaced") }
