package walk

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Walk is the progress of following the links of a site. The pages that were found are kept in rows, in the order in
// which they were found: so those with fewer links between them and a start come first.
type Walk struct {
	ID        string    `json:"id"`       // part of the keys of the rows
	Rules     string    `json:"rules"`    // form of the rows, and rules under which the links are followed
	Rows      int       `json:"rows"`     // rows of pages
	Sums      int       `json:"sums"`     // rows of digests of addresses
	First     int       `json:"first"`    // the first row that may have pages to register or to read
	Compared  int       `json:"compared"` // rows whose pages were compared in this poll, of the next number
	Compare   int       `json:"compare"`
	Pages     int       `json:"pages"`               // pages that were registered or known
	Read      int       `json:"read"`                // pages whose links were read
	Unread    int       `json:"unread,omitempty"`    // pages that could not be read
	UnreadAt  string    `json:"unreadAt,omitempty"`  // one of these
	UnreadWhy string    `json:"unreadWhy,omitempty"` // why it could not be read
	Waiting   int       `json:"waiting,omitempty"`   // found pages that are neither registered nor left out
	Open      int       `json:"open,omitempty"`      // registered pages that were not read yet
	Seen      int       `json:"seen"`                // addresses that were examined
	Deepest   int       `json:"deepest,omitempty"`   // links between a start and the page that is the farthest
	Full      string    `json:"full,omitempty"`      // the limit that is reached
	TooDeep   bool      `json:"tooDeep,omitempty"`   // pages at the limit of depth link to others
	Idle      int       `json:"idle,omitempty"`      // steps in a row with nothing to do but to wait
	IdleFrom  time.Time `json:"idleFrom,omitzero"`   // when the first of these was
	Undecided int       `json:"undecided,omitempty"` // pages read of which another item may be the page
	Decided   int       `json:"decided,omitempty"`   // the first row that may have such pages
	Thin      int       `json:"thin,omitempty"`      // pages that a dry run read without the browser that they need
	ThinAt    string    `json:"thinAt,omitempty"`    // the first of these
	Unlinks
	Traps []byte         `json:"traps,omitempty"`
	Bulk  *discover.Bulk `json:"bulk,omitempty"`
}

// linkState is the state of a page that a link leads to.
type linkState int

// The states of a page.
const (
	linkFound      linkState = iota // neither registered nor left out
	linkRegistered                  // an item, or in a dry run to become one; its links are to be read
	linkRead                        // its links were read, or it cannot be read now
	linkLeftOut
	linkUndecided // its links were read; another item may be the page
	linkAgain     // the same, and it is checked again to decide that
)

// linked is a page that a link leads to.
type linked struct {
	URL   string    `json:"u"`
	Depth int       `json:"d,omitempty"` // links between a start and the page
	State linkState `json:"s,omitempty"`
	Body  string    `json:"b,omitempty"` // digest of the body whose links were read
	Again bool      `json:"r,omitempty"` // its links were read before a shorter way to it was found
}

// Bounds of the rows of a walk. A step changes up to a hundred rows, and one transaction of 4 MiB writes them.
const (
	pagesInRow = 128
	bytesInRow = 24 << 10 // of addresses; ordinary ones are shorter, and never reach it
	sumsInRow  = 6_000
	sumBytes   = 13
)

const (
	walkRows = "walk|"
	sumRows  = "walked|"
)

// walkRow holds pages. sumRow holds the addresses that were examined: 13 bytes for each.
type walkRow struct {
	RowVersion int       `col:"rowVersion"`
	Step       int64     `col:"step"` // the site's step at which the row was written
	Pages      []*linked `col:"pages,parts"`
	changed    bool
}

type sumRow struct {
	RowVersion int    `col:"rowVersion"`
	Step       int64  `col:"step"`
	Sums       []byte `col:"sums,parts"`
	From       []byte `col:"from,parts"` // 4 bytes for each address: a page that links to it
	changed    bool
}

// address is an address that was examined: its digest, and if it is a page of the walk its place and its depth.
type address struct {
	sum   uint64
	page  uint32
	depth uint8
	from  uint32 // a page that links to it, from 1, or one of the values below
}

// Values of address.from.
const (
	fromUnknown  = 0         // it is a start
	fromUnlinked = 1<<32 - 2 // no page links to it any more, and the item says so
	fromNowhere  = 1<<32 - 1 // perhaps no page links to it any more
)

// noPage is the place of an address that is no page of the walk.
const noPage = 1<<32 - 1

func (a address) at() at { return at{int(a.page / pagesInRow), int(a.page % pagesInRow)} }

func (a address) pack(b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, a.sum), a.page), a.depth)
}

func unpackAddress(b []byte) address {
	return address{sum: binary.BigEndian.Uint64(b), page: binary.BigEndian.Uint32(b[8:]), depth: b[12]}
}

var (
	walkPages = row.Of[walkRow]()
	walkSums  = row.Of[sumRow]()
)

func rowKey(partition, rows, slug, id string, n int) storage.Key {
	return storage.Key{Partition: partition, Row: fmt.Sprintf("%s%s|%s|%06d", rows, slug, id, n)}
}

// walking is the work of one step.
type walking struct {
	Step
	walk   *Walk
	rows   map[int]*walkRow
	seen   []address
	met    map[uint64]int // the place of an address in seen, by its digest
	sums   []*sumRow
	nearer map[uint32]int // pages to which a shorter way was found, with its depth
	traps  *discover.Traps
	acted  bool // the step has done something
	left   bool // the step has left something that the next one can do at once
	unseen bool // the step has not looked at all pages that are to be read
	out    Result
	// The following count what the step adds; see maxStepPages.
	added, bytes, examined int
	reading                uint32 // the page whose links are examined, from 1
	dirty                  int    // rows of digests that changed because of pages without links
	// relinked are pages with the value fromUnlinked to which a page links again.
	relinked []int
}

// open reads the state of a walk, or begins one at the start pages.
func (s Step) open(ctx context.Context, w *Walk) (v *walking, err error) {
	v = &walking{Step: s, walk: w, rows: map[int]*walkRow{}, met: map[uint64]int{}, nearer: map[uint32]int{}}
	if v.traps, err = discover.OpenTraps(w.Traps, s.BeganAt); err != nil {
		return nil, err
	}
	for i := range w.Sums {
		r, _, err := walkSums.Load(ctx, s.Table, s.key(sumRows, w.ID, i))
		if err != nil {
			return nil, err
		}
		if r.Step >= s.Number {
			return nil, run.ErrDone // another process has performed this step
		}
		v.sums = append(v.sums, &r)
		for b := r.Sums; len(b) >= sumBytes; b = b[sumBytes:] {
			a := unpackAddress(b)
			if at := 4 * (len(v.seen) - i*sumsInRow); at+4 <= len(r.From) {
				a.from = binary.BigEndian.Uint32(r.From[at:])
			}
			v.met[a.sum] = len(v.seen)
			v.seen = append(v.seen, a)
		}
	}
	if w.Rows > 0 { // pages are added to the last row
		_, err = v.load(ctx, w.Rows-1)
		return v, err
	}
	for _, start := range s.Site.Start {
		src, err := s.Rules.ParseURL(start)
		if sum := xxhash.Sum64String(src.Normalized); err == nil && v.note(sum) {
			v.acted = true
			v.add(start, 0, sum)
		}
	}
	return v, nil
}

func (s Step) key(rows, id string, n int) storage.Key {
	return rowKey(s.Partition, rows, s.Site.Slug, id, n)
}

// load returns a row of pages.
func (v *walking) load(ctx context.Context, n int) (*walkRow, error) {
	if r := v.rows[n]; r != nil {
		return r, nil
	}
	r, _, err := walkPages.Load(ctx, v.Table, v.key(walkRows, v.walk.ID, n))
	if err != nil {
		return nil, err
	}
	if r.Step >= v.Number {
		return nil, run.ErrDone
	}
	v.rows[n] = &r
	return &r, nil
}

// add adds a page to the last row. Its address was noted.
func (v *walking) add(url string, depth int, sum uint64) {
	n := v.walk.Rows - 1
	if n < 0 || v.rows[n].isFull() {
		n++
		v.rows[n] = &walkRow{RowVersion: 1}
		v.walk.Rows++
	}
	r := v.rows[n]
	v.walk.First = min(v.walk.First, n)
	r.changed = true
	v.setPage(v.met[sum], uint32(n*pagesInRow+len(r.Pages)), depth)
	r.Pages = append(r.Pages, &linked{URL: url, Depth: depth})
	v.walk.Waiting++
	v.bytes += len(url)
	v.added++
}

// isFull reports whether further pages go into the next row.
func (r *walkRow) isFull() bool {
	size := 0
	for _, page := range r.Pages {
		size += len(page.URL)
	}
	return len(r.Pages) >= pagesInRow || size >= bytesInRow
}

// note records that an address was examined. It reports whether it is a new one.
func (v *walking) note(sum uint64) bool {
	if _, found := v.met[sum]; found {
		return false
	}
	if len(v.seen) == len(v.sums)*sumsInRow {
		v.sums = append(v.sums, &sumRow{RowVersion: 2})
	}
	v.met[sum] = len(v.seen)
	v.seen = append(v.seen, address{sum: sum, from: v.reading})
	v.setPage(len(v.seen)-1, noPage, 0)
	v.walk.Seen++
	return true
}

// setPage records which page of the walk an address is, and its depth.
func (v *walking) setPage(i int, page uint32, depth int) {
	v.seen[i].page, v.seen[i].depth = page, uint8(depth)
	v.sums[i/sumsInRow].changed = true
}

// save returns the operations that write what the step changed, together with the site's row.
func (v *walking) save() (ops []storage.Op, err error) {
	if v.walk.Traps, err = json.Marshal(v.traps); err != nil {
		return nil, err
	}
	upsert := func(at storage.Key, props storage.Properties) {
		ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: at, Props: props}})
	}
	for n, r := range v.rows {
		if r.changed {
			r.Step = v.Number
			upsert(v.key(walkRows, v.walk.ID, n), walkPages.Encode(r))
		}
	}
	for n, r := range v.sums {
		if r.changed {
			r.Step, r.Sums, r.From = v.Number, nil, nil
			for _, a := range v.seen[n*sumsInRow : min((n+1)*sumsInRow, len(v.seen))] {
				r.Sums, r.From = a.pack(r.Sums), binary.BigEndian.AppendUint32(r.From, a.from)
			}
			upsert(v.key(sumRows, v.walk.ID, n), walkSums.Encode(r))
		}
	}
	v.walk.Sums = len(v.sums)
	return ops, nil
}

// Drop removes the rows of the walks of a site, but those of one walk, which may be nil.
func Drop(ctx context.Context, t storage.Table, partition, slug string, but *Walk) error {
	for _, rows := range []string{walkRows, sumRows} {
		prefix := rows + slug + "|"
		q := storage.Query{Partition: partition, RowFrom: prefix, RowTo: rows + slug + "}", Select: []string{"step"}}
		err := run.Drop(ctx, t, q, func(e storage.Entity) bool {
			return but == nil || !strings.HasPrefix(e.Row, prefix+but.ID+"|")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Found returns the addresses of the pages that a walk has read, in the order in which it found them.
func Found(ctx context.Context, t storage.Table, partition, slug string, w *Walk) (out []string, err error) {
	for n := range w.Rows {
		r, _, err := walkPages.Load(ctx, t, rowKey(partition, walkRows, slug, w.ID, n))
		if err != nil {
			return nil, err
		}
		for _, page := range r.Pages {
			if page.State == linkRead {
				out = append(out, page.URL)
			}
		}
	}
	return out, nil
}

// plan decides whether the walk goes on, and when. It waits for the crawl when nothing else can be done now. A walk for
// which the crawl has done nothing for an hour, or for as long as the step says, ends: the site may be paused, or its
// budget for the day spent.
func (v *walking) plan() {
	w, now := v.walk, v.Clock()
	v.out.More, v.out.Acted = true, v.acted
	if v.acted {
		w.Idle, w.IdleFrom = 0, time.Time{}
	}
	switch waits := w.Open + w.Undecided; {
	case v.out.Wait > 0:
		w.Idle, w.IdleFrom = 0, time.Time{}
	case v.acted && (v.Dry || v.left || v.isRead()):
	case v.isRead() && w.Undecided == 0:
		v.out.More, v.out.Left, v.out.Note = false, w.Waiting, w.note()
	case w.Idle > 0 && now.Sub(w.IdleFrom) >= v.Patience:
		v.out.More, v.out.Left, v.out.Stalled = false, w.Waiting, true
		v.out.Note = fmt.Sprintf("the crawl has not fetched %s for %s", words.Count(waits, "page"),
			words.Count(int(v.Patience.Hours()), "hour"))
	default:
		if w.Idle++; w.Idle == 1 {
			w.IdleFrom = now
		}
		v.out.Wait, v.out.Early = min(time.Duration(1+w.Idle/10)*time.Second, maxIdle), true
		v.out.Note = fmt.Sprintf("waits until the crawl has fetched %s", words.Count(waits, "page"))
	}
}

// isRead reports whether all registered pages were read, and all pages of earlier polls compared.
func (v *walking) isRead() bool { return v.walk.Open == 0 && v.walk.Compared >= v.walk.Compare }

// Pages are found breadth first, but not read in the order in which they are found: some are fetched late, and of
// others the links change. So a shorter way to a page may be found after a longer one.

// noteNearer notes an address that was met before if it is a page, and this way to it is a shorter one.
func noteNearer(v *walking, i, depth int) {
	if a := v.seen[i]; a.page != noPage && depth < int(a.depth) {
		v.setPage(i, a.page, depth)
		v.nearer[a.page] = depth
	}
}

// shorten sets the depth of the pages to which a shorter way was found. The links of those that were read are read
// again: they may lead to pages that were too far away before.
func shorten(ctx context.Context, v *walking) error {
	for n, depth := range v.nearer {
		p := address{page: n}.at()
		r, err := v.load(ctx, p.row)
		if err != nil {
			return err
		}
		page := r.Pages[p.i]
		page.Depth, r.changed = depth, true
		if !v.Dry && (page.State == linkRead || page.State == linkUndecided) {
			if page.State == linkUndecided {
				v.walk.Undecided--
			}
			v.walk.nowRead(page)
			page.State, page.Again, page.Body = linkRegistered, true, ""
			v.walk.Open++
			v.walk.Read--
			v.walk.First = min(v.walk.First, p.row)
			v.acted, v.left = true, true
		}
	}
	return nil
}
