package sqlitesearch

import (
	"context"
	"database/sql"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

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
