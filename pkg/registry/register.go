package registry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// RegisterOptions say how sources are registered.
type RegisterOptions struct {
	Force  bool   // check without conditions, index whatever is found (A15)
	Method string // discoveryMethod of new items, "API" when empty
	// Credential is the name of the one that lets in to the sources (A24); empty keeps what items have.
	Credential string
	// Respell lets a file that is registered be read under another name that is the same source, such as a//b
	// for a/b. Otherwise who names it so is refused, because in a container these are two files.
	Respell bool
	// NewOnly leaves items alone that exist, whatever their state: they are reported as they are (E1).
	NewOnly bool
	// Run is the backfill run that found the sources, and Job names the job of each (E2). New items keep
	// both, so who repeats a registration after a crash knows its own.
	Run string
	Job func(source.Source) string
}

// Registered is the outcome for one source.
type Registered struct {
	Item    Item
	Created bool
	Err     error
}

// Register makes sure that every source has its item and is checked soon (A7). It may be
// called any number of times, concurrently, for the same sources: there is one item, and no force
// request is lost. The outcomes are in the order of sources; an error concerns one source only.
// When it returns, what it reports is durable.
func (r *Registry) Register(ctx context.Context, sources []source.Source, o RegisterOptions) []Registered {
	groups := r.group(sources)
	out := make([]Registered, len(sources))
	_ = r.parallel(ctx, len(groups), func(ctx context.Context, g int) error {
		group := groups[g]
		// Chunks of one host go one after the other: they share the host's row.
		for _, chunk := range group.chunks() {
			got, err := r.registerChunk(ctx, group, chunk, o)
			for i, m := range chunk {
				for _, at := range m.others {
					out[at] = Registered{Err: otherFile(m.Display)}
				}
				for _, at := range m.wanted {
					if err != nil {
						out[at] = Registered{Err: err}
					} else {
						out[at] = got[i]
					}
				}
			}
		}
		return nil
	})
	return out
}

// hostGroup is the sources of one host, each once.
type hostGroup struct {
	partition, host string
	members         []member
}

// member is a source and the places in the input where it was named.
type member struct {
	source.Source
	wanted []int
	others []int // places of other files that are the same source
}

func (g hostGroup) chunks() [][]member {
	var out [][]member
	for m := g.members; len(m) > 0; {
		n := min(len(m), JobItems)
		out, m = append(out, m[:n]), m[n:]
	}
	return out
}

func (r *Registry) group(sources []source.Source) []hostGroup {
	var groups []hostGroup
	groupAt, memberAt := map[hostID]int{}, map[string]int{}
	for i, s := range sources {
		id := hostID{s.Partition(r.o.Strategy), s.Host}
		g, ok := groupAt[id]
		if !ok {
			g = len(groups)
			groupAt[id] = g
			groups = append(groups, hostGroup{partition: id.partition, host: id.host})
		}
		if m, ok := memberAt[s.Hash()]; ok {
			if m := &groups[g].members[m]; sameFile(m.Source, s.Display) {
				m.wanted = append(m.wanted, i)
			} else {
				m.others = append(m.others, i)
			}
			continue
		}
		memberAt[s.Hash()] = len(groups[g].members)
		groups[g].members = append(groups[g].members, member{s, []int{i}, nil})
	}
	return groups
}

// registerChunk registers up to 32 sources of one host in one transaction.
func (r *Registry) registerChunk(ctx context.Context, g hostGroup, chunk []member, o RegisterOptions) (got []Registered, err error) {
	hashes := make([]string, len(chunk))
	for i, m := range chunk {
		hashes[i] = m.Hash()
	}
	var plan registerPlan
	var items []Item
	var idle []storage.ETag
	err = r.onHost(ctx, g.partition, g.host, func(ctx context.Context) error {
		if items == nil {
			if items, err = r.loadItems(ctx, g.partition, hashes); err != nil {
				return err
			}
			if idle, err = r.loadIdle(ctx, items, o); err != nil {
				return err
			}
		}
		if o.NewOnly && allExist(items) {
			plan = planRegister(r.now(), chunk, items, idle, &hostEntry{}, o, Politeness{})
			return nil
		}
		host, err := r.loadHost(ctx, g.partition, g.host)
		if err != nil {
			return err
		}
		plan = planRegister(r.now(), chunk, items, idle, &host, o, r.o.Politeness(g.host))
		// After the host's row was read: see dropPointers.
		if err := r.point(ctx, g.partition, plan.created()); err != nil {
			return err
		}
		if len(plan.ops) == 0 {
			return nil
		}
		if err := r.pointPartition(ctx, host); err != nil {
			return err
		}
		_, err = r.hinted(ctx, g.partition, plan.hints, plan.ops)
		if i, lost := loser(err); !lost || i != 0 {
			items = nil // an item has changed or is gone, not just the host's row
		}
		return asConflict(err)
	})
	if err != nil {
		return nil, err
	}
	r.send(ctx, g.partition, g.host, plan.reason, plan.jobs)
	return plan.out, nil
}

func allExist(items []Item) bool {
	return !slices.ContainsFunc(items, func(it Item) bool { return it.etag == "" })
}

// point writes the rows that find items by their id, for those that do not exist yet. What they
// say never changes, but writing one again tells whoever is about to delete it that it is needed.
func (r *Registry) point(ctx context.Context, partition string, missing []string) error {
	return r.parallel(ctx, len(missing), func(ctx context.Context, i int) error {
		_, err := r.index.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: indexKey(missing[i]), Props: storage.Properties{"partition": partition},
		}})
		return err
	})
}

// pointPartition lists the partition of a new host.
func (r *Registry) pointPartition(ctx context.Context, h hostEntry) error {
	if h.etag != "" {
		return nil
	}
	_, err := r.index.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: storage.Entity{
		Key: partitionKey(h.key.Partition), Props: storage.Properties{"partition": h.key.Partition},
	}})
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// registerPlan is what a registration will write and send.
type registerPlan struct {
	ops    []storage.Op
	hints  []time.Time
	jobs   []JobItem
	reason string
	out    []Registered
}

// created are the hashes of the items that a registration makes.
func (p registerPlan) created() (hashes []string) {
	for _, got := range p.out {
		if got.Created {
			hashes = append(hashes, got.Item.key.Row)
		}
	}
	return hashes
}

// errItemLimit is the end of what a source is told whose host has as many items as it may.
var errItemLimit = errors.New("LIMIT_ITEMS_PER_HOST")

// IsItemLimit reports whether a source was not registered because its host has as many items as it
// may have ([Politeness].MaxItems). The kind of such an error is Blocked.
func IsItemLimit(err error) bool { return errors.Is(err, errItemLimit) }

// full says why a host takes no other item; nil if it does. It is exact, because whoever adds one
// writes the host's row.
func (h *hostState) full(p Politeness) error {
	n := 0
	for _, count := range h.Counts {
		n += count
	}
	if p.MaxItems == 0 || n < p.MaxItems {
		return nil
	}
	return fault.New(fault.Blocked, "host %s has %d items, the limit is %d (%w)", h.Host, n, p.MaxItems, errItemLimit)
}

// planRegister decides, for sources of one host and their items as read, what changes. Items
// whose next check is still to begin stay as they are, unless forced; of these, idle are the revisions
// of the due rows that nobody has claimed, and they are claimed.
func planRegister(now time.Time, chunk []member, items []Item, idle []storage.ETag, host *hostEntry, o RegisterOptions, p Politeness) registerPlan {
	plan := registerPlan{reason: ReasonRegistered, out: make([]Registered, len(chunk))}
	if o.Force {
		plan.reason = ReasonForced
	}
	room := host.room(now, len(chunk), p)
	for i, m := range chunk {
		it := items[i]
		plan.out[i] = Registered{Item: it, Created: it.etag == ""}
		if m.taken(&it, o) {
			plan.out[i] = Registered{Err: otherFile(it.DisplaySource)}
			continue
		}
		if o.NewOnly && it.etag != "" {
			continue
		}
		if err := host.full(p); err != nil && it.etag == "" {
			plan.out[i] = Registered{Err: err}
			continue
		}
		claimed := len(plan.jobs) < room
		if it.stays(now, o) {
			if claimed && idle[i] != "" {
				plan.ops = append(plan.ops, claimDueRow(dueKey(&it), idle[i], now.Add(trust)))
				plan.jobs = append(plan.jobs, it.job())
			}
			continue
		}
		plan.ops = append(plan.ops, registerOps(now, m, &it, host, o, claimed)...)
		if claimed {
			plan.jobs = append(plan.jobs, it.job())
		} else {
			plan.hints = []time.Time{now} // for the next sweep, if no worker comes by before
		}
		plan.out[i].Item = it
	}
	if len(plan.ops) > 0 {
		host.claim(now, len(plan.jobs), p)
		plan.ops = append([]storage.Op{host.op()}, plan.ops...)
		plan.hints = append(plan.hints, now.Add(trust))
	}
	return plan
}

// taken reports whether the item of a source stands for another file than is named.
func (m member) taken(it *Item, o RegisterOptions) bool {
	alive := it.etag != "" && it.Status != Gone && !it.RemoveRequested
	return alive && !o.Respell && !sameFile(m.Source, it.DisplaySource)
}

// sameFile reports whether a source is to be read under that name, too. Where case makes no difference to
// the identity, it makes none to the file.
func sameFile(s source.Source, display string) bool {
	return s.Type != source.File || strings.EqualFold(s.Display, display)
}

func otherFile(display string) error {
	return fault.Field("path", "%s is registered, and a name that differs from it only by repeated slashes is the same source: remove that one first", display)
}

// registerOps brings one item forward to now: the item, its old due row and its new one.
func registerOps(now time.Time, m member, it *Item, host *hostEntry, o RegisterOptions, claimed bool) []storage.Op {
	created, oldDue, was := it.etag == "", it.NextCrawlAt, it.standing()
	if created {
		*it = newItem(m.Source, it.key, now)
		it.DiscoveryMethod = o.Method
		if it.DiscoveryMethod == "" {
			it.DiscoveryMethod = "API"
		}
		it.DiscoveryRun = o.Run
		if o.Job != nil {
			it.DiscoveryJob = o.Job(m.Source)
		}
		it.Record(now, "registered", "source added by "+it.DiscoveryMethod)
	}
	it.keep(now)
	it.DisplaySource, it.NextCrawlAt = m.Display, now
	if o.Credential != "" {
		it.Credential = o.Credential
	}
	it.IndexPending = false // the page itself is asked for
	if it.Status != Indexed && it.Status != Crawled {
		it.Status = Pending
	}
	if o.Force {
		it.ReindexRequested = true
		it.ReindexGeneration++
		it.Record(now, "forced", "a check without conditions was asked for")
	}
	host.recount(was, it.standing())
	ops := []storage.Op{itemOp(it, created)}
	if !created && !oldDue.Equal(now) {
		ops = append(ops, deleteDue(it.key, oldDue))
	}
	return append(ops, upsertDue(it, now, claimedUntil(now, claimed)))
}

func claimedUntil(now time.Time, claimed bool) time.Time {
	if claimed {
		return now.Add(trust)
	}
	return time.Time{}
}

func itemOp(it *Item, created bool) storage.Op {
	kind := storage.Replace
	if created {
		kind = storage.Insert
	}
	return storage.Op{Kind: kind, Entity: it.entity()}
}

// deleteDue removes an item's due row. The item's own ETag guards it: only who holds the item
// moves its due row.
func deleteDue(item storage.Key, at time.Time) storage.Op {
	return storage.Op{Kind: storage.Delete, Entity: storage.Entity{
		Key: storage.Key{Partition: item.Partition, Row: dueRow(at, item.Row)}, ETag: storage.AnyETag,
	}}
}

// upsertDue writes an item's due row, which carries what a job needs, so that a claim reads no
// items.
func upsertDue(it *Item, at, enqueued time.Time) storage.Op {
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: storage.Key{Partition: it.key.Partition, Row: dueRow(at, it.key.Row)},
		Props: storage.Properties{
			"id": string(it.ID), "host": it.SourceHost, "enqueuedUntil": storage.FormatTime(enqueued),
		},
	}}
}
