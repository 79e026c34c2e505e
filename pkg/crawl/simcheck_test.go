package crawl

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// The promises that the simulation checks, whatever the order of steps.

// promise is what the system owes a source after its acknowledged registrations.
type promise struct {
	generation int64 // the least generation
	version    int   // the least version of the page in the index: the one at the time of a forced check
}

// requests counts the registrations and removals of a source, finished and in progress. A request that failed may
// have taken effect all the same.
type requests struct {
	registrations, registering int
	removals, removing         int
	removed                    bool      // and not registered again since
	lands                      time.Time // until when a failed request may still take effect
}

// over records the end of a request, and whether it was acknowledged.
func (w *requests) over(acknowledged bool, now time.Time) {
	if !acknowledged {
		w.lands = now.Add(requestTime)
	}
}

func (s *sim) requestsFor(id source.ID) *requests {
	if s.asked[id] == nil {
		s.asked[id] = &requests{}
	}
	return s.asked[id]
}

// registering records that a registration begins. Callers must call alone at its end; it reports whether no removal
// overlapped with the registration.
func (s *sim) registering(id source.ID) (alone func(acknowledged bool) bool) {
	w := s.requestsFor(id)
	w.registrations++
	w.registering++
	w.removed = false
	quiet, removals := w.removing == 0 && s.now.After(w.lands), w.removals
	return func(acknowledged bool) bool {
		w.registering--
		w.over(acknowledged, s.now)
		return quiet && w.removals == removals
	}
}

// removing records that a removal begins. Callers must call over at its end.
func (s *sim) removing(id source.ID) (over func(acknowledged bool)) {
	w := s.requestsFor(id)
	w.removals++
	w.removing++
	delete(s.acked, id)
	quiet, registrations := w.registering == 0 && s.now.After(w.lands), w.registrations
	return func(acknowledged bool) {
		w.removing--
		w.over(acknowledged, s.now)
		w.removed = acknowledged && quiet && w.registrations == registrations
	}
}

// remove requests the removal of a page.
func (s *sim) remove(ctx context.Context, url string) {
	src, err := source.DefaultRules().ParseURL(url)
	must(s.t, err)
	over := s.removing(src.ID())
	_, err = actorOf(ctx).reg.Items.Remove(ctx, src.ID())
	if err != nil && !s.faults && !fault.Is(err, fault.NotFound) {
		s.fail("a removal failed without a fault: %v", err)
	}
	over(err == nil || fault.Is(err, fault.NotFound))
}

// checkRemoved checks that a removed item is gone everywhere, and that no item exists in part.
func (s *sim) checkRemoved() {
	for _, u := range s.world.urls {
		src, err := source.DefaultRules().ParseURL(u)
		must(s.t, err)
		id := src.ID()
		it, err := s.reg.Items.Find(context.Background(), id)
		item := err == nil
		_, indexed := s.index.versions[string(id)]
		captures, err := snapshot.New(s.store).List(context.Background(), id)
		must(s.t, err)
		captures = append(captures, s.formerCaptures(it)...)
		if indexed != (item && it.AliasOf == "") || item != (len(captures) > 0) {
			s.fail("%s: item %v, indexed %v, %d captures", u, item, indexed, len(captures))
		}
		if item && s.requestsFor(id).removed && !s.moving { // an item that moves to this identity brings it back
			s.fail("%s was removed, and is still there", u)
		}
	}
}

// promise records an acknowledged registration of a page.
func (s *sim) promise(it registry.Item, standing int) {
	owed := s.acked[it.ID]
	owed.generation = max(owed.generation, it.ReindexGeneration)
	owed.version = max(owed.version, standing)
	s.acked[it.ID] = owed
}

// checkIndexed fails when an actor puts a page into the index that another has had in work for a while. A request that
// the actor began before may still be on its way.
func (s *sim) checkIndexed(ctx context.Context, id string) {
	it, err := s.reg.Items.Find(context.Background(), source.ID(id))
	if err != nil || it.LockedUntil.IsZero() {
		return
	}
	a, since := s.ownerOf(it.LockOwner), s.now.Sub(it.LockedUntil.Add(-registry.LockTime))
	if a != actorOf(ctx) && since > requestTime+10*time.Second+2*simSkew {
		s.fail("%s puts %s into the index, which %s has had for %s", actorOf(ctx).name, it.NormalizedSource, a.name, since)
	}
}

// checkLocks checks invariant 3 for commits: a transaction that unlocks an item and can succeed comes from the
// invocation that holds the lock, or from an invocation by whose clock the lock has ended.
func (s *sim) checkLocks(ctx context.Context, c storagetest.Call) {
	for _, op := range c.Ops {
		if c.Name != registry.DefaultTable || op.Kind != storage.Replace || op.Entity.Props["id"] == nil {
			continue
		}
		now, err := s.store.Table(c.Name).Get(ctx, op.Entity.Key)
		if err != nil || now.ETag != op.Entity.ETag && op.Entity.ETag != storage.AnyETag {
			continue
		}
		owner, _ := now.Props["lockOwner"].(string)
		if after, _ := op.Entity.Props["lockOwner"].(string); owner == "" || after == owner {
			continue
		}
		a, until := actorOf(ctx), now.Props["lockedUntil"].(string)
		if s.ownerOf(owner) != a && until > storage.FormatTime(a.clock()) {
			s.fail("%s commits over the lock of %s", a.name, s.ownerOf(owner).name)
		}
	}
}

func (s *sim) checkInvariants() {
	found, err := s.reg.Check(context.Background())
	must(s.t, err)
	for _, v := range found {
		s.fail("%v", v)
	}
	if s.index.copied != nil {
		s.index.copied.check(s.index.pages)
	}
}

// checkDone checks that no acknowledged source is missing, unprocessed, overdue, or older in the index than at the
// time of the request.
func (s *sim) checkDone() {
	for id, owed := range s.acked {
		it, err := s.reg.Items.Find(context.Background(), id)
		if err != nil {
			s.fail("an acknowledged source is lost: %v", err)
			return
		}
		s.checkKept(it)
		orphan := it.AliasOf != "" && s.requestsFor(it.AliasOf).removals > 0 // learns of the removal at its next check
		if it.NormalizedSource == simMoved {
			owed.version = 0 // its target is checked when it is due
		}
		if have, ok := s.shown(it); !orphan && (!ok || have < owed.version && !s.collapsed(it)) {
			s.fail("%s: the index holds version %d (any: %v), which was %d when it was registered", id, have, ok,
				owed.version)
		}
		if it.ReindexGeneration < owed.generation {
			s.fail("%s: generation %d was acknowledged, %d stands", id, owed.generation, it.ReindexGeneration)
		}
		if it.Forced() || it.Status != registry.Indexed && it.AliasOf == "" || !it.NextCrawlAt.After(s.now) ||
			it.LockOwner != "" ||
			it.RebuildPending ||
			it.IndexPending || it.Collapse.Checks > change.Confirmations {
			s.fail("%s is not done: status %s (%s), forced %v, next %v, lock %q", id, it.Status, it.ErrorMessage,
				it.Forced(), it.NextCrawlAt, it.LockOwner)
		}
	}
}

// collapsed reports whether a collapse of the item, or of the one that stands for it, waits to be confirmed. A
// registration does not accept it.
func (s *sim) collapsed(it registry.Item) bool {
	if it.AliasOf == "" || it.Collapse.Waits() {
		return it.Collapse.Waits()
	}
	of, err := s.reg.Items.Find(context.Background(), it.AliasOf)
	return err == nil && of.Collapse.Waits()
}

// checkKept checks that everything an item names is stored (A21).
func (s *sim) checkKept(it registry.Item) {
	snaps := snapshot.New(s.store)
	own, err := snaps.List(context.Background(), it.ID)
	must(s.t, err)
	holds := func(c snapshot.Capture) bool { return c.RawHash == it.RawHash }
	if i := slices.IndexFunc(s.formerCaptures(it), holds); i >= 0 && !slices.ContainsFunc(own, holds) {
		it.ID = s.formerCaptures(it)[i].ItemID // the item has moved, its captures have not
		own = nil
	}
	if _, _, err := snaps.Load(context.Background(), it.ID, it.RawHash); err != nil {
		s.fail("%s names a capture that is not kept: %v", it.ID, err)
	}
	if own != nil && !slices.ContainsFunc(own, func(c snapshot.Capture) bool {
		return c.RawHash == it.RawHash && c.NormalizationVersion == it.NormalizationVersion &&
			c.ContentHash == it.ContentHash
	}) {
		s.fail("%s was read under %s, and has no capture of that: %+v", it.ID, it.NormalizationVersion, own)
	}
}

// shown returns the version that a search finds for an item, or for the item that stands for it. An alias itself must
// not be in the index, and an item that stands for another must not be an alias.
func (s *sim) shown(it registry.Item) (version int, ok bool) {
	id := it.ID
	if it.AliasOf != "" {
		if _, there := s.index.versions[string(id)]; there {
			s.fail("%s is an alias, and in the index", it.NormalizedSource)
		}
		id = it.AliasOf
	}
	version, ok = s.index.versions[string(id)]
	return version, ok
}

// checkFeed checks that the feed has every change of an item once and in order (W2): each change begins with the
// content that the one before ended with, and the last ends with the item's content.
func (s *sim) checkFeed() {
	_, err := s.reg.Hosts.Recount(context.Background())
	must(s.t, err)
	has, seen := map[string]string{}, map[feed.Position]bool{}
	all := feed.Open(s.store, s.latest)
	for c, err := range all.Oldest(context.Background(), feed.Position{}) {
		must(s.t, err)
		s.checkDifference(all, c)
		if c.To == "" || c.Kind == feed.Failing || c.Kind == feed.Recovered {
			continue
		}
		before, known := has[c.ItemID]
		if c.From != "" && known && c.From != before || seen[c.Position] {
			s.fail("%s: %s of %s begins with %s, the one before ended with %s", c.Position, c.Kind, c.ItemID, c.From, before)
		}
		has[c.ItemID], seen[c.Position] = c.To, true
	}
	for id := range s.acked {
		it, err := s.reg.Items.Find(context.Background(), id)
		must(s.t, err)
		if it.RawHash != "" && has[string(it.ID)] != it.RawHash && it.Formers == 0 {
			s.fail("%s has %s, the feed ends with %q", it.ID, it.RawHash, has[string(it.ID)])
		}
	}
}

// checkDifference checks that everything that differs in a change is there, if that is more than its passages (N7).
func (s *sim) checkDifference(all *feed.Feed, c feed.Change) {
	whole, err := all.WithDifference(context.Background(), c)
	must(s.t, err)
	more := c.Kind == feed.Content && len(c.Passages) == feed.MaxPassages
	if more != (c.Whole != "") || more && len(whole.Difference) <= len(c.Passages) {
		s.fail("%s: %s of %s has %d passages, and %d kept as %q", c.Position, c.Kind, c.ItemID, len(c.Passages),
			len(whole.Difference), c.Whole)
	}
}

// checkIndex checks that the present content of the site is in the index, once.
func (s *sim) checkIndex() {
	for _, u := range s.world.urls {
		src, err := source.DefaultRules().ParseURL(u)
		must(s.t, err)
		it, err := s.reg.Items.Find(context.Background(), src.ID())
		if err != nil {
			s.fail("%s is not registered: %v", u, err)
			return
		}
		if have, ok := s.shown(it); !ok || have != s.world.version(u) {
			s.fail("%s: the index holds version %d (any: %v), the site says %d", u, have, ok, s.world.version(u))
		}
		if it.Collapse.Waits() {
			s.fail("%s waits, though it was asked for: %+v", u, it.Collapse)
		}
		if variant := u != s.world.page(u); variant != (it.AliasOf != "") {
			s.fail("%s is %s, alias of %q (%s)", u, it.Status, it.AliasOf, it.CanonicalNote)
		}
	}
}
