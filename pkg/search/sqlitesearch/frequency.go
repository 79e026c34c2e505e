package sqlitesearch

import (
	"context"
	"database/sql"
	"sync"
)

// How often a word stands in the index is not kept, for that would cost each chunk that is written an
// update for each of its words. It is counted where that is cheap: up to probed matches. Beyond them it is
// estimated by four samples, spread over the index, and remembered.

const (
	probed        = 256
	maxFrequents  = 4096
	staleness     = .02 // of the chunks: how much may change before a word is counted anew
	averageRowKey = 1   // where FTS5 keeps how many rows and tokens it has
)

// frequencies remembers words that are frequent.
type frequencies struct {
	mu    sync.Mutex
	known map[string]frequent
}

type frequent struct{ df, chunks float64 }

func (f *frequencies) get(expr string, chunks float64) (df float64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k, ok := f.known[expr]
	if !ok || k.chunks < chunks*(1-staleness) || k.chunks > chunks*(1+staleness) {
		return 0, false
	}
	return k.df, true
}

func (f *frequencies) put(expr string, k frequent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= maxFrequents {
		f.known = map[string]frequent{}
	}
	f.known[expr] = k
}

// totals are what the whole index has.
type totals struct {
	chunks float64
	tokens float64 // of the body of a chunk, on average
	pages  int64   // the last row of a page
}

// lexicon is what the index knows of words, at one moment.
type lexicon struct {
	ix     *Index
	tx     *sql.Tx
	totals totals
	spoken []string // languages whose words are known
}

// readTotals reads what FTS5 keeps of its rows (https://sqlite.org/src/file?name=ext/fts5/fts5_index.c, "averages").
func (l *lexicon) readTotals(ctx context.Context) (t totals, err error) {
	var block []byte
	err = l.tx.QueryRowContext(ctx, "SELECT block FROM fts_data WHERE id = ?", averageRowKey).Scan(&block)
	if err != nil && err != sql.ErrNoRows {
		return t, err
	}
	var numbers [4]float64 // rows; tokens of title, heading and body
	for i := range numbers {
		var n uint64
		n, block = varint(block)
		numbers[i] = float64(n)
	}
	t.chunks, t.tokens = max(1, numbers[0]), max(1, numbers[3]/max(1, numbers[0]))
	err = l.tx.QueryRowContext(ctx, "SELECT coalesce(max(rowid), 0) FROM pages").Scan(&t.pages)
	return t, err
}

// varint reads a number as SQLite writes it (https://sqlite.org/fileformat.html, "varint").
func varint(b []byte) (n uint64, rest []byte) {
	for i, c := range b {
		if i == 8 {
			return n<<8 | uint64(c), b[i+1:]
		}
		n = n<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return n, b[i+1:]
		}
	}
	return n, nil
}

// frequency is how many chunks match an expression: exact below probed.
func (l *lexicon) frequency(ctx context.Context, expr string) (df float64, err error) {
	if df, ok := l.ix.frequencies.get(expr, l.totals.chunks); ok {
		return df, nil
	}
	const quarters = 4
	var matched, covered float64
	for q := range int64(quarters) {
		from, to := l.totals.pages*q/quarters+1, l.totals.pages*(q+1)/quarters+1
		if q == 0 {
			to = l.totals.pages + 1
		}
		n, last, err := l.probe(ctx, expr, from, to)
		if err != nil {
			return 0, err
		}
		if q == 0 && n < probed {
			return float64(n), nil
		}
		if n == probed {
			to = last + 1
		}
		matched, covered = matched+float64(n), covered+float64(to-from)
	}
	df = min(matched/covered*float64(l.totals.pages), l.totals.chunks)
	l.ix.frequencies.put(expr, frequent{df, l.totals.chunks})
	return df, nil
}

// probe counts the first matches among the pages from one row up to but without another, and says where the
// last is.
func (l *lexicon) probe(ctx context.Context, expr string, from, to int64) (n int, last int64, err error) {
	err = l.tx.QueryRowContext(ctx, `
SELECT count(*), coalesce(max(r), 0) >> 16 FROM
	(SELECT rowid AS r FROM fts WHERE fts MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)`,
		expr, firstSlot(from), firstSlot(to), probed).Scan(&n, &last)
	return n, last, err
}
