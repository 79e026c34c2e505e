package entries

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Filler gives the chunks of a page their vectors. A page that gets an error must not be indexed.
type Filler interface {
	Fill(ctx context.Context, p *search.Page) error
}

// Index is the part of [search.Index] that entries need.
type Index interface {
	Put(ctx context.Context, pages ...search.Page) error
	Remove(ctx context.Context, id string, held *search.Held) error
	Holds(ctx context.Context, id string) (search.Holding, error)
}

// owing is an entry that the index is owed by the caller, who holds the debt.
type owing struct {
	debt
	fields Fields // nil: there is no such entry
	fresh  bool   // the index was never given the entry
}

const (
	// settleTries is how often an entry is put into the index that is changed again and again.
	settleTries = 3
	readers     = 8 // rows read at once
)

// Settle has the index hold what calls have inserted and updated, so that it is found at once: for each
// hundred entries one Put and a transaction for each policy. What the index does not take now, or what was
// changed by somebody else at the same time, it gets later by [Store.Drain]; the error says why, and the
// entries stand whatever it is. It must be called within [owedTime] less [owedRest] of the calls; what is
// older is left to Drain, too.
func (s *Store) Settle(ctx context.Context, results ...Result) error {
	var mine []owing
	for _, r := range results {
		if r.owed.etag != "" {
			mine = append(mine, owing{debt: r.owed, fields: r.Entry, fresh: r.Action == Inserted})
		}
	}
	if s.o.Index == nil {
		return nil
	}
	return s.settle(ctx, mine)
}

// settle pays debts, again while they grow.
func (s *Store) settle(ctx context.Context, debts []owing) error {
	for try := 0; len(debts) > 0 && try < settleTries; try++ {
		var grown []debt
		for some := range slices.Chunk(debts, portion) {
			left, err := s.pay(ctx, some)
			if err != nil {
				return err
			}
			grown = append(grown, left...)
		}
		var err error
		if debts, err = s.reread(ctx, grown); err != nil {
			return err
		}
	}
	return nil
}

// pay puts at most a portion of entries into the index and removes their debts, but for those that have grown,
// which it returns, and those whose time is nearly over, which are somebody else's soon.
func (s *Store) pay(ctx context.Context, some []owing) (grown []debt, err error) {
	now := s.o.Clock().UTC()
	var pages []search.Page
	paid := map[string][]debt{}
	for _, o := range some {
		if o.until.Sub(now) < owedRest {
			continue
		}
		if o.fields == nil {
			if err := s.o.Index.Remove(ctx, idAt(o.entry()), nil); err != nil {
				return nil, err
			}
		} else if p, failed := s.page(ctx, o, now); failed != nil {
			err = errors.Join(err, failed)
			continue
		} else {
			pages = append(pages, p)
		}
		paid[o.key.Partition] = append(paid[o.key.Partition], o.debt)
	}
	if failed := s.put(ctx, pages); failed != nil {
		return nil, failed
	}
	for _, debts := range paid {
		more, failed := s.In(Production).release(ctx, debts)
		if failed != nil {
			return nil, failed
		}
		grown = append(grown, more...)
	}
	return grown, err
}

// page is an entry for the index, with vectors if chunks have any.
func (s *Store) page(ctx context.Context, o owing, now time.Time) (search.Page, error) {
	p := pageOf(o.fields, now)
	if o.fresh {
		p.Held = &search.Held{}
	}
	if s.o.Vectors == nil {
		return p, nil
	}
	return p, s.o.Vectors.Fill(ctx, &p)
}

// put gives pages to the index. One that it refuses for what it is stays out, and the log says so.
func (s *Store) put(ctx context.Context, pages []search.Page) error {
	if len(pages) == 0 {
		return nil
	}
	err := s.o.Index.Put(ctx, pages...)
	if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
		return err
	}
	if len(pages) == 1 {
		s.o.Log.ErrorContext(ctx, "entry refused by the index", "entry", pages[0].ID, "err", err)
		return nil
	}
	for _, p := range pages {
		if err := s.put(ctx, []search.Page{p}); err != nil {
			return err
		}
	}
	return nil
}

// reread looks at debts that have grown. They are still the caller's: what others do to a debt is to move its
// revision, and none takes it before its time is over, which pay sees to.
func (s *Store) reread(ctx context.Context, grown []debt) ([]owing, error) {
	var debts []debt
	for _, d := range grown {
		e, err := s.In(Production).entries.Get(ctx, d.key)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if now := debtOf(e); now.until.Equal(d.until) {
			debts = append(debts, now)
		}
	}
	return s.load(ctx, debts)
}

// load reads the entries of debts that are held, several at once.
func (s *Store) load(ctx context.Context, debts []debt) ([]owing, error) {
	out := make([]owing, len(debts))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readers)
	for i, d := range debts {
		g.Go(func() (err error) {
			out[i], err = s.owing(ctx, d)
			return err
		})
	}
	return out, g.Wait()
}

// owing reads the entry of a debt. One that cannot be read is not searched until somebody has mended it and
// the index was rebuilt.
func (s *Store) owing(ctx context.Context, d debt) (owing, error) {
	e, err := s.In(Production).entries.Get(ctx, d.entry())
	if fault.Is(err, fault.NotFound) {
		return owing{debt: d}, nil
	}
	if err != nil {
		return owing{}, err
	}
	return s.owingOf(ctx, d, e), nil
}

func (s *Store) owingOf(ctx context.Context, d debt, e storage.Entity) owing {
	r, err := rowOf(e)
	if err != nil {
		s.o.Log.ErrorContext(ctx, "entry cannot be read, and leaves the index", "entry", idAt(d.entry()), "err", err)
		return owing{debt: d}
	}
	return owing{debt: d, fields: r.fields}
}

// mostDrained is how many entries of a policy one call of [Store.Drain] settles.
const mostDrained = 10 * portion

// Drain has the index hold what nobody has settled: what was written while it was down, what a process left
// that died, and what a model said of entries. It costs a read, and one for each policy, while there is
// nothing; it stops after a thousand entries of a policy, or at an error, and may be called at any time by
// anybody. Without an index it does nothing.
func (s *Store) Drain(ctx context.Context) (settled int, err error) {
	if s.o.Index == nil {
		return 0, nil
	}
	session := s.In(Production)
	partitions, err := session.partitions(ctx)
	if err != nil {
		return 0, err
	}
	for _, partition := range partitions {
		n, err := s.drain(ctx, session, partition)
		settled += n
		if err != nil {
			return settled, err
		}
	}
	return settled, nil
}

func (s *Store) drain(ctx context.Context, session *Session, partition string) (settled int, err error) {
	for settled < mostDrained {
		due, err := session.due(ctx, partition)
		if err != nil || len(due) == 0 {
			return settled, err
		}
		held, err := session.hold(ctx, storage.Merge, due)
		if err != nil {
			return settled, err
		}
		debts, err := s.load(ctx, held)
		if err != nil {
			return settled, err
		}
		if err := s.settle(ctx, debts); err != nil {
			return settled, err
		}
		settled += len(due)
	}
	return settled, nil
}

// due are some debts of a partition that nobody holds.
func (s *Session) due(ctx context.Context, partition string) (due []debt, err error) {
	now := s.s.o.Clock()
	for e, err := range s.entries.Query(ctx, storage.Query{Partition: partition, RowFrom: owedText, RowTo: "x}"}) {
		if err != nil {
			return nil, err
		}
		if d := debtOf(e); !d.until.After(now) {
			due = append(due, d)
		}
		if len(due) == portion {
			break
		}
	}
	return due, nil
}
