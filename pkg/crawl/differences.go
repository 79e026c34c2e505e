package crawl

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// maxTold bounds each of two texts whose difference is told in the feed, in bytes.
const maxTold = 256 << 10

// differences are what differs between the text that was stored and the one that was read.
type differences struct {
	passages []feed.Passage // the first that differ
	ignored  []feed.Ignored // what differs and does not count
}

// differing compares the text of a page, and the part of it that is watched, with a reading. What the outcome says of
// the change is then of the part alone, where that is what has changed.
func differing(page string, watched *part.Part, r read, o outcome) (outcome, differences) {
	var d differences
	before, now := page, r.page
	if watched != nil && r.part != nil {
		if o.news.part {
			before, now = watched.Text, r.part.Text
			o.news.extent = change.Compare(change.WordsOf(before), change.WordsOf(now))
			o.news.why = o.news.kind.Why(o.news.extent)
			d.ignored = ignored(watched, r.part, watched.Doc.Text, r.part.Doc.Text)
		} else {
			d.ignored = ignored(watched, r.part, before, now)
		}
	}
	d.passages = feed.Differing(words.Clip(before, maxTold), words.Clip(now, maxTold))
	return o, d
}

// ignored are the first lines that differ between two texts and do not count.
func ignored(old, now *part.Part, before, text string) (out []feed.Ignored) {
	for line := range part.Ignored(old, now, words.Clip(before, maxTold), words.Clip(text, maxTold)) {
		if len(out) == feed.MaxIgnored {
			break
		}
		op := feed.Removed
		if line.Added {
			op = feed.Added
		}
		out = append(out, feed.Ignored{Hunk: line.Text, Op: op, Rule: line.Rule}.Bounded())
	}
	return out
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
	hidden := c.differences.ignored
	if n.silenced != "" && len(hidden) == 0 || strings.HasPrefix(n.silenced, silencedTrigger) {
		hidden = append([]feed.Ignored{feed.Ignored{Rule: n.silenced}.Bounded()}, hidden...)
	}
	return &feed.Change{
		Part: n.part, Silenced: n.silenced != "", Ignored: hidden[:min(len(hidden), feed.MaxIgnored)],
		At: c.ended, Kind: kind, Why: n.why, Share: max(n.extent.New, n.extent.Gone),
		WordsAdded: n.extent.Added, WordsRemoved: n.extent.Removed, Passages: c.differences.passages,
		From: c.memory.rawBefore, To: it.RawHash,
	}
}
