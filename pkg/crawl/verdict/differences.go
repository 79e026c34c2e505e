package verdict

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/content/naming"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// maxCompared bounds the size, in bytes, of each of the two texts that are compared for the feed.
const maxCompared = 256 << 10

// Differences are the differences between the stored text and the text that was read.
type Differences struct {
	news    feed.Change    // with what differs, and nothing else
	ignored []feed.Ignored // lines that differ, but that the rules ignore
}

// Texts are the texts of a page before and after a change, and the documents in which they stand.
type Texts struct {
	Before, Now string

	was, is extract.Document
	part    bool // the texts are those of the watched part

	of, isOf func(line, from, to int) []string // name the lines of the texts
}

// Differing compares the stored text of a page, and the stored text of its watched part, with a reading. If the part
// has changed, the returned outcome describes only the change of the part. The texts are those that were compared; see
// [Differences.Choose].
func Differing(page, was extract.Document, watched *part.Part, r Reading, o Outcome) (
	Outcome, Differences, *Texts) {
	var d Differences
	before, now := page.Text, r.Page.Text
	were, are := naming.Of(page.Blocks, page.Title), naming.Of(r.Page.Blocks, r.Page.Title)
	of, isOf := were.Line, are.Line
	measure := func() {
		o.News.Extent = change.Compare(change.WordsOf(before), change.WordsOf(now))
		o.News.Why = o.News.Kind.Why(o.News.Extent)
	}
	if o.News.Kind == change.Beside { // the item's row only has the words of the main content
		measure()
	}
	if watched != nil && r.Part != nil {
		old, is := watched.Page(words.Clip(before, maxCompared)), r.Part.Page(words.Clip(now, maxCompared))
		if o.News.Part {
			if !r.Part.Whole() { // else the page has what was excluded, too
				old = watched.Own(words.Clip(watched.Doc.Text, maxCompared))
				is = r.Part.Own(words.Clip(r.Part.Doc.Text, maxCompared))
			}
			before, now = watched.Text, r.Part.Text
			of, isOf = watched.Names(were), r.Part.Names(are)
			measure()
		}
		d.ignored = ignored(old, is)
	}
	return o, d, &Texts{before, now, was, r.Doc, o.News.Part, of, isOf}
}

// Choose chooses what is told of the differences between texts. What a memory says of them decides what comes last.
func (d *Differences) Choose(t *Texts, seen linememory.Verdict) {
	d.news.SetDifference(textdiff.Text{Text: t.Before, Of: t.of}, textdiff.Text{Text: t.Now, Of: t.isOf}, maxCompared,
		seen.Moving)
}

// ignored returns the first lines, and parts of lines, that differ but are ignored by the rules.
func ignored(old, now part.View) (out []feed.Ignored) {
	for line := range part.Ignored(old, now) {
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

// newsOf returns the change of a page for the feed; nil if there is none. Changes of a container are not in the feed,
// because each of its blobs has changes of its own.
func newsOf(c Checked) *feed.Change {
	n, it := c.Outcome.News, &c.Item
	kind := feed.Kind(n.Kind)
	if n.Kind == change.None && c.Outcome.Kind == schedule.Changed && !IsListing(it) {
		kind = feed.Content
		if c.Basis.RawBefore == "" {
			kind = feed.New
		}
	}
	if kind == "" {
		return nil
	}
	hidden := c.Differences.ignored
	if n.Bare {
		c.Differences.news, hidden = feed.Change{}, nil
	}
	if n.Silenced != "" && len(hidden) == 0 || strings.HasPrefix(n.Silenced, silencedTrigger) {
		hidden = append([]feed.Ignored{feed.Ignored{Rule: n.Silenced}.Bounded()}, hidden...)
	}
	out := c.Differences.news
	out.Part, out.Silenced, out.Ignored = n.Part, n.Silenced != "", hidden[:min(len(hidden), feed.MaxIgnored)]
	if out.Small = n.Small; kind == feed.New && !it.Found() {
		out.Small = &feed.Small{Why: feed.SmallAdded} // who has added a page knows that it is new
	}
	if slices.ContainsFunc(n.Fields, func(f field.Change) bool { return f.Reported }) {
		out.Small = nil // a value is told
	}
	out.At, out.Kind, out.Why, out.Share = c.Ended, kind, n.Why, max(n.Extent.New, n.Extent.Gone)
	out.WordsAdded, out.WordsRemoved = n.Extent.Added, n.Extent.Removed
	out.From, out.To, out.Fields = c.Basis.RawBefore, it.RawHash, n.Fields
	return &out
}
