package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// maxTold bounds each of two texts whose difference is told in the feed, in bytes.
const maxTold = 256 << 10

// differing are the first passages that differ between what is stored of an item, as it was before this check, and a
// text. What was read by other rules was read again by now.
func differing(ctx context.Context, c *check, was registry.Item, text string) (out []feed.Passage, err error) {
	old := c.known
	if old == nil {
		s, err := c.job.w.load(ctx, &was, &c.room)
		if err != nil || s.gone || s.unreadable != nil {
			return nil, err
		}
		old = &s.doc
	}
	for _, p := range textdiff.Passages(words.Clip(old.Text, maxTold), words.Clip(text, maxTold), feed.MaxPassages,
		feed.MaxPassage) {
		op := feed.Removed
		if p.Added {
			op = feed.Added
		}
		out = append(out, feed.Passage{Text: p.Text, Op: op})
	}
	return out, nil
}

// newsOf is what a check has found to be new of a page, for the feed; nil for nothing. A container's blobs speak for
// themselves.
func newsOf(c checked) *feed.Change {
	n, it := c.outcome.news, &c.item
	kind := feed.Kind(n.kind)
	if n.kind == change.None && c.outcome.kind == schedule.Changed && it.Exclusion != exclusionContainer {
		kind = feed.Content
		if c.memory.rawBefore == "" {
			kind = feed.New
		}
	}
	if kind == "" {
		return nil
	}
	return &feed.Change{
		At: c.ended, Kind: kind, Why: n.why, Share: max(n.extent.New, n.extent.Gone),
		WordsAdded: n.extent.Added, WordsRemoved: n.extent.Removed, Passages: c.passages,
		From: c.memory.rawBefore, To: it.RawHash,
	}
}
