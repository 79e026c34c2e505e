package entries

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Embedder adds vectors to the chunks of a page. After an error, the page must not be indexed.
type Embedder interface {
	Embed(ctx context.Context, p *search.Page) error
}

// Index is the part of [search.Index] that entries need.
type Index interface {
	Put(ctx context.Context, pages ...search.Page) error
	Remove(ctx context.Context, id string, known *search.Contents) error
	Inspect(ctx context.Context, id string) (search.Stored, error)
}

// pendingEntry is an entry whose outbox row the caller has claimed.
type pendingEntry struct {
	outboxEntry
	fields entry.Fields // the entry's fields; nil if the entry does not exist
	fresh  bool         // the entry was never put into the index
}

const (
	// flushTries limits how often one call puts an entry into the index while other processes keep changing it.
	flushTries = 3
	// maxFlushed limits the number of entries of a policy that one call of [Store.FlushOutbox] flushes.
	maxFlushed = 10 * flushBatch
	readers    = 8 // number of rows that are read at the same time
)

// Flush makes the results of inserts and updates visible at once. It publishes their changes, with one request for
// each thirty changes. It puts their entries into the index, with one Put for each hundred entries. For each policy
// it then needs one transaction for every hundred rows, and each entry has two rows.
//
// Entries that the index does not accept now, or that others changed concurrently, remain in the outbox for
// [Store.FlushOutbox]. The error states the reason. Whatever the error, the entries are stored. Flush must be called
// within [claimTime] minus [claimMargin] after the calls that returned the results. Entries of older results also
// remain for FlushOutbox.
func (s *Store) Flush(ctx context.Context, results ...Result) error {
	var claimed []pendingEntry
	var said []news
	for _, r := range results {
		if r.claimed.etag != "" {
			claimed = append(claimed, pendingEntry{r.claimed, r.Entry, r.Action == Inserted})
		}
		if r.news.group.ID != "" {
			said = append(said, r.news)
		}
	}
	f := s.flusher()
	err := f.publish(ctx, said)
	if f.index != nil {
		err = errors.Join(err, f.flush(ctx, claimed))
	}
	return errors.Join(err, f.tidy(ctx))
}

// FlushOutbox puts the remaining outbox entries into the index: entries written while the index was down, entries of
// processes that died, and descriptions by a model. It also publishes changes that a process did not publish before
// it died. If there is nothing to do, it costs one read, and one more for each policy. It stops after a thousand
// entries of a policy, or at an error. Any process may call it at any time. Without an index and a feed it does
// nothing.
func (s *Store) FlushOutbox(ctx context.Context) (flushed int, err error) {
	if s.o.Index == nil && s.o.Feed == nil {
		return 0, nil
	}
	partitions, err := s.In(Production).policies.partitions(ctx)
	if err != nil {
		return 0, err
	}
	for _, partition := range partitions {
		n, err := s.flusher().flushPartition(ctx, partition)
		flushed += n
		if err != nil {
			return flushed, err
		}
	}
	return flushed, nil
}

// flusher writes claimed entries of production to the index.
type flusher struct {
	outbox
	index   Index
	vectors Embedder
	log     *slog.Logger
	// published are the operations that delete the rows of published news, by partition. They are sent in one
	// transaction with the removal of outbox entries in that partition.
	published map[string][]storage.Op
}

func (s *Store) flusher() *flusher {
	return &flusher{s.In(Production).outbox, s.o.Index, s.o.Vectors, s.o.Log, map[string][]storage.Op{}}
}

func (f *flusher) flushPartition(ctx context.Context, partition string) (flushed int, err error) {
	for range maxFlushed / flushBatch {
		found, said, err := f.unclaimed(ctx, partition)
		if err != nil {
			return flushed, err
		}
		err = errors.Join(f.publish(ctx, said), f.flushUnclaimed(ctx, found), f.tidy(ctx))
		if err != nil || len(found)+len(said) == 0 {
			return flushed, err
		}
		flushed += len(found)
	}
	return flushed, nil
}

// flushUnclaimed claims unclaimed entries of one partition, and flushes them.
func (f *flusher) flushUnclaimed(ctx context.Context, found []outboxEntry) error {
	claimed, err := f.claim(ctx, storage.Merge, found)
	if err != nil {
		return err
	}
	pending, err := f.load(ctx, claimed)
	if err != nil {
		return err
	}
	return f.flush(ctx, pending)
}

// flush flushes entries. If others touch some of them in the meantime, it flushes these again.
func (f *flusher) flush(ctx context.Context, pending []pendingEntry) error {
	for try := 0; len(pending) > 0 && try < flushTries; try++ {
		var touched []outboxEntry
		for some := range slices.Chunk(pending, flushBatch) {
			left, err := f.flushSome(ctx, some)
			if err != nil {
				return err
			}
			touched = append(touched, left...)
		}
		var err error
		if pending, err = f.reread(ctx, touched); err != nil {
			return err
		}
	}
	return nil
}

// flushSome puts at most a batch of entries into the index and removes them from the outbox. It skips entries whose
// claims expire soon. It returns the entries that were touched in the meantime.
func (f *flusher) flushSome(ctx context.Context, some []pendingEntry) (touched []outboxEntry, err error) {
	now := f.now().UTC()
	var pages []search.Page
	flushed := map[string][]outboxEntry{}
	for _, e := range some {
		if e.until.Sub(now) < claimMargin {
			continue
		}
		if e.fields == nil {
			if err := f.index.Remove(ctx, idAt(e.entry()), nil); err != nil {
				return nil, err
			}
		} else if p, failed := f.page(ctx, e, now); failed != nil {
			err = errors.Join(err, failed)
			continue
		} else {
			pages = append(pages, p)
		}
		flushed[e.key.Partition] = append(flushed[e.key.Partition], e.outboxEntry)
	}
	if failed := f.put(ctx, pages); failed != nil {
		return nil, failed
	}
	for partition, entries := range flushed {
		more, failed := f.remove(ctx, partition, entries)
		if failed != nil {
			return nil, failed
		}
		touched = append(touched, more...)
	}
	return touched, err
}

// remove removes flushed outbox entries of one partition, and the rows of news that were published. It returns the
// entries that were touched in the meantime.
func (f *flusher) remove(ctx context.Context, partition string, flushed []outboxEntry) (
	touched []outboxEntry, err error,
) {
	var ops []storage.Op
	for _, e := range flushed {
		ops = append(ops, e.op(storage.Delete))
	}
	ops = append(ops, f.published[partition]...)
	for from := 0; from < len(ops); from += storage.MaxOps {
		_, refused, err := f.transactMost(ctx, ops[from:min(from+storage.MaxOps, len(ops))])
		if err != nil {
			return nil, err
		}
		for i := from; i < min(from+storage.MaxOps, len(flushed)); i++ {
			if fault.Is(refused[i-from], fault.Conflict) {
				touched = append(touched, flushed[i])
			}
		}
	}
	delete(f.published, partition)
	return touched, nil
}

// page returns the page of an entry in the index, with vectors if there is an [Embedder].
func (f *flusher) page(ctx context.Context, e pendingEntry, now time.Time) (search.Page, error) {
	p := entry.PageOf(e.fields, now)
	if e.fresh {
		p.Known = &search.Contents{}
	}
	if f.vectors == nil {
		return p, nil
	}
	return p, f.vectors.Embed(ctx, &p)
}

// put puts pages into the index. A page that the index refuses because of its content is left out and logged.
func (f *flusher) put(ctx context.Context, pages []search.Page) error {
	if len(pages) == 0 {
		return nil
	}
	err := f.index.Put(ctx, pages...)
	if !fault.Refused(err) {
		return err
	}
	if len(pages) == 1 {
		f.log.ErrorContext(ctx, "entry refused by the index", "entry", pages[0].ID, "err", err)
		return nil
	}
	for _, p := range pages {
		if err := f.put(ctx, []search.Page{p}); err != nil {
			return err
		}
	}
	return nil
}

// reread reads touched entries again. The caller still has the claims on them: other processes only change the ETag
// of a claimed row, and no process claims the row before the claim expires. flushSome checks when the claim expires.
func (f *flusher) reread(ctx context.Context, touched []outboxEntry) ([]pendingEntry, error) {
	var claimed []outboxEntry
	for _, t := range touched {
		e, err := f.rows.Get(ctx, t.key)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if now := outboxEntryOf(e); now.until.Equal(t.until) {
			claimed = append(claimed, now)
		}
	}
	return f.load(ctx, claimed)
}

// load reads claimed entries, several concurrently.
func (f *flusher) load(ctx context.Context, claimed []outboxEntry) ([]pendingEntry, error) {
	out := make([]pendingEntry, len(claimed))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readers)
	for i, c := range claimed {
		g.Go(func() error {
			e, err := f.rows.Get(ctx, c.entry())
			switch {
			case fault.Is(err, fault.NotFound):
				out[i].outboxEntry = c
			case err != nil:
				return err
			default:
				out[i] = f.pendingOf(ctx, c, e)
			}
			return nil
		})
	}
	return out, g.Wait()
}

// loadRange reads claimed entries with adjacent keys, in one query.
func (f *flusher) loadRange(ctx context.Context, claimed []outboxEntry) ([]pendingEntry, error) {
	if len(claimed) == 0 {
		return nil, nil
	}
	byKey := map[storage.Key]outboxEntry{}
	for _, c := range claimed {
		byKey[c.entry()] = c
	}
	var out []pendingEntry
	first, last := claimed[0].entry(), claimed[len(claimed)-1].entry()
	q := storage.Query{Partition: first.Partition, RowFrom: first.Row, RowTo: last.Row + afterKey}
	for e, err := range f.rows.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		if c, ok := byKey[e.Key]; ok {
			out = append(out, f.pendingOf(ctx, c, e))
		}
	}
	return out, nil
}

// pendingOf reads the row of an entry. A damaged entry is removed from the index until its row is repaired and the
// index is rebuilt.
func (f *flusher) pendingOf(ctx context.Context, c outboxEntry, e storage.Entity) pendingEntry {
	r, err := rowOf(e)
	if err != nil {
		f.log.ErrorContext(ctx, "entry cannot be read, and leaves the index", "entry", idAt(c.entry()), "err", err)
		return pendingEntry{outboxEntry: c}
	}
	return pendingEntry{outboxEntry: c, fields: r.fields}
}
