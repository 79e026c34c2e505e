package sqlitesearch

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// adverse returns the worst vectors that models produce: all point in a similar direction, few numbers are large, and
// they form groups of near neighbours.
func adverse(rng *rand.Rand, length, groups int) func() []float32 {
	scale, middle := make([]float64, length), make([]float64, length)
	for i := range scale {
		scale[i] = 1 / float64(1+i%97)
		middle[i] = 2 * scale[i] * rng.NormFloat64()
	}
	centres := make([][]float64, groups)
	for g := range centres {
		centres[g] = make([]float64, length)
		for i := range centres[g] {
			centres[g][i] = middle[i] + scale[i]*rng.NormFloat64()
		}
	}
	return func() []float32 {
		v, centre := make([]float32, length), centres[rng.IntN(groups)]
		for i := range v {
			v[i] = float32(centre[i] + .5*scale[i]*rng.NormFloat64())
		}
		return v
	}
}

// TestJ1SignsFindTheNearest checks that at least .98 of the ten nearest vectors are among those compared in full,
// here a fiftieth of all.
func TestJ1SignsFindTheNearest(t *testing.T) {
	const length, many, most = 384, 8000, 160
	rng := rand.New(rand.NewPCG(5, 6))
	vector := adverse(rng, length, 40)
	all, known := make([][]byte, many), make([][]uint64, many)
	for i := range all {
		all[i] = packed(vector())
		known[i] = signs(unpacked(all[i]))
	}
	right := 0
	const queries = 40
	for range queries {
		q := vector()
		best, rough := nearest{n: 10}, nearest{n: most}
		for i := range all {
			best.offer(neighbour{int64(i), similarity(q, all[i])})
			rough.offer(neighbour{int64(i), -float32(differing(signs(q), known[i]))})
		}
		for _, b := range best.kept {
			if slices.ContainsFunc(rough.kept, func(n neighbour) bool { return n.chunk == b.chunk }) {
				right++
			}
		}
	}
	if recall := float64(right) / (10 * queries); recall < .98 {
		t.Errorf("recall %.3f", recall)
	}
}

// TestJ1SignsFollowTheirVectors checks that after any changes, the signs are those of the vectors, each once.
func TestJ1SignsFollowTheirVectors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	ix := created(t, path)
	rng := rand.New(rand.NewPCG(7, 8))
	for step := range 60 {
		changeVectors(t, ix, rng, 70+step/30) // another model in the second half
	}
	checkBits(t, ix)
}

// changeVectors removes a page, or puts one whose chunks have vectors of a length, or none.
func changeVectors(t *testing.T, ix *Index, rng *rand.Rand, length int) {
	t.Helper()
	id := fmt.Sprintf("p%d", rng.IntN(12))
	if rng.IntN(4) == 0 {
		must(t, ix.Remove(t.Context(), id, nil))
		return
	}
	p := search.Page{ID: id, Title: "T"}
	for c := range rng.IntN(5) {
		chunk := search.Chunk{Key: fmt.Sprintf("k%d-%d", c, rng.IntN(3)), UID: "u", Text: "text"}
		if rng.IntN(5) > 0 {
			chunk.Vector = make([]float32, length)
			for i := range chunk.Vector {
				chunk.Vector[i] = float32(rng.NormFloat64())
			}
		}
		p.Chunks = append(p.Chunks, chunk)
	}
	put(t, ix, p)
}

// TestJ1CachedSigns checks that a query sees the signs of its own transaction, whatever was written or read by others
// since, and whether or not they fit in memory.
func TestJ1CachedSigns(t *testing.T) {
	for name, most := range map[string]int{"cached": cachedBytes, "too large": 200} {
		t.Run(name, func(t *testing.T) {
			ix := created(t, filepath.Join(t.TempDir(), "search.db"))
			ix.signs.most = most
			rng := rand.New(rand.NewPCG(1, 2))
			var earlier *sql.Tx
			var read, copied []signRow // by an earlier query
			for step := range 80 {
				changeVectors(t, ix, rng, 70)
				if step == 50 {
					must(t, useModel(t.Context(), ix.write, "another"))
				}
				tx, err := ix.read.BeginTx(t.Context(), nil)
				must(t, err)
				if earlier != nil {
					compareSigns(t, &ix.signs, earlier)
					must(t, earlier.Rollback())
				}
				earlier = tx
				now, _, err := ix.signs.of(t.Context(), sqlitefile.NewStatements(tx))
				must(t, err)
				if !reflect.DeepEqual(read, copied) {
					t.Fatal("rows changed that a query reads")
				}
				read, copied = now, slices.Clone(now)
				if step%2 == 0 {
					compareSigns(t, &ix.signs, tx)
				}
				if step == 60 {
					ix.signs.clear()
				}
			}
			must(t, earlier.Rollback())
			if cached := len(ix.signs.rows) > 0; cached != (most == cachedBytes) {
				t.Errorf("cached: %v", cached)
			}
		})
	}
}

// compareSigns compares the rows from a cache with those that a transaction sees.
func compareSigns(t *testing.T, c *signCache, tx *sql.Tx) {
	t.Helper()
	want, have := map[[3]int64]string{}, map[[3]int64]string{}
	must(t, readSigns(t.Context(), sqlitefile.NewStatements(tx), -1, func(_ int64, r signRow) bool {
		want[r.key()] = string(r.data)
		return true
	}))
	must(t, c.each(t.Context(), sqlitefile.NewStatements(tx), func(r signRow) { have[r.key()] += string(r.data) }))
	if !maps.Equal(have, want) {
		t.Errorf("%d rows, want %d", len(have), len(want))
	}
}

func differing(a, b []uint64) (n int) {
	for i := range a {
		n += bits.OnesCount64(a[i] ^ b[i])
	}
	return n
}

// checkBits compares table bits with the vectors.
func checkBits(t *testing.T, ix *Index) {
	t.Helper()
	want, have := map[int64]string{}, map[int64]string{}
	rows, err := ix.read.Query("SELECT chunk, vector FROM vectors")
	must(t, err)
	for rows.Next() {
		var chunk int64
		var vector []byte
		must(t, rows.Scan(&chunk, &vector))
		want[chunk] = fmt.Sprint(signs(unpacked(vector)))
	}
	must(t, rows.Err())
	rows, err = ix.read.Query("SELECT pages, length, data FROM bits")
	must(t, err)
	for rows.Next() {
		var row int64
		var length int
		var data []byte
		must(t, rows.Scan(&row, &length, &data))
		for entry := range slices.Chunk(data, indexBytes+8*signWords(length)) {
			words := make([]uint64, signWords(length))
			for i := range words {
				words[i] = binary.LittleEndian.Uint64(entry[indexBytes+8*i:])
			}
			chunk := row<<(slotBits+pagesBits) | int64(binary.LittleEndian.Uint32(entry))
			if have[chunk] != "" {
				t.Errorf("chunk %x twice", chunk)
			}
			have[chunk] = fmt.Sprint(words)
		}
	}
	must(t, rows.Err())
	if len(want) == 0 || len(want) != len(have) {
		t.Fatalf("signs of %d chunks, want %d", len(have), len(want))
	}
	for chunk, signs := range want {
		if have[chunk] != signs {
			t.Errorf("chunk %x: have %s, want %s", chunk, have[chunk], signs)
		}
	}
}
