package embed

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/storage"
	"golang.org/x/sync/errgroup"
)

const (
	parallel = 8   // maximum number of rows that one call reads or writes at once
	bite     = 128 // number of vectors that are computed before they are stored; a crash loses no more
	// writeTime is the time limit for storing computed vectors. They are stored even after the caller's deadline,
	// because they are paid for.
	writeTime = 10 * time.Second
)

var _ llm.Embedder = (*Cached)(nil)

// Cached is a model that computes the vector of each text once and stores it. It is safe for concurrent use. If
// several callers in this process want the vector of the same text at the same time, only one of them computes it.
// Two processes may both compute it.
type Cached struct {
	model llm.Embedder
	rows  storage.Table
	log   *slog.Logger

	mu      sync.Mutex
	flights map[digest]*flight // the vectors that are being computed now
}

// NewCached returns a model whose vectors are kept in a store. Log may be nil.
func NewCached(model llm.Embedder, s storage.Store, log *slog.Logger) *Cached {
	defaults.Log(&log)
	return &Cached{model: model, rows: s.Table(table), log: log, flights: map[digest]*flight{}}
}

// Create creates the table if it is missing.
func (c *Cached) Create(ctx context.Context) error { return c.rows.Create(ctx) }

// Model returns the model's name.
func (c *Cached) Model() string { return c.model.Model() }

// Dimension returns the model's dimension, or 0 while the dimension is unknown.
func (c *Cached) Dimension() int { return c.model.Dimension() }

// Embed implements [llm.Embedder]. It also returns errors of the store. Vectors that were computed before the error
// stay stored.
func (c *Cached) Embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	found := map[digest][]float32{}
	for want := distinct(texts); len(want) > 0 && err == nil; {
		want, err = c.round(ctx, want, found)
	}
	vectors = make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = slices.Clone(found[digestOf(text)])
	}
	return vectors, err
}

func distinct(texts []string) []string {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	return slices.Compact(texts)
}

// round gets the vectors of texts. It fetches the vectors that no other caller is fetching, and waits for the others.
// It returns the texts whose vectors are still missing because the other caller gave up at its own deadline.
func (c *Cached) round(ctx context.Context, texts []string, found map[digest][]float32) (again []string, err error) {
	mine, others := c.begin(texts)
	err = c.fetch(ctx, mine) // fetch before waiting; otherwise two callers could wait for each other
	for _, f := range mine {
		found[f.digest] = f.vector
	}
	for _, f := range others {
		if err != nil {
			break
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, fault.New(fault.Unavailable, "waiting for a vector: %w", ctx.Err())
		}
		switch {
		case f.vector != nil:
			found[f.digest] = f.vector
		case errors.Is(f.err, context.Canceled) || errors.Is(f.err, context.DeadlineExceeded):
			again = append(again, f.text)
		default:
			err = f.err
		}
	}
	return again, err
}

// fetch gets the vectors of flights from the table. It gets the missing vectors from the model and writes them to the
// table.
func (c *Cached) fetch(ctx context.Context, mine []*flight) (err error) {
	defer func() { c.land(mine, err) }()
	if err := c.read(ctx, mine); err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(mine), func(f *flight) bool { return f.vector != nil })
	for some := range slices.Chunk(missing, bite) {
		if err := c.compute(ctx, some); err != nil {
			return err
		}
	}
	return c.alike(mine)
}

// alike returns an error if stored vectors have another dimension than the model. The dimension is then known, so the
// next call computes those vectors again.
func (c *Cached) alike(mine []*flight) (err error) {
	want := c.Dimension()
	for _, f := range mine {
		if want != 0 && len(f.vector) != want {
			err = fault.New(fault.Unavailable, "kept vectors of %s have %d numbers, new ones %d", c.Model(), len(f.vector), want)
			f.vector = nil
		}
	}
	return err
}

// read loads the stored vectors.
func (c *Cached) read(ctx context.Context, flights []*flight) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, f := range flights {
		g.Go(func() error {
			e, err := c.rows.Get(ctx, keyOf(c.Model(), f.digest))
			if err == nil {
				f.vector = c.kept(e)
			}
			return fault.Except(err, fault.NotFound)
		})
	}
	return g.Wait()
}

// kept returns the vector in a row, or nil if the vector must be computed again.
func (c *Cached) kept(e storage.Entity) []float32 {
	b, _ := e.Props[vectorColumn].([]byte)
	v, err := decode(b)
	if want := c.Dimension(); err == nil && want != 0 && len(v) != want {
		err = fault.New(fault.Internal, "the vector has %d numbers, where the model has %d", len(v), want)
	}
	if err != nil {
		c.log.Warn("kept vector not usable", "model", c.Model(), "row", e.Row, "err", err)
		return nil
	}
	return v
}

// compute calls the model and stores the returned vectors, even if the model also returned an error.
func (c *Cached) compute(ctx context.Context, flights []*flight) error {
	texts := make([]string, len(flights))
	for i, f := range flights {
		texts[i] = f.text
	}
	vectors, err := c.model.Embed(ctx, texts)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	var g errgroup.Group
	g.SetLimit(parallel)
	for i, f := range flights {
		if f.vector = vectors[i]; f.vector != nil {
			g.Go(func() error { return c.write(ctx, f) })
		}
	}
	return cmp.Or(err, g.Wait())
}

func (c *Cached) write(ctx context.Context, f *flight) error {
	_, err := c.rows.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: keyOf(c.Model(), f.digest), Props: storage.Properties{vectorColumn: encode(f.vector)},
	}})
	return err
}

// flight is the computation of one text's vector, for all callers in this process that want it.
type flight struct {
	digest
	text string

	done   chan struct{} // closed when vector and err are final
	vector []float32
	err    error // the reason why there is no vector
}

// begin starts a flight for each text that no flight computes yet, and returns these flights. It also returns the
// flights of the other texts, which other callers have started.
func (c *Cached) begin(texts []string) (mine, others []*flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		d := digestOf(text)
		if f := c.flights[d]; f != nil {
			others = append(others, f)
			continue
		}
		f := &flight{digest: d, text: text, done: make(chan struct{})}
		c.flights[d] = f
		mine = append(mine, f)
	}
	return mine, others
}

// land ends flights, with or without a result, so that no caller waits forever.
func (c *Cached) land(flights []*flight, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range flights {
		if f.err = err; f.vector == nil && err == nil {
			f.err = fault.New(fault.Internal, "the model did not come back") // the model panicked
		}
		delete(c.flights, f.digest)
		close(f.done)
	}
}
