package registry

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// renamed returns the item's identity under the given rules, and reports whether it differs from the present
// identity. The identity of a file does not depend on the rules. An item that is to be removed does not move.
func renamed(it *Item, rules source.Rules) (to source.Source, yes bool) {
	if it.Type != source.URL || it.RemoveRequested {
		return to, false
	}
	to, err := rules.ParseURL(it.NormalizedSource)
	return to, err == nil && to.Normalized != it.NormalizedSource
}

// asSource returns an item under another identity. Its stored content is indexed at once under the new identity,
// without a request to the site. The time of the next check of the site does not change.
func asSource(it *Item, to source.Source, key storage.Key, now time.Time) Item {
	n := *it
	if it.AliasOf != "" { // examine the canonical item again, because it may have moved, too
		n = newItem(to, key, now)
		n.DiscoveryMethod, n.DiscoveryRun, n.DiscoveryJob = it.DiscoveryMethod, it.DiscoveryRun, it.DiscoveryJob
		n.Credential, n.ReindexRequested = it.Credential, it.ReindexRequested
		n.Tags, n.Options, n.Paused = it.Tags, it.Options, it.Paused
		n.FirstSeen, n.NextCrawlAt = it.FirstSeen, it.NextCrawlAt
		n.ReindexGeneration, n.ProcessedGeneration = it.ReindexGeneration, it.ProcessedGeneration
	}
	n.ID, n.NormalizedSource, n.DisplaySource = to.ID(), to.Normalized, to.Display
	n.SourceHost, n.ContentGroupID = to.Host, to.ContentGroupID()
	n.key, n.etag, n.MovedTo, n.Formers = key, "", "", 1
	n.Lock = Lock{}
	n.LastIndexedDocID, n.LastIndexed, n.ImageCount, n.Manifest = "", time.Time{}, 0, ""
	n.CaptureCount, n.CaptureBytes, n.OldestCapture = 0, 0, time.Time{}
	if n.SourceHost != it.SourceHost {
		n.FetchSource, n.FetchTracked = "", ""
	}
	if n.indexable() {
		n.SetStale()
		if !n.IndexPending {
			n.IndexPending, n.ResumeAt = true, it.NextCrawlAt
		}
		n.NextCrawlAt = now
	}
	n.History = slices.Clone(it.History)
	n.Record(now, "moved", "was "+it.NormalizedSource+" ("+string(it.ID)+") under earlier rules for URLs")
	return n
}

// join merges a former item into the item that replaces it. The replacing item keeps its state.
func join(it, old *Item, now time.Time) {
	if it.RemoveRequested || it.MovedTo != "" || !it.GoneSince.IsZero() {
		it.revive(now)
	}
	it.Formers++
	it.FirstSeen = policy.Earlier(it.FirstSeen, old.FirstSeen)
	it.Credential = cmp.Or(it.Credential, old.Credential)
	if it.Tags == nil && reflect.ValueOf(it.Options).IsZero() {
		it.Tags, it.Options = old.Tags, old.Options
		indexAgain(it, now)
	}
	it.Collapse.Asked = it.Collapse.Asked || old.Collapse.Asked
	if old.ContentHash != it.ContentHash {
		it.NextCrawlAt, it.IndexPending = now, false // the former item may have newer content
	}
	it.Record(now, "joined",
		"is the same as "+old.NormalizedSource+" ("+string(old.ID)+") under the present rules for URLs")
}

// derive recomputes the columns that depend on the identity alone, and reports whether any of them changed. The
// display name of a file stays as it was registered.
func derive(it *Item) (changed bool) {
	group, display := it.Source().ContentGroupID(), it.DisplaySource
	if it.Type == source.URL {
		if s, err := (source.Rules{}).ParseURL(it.NormalizedSource); err == nil && s.Normalized == it.NormalizedSource {
			display = s.Display
		}
	}
	changed = group != it.ContentGroupID || display != it.DisplaySource
	it.ContentGroupID, it.DisplaySource = group, display
	return changed
}
