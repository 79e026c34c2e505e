package crawl

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Hashes belong to one normalization version, and hashes of two versions are never compared. So the first check of an
// item under a new version reads the item's stored capture again before the request to the site. The site's answer
// and the stored content are then compared under one version, and a change of the rules does not look like a change
// of the page. A rebuild also rereads captures, but sends no request; see [check.pending].

// reread reads the stored capture again if the present rules differ from those under which it was last read. The
// rules are those of the program and those of the watched part. The item takes over the result before the request to
// the site. So if the site fails, the capture need not be read once more. When a capture cannot be read, there is
// nothing to compare with, and the whole page is requested from the site.
func (c *check) reread(ctx context.Context) error {
	it := &c.item
	fields := c.basis.Fields.HaveOthers(it)
	if it.NormalizationVersion == "" || it.RawHash == "" ||
		!c.basis.Outdated(it) && !c.basis.Watching.HasOtherRules(it) && !fields {
		return nil
	}
	defer c.room.end() // memory held while this check waits for more could block other checks for ever
	s, err := c.stored.load(ctx, it, &c.room, readAs{c.basis.Watching, c.basis.Fields})
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
	if fields {
		c.fields = verdict.ReadFields(c.basis, it, r, it.RawHash, true, c.now())
	}
	return c.applyStored(ctx, r, s.capture)
}

// applyStored copies a reading of the stored capture into the item. A capture of another version is stored again as
// one of the present version (B5).
func (c *check) applyStored(ctx context.Context, r verdict.Reading, capture snapshot.Capture) error {
	it, b, now := &c.item, c.basis, c.now()
	if b.Outdated(it) {
		if err := c.in.Snapshots.Reprocess(ctx, b.Reprocessed(it, r, capture, now)); err != nil {
			return err
		}
	}
	c.item = verdict.ApplyStored(c.item, r, b, now)
	return c.noteList(ctx, r, true)
}
