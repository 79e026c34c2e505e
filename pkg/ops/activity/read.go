package activity

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// maxRows limits the number of rows that one report reads: 31 days of 40 instances, with a few restarts.
	maxRows = 30_000
	// trimRows limits the number of rows that one call of [Log.Trim] removes.
	trimRows = 5_000
)

// Hour is the work of all instances within one hour.
type Hour struct {
	Begins time.Time // UTC
	Counts
}

// Report is the work of some hours.
type Report struct {
	From  time.Time // the beginning of the first hour in the sums
	Total Counts
	Hours []Hour // the hours with work, in order
}

// Read adds up the last hours, including the current one. The number of hours is 1 to [MaxHours]. Read costs one
// request per thousand rows, and at least one per day. When there are more rows than Read may read, the report begins
// later than requested.
func (l *Log) Read(ctx context.Context, hours int) (Report, error) {
	now := l.o.Clock().UTC()
	out := Report{From: now.Truncate(time.Hour).Add(-time.Duration(hours-1) * time.Hour)}
	sums, left := map[time.Time]Counts{}, maxRows
	for day := midnight(now); !day.Before(midnight(out.From)); day = day.AddDate(0, 0, -1) {
		got, whole, err := l.day(ctx, day, out.From, &left)
		if err != nil {
			return Report{}, err
		}
		if !whole {
			out.From = day.AddDate(0, 0, 1)
			break
		}
		maps.Copy(sums, got)
	}
	for _, h := range slices.SortedFunc(maps.Keys(sums), time.Time.Compare) {
		out.Hours = append(out.Hours, Hour{h, sums[h]})
		out.Total = out.Total.plus(sums[h])
	}
	return out, nil
}

func midnight(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// day adds up the hours of a day, from the given hour on. The result whole is false when the day has more rows than
// left allows.
func (l *Log) day(ctx context.Context, day, from time.Time, left *int) (sums map[time.Time]Counts, whole bool,
	err error) {
	q := storage.Query{Partition: day.Format(dayLayout)}
	if from.After(day) {
		q.RowFrom = from.Format("15")
	}
	sums = map[time.Time]Counts{}
	for e, err := range l.rows.Query(ctx, q) {
		if err != nil {
			return nil, false, err
		}
		if *left--; *left < 0 {
			return nil, false, nil
		}
		if h, c, ok := parse(e); ok {
			sums[h] = sums[h].plus(c)
		}
	}
	return sums, true, nil
}

// Trim removes rows older than [keepTime], at most 5,000, and returns how many it removed. It costs one read when there
// are no such rows, and otherwise one transaction per hundred rows.
func (l *Log) Trim(ctx context.Context) (removed int, err error) {
	old, err := l.before(ctx, l.o.Clock().UTC().Add(-keepTime).Format(dayLayout))
	for len(old) > 0 && err == nil {
		n := 1
		for n < min(len(old), storage.MaxOps) && old[n].Entity.Partition == old[0].Entity.Partition {
			n++
		}
		if _, err = l.rows.Transact(ctx, old[:n]...); fault.Is(err, fault.NotFound) {
			err = nil // another process removes these rows too
		} else if err == nil {
			removed += n
		}
		old = old[n:]
	}
	return removed, err
}

// before returns delete operations for the rows before a day, oldest first.
func (l *Log) before(ctx context.Context, day string) (ops []storage.Op, err error) {
	for e, err := range l.rows.Query(ctx, storage.Query{PartitionTo: day, Select: []string{"checks"}}) {
		if err != nil {
			return nil, err
		}
		if len(ops) == trimRows {
			break
		}
		ops = append(ops, storage.DeleteOp(e.Key, storage.AnyETag))
	}
	return ops, nil
}
