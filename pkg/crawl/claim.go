package crawl

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A rel=canonical is a claim about content, so it is compared with the content: the page and the item that would stand
// for it must have most of the shorter text in common. The words of both texts are in the rows with their last
// captures. These rows are read only when one of the texts is new; the item keeps the result.
//
// A template that breaks for an hour must not empty the index. So a page in the index becomes an alias by its text, or
// an alias ceases to be one, only when two checks in a row say so.

// credible returns an obstacle if the item of a claim does not stand for the page: because it has other content, or
// because the next check must confirm the claim first.
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

// waits reports whether a new claim must be confirmed by another check. The first check of a page is believed, and so
// is a forced one.
func (r *resolver) waits() bool { return !r.basis.Forced && r.basis.RawBefore != "" }

// compare compares the texts of the page and of another item, and records the result on the page. It returns false if
// the words of a text are not known, or if the texts have no words.
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

// conclude records what the check's text says, and returns the resolution. If the text contradicts the present alias
// for the first time, the page stays an alias.
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
