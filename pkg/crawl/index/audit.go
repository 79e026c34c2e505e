package index

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Audited is the part of [search.Index] that the audit uses.
type Audited interface {
	search.Inventory
	Remove(ctx context.Context, id string, known *search.Contents) error
}

// Entries knows the pages that have no item because clients pushed them into the index.
type Entries interface {
	// Has reports whether an entry with this id exists. An entry that was removed does not come back.
	Has(ctx context.Context, id string) (bool, error)
}

// Auditor compares the index with the manifest of each item. It changes nothing, except that it
// removes pages that have no item or entry.
type Auditor struct {
	index     Audited
	manifests *Manifests
	items     *registry.Items
	entries   Entries
}

// NewAuditor returns an auditor.
func NewAuditor(ix Audited, m *Manifests, items *registry.Items, e Entries) *Auditor {
	return &Auditor{index: ix, manifests: m, items: items, entries: e}
}

// Difference describes how the contents of the index differ from an item's manifest. It returns ""
// if they do not differ, if the item is locked, or if the item is going to be indexed anyway.
func (a *Auditor) Difference(ctx context.Context, it *registry.Item) (string, error) {
	if !it.LockedUntil.IsZero() || it.IndexPending || it.RebuildPending || it.IndexedHash == registry.Outdated {
		return "", nil
	}
	stored, err := a.index.Inspect(ctx, string(it.ID))
	there := !fault.Is(err, fault.NotFound)
	switch {
	case err != nil && there:
		return "", err
	case it.IndexedHash == "" && there:
		return "the index holds a page that it should not hold", nil
	case it.IndexedHash == "":
		return "", nil
	case !there:
		return "the index lacks the page", nil
	}
	want, known, err := a.manifests.read(ctx, string(it.ID), it.Manifest)
	switch {
	case err != nil:
		return "", err
	case !known:
		return "the manifest is missing", nil
	}
	said := difference(want.chunks, stored, it.ImageCount)
	if !slices.Equal(stored.Tags, it.Tags) {
		said = strings.TrimPrefix(said+", other tags", ", ")
	}
	return said, nil
}

// difference describes how the stored contents differ from the wanted ones. It returns "" if they
// do not. It compares chunks by their names, whatever model their vectors are of, and images only by their number.
func difference(want map[string]string, stored search.Stored, images int) string {
	lacks, renamed := 0, 0
	held := make(map[string]string, len(stored.Chunks))
	for key, uid := range stored.Chunks {
		held[search.BaseKey(key)] = uid
	}
	for key, uid := range want {
		switch have, ok := held[search.BaseKey(key)]; {
		case !ok:
			lacks++
		case have != uid:
			renamed++
		}
	}
	var said []string
	say := func(n int, noun, what string) {
		if n > 0 {
			said = append(said, words.Count(n, noun)+" "+what)
		}
	}
	say(lacks, "chunk", "missing")
	say(len(stored.Chunks)-(len(want)-lacks), "chunk", "too many")
	say(renamed, "chunk", "with another uid")
	say(images-len(stored.Images), "image", "missing")
	say(len(stored.Images)-images, "image", "too many")
	return strings.Join(said, ", ")
}

// orphanStep is the number of pages that one call of Orphans examines.
const orphanStep = 200

// Orphans examines some pages of the index and removes those that have no item or entry. It begins
// after the page with the given id. It returns the ids of the removed pages, and the id after which
// to continue; "" at the end.
func (a *Auditor) Orphans(ctx context.Context, after string) (removed []string, next string, err error) {
	ids, err := a.index.IDs(ctx, after, orphanStep)
	if err != nil {
		return nil, after, err
	}
	for _, id := range ids {
		gone, err := a.removeOrphan(ctx, id)
		if err != nil {
			return removed, after, err
		}
		if gone {
			removed = append(removed, id)
		}
	}
	if len(ids) == orphanStep {
		next = ids[len(ids)-1]
	}
	return removed, next, nil
}

// removeOrphan removes a page unless it has an item or entry. If an item for it appeared in the
// meantime, that item is indexed once more.
func (a *Auditor) removeOrphan(ctx context.Context, id string) (removed bool, err error) {
	if has, err := a.entries.Has(ctx, id); err != nil || has {
		return false, err
	}
	if _, found, err := a.find(ctx, id); err != nil || found {
		return false, err
	}
	if err := a.index.Remove(ctx, id, nil); err != nil {
		return false, err
	}
	it, found, err := a.find(ctx, id)
	if err == nil && found {
		_, err = a.items.Reindex(ctx, it, true)
	}
	return true, err
}

func (a *Auditor) find(ctx context.Context, id string) (it registry.Item, found bool, err error) {
	it, err = a.items.Find(ctx, source.ID(id))
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		return it, false, nil
	}
	return it, err == nil, err
}
