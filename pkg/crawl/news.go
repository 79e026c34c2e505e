package crawl

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

// compareNews decides about a body that says something else than what is known: what has changed, and
// whether that is believed (H7 to H9). While it is not, the item stays as if the site had answered that
// nothing has changed, and nothing of the answer is kept by which a later one could be called the same.
func (m memory) compareNews(it registry.Item, got fetched, r read, now time.Time) (registry.Item, outcome) {
	seen := change.Reading{
		Hash: r.hash, Body: r.body, Title: r.doc.Title, Images: r.imagesHash,
		Metadata: saidOf(r.doc, now) + m.canonicalURL(&it, r.doc), Words: r.words,
	}
	n, over := news{}, false
	// Where the versions differ nobody can tell, and a change of ours is none of the page.
	if !m.outdated(&it) {
		d := change.Decide(m.remembered(&it), seen, m.believes(&it, r), now)
		if d.Waits {
			if m.watch != nil && r.part != nil && m.watch.lost(&it, r.part) != "" {
				it.Watched = m.watch.watched(&it, r.part, r.raw, now)
			}
			it.Collapse = d.Known.Collapse
			it.HTTPRedirectChain, it.FetchSource = m.redirects, m.fetchSource
			return it, outcome{kind: schedule.Collapsed, why: d.Why}
		}
		n.kind, n.why, n.extent, over = d.Kind, d.Why, d.Extent, d.Over
		n = m.watch.newsOf(&it, r, n)
	}
	if m.watch.keepsPart(&it, r.part) {
		it.Watched = m.watch.watched(&it, r.part, r.raw, now)
		it.HTTPRedirectChain, it.FetchSource = m.redirects, m.fetchSource
		return it, unchanged(it.Watched.Broken)
	}
	if !over {
		it.Collapse = change.Collapse{}
	}
	return m.takeNews(it, got, r, n, now)
}

// takeNews has the item take over what a body says.
func (m memory) takeNews(it registry.Item, got fetched, r read, n news, now time.Time) (registry.Item, outcome) {
	it.ImageExclusion = "" // a body says all that the page says now
	it.Soft404Fingerprint, it.LikeSoft404 = m.soft404.id, ""
	images := r.imagesHash != it.ImagesHash
	renamed := m.same(&it, r) && saidOf(r.doc, now) == knownToSay(&it)
	it = takeOver(noteValidators(it, got), r, m, now)
	o := outcome{kind: schedule.Unchanged, news: n, store: true, refresh: true}
	switch {
	case n.silenced != "":
	case n.kind.OfContent():
		o.kind, it.LastChanged = schedule.Changed, now
	case n.kind == change.Reverted:
		o.kind, it.LastChanged = schedule.Reverted, now
	case images && r.imageExclusion != "":
		o.news.why = r.imageExclusion // pictures are found, too, but no page is checked more often for them
	case renamed && n.kind == change.Metadata:
		o.news.why = "" // the history names the address already
		if !m.rules.reindexOnCanonical {
			o.why, o.refresh = "only rel=canonical has changed", false
		}
	}
	return it, o
}

// remembered is what is known of an item.
func (m memory) remembered(it *registry.Item) change.Known {
	return change.Known{
		Hash: it.ContentHash, States: change.StatesOf(it.States), Title: it.Title, Images: it.ImagesHash,
		Metadata: knownToSay(it) + it.HTTPCanonicalURL, Collapse: it.Collapse,
		Words: m.last.Words(it.RawHash, it.NormalizationVersion),
	}
}

// saidOf is what a page says of itself, as one text: when it was published, by whom and where. When it was
// modified does not count: many sites write the time of the answer there.
func saidOf(doc extract.Document, now time.Time) string {
	said := doc.Metadata.Believable(now)
	return fmt.Sprintf("%s\n%s\n%s\n", storage.FormatTime(said.Published), said.Author, said.SiteName)
}

// knownToSay is [saidOf] what is known of an item.
func knownToSay(it *registry.Item) string {
	return fmt.Sprintf("%s\n%s\n%s\n", storage.FormatTime(it.PublishedAt), it.Author, it.SiteName)
}

// believes reports whether a body is believed whatever it says: somebody insists, or the index would lose
// nothing, or the page itself says that it wants to leave it. A file is what its owner wrote.
func (m memory) believes(it *registry.Item, r read) bool {
	kept := (m.inPlace(it) || m.reread) && it.Exclusion == "" && it.GoneSince.IsZero() && !it.RebuildPending
	return m.forced || it.Type == source.File || r.exclusion != "" || !kept || m.watch.holds(it, r.part)
}

// states are the texts that the item had last, with that of a reading as the present one. Those that were read
// by other rules do not count.
func (m memory) states(it *registry.Item, r read) []byte {
	states := change.StatesOf(it.States)
	if it.NormalizationVersion != m.rules.version.String() {
		states = nil
	}
	return states.Push(r.body).Bytes()
}
