package history

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// maxChanges limits the number of changes of one id that are searched.
const maxChanges = 1000

// Current returns the digest of the item's current capture.
func (p Past) Current() (digest string, err error) {
	if p.Item.RawHash == "" {
		return "", fault.New(fault.NotFound, "the page was not read yet, or is gone: its status is %s", p.Item.Status)
	}
	return Digest(p.Item.RawHash), nil
}

// At returns the digest of the capture that was the item's current capture at a given time.
func (p Past) At(ctx context.Context, at time.Time) (digest string, err error) {
	spans, err := p.spans(ctx)
	if err != nil {
		return "", err
	}
	for _, s := range spans {
		if !s.since.After(at) {
			digest = s.digest
		}
	}
	switch {
	case digest != "":
		return digest, nil
	case len(spans) > 0:
		return "", fault.New(fault.NotFound, "nothing of the page is kept from then: its first capture is of %s",
			spans[0].since.Format(time.RFC3339))
	}
	return "", fault.New(fault.NotFound, "nothing of the page is kept")
}

// span is a capture, with the time since which it was the item's current capture.
type span struct {
	since  time.Time
	digest string
}

// spans returns the captures that an item had, oldest first. When a page returns to the content of an earlier
// capture, no new capture is made; only a change records the return.
func (p Past) spans(ctx context.Context) (all []span, err error) {
	for _, id := range p.IDs {
		captures, err := p.h.kept.List(ctx, id)
		if err != nil {
			return nil, err
		}
		kept := map[string]bool{}
		for _, c := range captures {
			kept[Digest(c.RawHash)] = true
			if c.SameTextAs == "" {
				all = append(all, span{c.CapturedAt, Digest(c.RawHash)})
			}
		}
		changes, err := p.h.kept.Changes(ctx, id, captures, maxChanges)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if digest := Digest(c.RawHash); kept[digest] {
				all = append(all, span{c.At, digest})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return a.since.Compare(b.since) })
	return all, nil
}

// LastChange returns the digests of the captures before and after the last change of the text. If a digest is given
// for one of the two captures, LastChange finds the last change from or to that capture.
func (p Past) LastChange(ctx context.Context, from, to string) (string, string, error) {
	for c, err := range p.Changes(ctx, maxChanges) {
		if err != nil {
			return "", "", err
		}
		before, now := feed.Digest(c.Before), feed.Digest(c.RawHash)
		if before != "" && (from == "" || from == before) && (to == "" || to == now) {
			return before, now, nil
		}
	}
	return "", "", fault.New(fault.NotFound, "the item has not changed yet, so there are no two captures to compare")
}

// Indexed returns the capture whose content the index has for an item. The capture is zero if this is uncertain.
func (h *History) Indexed(ctx context.Context, it registry.Item) (snapshot.Capture, error) {
	if it.IndexedHash == "" || it.IndexedHash == registry.Outdated {
		return snapshot.Capture{}, nil
	}
	p, err := h.Of(ctx, it)
	if err != nil {
		return snapshot.Capture{}, err
	}
	for _, id := range p.IDs {
		if it.IndexedHash == it.ContentHash {
			c, err := h.kept.First(ctx, id, it.RawHash)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			return c, err
		}
		all, err := h.kept.List(ctx, id)
		if err != nil {
			return snapshot.Capture{}, err
		}
		all = slices.DeleteFunc(all, func(c snapshot.Capture) bool {
			return c.ContentHash != it.IndexedHash || c.SameTextAs != ""
		})
		if len(all) > 0 {
			return slices.MaxFunc(all, func(a, b snapshot.Capture) int { return a.CapturedAt.Compare(b.CapturedAt) }), nil
		}
	}
	return snapshot.Capture{}, nil
}
