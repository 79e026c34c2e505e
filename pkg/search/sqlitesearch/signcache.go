package sqlitesearch

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// Reading all rows of the table "bits" takes four times as long as comparing them. Therefore the rows stay in memory
// as long as there are queries with vectors. Each written row gets a higher id than all earlier rows, so a query
// reads only the new rows. Rows are never deleted one by one. A row without vectors stays, but is empty.

const (
	cachedBytes = 96 << 20        // maximum size of signs in memory; if they have a larger size, each query reads them all
	cachedFor   = 5 * time.Minute // time that the signs stay in memory after the last query
)

// signRow is a row of the table "bits".
type signRow struct {
	pages, length, part int64
	data                []byte
}

func (r signRow) key() [3]int64 { return [3]int64{r.pages, r.length, r.part} }

// signCache keeps the table "bits" in memory.
type signCache struct {
	most     int // maximum number of bytes
	mu       sync.Mutex
	last     int64     // id of the last row in the cache
	rows     []signRow // never changed in place, because queries read them without the lock
	at       map[[3]int64]int
	bytes    int
	tooLarge bool
	idle     *time.Timer
}

// each calls the given function with every row that the transaction sees. The data of a row are valid until the next
// call of the function.
func (c *signCache) each(ctx context.Context, tx *sqlitefile.Statements, each func(signRow)) error {
	rows, cached, err := c.of(ctx, tx)
	if err != nil {
		return err
	}
	if !cached {
		return readSigns(ctx, tx, -1, func(_ int64, r signRow) bool {
			each(r)
			return true
		})
	}
	for _, r := range rows {
		each(r)
	}
	return nil
}

// of returns the rows. It returns cached = false if the rows are too large, or if the cache is ahead of the
// transaction.
func (c *signCache) of(ctx context.Context, tx *sqlitefile.Statements) (rows []signRow, cached bool, err error) {
	var first, last int64
	const ends = "SELECT coalesce((SELECT min(id) FROM bits), 0), coalesce((SELECT max(id) FROM bits), 0)"
	if err := tx.QueryRowContext(ctx, ends).Scan(&first, &last); err != nil {
		return nil, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == nil {
		c.idle = time.AfterFunc(cachedFor, c.clear)
	}
	c.idle.Reset(cachedFor)
	if c.tooLarge {
		return nil, false, nil
	}
	if first > c.last { // the cached rows were deleted, or the cache is empty
		c.empty()
	}
	if last > c.last {
		if err := c.read(ctx, tx); err != nil {
			c.empty()
			return nil, false, err
		}
	}
	return c.rows, c.last == last && !c.tooLarge, nil
}

// read adds the new rows to the cache.
func (c *signCache) read(ctx context.Context, tx *sqlitefile.Statements) error {
	c.rows = slices.Clone(c.rows)
	return readSigns(ctx, tx, c.last, func(id int64, r signRow) bool {
		r.data = slices.Clone(r.data)
		at, known := c.at[r.key()]
		if known {
			c.bytes -= len(c.rows[at].data)
			c.rows[at] = r
		} else {
			c.at[r.key()] = len(c.rows)
			c.rows = append(c.rows, r)
		}
		c.last, c.bytes = id, c.bytes+len(r.data)
		if c.bytes > c.most {
			c.empty()
			c.tooLarge = true
		}
		return !c.tooLarge
	})
}

func (c *signCache) empty() {
	c.last, c.rows, c.at, c.bytes, c.tooLarge = 0, nil, map[[3]int64]int{}, 0, false
}

// clear releases the memory.
func (c *signCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.empty()
}

func (c *signCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle != nil {
		c.idle.Stop()
	}
}

// readSigns reads the rows with ids above after, in the order of their ids.
func readSigns(ctx context.Context, tx *sqlitefile.Statements, after int64,
	each func(id int64, r signRow) bool) error {
	var data sql.RawBytes
	var id int64
	var r signRow
	for err := range tx.Rows(ctx, "SELECT id, pages, length, part, data FROM bits WHERE id > ? ORDER BY id", []any{after},
		&id, &r.pages, &r.length, &r.part, &data) {
		if err != nil {
			return err
		}
		if r.data = data; !each(id, r) {
			return nil
		}
	}
	return nil
}
