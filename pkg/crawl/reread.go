package crawl

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Hashes belong to one normalization version, and those of two versions are never compared. So the
// first check of an item under another version reads its stored capture once more before it asks the
// site: what the site answers is then compared under one version, and a change of the rules does not
// look like a change of the page. A rebuild does the same without the site; see [check.pending].

// reread reads what is stored by the present rules of the program and of what is watched, if it was read by others.
// The item takes it over before the site is asked, so that a site that fails costs no second reading. A capture that
// cannot be read leaves nothing to compare with: the site is asked for everything.
func (c *check) reread(ctx context.Context) error {
	it := &c.item
	if it.NormalizationVersion == "" || it.RawHash == "" || !c.basis.Outdated(it) && !c.basis.Watching.HasOtherRules(it) {
		return nil
	}
	defer c.room.end() // or this check might wait for a large body while it keeps others waiting
	s, err := c.stored.load(ctx, it, &c.room, c.basis.Watching)
	switch {
	case err != nil:
		return err
	case s.gone, s.unreadable != nil:
		it.Watched = c.basis.Watching.Unknown()
	}
	switch {
	case s.gone:
		it.Record(c.now(), "reprocessed",
			fmt.Sprintf("not compared: the snapshot that was read under %s is gone", it.NormalizationVersion))
		return nil
	case s.unreadable != nil:
		it.Record(c.now(), "reprocessed",
			fmt.Sprintf("not compared: the snapshot cannot be read under %s: %v", c.basis.Rules.Version, s.unreadable))
		return nil
	}
	r := c.reading(s).ExcludedAs(it)
	c.known, c.basis.Reread = &s, true
	return c.applyStored(ctx, r, s.capture)
}

// applyStored takes over what was read in the stored capture. Where that is of another version, it
// is stored as a capture of the present version (B5).
func (c *check) applyStored(ctx context.Context, r verdict.Reading, capture snapshot.Capture) error {
	it, b, now := &c.item, c.basis, c.now()
	if b.Outdated(it) {
		if err := c.in.Snapshots.Reprocess(ctx, b.Reprocessed(it, r, capture, now)); err != nil {
			return err
		}
	}
	c.item = verdict.ApplyStored(c.item, r, b, now)
	return nil
}
