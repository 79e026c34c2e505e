package crawl

import (
	"context"
)

// A page may have been stored before it was known what its host shows instead of 404. The host's row
// names what that is, and each item what it was compared with: where the two differ, the item is
// compared once more, from its snapshot. So an unchanged check costs nothing more, and no page is read
// twice for the same answer of its host.

// reconsider takes a page whose stored content is still there once more: redirects may lead elsewhere
// than they did, and the content may be what its host shows for pages that do not exist.
func (c *check) reconsider(ctx context.Context, o outcome) (outcome, error) {
	if failure, err := c.followRedirects(ctx); err != nil || failure.decided() {
		return failure, err
	}
	if failure, err := c.compareLate(ctx); err != nil || failure.decided() {
		return failure, err
	}
	if c.item.LikeSoft404 != "" && c.memory.rules.soft404 {
		return outcome{kind: looksMissing, why: c.item.LikeSoft404}, nil
	}
	return o, nil
}

// followRedirects has the item's canonical URL follow redirects that became permanent or ceased to be.
// What the page itself names is in the snapshot.
func (c *check) followRedirects(ctx context.Context) (failure outcome, err error) {
	it, m := &c.item, c.memory
	var s stored
	if it.HTTPCanonicalURL != "" { // else the page names none
		if !m.hasMoved(it) || it.HTTPCanonicalURL != m.movedTo {
			return failure, nil
		}
		if s, failure, err = c.storedDocument(ctx); err != nil || failure.decided() {
			return failure, err
		}
	}
	m.noteCanonical(it, s.doc, c.now())
	return failure, nil
}

// compareLate compares the stored content with what the host is now known to show for pages that do
// not exist, if it was not yet. A snapshot that cannot be read has failed the check.
func (c *check) compareLate(ctx context.Context) (failure outcome, err error) {
	it, m := &c.item, c.memory
	o, err := originOf(fetchURL(it))
	if err != nil || !m.rules.soft404 || it.Exclusion != "" || isRoot(it.NormalizedSource) {
		return failure, nil
	}
	id := c.job.lease.Fingerprints[o.scheme]
	if id == it.Soft404Fingerprint {
		return failure, nil
	}
	c.answered() // the site has said what it has to say
	known, err := prober{c.job, &c.site}.known(ctx, o, id)
	if err != nil {
		return failure, err
	}
	looks, compare := known.shownByStored(it, m)
	if compare {
		var s stored
		if s, failure, err = c.storedDocument(ctx); err != nil || failure.decided() {
			return failure, err
		}
		if s.doc.VisibleText != "" && known.matches(describe(s.doc, it.ContentHash, fetchURL(it))) {
			looks = WhySoft404
		}
	}
	it.Soft404Fingerprint, it.LikeSoft404 = known.id, looks
	return failure, nil
}
