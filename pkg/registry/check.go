package registry

import (
	"context"
	"fmt"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Violation describes an invariant that does not hold, with the rows that break it.
type Violation struct {
	Invariant int
	Row       string
	Problem   string
}

func (v Violation) String() string {
	return fmt.Sprintf("invariant %d: %s: %s", v.Invariant, v.Row, v.Problem)
}

// Check reads the whole registry and reports which invariants of the package comment do not hold. It is meant for
// tests, and for operators after a disaster. It scans all rows, and its result is exact only while there are no
// writers.
func (r *Registry) Check(ctx context.Context) ([]Violation, error) {
	c := checker{
		now: r.s.Now(), politeness: r.s.Options.Politeness, hosts: map[storage.Key]hostState{},
		items: map[storage.Key]Item{}, due: map[storage.Key][]storage.Entity{}, surplus: map[storage.Key]surplus{},
		hints: map[string]time.Time{},
	}
	for e, err := range r.s.Items.Query(ctx, storage.Query{}) {
		if err != nil {
			return nil, err
		}
		c.row(e)
	}
	for h, err := range r.s.AllHints(ctx) {
		if err != nil {
			return nil, err
		}
		if cur, ok := c.hints[h.Partition]; !ok || h.Minute.Before(cur) {
			c.hints[h.Partition] = h.Minute
		}
	}
	for key := range c.items {
		if err := c.pointer(ctx, r.s.Index, key); err != nil {
			return nil, err
		}
	}
	c.judge()
	return c.found, nil
}

type checker struct {
	now        time.Time
	politeness func(host string) policy.Politeness
	items      map[storage.Key]Item
	due        map[storage.Key][]storage.Entity // due rows by item
	surplus    map[storage.Key]surplus          // by host row
	hosts      map[storage.Key]hostState
	hints      map[string]time.Time // by partition: the time of the earliest hint
	found      []Violation
}

// surplus is what the counters of a host row have above the real numbers of items.
type surplus struct{ rebuild, revisited, guarded, lying int }

func (c *checker) report(invariant int, key storage.Key, format string, args ...any) {
	c.found = append(c.found, Violation{invariant, key.Partition + "/" + key.Row, fmt.Sprintf(format, args...)})
}

func (c *checker) row(e storage.Entity) {
	if isItemRow(e.Row) {
		c.items[e.Key] = itemOf(e)
		return
	}
	if _, hash, ok := parseDueRow(e.Row); ok {
		item := storage.Key{Partition: e.Partition, Row: hash}
		c.due[item] = append(c.due[item], e)
		return
	}
	if h := hostStateOf(e); h.Host != "" {
		c.hosts[e.Key] = h
		s := c.surplus[e.Key]
		c.surplus[e.Key] = surplus{s.rebuild + h.Rebuilding, s.revisited + h.Revisited, s.guarded + h.Guarded,
			s.lying + h.Lying}
	}
}

// pointer checks that an item can be found by its id.
func (c *checker) pointer(ctx context.Context, index storage.Table, key storage.Key) error {
	e, err := index.Get(ctx, indexKey(key.Row))
	if err != nil {
		c.report(1, key, "cannot be found by its id: %v", err)
		return nil
	}
	if e.Props["partition"] != key.Partition {
		c.report(1, key, "its id leads to partition %v", e.Props["partition"])
	}
	return nil
}

func (c *checker) judge() {
	counted := map[storage.Key]map[Status]int{}
	for key, it := range c.items {
		c.judgeDue(key, it)
		if it.ProcessedGeneration > it.ReindexGeneration {
			c.report(4, key, "generation %d processed, %d asked for", it.ProcessedGeneration, it.ReindexGeneration)
		}
		host := storage.Key{Partition: key.Partition, Row: hostRow(it.SourceHost)}
		if counted[host] == nil {
			counted[host] = map[Status]int{}
		}
		counted[host][it.Status]++
		s, is := c.surplus[host], tallyOf(&it)
		c.surplus[host] = surplus{s.rebuild - one(is.Waits), s.revisited - one(is.Revisited), s.guarded - one(is.Guarded),
			s.lying - one(is.Lying)}
	}
	for key := range c.due {
		if _, ok := c.items[key]; !ok {
			c.report(1, key, "has a due row but no item")
		}
	}
	c.judgeCounts(counted)
	c.judgeSurplus()
	for partition, first := range c.attention() {
		at, ok := c.hints[partition]
		if limit := first.Add(time.Minute); !ok || at.After(limit) {
			c.report(2, storage.Key{Partition: partition}, "needs attention at %s, first hint %s (any: %v)",
				storage.FormatTime(first), storage.FormatTime(at), ok)
		}
	}
}

func (c *checker) judgeSurplus() {
	for host, s := range c.surplus {
		for what, n := range map[string]int{
			"that wait for a rebuild": s.rebuild, "that are gone under another status": s.revisited,
			"that the guard holds": s.guarded, "whose validators lied": s.lying,
		} {
			if n != 0 {
				c.report(5, host, "counts %+d items %s", n, what)
			}
		}
	}
}

// attention returns, for each partition, the time at which its first due row needs attention. Due rows of an
// unavailable host need attention when the host becomes available. Because limits may be raised, they need it no
// later than jobTTL from now.
func (c *checker) attention() map[string]time.Time {
	out := map[string]time.Time{}
	for _, rows := range c.due {
		for _, e := range rows {
			at, _, _ := parseDueRow(e.Row)
			host, _ := e.Props["host"].(string)
			h := c.hosts[storage.Key{Partition: e.Partition, Row: hostRow(host)}]
			held, _ := h.Policy.Blocked(c.now, c.politeness(host))
			first := policy.Later(policy.Later(at, enqueuedUntil(e)), policy.Later(c.now, parkedUntil(c.now, held)))
			out[e.Partition] = policy.Earlier(out[e.Partition], first)
		}
	}
	return out
}

func (c *checker) judgeDue(key storage.Key, it Item) {
	rows := c.due[key]
	if len(rows) != 1 {
		c.report(1, key, "has %d due rows", len(rows))
		return
	}
	if want := dueRow(it.NextCrawlAt, key.Row); rows[0].Row != want {
		c.report(1, key, "is due at %s by its row %s", storage.FormatTime(it.NextCrawlAt), rows[0].Row)
	}
}

func (c *checker) judgeCounts(counted map[storage.Key]map[Status]int) {
	for host, want := range counted {
		for _, s := range Statuses {
			if got := c.hosts[host].Counts[s]; got != want[s] {
				c.report(5, host, "counts %d items %s, there are %d", got, s, want[s])
			}
		}
	}
}
