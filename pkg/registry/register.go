package registry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/registry/store"
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
	// Missing says, with NewOnly, that the caller has just found none of the sources, so their items are read only where
	// that has changed meanwhile.
	Missing bool
	// Run is the backfill run that found the sources, and Job names the job of each (E2). New items keep
	// both, so who repeats a registration after a crash knows its own.
	Run string
	Job func(source.Source) string
	// Tags are those that a new item gets, as [options.Tags] gives them; none when nil.
	Tags func(source.Source) []string
	// Settings are changed of every item that is registered, new or not.
	Settings Settings

	asked bool   // somebody asks for a check of these very items, so a pause does not matter
	by    string // the name of the key that asked, as history tells it
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
func (r *Items) Register(ctx context.Context, sources []source.Source, o RegisterOptions) []Registered {
	o.by = by(ctx)
	groups := r.group(sources)
	out := make([]Registered, len(sources))
	_ = r.s.Parallel(ctx, len(groups), func(ctx context.Context, g int) error {
		group := groups[g]
		// Chunks of one host go one after the other: they share the host's row.
		for chunk := range slices.Chunk(group.members, JobItems) {
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

func (r *Items) group(sources []source.Source) []hostGroup {
	var groups []hostGroup
	groupAt, memberAt := map[store.HostID]int{}, map[string]int{}
	for i, s := range sources {
		id := store.HostID{Partition: s.Partition(r.s.Options.Strategy), Host: s.Host}
		g, ok := groupAt[id]
		if !ok {
			g = len(groups)
			groupAt[id] = g
			groups = append(groups, hostGroup{partition: id.Partition, host: id.Host})
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
func (r *Items) registerChunk(ctx context.Context, g hostGroup, chunk []member,
	o RegisterOptions) (got []Registered, err error) {
	var hashes []string
	for _, m := range chunk {
		hashes = append(hashes, m.Hash())
	}
	items, idle := missing(g.partition, hashes), make([]storage.ETag, len(hashes))
	if !o.Missing {
		if items, idle, err = r.loadForRegister(ctx, g.partition, hashes, o); err != nil {
			return nil, err
		}
	}
	plan := registerPlan{}
	if o.NewOnly && allExist(items) {
		plan = planRegister(r.s.Now(), chunk, items, idle, &store.Host{}, o, Politeness{})
		return plan.out, nil
	}
	id := store.HostID{Partition: g.partition, Host: g.host}
	err = r.s.ChangeHost(ctx, id, func(ctx context.Context, h *store.Host) (*store.Change, error) {
		if items == nil {
			if items, idle, err = r.loadForRegister(ctx, g.partition, hashes, o); err != nil {
				return nil, err
			}
		}
		plan = planRegister(r.s.Now(), chunk, items, idle, h, o, r.s.Options.Politeness(g.host))
		// After the host's row was read: see dropPointers.
		if err := r.s.Point(ctx, g.partition, plan.created()); err != nil || len(plan.ops) == 0 {
			return nil, err
		}
		return &store.Change{Ops: plan.ops, Hint: plan.hint, Conflict: func() { items = nil }}, nil
	})
	if err != nil {
		return nil, err
	}
	r.s.Send(ctx, g.partition, g.host, plan.reason, plan.jobs)
	return plan.out, nil
}

// loadForRegister reads items, and which of them wait for a job, see loadIdle.
func (r *Items) loadForRegister(ctx context.Context, partition string, hashes []string,
	o RegisterOptions) (items []Item, idle []storage.ETag, err error) {
	if items, err = r.s.LoadItems(ctx, partition, hashes); err == nil {
		idle, err = r.loadIdle(ctx, items, o)
	}
	return items, idle, err
}

// missing are items that do not exist.
func missing(partition string, hashes []string) (items []Item) {
	for _, hash := range hashes {
		items = append(items, item.Missing(storage.Key{Partition: partition, Row: hash}))
	}
	return items
}

// hashesOf are the RowKeys of items.
func hashesOf(items []Item) (out []string) {
	for _, it := range items {
		out = append(out, it.Hash())
	}
	return out
}

func allExist(items []Item) bool {
	return !slices.ContainsFunc(items, func(it Item) bool { return !it.Exists() })
}

// registerPlan is what a registration will write and send.
type registerPlan struct {
	ops    []storage.Op
	hint   time.Time // for the first of what is written that needs attention
	jobs   []JobItem
	reason string
	out    []Registered
	back   []string // hashes of items that had moved, and are wanted again
}

// created are the hashes of the items that a registration makes, or that are wanted again where they were.
func (p registerPlan) created() (hashes []string) {
	hashes = slices.Clone(p.back)
	for _, got := range p.out {
		if got.Created {
			hashes = append(hashes, got.Item.Hash())
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
func full(h *store.HostState, p Politeness) error {
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
func planRegister(now time.Time, chunk []member, items []Item, idle []storage.ETag, host *store.Host, o RegisterOptions,
	p Politeness) registerPlan {
	plan := registerPlan{reason: item.ReasonRegistered, out: make([]Registered, len(chunk))}
	if o.Force {
		plan.reason = item.ReasonForced
	}
	room := host.Policy.Room(now, len(chunk), p)
	for i, m := range chunk {
		it := items[i]
		plan.out[i] = Registered{Item: it, Created: !it.Exists()}
		if m.taken(&it, o) {
			plan.out[i] = Registered{Err: otherFile(it.DisplaySource)}
			continue
		}
		if it.Exists() && (o.NewOnly || o.respects(&it)) {
			continue
		}
		if err := full(&host.HostState, p); err != nil && !it.Exists() {
			plan.out[i] = Registered{Err: err}
			continue
		}
		rests := o.isParked(&it)
		claimed := len(plan.jobs) < room && !rests
		if o.leaves(&it, now) {
			if claimed && idle[i] != "" {
				plan.ops = append(plan.ops, item.ClaimDue(item.DueKey(it.Key(), it.NextCrawlAt), idle[i], now.Add(item.JobTTL)))
				plan.jobs = append(plan.jobs, item.InJob(&it))
			}
			continue
		}
		if it.MovedTo != "" {
			plan.back = append(plan.back, it.Hash())
		}
		plan.ops = append(plan.ops, registerOps(now, m, &it, host, o, claimed)...)
		if claimed {
			plan.jobs = append(plan.jobs, item.InJob(&it))
		} else if !rests {
			plan.hint = now // for the next sweep, if no worker comes by before
			host.Unclaimed = true
		}
		plan.out[i].Item = it
	}
	if len(plan.ops) > 0 {
		host.Policy.Pace.Claim(now, len(plan.jobs), p)
		plan.hint = policy.Earlier(plan.hint, now.Add(item.JobTTL))
	}
	return plan
}

// taken reports whether the item of a source stands for another file than is named.
func (m member) taken(it *Item, o RegisterOptions) bool {
	alive := it.Exists() && it.Status != Gone && !it.RemoveRequested
	return alive && !o.Respell && !sameFile(m.Source, it.DisplaySource)
}

// sameFile reports whether a source is to be read under that name, too. Where case makes no difference to
// the identity, it makes none to the file.
func sameFile(s source.Source, display string) bool {
	return s.Type != source.File || strings.EqualFold(s.Display, display)
}

func otherFile(display string) error {
	return fault.Field("path",
		"%s is registered, and a name that differs from it only by repeated slashes is the same source: "+
			"remove that one first", display)
}

// registerOps brings one item forward to now: the item, its old due row and its new one.
func registerOps(now time.Time, m member, it *Item, host *store.Host, o RegisterOptions, claimed bool) []storage.Op {
	created, oldDue, was := !it.Exists(), it.NextCrawlAt, store.TallyOf(it)
	if created {
		*it = item.New(m.Source, it.Key(), now)
		it.DiscoveryMethod = o.Method
		if it.DiscoveryMethod == "" {
			it.DiscoveryMethod = "API"
		}
		it.DiscoveryRun = o.Run
		if o.Job != nil {
			it.DiscoveryJob = o.Job(m.Source)
		}
		if o.Tags != nil {
			it.Tags = o.Tags(m.Source)
		}
		it.Record(now, "registered", "source added by "+it.DiscoveryMethod+o.by)
	}
	it.Revive(now)
	it.DisplaySource, it.NextCrawlAt = m.Display, now
	if o.Credential != "" {
		it.Credential = o.Credential
	}
	tags := it.Tags
	if what := o.Settings.Apply(it); what != "" {
		if !slices.Equal(tags, it.Tags) {
			it.SetStale()
		}
		it.Record(now, "set", what+o.by)
		item.ApplyPriority(it, options.Merge(it.Options, nil)) // with that of its tags when it is planned again
	}
	if o.isParked(it) {
		it.CheckAt(Never)
	}
	it.IndexPending = false // the page itself is asked for
	if byPerson := o.Method == "" || o.Method == "API"; byPerson && !created {
		it.Collapse.Asked = true
	}
	if it.Status != Indexed && it.Status != Crawled {
		it.Status = Pending
	}
	if o.Force {
		it.ReindexRequested = true
		it.ReindexGeneration++
		it.Record(now, "forced", "a check without conditions was asked for"+o.by)
	}
	host.Recount(was, store.TallyOf(it))
	return it.Write(oldDue, claimedUntil(now, claimed))
}

// by is who asked for what is done under a context, as the end of a sentence; nothing where nobody needs a key.
func by(ctx context.Context) string {
	if name := telemetry.From(ctx).Actor; name != "" {
		return " (key " + name + ")"
	}
	return ""
}

func claimedUntil(now time.Time, claimed bool) time.Time {
	if claimed {
		return now.Add(item.JobTTL)
	}
	return time.Time{}
}
