package walk

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Walk is the progress of following the links of a site. The pages that were found are kept in rows, in the order in
// which they were found: so those with fewer links between them and a start come first.
type Walk struct {
	ID       string         `json:"id"`       // part of the keys of the rows
	Rules    string         `json:"rules"`    // rules of the site file under which the links are followed
	Rows     int            `json:"rows"`     // rows of pages
	Sums     int            `json:"sums"`     // rows of digests of addresses
	First    int            `json:"first"`    // the first row that may have pages to register or to read
	Compared int            `json:"compared"` // rows whose pages were compared in this poll, of the next number
	Compare  int            `json:"compare"`
	Pages    int            `json:"pages"`             // pages that were registered or known
	Read     int            `json:"read"`              // pages whose links were read
	Unread   int            `json:"unread,omitempty"`  // pages that could not be read
	Waiting  int            `json:"waiting,omitempty"` // found pages that are neither registered nor left out
	Open     int            `json:"open,omitempty"`    // registered pages that were not read yet
	Seen     int            `json:"seen"`              // addresses that were examined
	Deepest  int            `json:"deepest,omitempty"` // links between a start and the page that is the farthest
	Full     string         `json:"full,omitempty"`    // the limit that is reached
	TooDeep  bool           `json:"tooDeep,omitempty"` // pages at the limit of depth link to others
	Idle     int            `json:"idle,omitempty"`    // steps in a row with nothing to do but to wait
	Traps    []byte         `json:"traps,omitempty"`
	Bulk     *discover.Bulk `json:"bulk,omitempty"`
}

// linkState is the state of a page that a link leads to.
type linkState int

// The states of a page.
const (
	linkFound      linkState = iota // neither registered nor left out
	linkRegistered                  // an item, or in a dry run to become one; its links are to be read
	linkRead                        // its links were read, or it cannot be read now
	linkLeftOut
)

// linked is a page that a link leads to.
type linked struct {
	URL   string    `json:"u"`
	Depth int       `json:"d,omitempty"` // links between a start and the page
	State linkState `json:"s,omitempty"`
	Body  string    `json:"b,omitempty"` // digest of the body whose links were read
}

// Bounds of the rows of a walk. A step changes up to a hundred rows, and one transaction of 4 MiB writes them.
const (
	pagesInRow = 128
	bytesInRow = 24 << 10 // of addresses; ordinary ones are shorter, and never reach it
	sumsInRow  = 8_000
	sumBytes   = 8
)

const (
	walkRows = "walk|"
	sumRows  = "walked|"
)

// walkRow holds pages, and sumRow digests of addresses: 8 bytes for each.
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
	changed    bool
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
	walk  *Walk
	rows  map[int]*walkRow
	met   map[uint64]bool
	sums  []*sumRow
	traps *discover.Traps
	acted bool // the step has done something
	out   Result
	// The following count what the step adds; see maxStepPages.
	added, bytes, examined int
}

// open reads the state of a walk, or begins one at the start pages.
func (s Step) open(ctx context.Context, w *Walk) (v *walking, err error) {
	v = &walking{Step: s, walk: w, rows: map[int]*walkRow{}, met: map[uint64]bool{}}
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
			v.met[binary.BigEndian.Uint64(b)] = true
		}
	}
	if w.Rows > 0 { // pages are added to the last row
		_, err = v.load(ctx, w.Rows-1)
		return v, err
	}
	for _, start := range s.Site.Start {
		if src, err := s.Rules.ParseURL(start); err == nil && v.note(xxhash.Sum64String(src.Normalized)) {
			v.add(start, 0)
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

// add adds a page to the last row.
func (v *walking) add(url string, depth int) {
	n := v.walk.Rows - 1
	if n < 0 || v.rows[n].isFull() {
		n++
		v.rows[n] = &walkRow{RowVersion: 1}
		v.walk.Rows++
	}
	r := v.rows[n]
	v.walk.First = min(v.walk.First, n)
	r.changed = true
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
	if v.met[sum] {
		return false
	}
	v.met[sum] = true
	if last := len(v.sums) - 1; last < 0 || len(v.sums[last].Sums) >= sumBytes*sumsInRow {
		v.sums = append(v.sums, &sumRow{RowVersion: 1})
	}
	r := v.sums[len(v.sums)-1]
	r.Sums, r.changed = binary.BigEndian.AppendUint64(r.Sums, sum), true
	v.walk.Seen++
	return true
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
			r.Step = v.Number
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
