// Package activity counts the work of each hour, over all instances: checks, changes, errors, bytes and pages
// indexed.
//
// Each process counts in memory ([telemetry.Metrics]) and writes its sums for an hour to its own row. It writes at
// most once a minute, only when there was work, and once more when it stops. Readers add up the rows. Each row
// therefore has one writer, a repeated write does no harm, and a write needs no read. When a process is killed, the
// counts since its last write are lost: at most the work of one minute and of the invocations under way.
//
//	Activity   PK 2026-03-01   RK 13|<process>   checks changes errors bytes indexed
//
// Rows are removed after [keepTime]. A minute with work costs an instance one table write; a minute without work costs
// nothing.
package activity

import (
	"cmp"
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Table is the name of the table.
const Table = "Activity"

const (
	// keepTime is how long rows are kept.
	keepTime = 90 * 24 * time.Hour
	// MaxHours is the largest number of hours in a report.
	MaxHours = 720
	// pause is the shortest time between two writes.
	pause = time.Minute
)

// Counts is the work of some period.
type Counts struct {
	Checks  int64 // checks that ended
	Changes int64 // checks that found new content
	Errors  int64 // checks that failed
	Bytes   int64 // bytes of fetched bodies, after decoding
	Indexed int64 // pages written to the index
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Checks + d.Checks, c.Changes + d.Changes, c.Errors + d.Errors, c.Bytes + d.Bytes,
		c.Indexed + d.Indexed}
}

func (c Counts) minus(d Counts) Counts {
	return Counts{c.Checks - d.Checks, c.Changes - d.Changes, c.Errors - d.Errors, c.Bytes - d.Bytes,
		c.Indexed - d.Indexed}
}

// totals returns the counts of the process since it started.
func totals(m *telemetry.Metrics) Counts {
	return Counts{
		Checks: int64(m.Checks.Total()), Changes: int64(m.Changes.Total()), Errors: int64(m.Checks.Total("failed")),
		Bytes: int64(m.Bytes.Total()), Indexed: int64(m.IndexPages.Total("put")),
	}
}

// Options replaces dependencies in tests. The zero value is for production.
type Options struct {
	Clock   func() time.Time
	Process string // distinguishes the rows of this process; random when empty
}

// Log writes and reads activity. It is safe for concurrent use.
type Log struct {
	rows storage.Table
	m    *telemetry.Metrics
	o    Options

	mu      sync.Mutex
	seen    Counts               // the totals of the process that were already added to an hour
	hours   map[time.Time]Counts // this process's counts for the current hour and for hours not yet written
	unsaved map[time.Time]bool
	tried   time.Time // when the last write was tried
	writing bool
}

// newProcess returns a random name for a process.
func newProcess() string { return strings.ToLower(rand.Text()[:16]) }

// New returns a log of the work that m counts from now on.
func New(s storage.Store, m *telemetry.Metrics, o Options) *Log {
	defaults.Clock(&o.Clock)
	o.Process = cmp.Or(o.Process, newProcess())
	return &Log{rows: s.Table(Table), m: m, o: o, seen: totals(m), hours: map[time.Time]Counts{},
		unsaved: map[time.Time]bool{}}
}

// Create creates the table when it is missing.
func (l *Log) Create(ctx context.Context) error { return l.rows.Create(ctx) }

// Flush adds the work since the last call to the current hour. It writes the hours that changed, unless a write was
// tried within the last minute. Call it after every operation that may have done work. A failed write loses nothing:
// a call a minute later repeats it.
func (l *Log) Flush(ctx context.Context) error { return l.write(ctx, pause) }

// Save is [Log.Flush] for the end of the process: it writes even when the last write was less than a minute ago.
func (l *Log) Save(ctx context.Context) error { return l.write(ctx, 0) }

func (l *Log) write(ctx context.Context, pause time.Duration) error {
	todo := l.begin(l.o.Clock().UTC(), pause)
	var failed error
	for hour, sum := range todo {
		if _, err := l.rows.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: l.entity(hour, sum)}); err != nil {
			failed = err
			delete(todo, hour)
		}
	}
	l.end(todo)
	return failed
}

// begin returns the hours to write now. It returns nil when no hour has changed, when a write is under way, or when
// the last write was tried less than pause ago.
func (l *Log) begin(now time.Time, pause time.Duration) map[time.Time]Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	sums, hour := totals(l.m), now.Truncate(time.Hour)
	if done := sums.minus(l.seen); done != (Counts{}) {
		l.hours[hour] = l.hours[hour].plus(done)
		l.unsaved[hour], l.seen = true, sums
	}
	if l.writing || len(l.unsaved) == 0 || now.Sub(l.tried) < pause {
		return nil
	}
	l.writing, l.tried = true, now
	todo := map[time.Time]Counts{}
	for h := range l.unsaved {
		todo[h] = l.hours[h]
	}
	return todo
}

// end records which hours were written. Hours that changed meanwhile remain to be written.
func (l *Log) end(written map[time.Time]Counts) {
	if written == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = false
	for h, sum := range written {
		if l.hours[h] == sum {
			delete(l.unsaved, h)
		}
	}
	for h := range l.hours {
		if !l.unsaved[h] && l.tried.Sub(h) > time.Hour {
			delete(l.hours, h)
		}
	}
}

const dayLayout = "2006-01-02"

func (l *Log) entity(hour time.Time, c Counts) storage.Entity {
	return storage.Entity{
		Key: storage.Key{Partition: hour.Format(dayLayout), Row: hour.Format("15") + "|" + l.o.Process},
		Props: storage.Properties{
			"checks": c.Checks, "changes": c.Changes, "errors": c.Errors, "bytes": c.Bytes, "indexed": c.Indexed,
		},
	}
}

// parse reads a row. The result ok is false for a row of another kind.
func parse(e storage.Entity) (hour time.Time, c Counts, ok bool) {
	day, err := time.Parse(dayLayout, e.Partition)
	text, _, _ := strings.Cut(e.Row, "|")
	h, errHour := strconv.Atoi(text)
	if err != nil || errHour != nil || h < 0 || h > 23 {
		return time.Time{}, Counts{}, false
	}
	n := func(name string) int64 { v, _ := e.Props[name].(int64); return v }
	return day.Add(time.Duration(h) * time.Hour), Counts{n("checks"), n("changes"), n("errors"), n("bytes"),
		n("indexed")}, true
}
