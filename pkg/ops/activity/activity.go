// Package activity keeps what was done in each hour, over all instances: checks, changes, errors,
// bytes and pages indexed.
//
// Each process counts in memory ([telemetry.Metrics]) and writes its sums of an hour to a row of its
// own, at most once a minute, never when nothing was done, and once more when it stops; readers add up
// the rows. So there is one writer for a row, writing it again does no harm, and no row is read to be
// written. What was counted since the last write is lost when the process is killed: at most the work
// of a minute and of the invocation that was under way.
//
//	Activity   PK 2026-03-01   RK 13|<process>   checks changes errors bytes indexed
//
// Rows are removed after [Keep]. A minute in which there is work costs an instance one table write;
// the others cost nothing.
package activity

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Table holds the rows.
const Table = "Activity"

const (
	// Keep is how long rows stay.
	Keep = 90 * 24 * time.Hour
	// MaxHours is how far back one may look at once.
	MaxHours = 720
	// pause is the least time between two writes.
	pause = time.Minute
)

// Counts are what was done in some time.
type Counts struct {
	Checks  int64 // that ended
	Changes int64 // of these, that found new content
	Errors  int64 // of these, that failed
	Bytes   int64 // of bodies fetched, decoded
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

// totals are the counts of the process so far.
func totals(m *telemetry.Metrics) Counts {
	return Counts{
		Checks: int64(m.Checks.Total()), Changes: int64(m.Changes.Total()), Errors: int64(m.Checks.Total("failed")),
		Bytes: int64(m.Bytes.Total()), Indexed: int64(m.IndexPages.Total("put")),
	}
}

// Options are for tests; a zero value is the real thing.
type Options struct {
	Clock   func() time.Time
	Process string // what tells the rows of this process from others'; random when empty
}

// Log writes and reads activity. It is safe for concurrent use.
type Log struct {
	rows storage.Table
	m    *telemetry.Metrics
	o    Options

	mu      sync.Mutex
	seen    Counts               // of the process, that are in an hour
	hours   map[time.Time]Counts // of this process; those to be written, and the present one
	unsaved map[time.Time]bool
	tried   time.Time // when it was last written
	writing bool
}

// New makes a log of what is counted by m from now on.
func New(s storage.Store, m *telemetry.Metrics, o Options) *Log {
	defaults.Clock(&o.Clock)
	if o.Process == "" {
		o.Process = strings.ToLower(rand.Text()[:16])
	}
	return &Log{rows: s.Table(Table), m: m, o: o, seen: totals(m), hours: map[time.Time]Counts{},
		unsaved: map[time.Time]bool{}}
}

// Create makes the table if it is missing.
func (l *Log) Create(ctx context.Context) error { return l.rows.Create(ctx) }

// Flush puts what was done since the last call into the present hour, and writes what is new if nothing
// was written for a minute. It is to be called after everything that may have done something. After an
// error nothing is lost; a call a minute later writes it.
func (l *Log) Flush(ctx context.Context) error { return l.write(ctx, pause) }

// Save is Flush at the end of the process: it does not wait for the minute to be over.
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

// begin gives what is to be written now, if the last write is a pause ago; nil for nothing.
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

// end takes note of what was written. More may have come to its hours meanwhile.
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
