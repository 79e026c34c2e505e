package activity

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// indexesPartition has a row for each embedded index. No day has this name.
	indexesPartition = "indexes"
	// indexesPause is the shortest time between two readings of the rows.
	indexesPause = 30 * time.Second
	// indexesFor is the time for which an index counts as used after a change of its row was seen.
	indexesFor = 15 * time.Minute
	// indexesKept is the time for which the rows of unused indexes are kept.
	indexesKept = 7 * 24 * time.Hour
)

// ownIndexes is the warning of [Indexes.Check].
const ownIndexes = "another instance works on this storage with a search index of its own, so a search finds only " +
	"what its instance has indexed: set SEARCH_ENDPOINT for all instances, or run only one"

// Indexes notices that instances on one storage use different embedded indexes. Each index has a row, which its
// instance writes while it works:
//
//	Activity   PK indexes   RK <id of the index>   process usedAt
//
// An index is in use if its row changes from one reading to the next. Times in rows are not compared, so neither
// clocks that differ nor rows of the past, such as those of a restored backup, matter. A copy of a data folder has
// the id of the original. So if another process keeps writing the row of this index, that process counts, too. A
// single such write does not count: it may come from the predecessor of this process, which was still ending its
// work.
//
// A nil *Indexes notices nothing. It is for instances that share an index, and for a store that only one instance can
// use. Indexes is safe for concurrent use.
type Indexes struct {
	rows storage.Table
	id   string
	o    IndexesOptions

	mu      sync.Mutex
	tried   time.Time
	busy    bool
	known   map[string]string // the last content of each other row
	wrote   bool              // whether this process has written its row
	foreign int               // number of consecutive readings that found the row written by another process
	inUse   time.Time         // when another index or process was last noticed
}

// IndexesOptions replaces dependencies in tests. The zero value is for production.
type IndexesOptions struct {
	Clock   func() time.Time
	Process string       // random when empty
	Log     *slog.Logger // messages are discarded when nil
}

// NewIndexes returns the Indexes of an instance whose embedded index has the given id.
func NewIndexes(s storage.Store, id string, o IndexesOptions) *Indexes {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	o.Process = cmp.Or(o.Process, newProcess())
	return &Indexes{rows: s.Table(Table), id: id, o: o, known: map[string]string{}}
}

// Check returns a warning while another instance uses another index, and "" otherwise. It reads and writes rows at most
// twice a minute, and answers from memory in between. Call it after every operation that may have used the index.
func (x *Indexes) Check(ctx context.Context) (warning string, err error) {
	if x == nil {
		return "", nil
	}
	now := x.o.Clock()
	if x.begin(now) {
		err = x.read(ctx, now)
		if err == nil {
			err = x.write(ctx, now)
		}
		x.end(err == nil)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.inUse.IsZero() && now.Sub(x.inUse) < indexesFor {
		return ownIndexes, err
	}
	return "", err
}

// begin reports whether to read the rows now. If so, no other caller reads them until end is called.
func (x *Indexes) begin(now time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.busy || !x.tried.IsZero() && now.Sub(x.tried) < indexesPause {
		return false
	}
	x.busy, x.tried = true, now
	return true
}

func (x *Indexes) end(wrote bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.busy, x.wrote = false, x.wrote || wrote
}

// read compares all rows with their known content. It removes rows of indexes that have not been used for long.
func (x *Indexes) read(ctx context.Context, now time.Time) error {
	for e, err := range x.rows.Query(ctx, storage.Query{Partition: indexesPartition}) {
		if err != nil {
			return err
		}
		process, _ := e.Props["process"].(string)
		used, _ := e.Props["usedAt"].(string)
		x.compare(ctx, e.Row, process, used, now)
		at, err := time.Parse(time.RFC3339Nano, used)
		if e.Row != x.id && err == nil && now.Sub(at) > indexesKept {
			_, _ = x.rows.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: e}) // if this fails, a later reading does it
		}
	}
	return nil
}

func (x *Indexes) write(ctx context.Context, now time.Time) error {
	_, err := x.rows.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key:   storage.Key{Partition: indexesPartition, Row: x.id},
		Props: storage.Properties{"process": x.o.Process, "usedAt": now.UTC().Format(time.RFC3339Nano)}}})
	return err
}

// compare compares a row with its known content.
func (x *Indexes) compare(ctx context.Context, id, process, used string, now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	noticed := false
	if id == x.id {
		if x.foreign++; !x.wrote || process == x.o.Process {
			x.foreign = 0
		}
		noticed = x.foreign > 1
	} else {
		content := process + " " + used
		before, known := x.known[id]
		x.known[id] = content
		noticed = known && before != content
	}
	if !noticed {
		return
	}
	if x.inUse.IsZero() || now.Sub(x.inUse) >= indexesFor {
		x.o.Log.WarnContext(ctx, ownIndexes, "index", x.id, "other", id)
	}
	x.inUse = now
}
