package sqlitesearch

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
)

func TestVectors(t *testing.T) {
	searchtest.Vectors(t, func(t *testing.T) search.Engine { return open(t, filepath.Join(t.TempDir(), "search.db")) })
}

// random returns a vector of length one.
func random(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	var sum float64
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestPackedVectorsAreNearlyExact checks that one byte per number is enough: cosines are exact to 0.002, and stored
// vectors have length one.
func TestPackedVectorsAreNearlyExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 5, 384, 1536} {
		for range 50 {
			a, b := random(rng, n), random(rng, n)
			long := slices.Clone(b)
			for i := range long {
				long[i] *= 37
			}
			if have, want := float64(similarity(a, packed(long))), dot(a, b); math.Abs(have-want) > 0.01 ||
				n >= 384 && math.Abs(have-want) > 0.002 {
				t.Errorf("%d numbers: have %v, want %v", n, have, want)
			}
		}
	}
	nan := float32(math.NaN())
	for _, v := range [][]float32{nil, {}, {0, 0}, {1, nan}, {1, float32(math.Inf(1))}} {
		if packed(v) != nil {
			t.Errorf("%v has no direction", v)
		}
	}
}

// TestRecall checks texts on many subjects: nearly all of the ten nearest are found, and the nearest always.
func TestRecall(t *testing.T) {
	const n, d, queries = 2000, 384, 20
	rng := rand.New(rand.NewPCG(3, 4))
	subjects := make([][]float32, 20)
	for i := range subjects {
		subjects[i] = random(rng, d)
	}
	about := func() []float32 { // near its subject
		v, noise := slices.Clone(subjects[rng.IntN(len(subjects))]), random(rng, d)
		for i := range v {
			v[i] += noise[i]
		}
		return v
	}
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = about()
		l := float32(math.Sqrt(dot(vectors[i], vectors[i])))
		for j := range vectors[i] {
			vectors[i][j] /= l
		}
	}
	found := 0
	for range queries {
		q := about()
		exact, approximate := nearest{n: 10}, nearest{n: 10}
		for i, v := range vectors {
			exact.offer(neighbour{int64(i), float32(dot(q, v))})
			approximate.offer(neighbour{int64(i), similarity(q, packed(v))})
		}
		want, have := exact.sorted(), approximate.sorted()
		if have[0].chunk != want[0].chunk {
			t.Errorf("the nearest is %d, not %d", want[0].chunk, have[0].chunk)
		}
		for _, c := range want {
			if slices.ContainsFunc(have, func(h neighbour) bool { return h.chunk == c.chunk }) {
				found++
			}
		}
	}
	if found < queries*10*97/100 {
		t.Errorf("%d of %d found", found, queries*10)
	}
}

// TestNearest compares the kept neighbours with the first of a full sort.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []neighbour
		for i, s := range rapid.SliceOf(rapid.IntRange(0, 5)).Draw(t, "similarities") {
			all = append(all, neighbour{int64(i), float32(s)})
		}
		for i := range all { // in another order than that of ids
			j := rapid.IntRange(0, i).Draw(t, "place")
			all[i], all[j] = all[j], all[i]
		}
		s := nearest{n: rapid.IntRange(1, 8).Draw(t, "n")}
		for _, c := range all {
			s.offer(c)
		}
		slices.SortFunc(all, nearer)
		if want := all[:min(s.n, len(all))]; !slices.Equal(s.sorted(), want) {
			t.Fatalf("have %v, want %v", s.kept, want)
		}
	})
}

// TestNearPassagesAreShown checks that a result shows near chunks together with chunks that have the words.
func TestNearPassagesAreShown(t *testing.T) {
	ix := open(t, filepath.Join(t.TempDir(), "search.db"))
	must(t, ix.Create(t.Context()))
	must(t, ix.Put(t.Context(), search.Page{ID: "a", Title: "Tides", Chunks: []search.Chunk{
		{Key: "k0", UID: "u0", Text: "the flood comes"},
		{Key: "k1", UID: "u1", Text: "high water at noon", Vector: []float32{1, 0}},
		{Key: "k2", UID: "u2", Text: "neither"},
	}}))
	res, err := ix.Search(t.Context(), search.Query{Text: "flood", Vector: []float32{1, 0}, Top: 10})
	must(t, err)
	var have []string
	for _, p := range res.Results[0].Passages {
		have = append(have, p.ChunkUID)
	}
	if fmt.Sprint(have) != "[u0 u1]" {
		t.Errorf("have %v", have)
	}
}

// TestVectorsLeaveWithTheirChunks checks that no vector outlives its chunk, and that an unchanged page writes none.
func TestVectorsLeaveWithTheirChunks(t *testing.T) {
	ix := open(t, filepath.Join(t.TempDir(), "search.db"))
	must(t, ix.Create(t.Context()))
	p := search.Page{ID: "a", Title: "Tides"}
	for i := range 3 {
		p.Chunks = append(p.Chunks, search.Chunk{Key: fmt.Sprint("k", i), UID: "u", Text: "tide",
			Vector: []float32{1, float32(i)}})
	}
	must(t, ix.Put(t.Context(), p))
	before := rowsOf(t, ix)
	again := p
	again.Chunks = slices.Clone(p.Chunks)
	again.Chunks[1].Vector = nil
	must(t, ix.Put(t.Context(), again))
	if diff := cmp.Diff(before, rowsOf(t, ix)); diff != "" || len(before) != 3 {
		t.Errorf("%d vectors; -before +after\n%s", len(before), diff)
	}
	p.Chunks = p.Chunks[:1]
	must(t, ix.Put(t.Context(), p))
	if have := rowsOf(t, ix); len(have) != 1 || have[0] != before[0] {
		t.Errorf("have %v", have)
	}
	must(t, ix.Remove(t.Context(), "a", nil))
	if have := rowsOf(t, ix); len(have) != 0 {
		t.Errorf("have %v", have)
	}
}

func rowsOf(t *testing.T, ix *Index) (out []string) {
	t.Helper()
	rows, err := ix.read.QueryContext(t.Context(), "SELECT chunk || ' ' || hex(vector) FROM vectors ORDER BY chunk")
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var r string
		must(t, rows.Scan(&r))
		out = append(out, r)
	}
	must(t, rows.Err())
	return out
}

// TestAnotherModelBeginsAnew checks that vectors of another model are deleted and the index has to be filled again.
// They are also deleted without a model, because pages that change in the meantime would have none.
func TestAnotherModelBeginsAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	for _, step := range []struct {
		model  string
		begins bool
		keeps  bool // content of the previous step
	}{
		{"", true, false}, // a new file
		{"", false, true},
		{"m1", true, false},
		{"m1", false, true},
		{"m2", true, false},
		{"", false, false},
		{"m2", true, false},
	} {
		ix, err := Open(path, Options{Model: step.model})
		must(t, err)
		must(t, ix.Create(t.Context()))
		begun, err := ix.Begun(t.Context())
		must(t, err)
		held := len(rowsOf(t, ix))
		if (begun != "") != step.begins || (held > 0) != step.keeps {
			t.Errorf("%+v: begun %q, %d vectors", step, begun, held)
		}
		must(t, ix.Create(context.WithoutCancel(t.Context()))) // as often as is liked
		if again, _ := ix.Begun(t.Context()); again != begun {
			t.Errorf("%+v: begun %q, then %q", step, begun, again)
		}
		must(t, ix.Filled(t.Context(), begun))
		must(t, ix.Put(t.Context(), search.Page{ID: "a", Chunks: []search.Chunk{{Key: "k" + step.model, UID: "u", Text: "t",
			Vector: []float32{1}}}}))
		must(t, ix.Close())
	}
}

// TestVectorsReturnWithTheirModel checks that a chunk whose key stayed the same gets its deleted vector again.
func TestVectorsReturnWithTheirModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	p := search.Page{ID: "a", Title: "Tides", Chunks: []search.Chunk{{Key: "k-m", UID: "u", Text: "tide",
		Vector: []float32{1, 2}}}}
	for _, step := range []struct {
		model string
		put   bool
		want  int
	}{{"m", true, 1}, {"", false, 0}, {"m", true, 1}, {"m", true, 1}} {
		ix, err := Open(path, Options{Model: step.model})
		must(t, err)
		must(t, ix.Create(t.Context()))
		if step.put {
			must(t, ix.Put(t.Context(), p))
		}
		if have := rowsOf(t, ix); len(have) != step.want {
			t.Errorf("%+v: have %v", step, have)
		}
		must(t, ix.Close())
	}
}

// TestVectorsOfAnotherLength checks that a changed model with the same name is logged once, and that a rebuild
// repairs it.
func TestVectorsOfAnotherLength(t *testing.T) {
	var log bytes.Buffer
	ix, err := Open(filepath.Join(t.TempDir(), "search.db"), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	must(t, err)
	defer ix.Close()
	must(t, ix.Create(t.Context()))
	find := func(want int) {
		t.Helper()
		res, err := ix.Search(t.Context(), search.Query{Text: "flood", Vector: []float32{1, 0, 0}, Top: 10})
		if err != nil || res.Count != want {
			t.Errorf("%d pages, want %d: %v", res.Count, want, err)
		}
	}
	must(t, ix.Put(t.Context(), page("a", []float32{1, 0})))
	find(0)
	find(0)
	if n := strings.Count(log.String(), "tidemark rebuild"); n != 1 {
		t.Errorf("told %d times: %s", n, &log)
	}
	must(t, ix.Put(t.Context(), page("a", []float32{1, 0, 0})))
	find(1)
}

// page returns a page with one chunk with a vector; its key does not name the model.
func page(id string, vector []float32) search.Page {
	return search.Page{ID: id, Title: "Tides", Chunks: []search.Chunk{{Key: "k", UID: "u", Text: "high water",
		Vector: vector}}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
