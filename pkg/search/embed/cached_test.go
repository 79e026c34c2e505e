package embed

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

const dimension = 8

// rig is a store that counts operations and fails on demand, and a model that does the same.
type rig struct {
	model *llmtest.Embedder
	store storage.Store
	*Cached

	mu    sync.Mutex
	calls map[string]int
	// before and after may fail an operation on the table.
	before, after func(storagetest.Call) error
}

func newRig(t tester) *rig {
	t.Helper()
	r := &rig{model: llmtest.NewEmbedder("tide-embed", dimension), calls: map[string]int{}}
	r.store = storagetest.Hooked(mem.New(time.Now), storagetest.Hooks{
		OnBefore: func(_ context.Context, c storagetest.Call) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.calls[c.Op]++
			if r.before != nil {
				return r.before(c)
			}
			return nil
		},
		OnAfter: func(_ context.Context, c storagetest.Call, err error) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.after != nil && err == nil {
				return r.after(c)
			}
			return err
		},
	})
	r.restart()
	if err := r.Create(t.Context()); err != nil {
		t.Fatalf("create: %v", err)
	}
	return r
}

// restart drops the state in memory.
func (r *rig) restart() { r.Cached = NewCached(r.model, r.store, nil) }

// used returns the number of operations since the last call.
func (r *rig) used() (reads, writes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reads, writes = r.calls["table.Get"], r.calls["table.Transact"]
	clear(r.calls)
	return reads, writes
}

// tester is what [testing.T] and [rapid.T] share.
type tester interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
}

// check compares each vector with the expected one for its text; with missing, nil is permitted.
func check(t tester, texts []string, vectors [][]float32, missing bool) {
	t.Helper()
	if len(vectors) != len(texts) {
		t.Fatalf("have %d vectors, want %d", len(vectors), len(texts))
	}
	for i, text := range texts {
		if want := llmtest.Vector(text, dimension); !slices.Equal(vectors[i], want) && !(missing && vectors[i] == nil) {
			t.Fatalf("vector %d is not that of %q", i, text)
		}
	}
}

func texts(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("text %d", i))
	}
	return out
}

// C5: a computed vector is read from then on, also by another process.
func TestC5ComputedOnce(t *testing.T) {
	r := newRig(t)
	first := []string{"a", "b", "a", "c"}
	vectors, err := r.Embed(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	check(t, first, vectors, false)
	if reads, writes := r.used(); reads != 3 || writes != 3 {
		t.Errorf("three texts: %d reads, %d writes", reads, writes)
	}
	vectors[0][0] = 7 // a copy of the caller's
	if vectors[2][0] == 7 {
		t.Error("two texts share a vector")
	}
	r.restart()
	second := []string{"c", "d", "a"}
	if vectors, err = r.Embed(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	check(t, second, vectors, false)
	if reads, writes := r.used(); reads != 3 || writes != 1 || r.model.Texts() != 4 {
		t.Errorf("one new text: %d reads, %d writes, %d texts computed", reads, writes, r.model.Texts())
	}
	other := NewCached(llmtest.NewEmbedder("other", dimension), r.store, nil)
	if _, err := other.Embed(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if _, writes := r.used(); writes != 3 {
		t.Errorf("another model: %d writes", writes)
	}
	if _, err := r.Embed(t.Context(), nil); err != nil || r.model.Texts() != 4 {
		t.Errorf("nothing asked: %v", err)
	}
}

// C5: whatever fails in between, every text finally gets its own vector, in its position. It is computed once, or
// once more for each lost write of its row.
func TestC5NeverComputedTwice(t *testing.T) {
	down := fault.New(fault.Unavailable, "down")
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t)
		lost := map[string]int{} // by row: lost writes
		fails := rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "", "model", "before", "after"}), 0, 60).Draw(t, "fails")
		var turn sync.Mutex
		next := func(what string) error {
			turn.Lock()
			defer turn.Unlock()
			if len(fails) == 0 || fails[0] != "" && fails[0] != what {
				return nil
			}
			f := fails[0]
			if fails = fails[1:]; f == "" {
				return nil
			}
			return down
		}
		r.model.Fail = func(string) error { return next("model") }
		r.before = func(c storagetest.Call) error {
			err := next("before")
			if err != nil && c.Op == "table.Transact" {
				lost[c.Ops[0].Entity.Row]++
			}
			return err
		}
		r.after = func(storagetest.Call) error { return next("after") }
		asked := map[string]bool{}
		for range rapid.IntRange(1, 6).Draw(t, "calls") {
			want := rapid.SliceOfN(rapid.SampledFrom(texts(12)), 1, 20).Draw(t, "texts")
			for _, text := range want {
				asked[text] = true
			}
			if rapid.Bool().Draw(t, "restart") {
				r.restart()
			}
			for try := 0; ; try++ {
				vectors, err := r.Embed(context.Background(), want)
				check(t, want, vectors, err != nil)
				if err == nil {
					break
				}
				if try > 100 || !fault.Is(err, fault.Unavailable) {
					t.Fatalf("try %d: %v", try, err)
				}
			}
		}
		for text := range asked {
			row := keyOf(r.Model(), digestOf(text)).Row
			if n := r.model.Count(text); n != 1+lost[row] {
				t.Fatalf("%q computed %d times, %d writes were lost", text, n, lost[row])
			}
		}
	})
}

// C5: after a failure of the model, earlier results are not computed again.
func TestC5ResumesAfterFailure(t *testing.T) {
	r := newRig(t)
	want := texts(3*bite + 5)
	n := 0
	r.model.Fail = func(string) error {
		if n++; n > bite+10 {
			return fault.After(time.Minute, "busy")
		}
		return nil
	}
	vectors, err := r.Embed(t.Context(), want)
	if !fault.Is(err, fault.Throttled) || fault.RetryAfter(err) != time.Minute {
		t.Fatalf("have %v", err)
	}
	check(t, want, vectors, true)
	r.model.Fail = nil
	r.restart()
	if vectors, err = r.Embed(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	check(t, want, vectors, false)
	if have := r.model.Texts(); have != len(want) {
		t.Errorf("%d texts computed, there are %d", have, len(want))
	}
}

// C5: computed vectors are stored even if the caller's deadline has passed.
func TestC5PaidIsKept(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.model.Fail = func(text string) error {
		if text == "b" {
			cancel()
			return fault.New(fault.Unavailable, "gone: %w", ctx.Err())
		}
		return nil
	}
	if _, err := r.Embed(ctx, []string{"a", "b"}); !fault.Is(err, fault.Unavailable) {
		t.Fatalf("have %v", err)
	}
	r.model.Fail = nil
	if _, err := r.Embed(t.Context(), []string{"a", "b"}); err != nil || r.model.Count("a") != 1 {
		t.Errorf("%v, computed %d times", err, r.model.Count("a"))
	}
}

// C5: when many callers want the same texts at once, the model computes them once.
func TestC5ComputedOnceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.model.Wait = func(ctx context.Context) error { time.Sleep(time.Second); return ctx.Err() }
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				want := texts(10)[i%5:]
				vectors, err := r.Embed(t.Context(), want)
				if err != nil {
					t.Error(err)
					return
				}
				check(t, want, vectors, false)
			})
		}
		wg.Wait()
		if have := r.model.Texts(); have != 10 {
			t.Errorf("%d texts computed, there are 10", have)
		}
		if reads, writes := r.used(); reads != 10 || writes != 10 {
			t.Errorf("%d reads, %d writes", reads, writes)
		}
	})
}

// TestWaitingForAnother checks a caller that waits for another caller's text: it computes the text itself if the
// other gives up, gets the other's error, and gives up at its own deadline.
func TestWaitingForAnother(t *testing.T) {
	down := fault.New(fault.Unavailable, "down")
	for _, tc := range []struct {
		name     string
		leaves   bool  // the first caller's deadline passes
		fails    error // of the model, for the first caller
		patience time.Duration
		kind     fault.Kind
		computed int
	}{
		{name: "it comes", patience: time.Hour, computed: 1},
		{name: "the other leaves", leaves: true, patience: time.Hour, computed: 1},
		{name: "the other fails", fails: down, patience: time.Hour, kind: fault.Unavailable},
		{name: "we leave", patience: time.Second / 2, kind: fault.Unavailable, computed: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				calls := 0
				r.model.Wait = func(ctx context.Context) error {
					calls++
					first := calls == 1
					select {
					case <-time.After(time.Minute):
					case <-ctx.Done():
						return fault.New(fault.Unavailable, "gone: %w", ctx.Err())
					}
					if first {
						return tc.fails
					}
					return nil
				}
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				go func() { _, _ = r.Embed(ctx, []string{"a"}) }()
				synctest.Wait()
				if tc.leaves {
					time.AfterFunc(time.Second, leave)
				}
				ours, cancel := context.WithTimeout(t.Context(), tc.patience)
				defer cancel()
				vectors, err := r.Embed(ours, []string{"a"})
				if fault.KindOf(err) != tc.kind {
					t.Errorf("have %v", err)
				}
				check(t, []string{"a"}, vectors, err != nil)
				time.Sleep(time.Hour)
				if have := r.model.Texts(); have != tc.computed {
					t.Errorf("computed %d times, want %d", have, tc.computed)
				}
			})
		})
	}
}

// TestPanicEndsTheWait checks that no caller waits forever for a model that panics.
func TestPanicEndsTheWait(t *testing.T) {
	r := newRig(t)
	r.model.Wait = func(context.Context) error { panic("bug") }
	func() {
		defer func() { _ = recover() }()
		_, _ = r.Embed(t.Context(), []string{"a"})
	}()
	if len(r.flights) > 0 {
		t.Error("the flight never lands")
	}
}

// TestRowsAreVerified checks that a damaged row, or one of a changed model with the same name, is computed again.
func TestRowsAreVerified(t *testing.T) {
	for _, tc := range []struct {
		name string
		row  []byte
	}{
		{"cut", encode(llmtest.Vector("a", dimension))[:20]},
		{"empty", []byte{}},
		{"a bit flipped", flipped(encode(llmtest.Vector("a", dimension)), 15)},
		{"another version", flipped(encode(llmtest.Vector("a", dimension)), 0)},
		{"another dimension", encode(llmtest.Vector("a", dimension+1))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			put(t, r, "a", tc.row)
			r.used()
			for range 2 {
				vectors, err := r.Embed(t.Context(), []string{"a"})
				if err != nil {
					t.Fatal(err)
				}
				check(t, []string{"a"}, vectors, false)
			}
			if _, writes := r.used(); writes != 1 || r.model.Texts() != 1 {
				t.Errorf("%d writes, computed %d times", writes, r.model.Texts())
			}
		})
	}
}

func put(t *testing.T, r *rig, text string, row []byte) {
	t.Helper()
	_, err := r.rows.Transact(t.Context(), storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: keyOf(r.Model(), digestOf(text)), Props: storage.Properties{vectorColumn: row},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func flipped(b []byte, at int) []byte {
	b[at] ^= 2
	return b
}

// late is a model whose dimension is unknown before its first answer.
type late struct {
	*llmtest.Embedder
	known int
}

func (m *late) Dimension() int { return m.known }

func (m *late) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m.known = dimension
	return m.Embedder.Embed(ctx, texts)
}

// TestDimensionLearnedLate checks that rows of another dimension are no longer used once the model's dimension is
// known.
func TestDimensionLearnedLate(t *testing.T) {
	r := newRig(t)
	put(t, r, "a", encode(llmtest.Vector("a", dimension+1)))
	r.Cached = NewCached(&late{Embedder: r.model}, r.store, nil)
	if vectors, err := r.Embed(t.Context(), []string{"a", "b"}); !fault.Is(err, fault.Unavailable) || vectors[0] != nil {
		t.Fatalf("have %v, %v", vectors, err)
	}
	vectors, err := r.Embed(t.Context(), []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	check(t, []string{"a", "b"}, vectors, false)
}

// TestRowsKeepTheirNames checks that row keys never change; otherwise everything would be computed again.
func TestRowsKeepTheirNames(t *testing.T) {
	want := storage.Key{
		Partition: "31a7134a5bdc1c09-8a",
		Row:       "8a28929ac7f9a17e97a421ac2cd63ac73568ebe87bc0cee641a193d91c761577",
	}
	if have := keyOf("text-embedding-3-small", digestOf("tide")); have != want {
		t.Errorf("have %+v, want %+v", have, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode([]float32{1, 2}))
	f.Add([]byte{1, 0, 0, 0, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := decode(b); err == nil && !slices.Equal(encode(v)[header:], b[header:]) {
			t.Errorf("%x reads as what is written otherwise", b)
		}
	})
}
