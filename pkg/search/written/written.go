// Package written makes a [search.Index] of a [search.Engine] that cannot tell what was written to it. It keeps, in
// the tables of the store, what was put into the engine, and a log of it.
//
// # Storage
//
// The table [tableName] has a partition for each page, and one for the log:
//
//	p-<page>  page        the values of the page that followers get with each chunk
//	p-<page>  t-<key>     a chunk: uid, heading, text, anchor and zone; the key is [search.BaseKey] of the chunk's
//	log       head        the number of the last row of the log, and the name of the feed
//	log       i<random>   an intent: a page that is about to be written
//	log       n<number>   what one call has written: of each page the keys that were put and deleted; no texts
//
// # Writing
//
// The engine is written first, so a follower never gets what a search cannot find later. Then one transaction stores
// the intents of all pages that differ; one for each page changes its rows; and one appends a row to the log, deletes
// the intents, and updates the head if the head has not changed since it was read. If two writers compete, one fails
// and reads the head again, so each number is given once, and a follower that has seen a number has seen all before it.
// With [search.Page.Known], the difference is computed without reading, and a page that does not differ costs nothing.
//
// A process may die at any point. Its caller then repeats the call without Known. That reads the rows of the page, and
// replaces them. Whether the rows differ or not, an intent of the page shows that followers may have missed what was
// written, and the page is logged as replaced: followers delete all of it and get every chunk. An intent that is
// older than [abandoned] is of no running call, so a call that reads it logs its page, too.
//
// As in every index, callers must not write one page twice at the same time. If two do, its rows may mix both, until
// the page is put without Known; followers still get what is in the rows.
//
// # Following
//
// A row of the log says what has changed, not to what. A follower gets the rows of the page as they are when it reads
// them, so a chunk that was written many times is given as it is last, and no text of a removed page is kept.
//
// Alternatives considered: To log the rows before they are written needs no intents. But then a follower that meets a
// row of the log cannot know whether the page was written already, and has to wait for a process that may be dead.
package written

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

// tableName is the name of the table.
const tableName = "IndexedChunks"

const (
	// perCommit is the number of pages that are logged together. Each takes an operation of two transactions.
	perCommit = 40
	// atOnce is the number of pages whose rows are written at the same time.
	atOnce = 8
)

var _ search.Index = (*Index)(nil)

// Index is an engine together with the record of what was written to it. It is safe for concurrent use by any number
// of processes.
type Index struct {
	search.Engine
	rows rows
	log  *writeLog
	now  func() time.Time
}

// New returns an index. It sends no request; see [Index.Create].
func New(engine search.Engine, store storage.Store, now func() time.Time) *Index {
	table := store.Table(tableName)
	return &Index{Engine: engine, rows: rows{table}, log: newLog(table, now), now: now}
}

// Create creates the engine's index and the table if they are missing.
func (x *Index) Create(ctx context.Context) error {
	if err := x.Engine.Create(ctx); err != nil {
		return err
	}
	if err := x.rows.Create(ctx); err != nil {
		return err
	}
	_, err := x.log.read(ctx)
	return err
}

// beginner is an engine that may be new although pages exist.
type beginner interface {
	Begun(ctx context.Context) (string, error)
	Filled(ctx context.Context, name string) error
}

// Begun returns the name of the engine's index until that is filled, and then the name of the feed until all pages are
// certain to be put into the feed, too: the engine may have been filled by a version of this program without a feed.
func (x *Index) Begun(ctx context.Context) (string, error) {
	if b, ok := x.Engine.(beginner); ok {
		if name, err := b.Begun(ctx); err != nil || name != "" {
			return name, err
		}
	}
	h, err := x.log.read(ctx)
	if err != nil || h.Filled {
		return "", err
	}
	return h.Feed, nil
}

// Filled records that all pages are certain to be put. What fills the engine's index fills the feed as well.
func (x *Index) Filled(ctx context.Context, name string) error {
	h, err := x.log.fill(ctx)
	if err != nil || name == h.Feed {
		return err
	}
	if b, ok := x.Engine.(beginner); ok {
		return b.Filled(ctx, name)
	}
	return nil
}

// Put replaces the contents of the index for these pages. Pages that differ cost one request each, and two together.
func (x *Index) Put(ctx context.Context, pages ...search.Page) error {
	if err := x.Engine.Put(ctx, pages...); err != nil {
		return err
	}
	for some := range slices.Chunk(pages, perCommit) {
		if err := x.note(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// note stores what was put, and logs it.
func (x *Index) note(ctx context.Context, pages []search.Page) error {
	var open intents
	if slices.ContainsFunc(pages, func(p search.Page) bool { return p.Known == nil }) {
		var err error
		if open, err = x.log.intents(ctx); err != nil {
			return err
		}
	}
	var changes []change
	for _, p := range pages {
		c, known := differences(p)
		if !known {
			var err error
			if c, err = x.replacement(ctx, p, open.of(p.ID)); err != nil {
				return err
			}
		}
		c.exact = func(ctx context.Context) (change, error) { return x.replacement(ctx, p, true) }
		changes = append(changes, c)
	}
	return x.commit(ctx, changes, open)
}

// replacement returns the change of a page of which it is not certain what was stored.
func (x *Index) replacement(ctx context.Context, p search.Page, doubted bool) (change, error) {
	have, err := x.rows.page(ctx, p.ID, "")
	if err != nil && !fault.Is(err, fault.NotFound) {
		return change{}, err
	}
	return replacing(have, p, doubted), nil
}

// Remove removes a page. A page of which nothing is stored costs two requests.
func (x *Index) Remove(ctx context.Context, id string, known *search.Contents) error {
	if err := x.Engine.Remove(ctx, id, known); err != nil {
		return err
	}
	keys, err := x.rows.keys(ctx, id)
	if err != nil {
		return err
	}
	open, err := x.log.intents(ctx)
	if err != nil || len(keys) == 0 && !open.of(id) {
		return err
	}
	c := change{page: id, entry: &entry{Page: id, Kind: whole}}
	for _, key := range keys {
		c.ops = append(c.ops, storage.DeleteOp(key, storage.AnyETag))
	}
	// Another call may have deleted some of the rows meanwhile.
	c.exact = func(ctx context.Context) (change, error) {
		left, err := x.rows.keys(ctx, id)
		again := change{page: id}
		for _, key := range left {
			again.ops = append(again.ops, storage.DeleteOp(key, storage.AnyETag))
		}
		return again, err
	}
	return x.commit(ctx, []change{c}, open)
}

// commit stores changes and logs them. Open are the intents of other calls.
func (x *Index) commit(ctx context.Context, changes []change, open intents) error {
	var pages []string
	for _, c := range changes {
		if c.entry != nil {
			pages = append(pages, c.page)
		}
	}
	own, err := x.log.intend(ctx, pages)
	if err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i := range changes {
		g.Go(func() error { return x.apply(ctx, &changes[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	var entries []entry
	for _, c := range changes {
		if c.entry != nil {
			entries = append(entries, *c.entry)
		}
	}
	old := open.before(x.now().Add(-abandoned))
	return x.log.append(ctx, makeGood(entries, old), append(own, old...))
}

// makeGood adds to entries that the pages of old intents are replaced.
func makeGood(entries []entry, old intents) []entry {
	for _, i := range old {
		good := entry{Page: i.page, Kind: replaced}
		at := slices.IndexFunc(entries, func(e entry) bool { return e.Page == i.page })
		switch {
		case at < 0:
			entries = append(entries, good)
		case entries[at].Kind != whole:
			entries[at] = good
		}
	}
	return entries
}

// apply changes the rows of a page. If they are not what the change expects, they are read and replaced.
func (x *Index) apply(ctx context.Context, c *change) error {
	err := x.rows.apply(ctx, c.ops)
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	again, err := c.exact(ctx)
	if err != nil {
		return err
	}
	if again.entry != nil {
		c.entry = again.entry
	}
	if err = x.rows.apply(ctx, again.ops); fault.Is(err, fault.NotFound) {
		return fault.New(fault.Unavailable, "page %s is written by another call: %v", c.page, err)
	}
	return err
}
