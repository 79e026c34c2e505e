package registry

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/storage"
)

// RegisterOptions describe how to register sources.
type RegisterOptions struct {
	Force  bool   // check with unconditional requests, and index the result (A15)
	Method string // discoveryMethod of new items; "API" when empty
	// Credential is the name of the credential for the sources (A24). If it is empty, existing items keep the
	// credential that they have.
	Credential string
	// Respell gives a registered file another name if both names are the same source, such as a//b for a/b. If Respell
	// is false, the file keeps its name as long as it can be read by it, because a container treats the two names as two
	// files.
	Respell bool
	// Folder is the folder whose listing names the files, or lacks them if Unlisted is set. If it is empty, items keep
	// theirs.
	Folder   string
	Unlisted bool
	// NewOnly keeps existing items from being changed, whatever their state. They are reported as they are (E1).
	NewOnly bool
	// Missing may be set together with NewOnly, by a caller that has just found no items for the sources. Items are
	// then read only if some have been created in the meantime.
	Missing bool
	// Run is the backfill run that found the sources, and Job returns the job of each source (E2). New items store
	// both. So a registration that is repeated after a crash recognizes the items that it has created.
	Run string
	Job func(source.Source) string
	// Tags returns the tags for a new item, in the form of [options.Tags]. If it is nil, new items get no tags.
	Tags func(source.Source) []string
	// Forms are the forms in which the sources were given. A new item is requested in that form. Another form takes
	// over only from one that failed.
	Forms source.Forms
	// Settings are applied to every registered item, new or not.
	Settings Settings
	// Draft makes new items drafts, and leaves drafts what they are.
	Draft bool

	asked   bool                        // a person requests checks of exactly these items, even of paused ones
	by      string                      // name of the key that made the request, for the history
	demands map[string][]options.Demand // of rules, by the hashes of items, for those that are new or get other tags
}

// Registered is the outcome of a registration for one source.
type Registered struct {
	Item    Item
	Created bool
	Err     error
}

// Register ensures that every source has an item and is checked soon (A7). Callers may repeat it for the same
// sources, also concurrently: each source gets only one item, and no forced check is lost. The outcomes are in the
// order of sources, and an error concerns one source only. Everything that Register reports is durable when it
// returns.
func (r *Items) Register(ctx context.Context, sources []source.Source, o RegisterOptions) []Registered {
	o.by = by(ctx)
	groups := r.group(sources)
	out := make([]Registered, len(sources))
	_ = r.s.Parallel(ctx, len(groups), func(ctx context.Context, g int) error {
		group := groups[g]
		// The chunks of a host are registered one after the other, because they share the host row.
		for chunk := range slices.Chunk(group.members, policy.JobItems) {
			got, err := r.registerChunk(ctx, group, chunk, o)
			for i, m := range chunk {
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

// hostGroup contains the sources of one host, without duplicates.
type hostGroup struct {
	partition, host string
	members         []member
}

// member is a source and its positions in the input.
type member struct {
	source.Source
	wanted []int
	other  string // another name of the same file that was given; "" if there is none
}

func (r *Items) group(sources []source.Source) []hostGroup {
	var groups []hostGroup
	groupAt, memberAt := map[hostID]int{}, map[string]int{}
	for i, s := range sources {
		id := hostID{Partition: s.Partition(r.s.Options.Strategy), Host: s.Host}
		g, ok := groupAt[id]
		if !ok {
			g = len(groups)
			groupAt[id] = g
			groups = append(groups, hostGroup{partition: id.Partition, host: id.Host})
		}
		if m, ok := memberAt[s.Hash()]; ok {
			m := &groups[g].members[m]
			if m.wanted = append(m.wanted, i); !sameFile(m.Source, s.Display) {
				m.other = s.Display
			}
			continue
		}
		memberAt[s.Hash()] = len(groups[g].members)
		groups[g].members = append(groups[g].members, member{Source: s, wanted: []int{i}})
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
	if o.NewOnly && allExist(items) && !slices.ContainsFunc(items, isDraft) {
		plan = planRegister(r.s.Now(), chunk, items, idle, &hostRecord{}, o, policy.Politeness{})
		return plan.out, nil
	}
	id := hostID{Partition: g.partition, Host: g.host}
	err = r.s.ChangeHost(ctx, id, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		if items == nil {
			if items, idle, err = r.loadForRegister(ctx, g.partition, hashes, o); err != nil {
				return nil, err
			}
		}
		if o.demands, err = r.demandsOf(ctx, chunk, items, o); err != nil {
			return nil, err
		}
		plan = planRegister(r.s.Now(), chunk, items, idle, h, o, r.s.Options.Politeness(g.host))
		// The pointers must be written after the host row is read; see dropPointers.
		if err := r.s.Point(ctx, g.partition, plan.created()); err != nil || len(plan.ops) == 0 {
			return nil, err
		}
		return &hostChange{Ops: plan.ops, Hint: plan.hint, Conflict: func() { items = nil }}, nil
	})
	if err != nil {
		return nil, err
	}
	r.s.Send(ctx, g.partition, g.host, plan.reason, plan.jobs)
	return plan.out, nil
}

// loadForRegister reads items, and finds out which of them are waiting for a job; see loadIdle.
func (r *Items) loadForRegister(ctx context.Context, partition string, hashes []string,
	o RegisterOptions) (items []Item, idle []storage.ETag, err error) {
	if items, err = r.s.LoadItems(ctx, partition, hashes); err == nil {
		idle, err = r.loadIdle(ctx, items, o)
	}
	return items, idle, err
}

// missing returns the items for rows that do not exist, one for each hash.
func missing(partition string, hashes []string) (items []Item) {
	for _, hash := range hashes {
		items = append(items, missingItem(storage.Key{Partition: partition, Row: hash}))
	}
	return items
}

// hashesOf returns the RowKeys of items.
func hashesOf(items []Item) (out []string) {
	for _, it := range items {
		out = append(out, it.Hash())
	}
	return out
}

func allExist(items []Item) bool {
	return !slices.ContainsFunc(items, func(it Item) bool { return !it.exists() })
}

func isDraft(it Item) bool { return !it.DraftUntil.IsZero() }

// registerPlan is what a registration writes and sends.
type registerPlan struct {
	ops    []storage.Op
	hint   time.Time // time of the hint for the earliest written row that needs attention
	jobs   []JobItem
	reason string
	out    []Registered
	back   []string // hashes of items that had moved away and are now registered again
}

// created returns the hashes of the items that the registration creates, and of items that had moved away and are now
// registered again.
func (p registerPlan) created() (hashes []string) {
	hashes = slices.Clone(p.back)
	for _, got := range p.out {
		if got.Created {
			hashes = append(hashes, got.Item.Hash())
		}
	}
	return hashes
}

// errItemLimit is part of the error for a source whose host has reached its limit of items.
var errItemLimit = errors.New("LIMIT_ITEMS_PER_HOST")

// IsItemLimit reports whether a source was not registered because its host has reached its limit of items
// ([policy.Politeness].MaxItems). The kind of such an error is Blocked.
func IsItemLimit(err error) bool { return errors.Is(err, errItemLimit) }

// full returns the reason why a host cannot have another item, or nil if it can. The limit is exact, because each new
// item also writes the host row.
func full(h *hostState, p policy.Politeness) error {
	n := 0
	for _, count := range h.Counts {
		n += count
	}
	if p.MaxItems == 0 || n < p.MaxItems {
		return nil
	}
	return fault.New(fault.Blocked, "host %s has %d items, the limit is %d (%w)", h.Host, n, p.MaxItems, errItemLimit)
}

// planRegister decides the changes for sources of one host. The caller must not have changed the items since they
// were read. Items whose next check has not begun yet do not change, unless their check is forced. If idle has a
// revision for such an item, no job has claimed the item's due row yet, and the plan claims it.
func planRegister(now time.Time, chunk []member, items []Item, idle []storage.ETag, host *hostRecord,
	o RegisterOptions, p policy.Politeness) registerPlan {
	plan := registerPlan{reason: reasonRegistered, out: make([]Registered, len(chunk))}
	if o.Force {
		plan.reason = reasonForced
	}
	if o.Method == "" { // a person asks
		host.Policy.Unreached.Ask(now)
	}
	room := host.Policy.Room(now, len(chunk), p)
	for i, m := range chunk {
		it := items[i]
		plan.out[i] = Registered{Item: it, Created: !it.exists()}
		if it.exists() && (o.NewOnly && !isDraft(it) || o.respects(&it)) {
			continue
		}
		if err := full(&host.hostState, p); err != nil && !it.exists() {
			plan.out[i] = Registered{Err: err}
			continue
		}
		rests := o.isParked(&it)
		claimed := len(plan.jobs) < room && !rests
		if o.leaves(&it, now) {
			if claimed && idle[i] != "" {
				plan.ops = append(plan.ops, claimDue(dueKey(it.Key(), it.NextCrawlAt), idle[i], now.Add(JobTTL)))
				plan.jobs = append(plan.jobs, inJob(&it))
			}
			continue
		}
		trial := it
		if _, err := o.Settings.apply(&trial); err != nil {
			plan.out[i] = Registered{Err: err}
			continue
		}
		if it.MovedTo != "" {
			plan.back = append(plan.back, it.Hash())
		}
		var until, hint time.Time
		if claimed {
			until, hint = it.claimUntil(now)
			plan.hint = policy.Earlier(plan.hint, hint)
		}
		plan.ops = append(plan.ops, registerOps(now, m, &it, host, o, until)...)
		if claimed {
			plan.jobs = append(plan.jobs, inJob(&it))
		} else if !rests {
			plan.hint = now // for the next sweep, in case no worker claims the row before it
			host.Unclaimed = true
		}
		plan.out[i].Item = it
	}
	if len(plan.ops) > 0 {
		host.Policy.Pace.Claim(now, len(plan.jobs), p)
		plan.hint = policy.Earlier(plan.hint, now.Add(ClaimHint))
	}
	return plan
}

// rename gives an item the name under which its source was given. The names of a file may differ by repeated slashes.
// Then the name by which the file can be read stays, and the other one is noted. No name stays of a file that was not
// there, could not be read, or was to be removed. The item must not have been changed since it was read, and created
// states whether it is new.
func (m member) rename(it *Item, created bool, o RegisterOptions, now time.Time) {
	read, other := m.Display, m.other
	unread := it.Status == Error || it.Status == Gone || it.MissingChecks > 0 || it.RemoveRequested ||
		it.MovedTo != ""
	if !created && !sameFile(m.Source, it.DisplaySource) {
		if other = it.DisplaySource; !unread && !o.Respell {
			read, other = it.DisplaySource, m.Display
		}
	}
	it.DisplaySource = read
	why := words.ClipRunes("names that differ only by repeated slashes are one source: "+other+" is read as "+read, 300)
	known := func(d Decision) bool { return d.Why == why }
	if other != "" && !slices.ContainsFunc(it.History, known) {
		it.Record(now, "named", why)
	}
}

// sameFile reports whether the source s may also be read under another display name. The comparison ignores case if
// the identity does.
func sameFile(s source.Source, display string) bool {
	return s.Type != source.File || strings.EqualFold(s.Display, display)
}

// registerOps makes one item due now. It writes the item, its old due row and its new one, which a job has until the
// given time.
func registerOps(now time.Time, m member, it *Item, host *hostRecord, o RegisterOptions,
	until time.Time) []storage.Op {
	created, oldDue, was := !it.exists(), it.NextCrawlAt, tallyOf(it)
	failed, draft := it.Status == Error || it.Status == Gone, isDraft(*it)
	if created {
		*it = newItem(m.Source, it.Key(), now)
		it.DiscoveryMethod = cmp.Or(o.Method, byPerson)
		it.DiscoveryRun = o.Run
		if o.Job != nil {
			it.DiscoveryJob = o.Job(m.Source)
		}
		if o.Tags != nil {
			it.Tags = o.Tags(m.Source)
		}
		it.Record(now, "registered", "source added by "+it.DiscoveryMethod+o.by)
	}
	if form, given := o.Forms[m.ID()]; given && (created || failed) {
		it.FetchSource, it.FetchTracked = form.Requested, form.Tracked
	}
	m.rename(it, created, o, now)
	it.revive(now)
	if it.DraftUntil = (time.Time{}); o.Draft && (created || draft) {
		it.DraftUntil = now.Add(DraftTime)
	}
	it.NextCrawlAt = now
	if o.Credential != "" {
		it.Credential = o.Credential
	}
	if o.Folder != "" {
		o.noteListing(it, now)
	} else if o.restores(it) {
		it.Folder, it.UnlistedSince = "", time.Time{}
	}
	tags := it.Tags
	if what, _ := o.Settings.apply(it); what != "" { // the caller has tried it
		if !slices.Equal(tags, it.Tags) {
			it.SetStale()
		}
		it.Record(now, "set", what+o.by)
		ApplyPriority(it, options.Merge(it.Options, nil)) // replanning adds the priority of the item's tags
	}
	if demands, asked := o.demands[it.Hash()]; asked {
		it.Demands = demands
	}
	if o.isParked(it) {
		it.CheckAt(Never)
	}
	it.IndexPending = false // the page itself is to be checked
	if it.Status != Indexed && it.Status != Crawled {
		it.Status = Pending
	}
	if o.Force {
		it.ReindexRequested = true
		it.ReindexGeneration++
		it.Record(now, "forced", "a check without conditions was asked for"+o.by)
	}
	host.recount(was, tallyOf(it))
	return it.Write(oldDue, until)
}

// restores reports whether a person registers a file that its folder does not list any more.
func (o RegisterOptions) restores(it *Item) bool {
	return o.Method == "" && !it.UnlistedSince.IsZero()
}

// noteListing records that the listing of a folder has a file, or lacks it.
func (o RegisterOptions) noteListing(it *Item, now time.Time) {
	switch {
	case !o.Unlisted:
		it.UnlistedSince = time.Time{}
	case it.UnlistedSince.IsZero():
		it.UnlistedSince = now
	}
	it.Folder = o.Folder
}

// by returns a phrase that ends a sentence with the name of the key that made the request in ctx. It is empty if no
// key is needed.
func by(ctx context.Context) string {
	if name := telemetry.From(ctx).Actor; name != "" {
		return " (key " + name + ")"
	}
	return ""
}
