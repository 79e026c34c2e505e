package written

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// maxScanned limits the rows of pages that one answer reads, and maxLoaded the pages that it reads for the log. An
	// answer that ends by the latter has events.
	maxScanned = 20_000
	maxLoaded  = 200
)

// cursor is where a follower is. It first gets all pages, in the order of their ids, and then the log from the row that
// came next when it began.
type cursor struct {
	feed   string
	number int // the row of the log that comes next, of which some entries may have been given
	index  int // the entry of that row that comes next
	// copying is set while the follower gets the pages; then page is the one that comes next, or was given last.
	copying bool
	page    string
	given   position // of the last event of the page, or of the entry, that was given
	filter  uint64   // digest of the query's filter
}

func (c cursor) String() string {
	page := c.page
	if c.copying {
		page = "_" + page // no id begins with it
	}
	return fmt.Sprintf("%s.%d.%d.%x.%s.%s", c.feed, c.number, c.index, c.filter, page, c.given)
}

// cursorOf reads the cursor of a query.
func cursorOf(q search.FollowQuery) (c cursor, err error) {
	if err := q.Check(); err != nil {
		return c, err
	}
	filter := q.Filter()
	if q.Since == "" {
		return cursor{copying: true, filter: filter}, nil
	}
	parts := strings.Split(q.Since, ".")
	if len(parts) != 6 {
		return c, search.ErrNoCursor
	}
	c.feed, c.given = parts[0], position(parts[5])
	c.page, c.copying = strings.CutPrefix(parts[4], "_")
	var failed [3]error
	c.number, failed[0] = strconv.Atoi(parts[1])
	c.index, failed[1] = strconv.Atoi(parts[2])
	c.filter, failed[2] = strconv.ParseUint(parts[3], 16, 64)
	sound := failed == [3]error{} && c.number >= 0 && c.index >= 0 && (c.page == "" || search.IsKey(c.page))
	if given := string(c.given); len(given) > 1 {
		sound = sound && search.IsKey(given[1:])
	}
	if !sound {
		return c, search.ErrNoCursor
	}
	if c.filter != filter {
		return c, search.ErrOtherFilter
	}
	return c, nil
}

// Follow returns what was written since a cursor. It costs a request for the head, and one for each page of which there
// is something to tell.
func (x *Index) Follow(ctx context.Context, q search.FollowQuery) (out search.Followed, err error) {
	at, err := cursorOf(q)
	if err != nil {
		return out, err
	}
	h, err := x.log.read(ctx)
	if err != nil {
		return out, err
	}
	if q.Since == "" {
		at.feed, at.number = h.Feed, h.Last+1
	}
	if at.feed != h.Feed || at.number > h.Last+1 || at.number <= h.Forgotten {
		return out, search.ErrExpired
	}
	f := &follower{x: x, ctx: ctx, q: q, at: at}
	done := true
	if at.copying {
		done, err = f.copy()
	}
	if err == nil && done {
		err = f.follow()
	}
	if err != nil {
		return out, err
	}
	return search.Followed{Events: f.out, Cursor: f.at.String(), Copying: f.at.copying || !h.Filled, Index: h.Feed}, nil
}

// follower collects the events of one answer.
type follower struct {
	x     *Index
	ctx   context.Context
	q     search.FollowQuery
	at    cursor
	out   []search.Event
	bytes int
	// loaded is the number of pages that were read for entries of the log.
	loaded int
}

func (f *follower) matches(p keptPage) bool {
	return (f.q.Host == "" || p.Host == f.q.Host) && (f.q.Tag == "" || slices.Contains(p.Tags, f.q.Tag))
}

func (f *follower) full() bool { return len(f.out) >= f.q.Top || f.bytes >= search.FollowedBytes }

// copy adds the chunks of the pages. It reports whether they were all given.
func (f *follower) copy() (done bool, err error) {
	if done, err := f.resume(); err != nil || !done {
		return false, err
	}
	q := storage.Query{PartitionFrom: pagePrefix + f.at.page, PartitionTo: pagesEnd, PageSize: min(f.q.Top+20, 1000)}
	if f.at.page != "" {
		q.PartitionFrom += after
	}
	var page stored
	scanned := 0
	for e, err := range f.x.rows.Query(f.ctx, q) {
		if err != nil {
			return false, err
		}
		if id := strings.TrimPrefix(e.Partition, pagePrefix); id != page.id {
			if scanned >= maxScanned {
				f.at.page, f.at.given = page.id, ""
				return false, nil
			}
			page = stored{id: id, chunks: map[string]keptChunk{}}
		}
		scanned++
		page.add(e)
		if e.Row == pageRowKey || !page.there || !f.matches(page.page) {
			continue
		}
		if f.full() {
			return false, nil
		}
		f.copyLast(&page)
	}
	f.at = cursor{feed: f.at.feed, number: f.at.number, filter: f.at.filter}
	return true, nil
}

// copyLast adds the last chunk that was read of a page.
func (f *follower) copyLast(page *stored) {
	key := page.keys[len(page.keys)-1]
	if _, there := page.chunks[key]; !there {
		return
	}
	f.at.page, f.at.given = page.id, position("p"+key)
	f.add(*page, event{f.at.given, search.OpPut, key}, page.page.At)
	delete(page.chunks, key)
}

// resume adds the chunks of a page of which some were given by the last answer.
func (f *follower) resume() (done bool, err error) {
	if f.at.given == "" {
		return true, nil
	}
	now, err := f.x.rows.page(f.ctx, f.at.page, string(f.at.given[1:]))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return false, err
	}
	e := entry{Page: f.at.page, Kind: all}
	if !now.there || !f.matches(now.page) {
		return true, nil
	}
	return f.events(now, e, now.page.At), nil
}

// follow adds what the log says.
func (f *follower) follow() error {
	for r, err := range f.x.log.from(f.ctx, f.at.number) {
		if err != nil {
			return err
		}
		for ; f.at.index < len(r.Entries); f.at.index++ {
			if full, err := f.entry(r.Entries[f.at.index], r.At); full || err != nil {
				return err
			}
			f.at.given = ""
		}
		f.at.number, f.at.index = r.number+1, 0
	}
	return nil
}

// entry adds the events of an entry. It reports whether the answer was full before.
func (f *follower) entry(e entry, at time.Time) (full bool, err error) {
	if f.full() {
		return true, nil
	}
	now := stored{id: e.Page}
	if e.Kind != whole && e.matched(f.q) {
		if f.loaded++; f.loaded > maxLoaded && len(f.out) > 0 {
			return true, nil
		}
		from := ""
		if f.at.given > "p" && f.at.given < entryEnd {
			from = string(f.at.given[1:])
		}
		now, err = f.x.rows.page(f.ctx, e.Page, from)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return false, err
		}
	}
	return !f.events(now, e, at), nil
}

// events adds events of an entry. It reports whether all were added.
func (f *follower) events(now stored, e entry, at time.Time) (done bool) {
	for _, ev := range e.events(now, f.matches, f.at.given) {
		if f.full() {
			return false
		}
		f.at.given = ev.at
		f.add(now, ev, at)
	}
	return true
}

func (f *follower) add(page stored, ev event, at time.Time) {
	e := search.Event{Op: ev.op, Page: search.Page{ID: page.id}, Chunk: search.Chunk{Key: ev.key}, At: at.UTC()}
	if ev.op == search.OpPut {
		e.Page, e.Chunk = page.page.page(page.id), page.chunk(ev.key)
	}
	f.out = append(f.out, e)
	f.bytes += len(e.Chunk.Text) + len(e.Chunk.Heading)
}
