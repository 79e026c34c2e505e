package crawl

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/index"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/source"
)

// maxUnindexed bounds the text and vectors, in bytes, that waits in memory for the index.
const maxUnindexed = 8 << 20

// enterIndex has the document indexed with the others of its batch, before the next commit: an
// index that is asked for many pages at once has far less to do.
func (c *check) enterIndex(r reading) {
	c.ImageExclusion, c.ImagesHash = r.imageExclusion, r.imagesHash
	e := index.EntryOf(&c.Item, pathOf(&c.Item), r.doc, r.images, c.o.Clock())
	c.entry = &e
}

// prepare readies the entry that waits: what the index holds of it already, its vectors, and the
// manifest of what it will hold.
func (c *check) prepare(ctx context.Context) (err error) {
	if c.entry == nil {
		return nil
	}
	if c.unfilled = c.entry.Page.Check(); c.unfilled != nil {
		return nil // before anything is paid or kept for it
	}
	if c.entry.Page.Held, err = c.heldOf(ctx, c.entry.Page); err != nil {
		return err
	}
	if c.fill(ctx); c.unfilled != nil {
		return nil
	}
	if c.manifest, err = c.manifests.Save(ctx, *c.entry); isRefused(err) {
		c.unfilled, err = err, nil
	}
	return err
}

// remove takes the page out of the index: all that is known to be there, which the index itself may
// not show yet.
func (c *check) remove(ctx context.Context) error {
	held, err := c.heldOf(ctx, search.Page{ID: string(c.ID)})
	if err != nil {
		return err
	}
	return c.index.Remove(ctx, string(c.ID), held)
}

// heldOf is what the index is known to hold of the page; nil when that is not certain. Who forces or
// rebuilds does so because they doubt it.
func (c *check) heldOf(ctx context.Context, p search.Page) (*search.Held, error) {
	certain := c.Manifest != "" && c.IndexedHash != "" && c.IndexedHash != registry.Outdated
	if !certain || c.forced || c.RebuildPending || c.Interrupted {
		return nil, nil
	}
	return c.manifests.Held(ctx, p, c.Manifest)
}

// fill gives the page that waits its vectors. Not with the others of its batch: it may take as long as
// asking a site, and the end of a lock is the commit's. A page that gets none is a debt.
func (c *check) fill(ctx context.Context) {
	if c.o.Vectors == nil {
		return
	}
	if err := c.o.Vectors.Fill(ctx, &c.entry.Page); err != nil {
		c.unfilled = fault.New(fault.Unavailable, "%w", err) // whatever it was, the page is not at fault
		c.o.Log.WarnContext(ctx, "page without vectors not indexed", "id", c.ID, "err", err)
	}
}

// unindexed is the size of the text and vectors that wait.
func (c *check) unindexed() (n int) {
	if c.entry != nil {
		for _, chunk := range c.entry.Page.Chunks {
			n += len(chunk.Text) + len(chunk.Heading) + 4*len(chunk.Vector)
		}
		for _, img := range c.entry.Page.Images {
			n += len(img.Src) + len(img.Alt) + len(img.Title) + len(img.Caption)
		}
	}
	return n
}

// indexChecked turns what was checked into findings, after the pages among it have entered the
// index together.
func (t *task) indexChecked(ctx context.Context) {
	var pages []search.Page
	for _, c := range t.checked {
		if c.entry != nil && c.unfilled == nil {
			pages = append(pages, c.entry.Page)
		}
	}
	together := t.put(ctx, pages...)
	for _, c := range t.checked {
		if c.entry != nil {
			err := together
			switch {
			case c.unfilled != nil:
				err = c.unfilled
			case isRefused(err) && len(pages) > 1:
				err = t.put(ctx, c.entry.Page) // only one of them need be at fault
			}
			c.indexed(err)
		}
		t.done = append(t.done, c.finding())
		t.outcomes = append(t.outcomes, c.counted())
		if c.stale != "" {
			t.stale = append(t.stale, staleManifest{c.ID, c.stale})
		}
	}
	t.checked, t.unindexed = nil, 0
}

// put never panics: a page that the index cannot digest is refused.
func (t *task) put(ctx context.Context, pages ...search.Page) (err error) {
	if len(pages) == 0 {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			t.o.Log.ErrorContext(ctx, "index panicked", "pages", len(pages), "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Invalid, "the page could not be processed: %v", p)
		}
	}()
	if err = t.holds(); err == nil {
		err = t.index.Put(ctx, pages...)
	}
	if err != nil && !isRefused(err) {
		t.o.Log.ErrorContext(ctx, "index not written", "host", t.batch.Host, "pages", len(pages), "err", err)
	}
	return err
}

func isRefused(err error) bool { return fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge) }

// isDown reports whether the index did not answer, or asked for a pause.
func isDown(err error) bool {
	return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Throttled)
}

// indexed takes note of what the index said; only now may the item be Indexed. An index that fails
// makes a debt, whatever the reason: the item stays Crawled and its snapshot is indexed later, so
// that the site is not asked again over a fault of ours.
func (c *check) indexed(err error) {
	now := c.o.Clock()
	if c.IndexPending = err != nil && !isRefused(err); err != nil {
		c.Outdate()
	}
	if c.manifest != "" {
		c.replaceManifest()
	}
	switch {
	case c.IndexPending && c.keepsStatus():
	case c.IndexPending:
		c.Status = registry.Crawled
		c.SetError("the index could not be written: " + err.Error())
		if !c.paid { // one line of history is enough for an outage
			c.Record(now, "indexDebt", c.ErrorMessage)
		}
	case err != nil:
		c.fail("the index refuses the page: %v", err)
	default:
		if !c.keepsStatus() {
			c.Status, c.ErrorMessage = registry.Indexed, ""
		}
		c.IndexedHash, c.LastIndexedDocID, c.LastIndexed = c.ContentHash, string(c.ID), now
		c.ImageCount = len(c.entry.Page.Images)
		c.Record(now, "indexed", entered(&c.entry.Page))
	}
}

// replaceManifest names the manifest of what was given to the index, also when it failed or refused:
// nobody counts on the manifest of an outdated item, but one that nobody names would stay behind until
// the item is purged.
func (c *check) replaceManifest() {
	if old := c.Manifest; old != "" && old != c.manifest {
		c.stale = old
	}
	c.Manifest = c.manifest
}

// staleManifest is one that its item does not name any more.
type staleManifest struct {
	id     source.ID
	digest string
}

// dropStale removes manifests that no item names since the last commit, several at once. One that
// cannot be removed stays behind until its item is purged.
func (t *task) dropStale(ctx context.Context) {
	var g errgroup.Group
	g.SetLimit(8)
	for _, m := range t.stale {
		g.Go(func() error {
			if err := t.manifests.Drop(ctx, m.id, m.digest); err != nil {
				t.o.Log.WarnContext(ctx, "old manifest not removed", "id", m.id, "err", err)
			}
			return nil
		})
	}
	_ = g.Wait() // of warnings only
	t.stale = nil
}

// entered says what of a page is in the index.
func entered(p *search.Page) string {
	text := fmt.Sprintf("%d chunks", len(p.Chunks))
	switch n := len(p.Images); n {
	case 0:
	case 1:
		text += ", 1 image"
	default:
		text += fmt.Sprintf(", %d images", n)
	}
	return text
}
