package verdict

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// compareNews decides about a body with new content: what has changed, and whether to believe the change (H7 to H9).
// Until then, the item stays as if the site had answered that nothing has changed. Nothing is stored that would make
// a later answer count as unchanged.
func (b Basis) compareNews(it registry.Item, got Answer, r Reading, now time.Time) (registry.Item, Outcome) {
	seen := change.Reading{
		Hash: r.Hash, Body: r.Body, Main: r.Main, Title: r.Doc.Title, Images: r.ImagesHash,
		Metadata: bylineOf(r.Doc, now) + b.canonicalURL(&it, r.Doc), Words: r.Words, Unread: r.Unread,
	}
	n, over := News{}, false
	// Texts that were read under two versions cannot be compared, nor can a rendered page with a plain one: the
	// difference may come from the rules and not from the page.
	if !b.Outdated(&it) && !b.newlyRead(&it, r) && !b.Rendered.Baseline {
		d := change.Decide(b.remembered(&it), seen, b.believes(&it, r), now)
		if d.Waits {
			if b.Watching != nil && r.Part != nil && b.Watching.lost(&it, r.Part) != "" {
				it.Watched = b.watched(&it, r, now)
			}
			it.Collapse = d.Known.Collapse
			it.HTTPRedirectChain, it.FetchSource = b.redirects, b.fetchSource
			return it, Outcome{Kind: schedule.Collapsed, Why: d.Why}
		}
		n.Kind, n.Why, n.Extent, over = d.Kind, d.Why, d.Extent, d.Over
		n = b.Watching.newsOf(&it, r, n)
	}
	// A page without its watched part says nothing about the part, so the index keeps the part that it has.
	if b.Watching.keepsPart(&it, r.Part) {
		it.Watched = b.watched(&it, r, now)
		it.HTTPRedirectChain, it.FetchSource = b.redirects, b.fetchSource
		return it, Unchanged(it.Watched.Broken)
	}
	if !over {
		it.Collapse = change.Collapse{}
	}
	return b.applyNews(it, got, r, n, now)
}

// applyNews copies the new content of a body into the item.
func (b Basis) applyNews(it registry.Item, got Answer, r Reading, n News, now time.Time) (registry.Item, Outcome) {
	it.ImageExclusion = "" // the body itself shows whether its images are excluded
	it.Soft404Fingerprint, it.LikeSoft404 = b.Soft404.ID, ""
	images := r.ImagesHash != it.ImagesHash
	renamed := b.same(&it, r) && bylineOf(r.Doc, now) == knownToSay(&it)
	it = apply(noteValidators(it, got), r, b, now)
	o := Outcome{Kind: schedule.Unchanged, News: n, Store: true, Refresh: true}
	switch {
	case n.Silenced != "":
	case n.Kind.OfContent():
		o.Kind, it.LastChanged = schedule.Changed, now
	case n.Kind == change.Reverted:
		o.Kind, it.LastChanged = schedule.Reverted, now
	case images && r.ImageExclusion != "":
		o.News.Why = r.ImageExclusion // the images are excluded, and images never make checks more frequent
	case renamed && n.Kind == change.Metadata:
		o.News.Why = "" // the address is already in the history
		if !b.Rules.ReindexOnCanonical {
			o.Why, o.Refresh = "only rel=canonical has changed", false
		}
	}
	return it, o
}

// remembered returns what is known of an item, as the input of package change.
func (b Basis) remembered(it *registry.Item) change.Known {
	return change.Known{
		Hash: it.ContentHash, States: change.StatesOf(it.States), Main: change.StateOf(it.MainState), Title: it.Title,
		Images:   it.ImagesHash,
		Metadata: knownToSay(it) + it.HTTPCanonicalURL, Collapse: it.Collapse,
		Words: b.Last.Words(it.RawHash, it.NormalizationVersion),
	}
}

// bylineOf returns, as one text, what a page says about its publication: when, by whom and where. The text does not
// contain the time of modification, because many sites put the time of the answer there.
func bylineOf(doc extract.Document, now time.Time) string {
	said := doc.Metadata.Believable(now)
	return fmt.Sprintf("%s\n%s\n%s\n", storage.FormatTime(said.Published), said.Author, said.SiteName)
}

// knownToSay returns what [bylineOf] returned when the item's content was read.
func knownToSay(it *registry.Item) string {
	return fmt.Sprintf("%s\n%s\n%s\n", storage.FormatTime(it.PublishedAt), it.Author, it.SiteName)
}

// believes reports whether a body is believed whatever its content: because the check was forced, because the index
// would lose nothing, or because the page itself asks to be removed from the index. A file is always believed,
// because its owner wrote it.
func (b Basis) believes(it *registry.Item, r Reading) bool {
	kept := (b.isCurrent(it) || b.Reread) && it.Exclusion == "" && it.GoneSince.IsZero() && !it.RebuildPending
	return b.Forced || it.Type == source.File || r.Exclusion != "" || !kept || b.Watching.holds(it, r.Part)
}

// states returns the hashes of the item's last texts, and adds the hash of a reading. It drops hashes of texts that
// were read under other rules.
func (b Basis) states(it *registry.Item, r Reading) []byte {
	states := change.StatesOf(it.States)
	if it.NormalizationVersion != b.Rules.Version.String() {
		states = nil
	}
	return states.Push(r.Body).Bytes()
}
