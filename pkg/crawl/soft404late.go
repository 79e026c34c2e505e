package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
)

// A page may have been stored before its host's soft-404 fingerprint was known. The row of the host contains the id
// of the present fingerprint. The row of an item contains the id of the fingerprint that the item was compared with.
// When the two ids differ, the item is compared once more, from its snapshot. So unchanged pages cost nothing more,
// and no page is read twice for the same fingerprint.

// reconsider examines a page whose content has not changed: its redirects may lead elsewhere than before, and the
// content may be what its host shows for pages that do not exist.
func (c *check) reconsider(ctx context.Context, o verdict.Outcome) (verdict.Outcome, error) {
	if failure, err := c.followRedirects(ctx); err != nil || failure.Decided() {
		return failure, err
	}
	if failure, err := c.compareLate(ctx); err != nil || failure.Decided() {
		return failure, err
	}
	if c.item.LikeSoft404 != "" && c.basis.Rules.Soft404 {
		return verdict.Outcome{Kind: verdict.LooksMissing, Why: c.item.LikeSoft404}, nil
	}
	return o, nil
}

// followRedirects updates the item's canonical URL when redirects became permanent or ceased to be permanent. A
// canonical URL that the page itself gives takes precedence; it is in the snapshot.
func (c *check) followRedirects(ctx context.Context) (failure verdict.Outcome, err error) {
	it, b := &c.item, c.basis
	var s stored
	if it.HTTPCanonicalURL != "" { // the page may give a canonical URL
		if !b.HasMoved(it) || it.HTTPCanonicalURL != b.MovedTo {
			return failure, nil
		}
		if s, failure, err = c.storedDocument(ctx); err != nil || failure.Decided() {
			return failure, err
		}
	}
	b.NoteCanonical(it, s.doc, c.now())
	return failure, nil
}

// compareLate compares the stored content with the host's present soft-404 fingerprint, unless that was done before.
// If the snapshot cannot be read, the check fails.
func (c *check) compareLate(ctx context.Context) (failure verdict.Outcome, err error) {
	it, b := &c.item, c.basis
	o, err := politeness.OriginOf(verdict.FetchURL(it))
	if err != nil || !b.Rules.Soft404 || it.Exclusion != "" || verdict.IsRoot(it.NormalizedSource) {
		return failure, nil
	}
	id := c.batch.Fingerprints[o.Scheme]
	if id == it.Soft404Fingerprint {
		return failure, nil
	}
	c.release() // no further request to the site is needed
	known, err := c.prober().Known(ctx, o, id)
	if err != nil {
		return failure, err
	}
	looks, compare := known.ShownByStored(it, b)
	if compare {
		var s stored
		if s, failure, err = c.storedDocument(ctx); err != nil || failure.Decided() {
			return failure, err
		}
		if s.doc.VisibleText != "" && known.Matches(verdict.Describe(s.doc, it.ContentHash, verdict.FetchURL(it))) {
			looks = verdict.WhySoft404
		}
	}
	it.Soft404Fingerprint, it.LikeSoft404 = known.ID, looks
	return failure, nil
}
