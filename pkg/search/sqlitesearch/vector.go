package sqlitesearch

import (
	"cmp"
	"container/heap"
	"context"
	"database/sql"
	"encoding/binary"
	"math"
	"math/bits"
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

// maxNear is the maximum number of chunks that the vector of a query finds. Without a bound, it would find all
// chunks, because every chunk is near to some degree.
const maxNear = 50

// similar finds the chunks whose vectors have the most signs in common with the query's vector, most similar first.
// It also returns the number of vectors whose length differs from that of the query's vector.
func (s *searcher) similar(ctx context.Context, query []float32, most int) (chunks []int64, others int, err error) {
	want, size := signs(query), indexBytes+8*signWords(len(query))
	// All distances are small integers, so a counting sort finds the nearest.
	near := make([][]int64, len(query)+1)
	kept, worst := 0, len(query)
	err = s.signs.each(ctx, s.tx, func(r signRow) {
		if r.length != int64(len(query)) {
			others += len(r.data) / (indexBytes + 8*signWords(int(r.length)))
			return
		}
		for data := r.data; len(data) >= size; data = data[size:] {
			differ := 0
			for i, word := range want {
				differ += bits.OnesCount64(word ^ binary.LittleEndian.Uint64(data[indexBytes+8*i:]))
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
	return chunks[:min(most, len(chunks))], others, err
}

// nearestChunks finds the chunks whose vectors are nearest to the query's vector. It considers only pages that pass
// the filters.
func (s *searcher) nearestChunks(ctx context.Context) (chunks []int64, err error) {
	conditions, args := filters(s.query)
	for most := compared; ; most *= 16 {
		if len(args) > 0 && most == compared {
			most = manyCompared
		}
		if s.bounds.candidates == everything.candidates {
			most = math.MaxInt
		}
		found, others, err := s.similar(ctx, s.query.Vector, most)
		if err != nil {
			return nil, err
		}
		s.otherLengths = others
		best, err := s.compare(ctx, found, conditions, args)
		// If few of these chunks are on pages that pass the filters, compare more vectors.
		if err != nil || len(best) >= maxNear || len(found) < most {
			for _, c := range best {
				chunks = append(chunks, c.chunk)
			}
			return chunks, err
		}
	}
}

// compare compares the vectors of chunks with the query's vector in full, and returns the nearest chunks.
func (s *searcher) compare(ctx context.Context, chunks []int64, conditions string, args []any) ([]neighbour, error) {
	query := "SELECT v.chunk, v.vector FROM json_each(?) j CROSS JOIN vectors v ON v.chunk = j.value"
	if len(args) > 0 {
		query += " CROSS JOIN pages f ON f.rowid = (v.chunk >> 16) WHERE TRUE" + conditions
	}
	slices.Sort(chunks)
	best := nearest{n: maxNear}
	var c neighbour
	var stored sql.RawBytes
	for err := range s.tx.Rows(ctx, query, append([]any{asJSON(chunks)}, args...), &c.chunk, &stored) {
		if err != nil {
			return nil, err
		}
		if len(stored) == scaleBytes+len(s.query.Vector) {
			c.similarity = similarity(s.query.Vector, stored)
			best.offer(c)
		}
	}
	return best.sorted(), nil
}
