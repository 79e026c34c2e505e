package backfill

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/walk"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Variables, because tests set smaller values.
var (
	// sliceLinks limits the number of links that one step registers. So the run's row shows the progress after every
	// 50 links (E12).
	sliceLinks = 50
	// linkRows is the number of link rows that one transaction writes. A transaction may have up to 4 MiB.
	linkRows = 24
)

// sliceBytes bounds the size of the links in one column, in bytes. A column may have up to 64 KiB.
const sliceBytes = 60_000

func linksPrefix(run, source string) string { return "links|" + run + "|" + source + "|" }

func linksKey(c *checkpoint, n int) storage.Key {
	return key(fmt.Sprintf("%s%s|%04d", linksPrefix(c.Run, c.Source), c.Token, n))
}

// cut divides addresses into slices of limited length, one slice for each step. An address that would fill a whole
// row is dropped, because it cannot be a real one.
func cut(addresses []string, most int) (out []string) {
	var b strings.Builder
	n := 0
	for _, a := range addresses {
		if len(a) >= sliceBytes {
			continue
		}
		if n == most || b.Len()+len(a)+1 > sliceBytes {
			out = append(out, b.String())
			b.Reset()
			n = 0
		}
		if n++; n > 1 {
			b.WriteByte('\n')
		}
		b.WriteString(a)
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// storeLinks writes the links of a document under a token that only this step uses. When two steps read the same
// document at the same time, only the links of the step that ends first are used. The last rows are not written. They
// are returned as operations for the transaction that ends the step. Most documents have no other rows.
func (k workRows) storeLinks(ctx context.Context, c *checkpoint, addresses []string,
	most int) (rest []storage.Op, err error) {
	c.Token, c.Slice, c.Offset = run.Token(), 0, 0
	for _, text := range cut(addresses, most) {
		if len(rest) == linkRows {
			if _, err := k.runs.Table.Transact(ctx, rest...); err != nil {
				return nil, err
			}
			rest = nil
		}
		rest = append(rest, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: linksKey(c, c.Slices), Props: storage.Properties{"links": []byte(text)},
		}})
		c.Slices++
	}
	if c.Slices == 0 {
		c.Token = ""
	}
	return rest, nil
}

// loadLinks reads the next slice. It returns nil when another process has finished that slice.
func (k workRows) loadLinks(ctx context.Context, c *checkpoint) ([]string, error) {
	e, err := k.runs.Table.Get(ctx, linksKey(c, c.Slice))
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, _ := e.Props["links"].([]byte)
	return strings.Split(string(text), "\n"), nil
}

// dropOwnLinks removes the links that this step wrote, when another process has ended the same step first. The
// argument ops has the step's operations, which were not committed. A step without operations has written no links.
func (k workRows) dropOwnLinks(ctx context.Context, c *checkpoint, ops []storage.Op) error {
	if len(ops) == 0 || c.Token == "" || c.Slice > 0 || c.Offset > 0 {
		return nil
	}
	return k.drop(ctx, linksPrefix(c.Run, c.Source)+c.Token+"|")
}

// dropLinks removes the remaining links of a source, and the pages of its walk. If the source is empty, it removes
// those of all sources.
func (k workRows) dropLinks(ctx context.Context, run, source string) error {
	prefix, slug := linksPrefix(run, source), walkSlug(run, source)
	if source == "" {
		prefix, slug = "links|"+run+"|", run
	}
	return errors.Join(k.drop(ctx, prefix), walk.Drop(ctx, k.runs.Table, partition, slug, nil))
}

// drop removes the rows whose keys begin with a prefix.
func (k workRows) drop(ctx context.Context, prefix string) error {
	q := k.runs.Prefix(prefix)
	q.Select = []string{"run"}
	return run.Drop(ctx, k.runs.Table, q)
}

// paceNote is the note of a source that has links to register, but has to wait because of the limits of E13.
const paceNote = "waits: BACKFILL_JOBS_PER_MINUTE and BACKFILL_ITEMS_PER_MINUTE allow no more now"

// patience is how long a step waits, within its call, until its job may begin. A longer wait goes through the queue,
// where a message waits for at least a second.
const patience = time.Second

// pace is the row that limits the registrations of all runs together (E13, ARC-3).
type pace struct {
	Next time.Time `col:"next"` // when the next job may begin
}

var paces = row.Of[pace]()

// rate returns the number of jobs that may begin in a minute, evenly spread, and the number of items that each may
// have. Their product never exceeds the limit on items.
func (o *Options) rate() (jobs, items int) {
	jobs = min(o.JobsPerMinute, (o.PerMinute+sliceLinks-1)/sliceLinks)
	return jobs, min(sliceLinks, o.PerMinute/jobs)
}

// permit takes the permit for one job from the row that all runs share, and waits until the job may begin. The caller
// must not have written anything yet. If the job may not begin soon, permit takes no permit. It reports whether the
// job may begin, and returns the time until the next job may begin.
func (s *Service) permit(ctx context.Context) (begun bool, wait time.Duration, err error) {
	jobs, _ := s.o.rate()
	for range 20 {
		p, etag, err := paces.Load(ctx, s.runs.Table, key(paceRow))
		if err != nil {
			return false, 0, err
		}
		now := s.runs.Now()
		wait := max(0, p.Next.Sub(now))
		if wait > patience {
			return false, wait, nil
		}
		p.Next = now.Add(wait + time.Minute/time.Duration(jobs))
		_, err = s.runs.Table.Transact(ctx, paces.Put(key(paceRow), etag, &p))
		if err == nil {
			return true, p.Next.Sub(now.Add(wait)), s.o.Sleep(ctx, wait)
		}
		if !fault.Is(err, fault.Conflict) {
			return false, 0, err
		}
	}
	return false, 0, fault.After(2*time.Second, "other backfills register at the same time")
}
