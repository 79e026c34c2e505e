package crawl

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"golang.org/x/sync/errgroup"
)

// This file puts an item's content where it belongs: into the index as a page of its own, out of
// the index, or behind another item that stands for it. When an item is purged, it also removes
// everything that is stored for the item.
//
// Changes to an item that others can see happen under the item's [lock]. Rows of other items change
// before the item's own commit. So when a worker dies in between, the item's next check repeats the
// work.

// lock is the lock on the items of a batch.
type lock interface {
	// Locked returns nil while the lock holds.
	Locked(ctx context.Context) error
	// Until returns when the lock ends.
	Until() time.Time
}

// Indexer is the part of [search.Index] that changes the index.
type Indexer interface {
	Put(ctx context.Context, pages ...search.Page) error
	Remove(ctx context.Context, id string, known *search.Contents) error
}

// Embedder sets the vectors of a page's chunks. When it returns any error, the page is unchanged
// and is tried again later.
type Embedder interface {
	Embed(ctx context.Context, p *search.Page) error
}

// PlacementStores hold content, and the rows that record where the content belongs.
type PlacementStores struct {
	Items     *registry.Items
	Aliases   *registry.Aliases
	Moves     *registry.Moves
	Snapshots *snapshot.Store
	Fields    *registry.FieldLog
	Manifests *index.Manifests
	Index     Indexer  // [search.None] if no index is configured
	Vectors   Embedder // when nil, chunks get no vectors
}

// PlacementOptions adjust a service. The zero value works.
type PlacementOptions struct {
	Clock func() time.Time
	Log   *slog.Logger
}

// Placement places the content of all items. It is safe for concurrent use.
type Placement struct {
	in PlacementStores
	o  PlacementOptions
}

// NewPlacement returns a service over stores.
func NewPlacement(in PlacementStores, o PlacementOptions) *Placement {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	return &Placement{in: in, o: o}
}

// indexes reports whether an index is configured. Without one, no page is indexed, and a removal
// changes only the rows.
func (s *Placement) indexes() bool {
	_, none := s.in.Index.(search.None)
	return !none
}

// placer places the content of one item, under the item's lock and on the basis of its check. It is
// not safe for concurrent use.
type placer struct {
	in    PlacementStores
	o     PlacementOptions
	lock  lock
	basis *verdict.Basis
}

// placer returns the placer of one check.
func (s *Placement) placer(lock lock, b *verdict.Basis) *placer {
	return &placer{in: s.in, o: s.o, lock: lock, basis: b}
}

// purge removes everything that is stored for the item outside its rows; the commit then removes
// the rows. If the worker dies in between, the item is still due to be purged. If such an item is
// registered again before that, it starts afresh. When the index is down, Purge returns an error,
// because the index would not be asked again later.
func (p *placer) purge(ctx context.Context, it *registry.Item) error {
	if err := p.lock.Locked(ctx); err != nil {
		return err
	}
	if err := p.removeAliases(ctx, it); err != nil {
		return err
	}
	if err := p.remove(ctx, it); err != nil {
		return err
	}
	if err := p.in.Manifests.Purge(ctx, it.ID); err != nil {
		return err
	}
	if it.MovedTo == "" { // otherwise the captures belong to the item that this one moved to
		if err := p.purgeCaptures(ctx, it); err != nil {
			return err
		}
	}
	if err := p.in.Aliases.DropAll(ctx, it); err != nil {
		return err
	}
	p.o.Log.InfoContext(ctx, "item purged", "id", it.ID, "requested", it.RemoveRequested, "moved", it.MovedTo)
	return nil
}

// purgeCaptures removes the captures of the item and the history of its fields, and those of items
// that have moved to it.
func (p *placer) purgeCaptures(ctx context.Context, it *registry.Item) error {
	formers, err := p.in.Moves.Formers(ctx, it)
	if err != nil {
		return err
	}
	for _, id := range append(formers, it.ID) {
		if err := p.in.Snapshots.Purge(ctx, id); err != nil {
			return err
		}
		if err := p.in.Fields.Purge(ctx, id); err != nil {
			return err
		}
	}
	return p.in.Moves.Drop(ctx, it)
}

// put writes pages to the index in one call, while the lock on their items holds. It never panics:
// a page that makes the index panic is refused.
func (s *Placement) put(ctx context.Context, lock lock, pages ...search.Page) (err error) {
	if len(pages) == 0 {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			stack := string(debug.Stack())
			s.o.Log.ErrorContext(ctx, "index panicked", "pages", len(pages), "panic", p, "stack", stack)
			err = fault.New(fault.Invalid, "the page could not be processed: %v", p)
		}
	}()
	if err = lock.Locked(ctx); err == nil {
		err = s.in.Index.Put(ctx, pages...)
	}
	if err != nil && !fault.Refused(err) {
		s.o.Log.ErrorContext(ctx, "index not written", "host", pages[0].Host, "pages", len(pages), "err", err)
	}
	return err
}

// manifest identifies a manifest of an item.
type manifest struct {
	Item   source.ID
	Digest string
}

// drop removes, in parallel, manifests that no item has referred to since the last commit. If a
// manifest cannot be removed, it remains until its item is purged.
func (s *Placement) drop(ctx context.Context, stale []manifest) {
	var g errgroup.Group
	g.SetLimit(8)
	for _, m := range stale {
		g.Go(func() error {
			if err := s.in.Manifests.Drop(ctx, m.Item, m.Digest); err != nil {
				s.o.Log.WarnContext(ctx, "old manifest not removed", "id", m.Item, "err", err)
			}
			return nil
		})
	}
	_ = g.Wait() // failures are only logged
}

// prepare prepares a page to be written to the index: it loads the known contents of the page in
// the index, computes the vectors, and saves the manifest of the new contents.
func (p *placer) prepare(ctx context.Context, it *registry.Item, to *verdict.Placement) (err error) {
	if to.Entry == nil {
		return nil
	}
	page := &to.Entry.Page
	if to.Refused = page.Check(); to.Refused != nil {
		return nil // before anything is computed or stored
	}
	// If the contents of the page in the index are known, only the difference must be written.
	if page.Known, err = p.contentsOf(ctx, it, *page); err != nil {
		return err
	}
	// Vectors are computed for each page now, not for the whole batch later: this may take as long as
	// a request to a site, and the time at the end of the lock belongs to the commit.
	if v := p.in.Vectors; v != nil {
		if err := v.Embed(ctx, page); err != nil {
			to.Refused = fault.New(fault.Unavailable, "%w", err) // whatever the error, the page is not at fault
			p.o.Log.WarnContext(ctx, "page without vectors not indexed", "id", it.ID, "err", err)
			return nil
		}
	}
	// The manifest is stored before the page is indexed, so that the commit can record it on the item.
	if to.Manifest, err = p.in.Manifests.Save(ctx, *to.Entry); fault.Refused(err) {
		to.Refused, err = err, nil
	}
	return err
}

// contentsOf returns the known contents of the page in the index; nil when they are not certain.
// For a forced or rebuilt item they are never certain, because people force a check or a rebuild
// when they doubt the index.
func (p *placer) contentsOf(ctx context.Context, it *registry.Item, page search.Page) (*search.Contents, error) {
	certain := it.Manifest != "" && it.IndexedHash != "" && it.IndexedHash != registry.Outdated
	if !certain || p.basis.Forced || it.RebuildPending || it.Interrupted {
		return nil, nil
	}
	return p.in.Manifests.Contents(ctx, page, it.Manifest)
}

// remove removes the page from the index, with all contents that the manifest lists. These include
// contents that the index does not show yet.
func (p *placer) remove(ctx context.Context, it *registry.Item) error {
	known, err := p.contentsOf(ctx, it, search.Page{ID: string(it.ID)})
	if err != nil {
		return err
	}
	return p.in.Index.Remove(ctx, string(it.ID), known)
}

// removeAgain makes sure that the index contains nothing of a page that was removed from the index.
// Leftover contents are the only error that the index can have about such a page.
func (p *placer) removeAgain(ctx context.Context, it *registry.Item) error {
	if err := p.lock.Locked(ctx); err != nil {
		return err
	}
	return p.remove(ctx, it)
}

// withdraw takes an item that waits for its removal out of the index. Everything else of it stays,
// so that the removal can be taken back.
func (p *placer) withdraw(ctx context.Context, it *registry.Item) error {
	if err := p.removeAgain(ctx, it); err != nil {
		return err
	}
	it.IndexPending = false
	it.Rebuilt(false)
	it.SetStale()
	return nil
}

// removeFromIndex removes the item's documents from the index, and records that the item no longer
// waits to be indexed. The index is asked even when no documents are known, because a worker may
// have died after it wrote to the index and before its commit. If no documents are known and the
// index is down, removeFromIndex returns no error: the next check asks the index again.
func (p *placer) removeFromIndex(ctx context.Context, it *registry.Item) error {
	known := it.IndexedHash != ""
	if err := p.removeAgain(ctx, it); err != nil && (known || !fault.Down(err)) {
		return err
	}
	it.IndexPending, it.IndexedHash, it.LastIndexedDocID, it.ImageCount, it.AliasOf = false, "", "", 0, ""
	it.Manifest = ""
	if known {
		it.Record(p.o.Clock(), "unindexed", "taken out of the index")
	}
	return nil
}

// A rel=canonical is a claim about content, so it is compared with the content: the page and the
// item that would stand for it must have most of the shorter text in common. The words of both
// texts are in the rows with their last captures. These rows are read only when one of the texts is
// new; the item keeps the result.
//
// A template that breaks for an hour must not empty the index. So a page in the index becomes an
// alias by its text, or an alias ceases to be one, only when two checks in a row say so.

// credible returns an obstacle if the item of a claim does not stand for the page: because it has
// other content, or because the next check must confirm the claim first.
func (r *resolver) credible(ctx context.Context, cl verdict.Candidate, of *registry.Item) (o obstacle, err error) {
	it, c := r.item, &r.item.Claim
	known := c.Compared(it, of)
	if !known {
		if known, err = r.compare(ctx, of); err != nil {
			return o, err
		}
	}
	present := it.AliasOf == of.ID
	switch {
	case !known && !present:
		return obstacle{why: "has no text that can be compared"}, nil
	case known && c.Share < verdict.LeastInCommon:
		r.named, r.refused = "", cl.Normalized
		return obstacle{why: fmt.Sprintf("has other content: %.0f %% of the shorter text is in the other", 100*c.Share)}, nil
	}
	confirmed := c.Named == cl.Normalized && !r.basis.IndexOnly
	if r.waits() && it.AliasOf == "" && it.IndexedHash != "" && !confirmed {
		return obstacle{why: "is believed when the next check says the same"}, nil
	}
	return o, nil
}

// waits reports whether a new claim must be confirmed by another check. The first check of a page
// is believed, and so is a forced one.
func (r *resolver) waits() bool { return !r.basis.Forced && r.basis.RawBefore != "" }

// compare compares the texts of the page and of another item, and records the result on the page.
// It returns false if the words of a text are not known, or if the texts have no words.
func (r *resolver) compare(ctx context.Context, of *registry.Item) (known bool, err error) {
	it, share := r.item, 1.0
	if of.ContentHash != it.ContentHash {
		own := r.words
		if own.Letters() == 0 {
			if own, err = r.in.Snapshots.Words(ctx, it.ID, it.RawHash, it.NormalizationVersion); err != nil {
				return false, err
			}
		}
		other, err := r.in.Snapshots.Words(ctx, of.ID, of.RawHash, of.NormalizationVersion)
		if err != nil || own.Letters() == 0 || other.Letters() == 0 || !verdict.ReadAlike(it, of) {
			return false, err
		}
		share = change.InCommon(own, other)
	}
	c := &it.Claim
	c.Of, c.Own, c.Other, c.Share = of.ID, it.ContentHash, of.ContentHash, share
	return true, nil
}

// conclude records what the check's text says, and returns the resolution. If the text contradicts
// the present alias for the first time, the page stays an alias.
func (r *resolver) conclude(ctx context.Context, s resolution) (resolution, error) {
	it, c := r.item, &r.item.Claim
	followed, doubted := c.Followed, c.Doubted
	if !r.basis.IndexOnly { // no check of the site
		c.Named, c.Refused = r.named, r.refused
	}
	c.Followed, c.Doubted = s.Alias != nil && s.claimed, false
	if s.Alias != nil || it.AliasOf == "" || !followed || doubted && !r.basis.IndexOnly || !r.waits() || r.moved {
		return s, nil
	}
	of, found, err := r.find(ctx, it.AliasOf)
	if err != nil || !found {
		return s, err
	}
	if o, err := r.stands(ctx, &of); err != nil || o.why != "" {
		return s, err
	}
	c.Followed, c.Doubted = true, doubted || !r.basis.IndexOnly
	return resolution{Alias: &of, claimed: true,
		why: "duplicate of " + of.NormalizedSource + ", until the next check, too, says otherwise"}, nil
}
