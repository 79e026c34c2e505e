package verdict

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Checked is an item that was checked, but whose page is not yet indexed. [Record] turns it into a finding.
type Checked struct {
	Item        registry.Item
	Basis       Basis
	Outcome     Outcome
	Placement   Placement
	Purged      bool // only the rows of the item remain
	Ended       time.Time
	Differences Differences   // what differs from the stored text
	Listed      []feed.Change // the new entries of a list
}

// Record ends a check: it sets the item's status with its reason, and the time of the next check. It must be called
// last, after the index has accepted or refused the page, because only then may an item become Indexed.
func Record(c Checked, now time.Time, jitter float64) registry.Finding {
	if c.Purged {
		return registry.Finding{Item: c.Item, Purge: true}
	}
	if c.Outcome.Kind == Untried {
		c.Item.CheckAt(host.Later(c.Item.NotBefore, c.Ended))
		c.Item.Record(c.Ended, "scheduled", c.Outcome.Why)
		return registry.Finding{Item: c.Item, Unasked: true, Untried: true}
	}
	if c.Outcome.Kind == Paused {
		c.Item.CheckAt(c.Ended.Add(c.Outcome.RetryAfter))
		c.Item.LastChecked = c.Ended
		c.Item.Record(c.Ended, "paused", c.Outcome.Why)
		return registry.Finding{Item: c.Item}
	}
	if c.Item.RemoveRequested {
		c.Item.CheckAt(c.Item.RemoveAfter)
		c.Item.Record(c.Ended, "unindexed", "taken out of the index; what is stored of it goes when the removal can be "+
			"taken back no more")
		return registry.Finding{Item: c.Item, Unasked: true}
	}
	c = conclude(c, now)
	failed := c.Outcome.Kind == schedule.Failed
	changed := c.Outcome.Kind == schedule.Changed
	return registry.Finding{
		Item: reschedule(c, failed, jitter), News: newsOf(c), Listed: c.Listed, Changed: changed, Failed: failed,
		Differs: !changed && c.Outcome.News.Kind != change.None,
		Unasked: c.Basis.IndexOnly,
	}
}

// conclude sets the item's status and the reason for the status.
func conclude(c Checked, now time.Time) Checked {
	it, o := &c.Item, c.Outcome
	switch o.Kind {
	case schedule.Failed: // the index stays as it is
		it.Status = registry.Error
		it.SetError(o.Why)
		it.Record(c.Ended, "error", it.ErrorMessage)
	case schedule.OutOfScope:
		it.Status = registry.OutOfScope
		it.SetError(o.Why)
		it.Record(c.Ended, "outOfScope", o.Why)
	case schedule.Missing, schedule.Guarded:
		if it.Status == registry.Pending {
			it.Status = registry.Error // no content of the item was ever fetched
		}
		it.SetError(o.Why)
		it.Record(c.Ended, string(o.Kind), o.Why)
	case schedule.Gone:
		if it.Status != registry.Gone {
			it.Record(c.Ended, "gone", o.Note)
		}
		it.Status = registry.Gone
		it.SetError(o.Why)
	case schedule.Collapsed:
		it.Record(c.Ended, "collapsed", o.Why)
		c.Outcome.Why = ""
		return concludeLocation(c, now)
	default:
		if it.Collapse.Waits() && !c.Basis.IndexOnly {
			it.Record(c.Ended, "back", "the main content is there again: the collapse is over")
		}
		return concludeLocation(c, now)
	}
	return c
}

// concludeLocation is like [conclude], for an item whose content is stored.
func concludeLocation(c Checked, now time.Time) Checked {
	it, p, b := &c.Item, c.Placement, c.Basis
	switch p.Kind {
	case Untouched:
		if b.IndexOnly {
			return c // the page could not be indexed; this says nothing about the site
		}
		it.Status, it.ErrorMessage = b.status(it), ""
		if c.Outcome.Why != "" {
			it.Record(c.Ended, "unchanged", c.Outcome.Why)
		}
		if it.Status == registry.Crawled && it.Exclusion == "" {
			noteUnindexed(it, c.Ended)
		}
	case OutOfIndex:
		it.Status, it.ErrorMessage = b.status(it), ""
		it.Record(c.Ended, "notIndexed", p.Why)
	case BehindAlias:
		it.AliasOf, it.CanonicalNote = p.Alias, ""
		it.Status = b.status(it)
		it.SetError(p.Why)
		if p.NewAlias {
			it.Record(c.Ended, "alias", p.Why)
		}
	case OnItsOwn:
		if p.Entry != nil {
			return concludeIndex(c, now)
		}
		if !b.statusIsOfSite(it) {
			it.Status, it.ErrorMessage = registry.Crawled, ""
		}
		noteUnindexed(it, c.Ended)
	}
	return c
}

const noIndex = "no search index is configured"

// noteUnindexed records once in the history why the page is not Indexed.
func noteUnindexed(it *registry.Item, now time.Time) {
	if !slices.ContainsFunc(it.History, func(d registry.Decision) bool { return d.Why == noIndex }) {
		it.Record(now, "notIndexed", noIndex)
	}
}

// concludeIndex is like [conclude], for an item whose page was given to the index. When the index fails, for whatever
// reason, the page still has to be indexed: the item stays Crawled, and its snapshot is indexed later. So a fault of
// the index causes no request to the site.
//
// The item refers to the manifest of what was given to the index, even if the index failed or refused the page. A
// manifest of an outdated item is never relied on. But if no item referred to the manifest, it would remain until the
// item is purged.
func concludeIndex(c Checked, now time.Time) Checked {
	it, p, b := &c.Item, c.Placement, c.Basis
	if it.IndexPending = p.Refused != nil && !fault.Refused(p.Refused); p.Refused != nil {
		it.SetStale()
	}
	if p.Manifest != "" {
		it.Manifest = p.Manifest
	}
	switch {
	case it.IndexPending && b.statusIsOfSite(it):
	case it.IndexPending:
		it.Status = registry.Crawled
		it.SetError("the index could not be written: " + p.Refused.Error())
		if !b.IndexOnly { // one history entry is enough for an outage
			it.Record(now, "indexDebt", it.ErrorMessage)
		}
	case p.Refused != nil:
		c.Outcome, c.Placement.Kind = Failed("the index refuses the page: %v", p.Refused), Untouched
		return conclude(c, now)
	default:
		if !b.statusIsOfSite(it) {
			it.Status, it.ErrorMessage = registry.Indexed, ""
		}
		it.IndexedHash, it.LastIndexedDocID, it.LastIndexed = it.ContentHash, string(it.ID), now
		it.ImageCount = len(p.Entry.Page.Images)
		it.Record(now, "indexed", indexedShare(p.Entry))
	}
	return c
}

// indexedShare describes how much of a page is in the index, and how much of that is new if that is known.
func indexedShare(e *index.Prepared) string {
	text := words.Count(len(e.Page.Chunks), "chunk")
	if known := e.Page.Known; known != nil {
		fresh := 0
		for _, c := range e.Page.Chunks {
			if _, was := known.Chunks[c.Key]; !was {
				fresh++
			}
		}
		text += fmt.Sprintf(" (%d new)", fresh)
	}
	if n := len(e.Page.Images); n > 0 {
		text += ", " + words.Count(n, "image")
	}
	if e.LeftOut > 0 {
		text += fmt.Sprintf("; the page is too long, so %s of its text were left out", words.Count(e.LeftOut, "chunk"))
	}
	return text
}

// plan sets when the site gets its next request.
func plan(it *registry.Item, b Basis, o Outcome, now time.Time, jitter float64) {
	config := b.Rules.Schedule
	if it.Exclusion == ExclusionFolder {
		config = atLeastEvery(config, FolderEvery)
	}
	if every := options.RenderEvery(b.Options.Rendering); every > 0 && it.Rendering.IsRendered() {
		config = atLeastEvery(config, every)
	}
	d := b.Options.Next(config, options.Check{ID: string(it.ID), State: it.Schedule(), Outcome: o.Kind,
		RetryAfter: o.RetryAfter, At: now, Jitter: jitter})
	interval := it.CrawlIntervalSeconds
	it.Reschedule(d)
	registry.ApplyPriority(it, b.Options)
	if it.Paused {
		it.CheckAt(registry.Never)
		d.Reason = "paused: no check until somebody asks for one"
	}
	it.Record(now, "scheduled", d.Reason)
	if o.Kind == schedule.Unchanged {
		it.History = registry.Folded(it.History, it.CrawlIntervalSeconds == interval)
	}
}

// FolderEvery is the longest time between two listings of a folder for which no other time is set. To list a folder
// asks no site, and reads no file.
const FolderEvery = time.Hour

// atLeastEvery returns the schedule with an upper bound of the time between two checks.
func atLeastEvery(c schedule.Config, most time.Duration) schedule.Config {
	c.Max = min(c.Max, most)
	c.Base, c.ErrorBase = min(c.Base, c.Max), min(c.ErrorBase, c.Max)
	return c
}

// reschedule sets when the item is checked next.
func reschedule(c Checked, failed bool, jitter float64) registry.Item {
	it, o, b, now := c.Item, c.Outcome, c.Basis, c.Ended
	if seen := o.Stands() && o.Kind != schedule.Collapsed; seen && !b.IndexOnly && it.RawHash != "" {
		it.LastVerified = now
		it.Saw = linememory.After(it.Saw, now)
		it.Watched.Stands(now)
	}
	if !b.IndexOnly && o.Kind != schedule.Collapsed && (o.Stands() || o.Kind == schedule.Gone ||
		o.Kind == schedule.OutOfScope) {
		it.Collapse = change.Collapse{} // the lost content has come back, or can no longer come back
	}
	if b.IndexOnly && !failed {
		it.CheckAt(host.Later(now, it.ResumeAt)) // the schedule continues as if this check had not happened
	} else {
		plan(&it, b, o, now, jitter)
		it.LastChecked, it.PausedSince = now, time.Time{}
		if it.CrawlAttempts == 0 {
			it.UnreachedSince = time.Time{}
		}
		if it.Deadly {
			it.CheckAt(host.Later(it.NextCrawlAt, now.Add(deadly)))
		}
		it.ResumeAt = it.NextCrawlAt
	}
	soon := now.Add(b.Rules.Schedule.ErrorBase)
	if it.IndexPending {
		it.CheckAt(soon) // the site gets no request, so its pace need not be kept
	} else {
		it.ResumeAt = time.Time{}
		if !b.Unstored || it.Paused { // without this, the rebuild would wait for another check
			it.Rebuilt(c.Placement.Entry != nil && !failed || b.Forced && failed)
		}
	}
	checkAgain(&it, b, o.News.Again, now)
	if c.Placement.Soon && !failed && !it.Paused && soon.Before(it.NextCrawlAt) {
		it.CheckAt(soon)
	}
	if !it.DraftUntil.IsZero() && it.DraftUntil.Before(it.NextCrawlAt) {
		it.CheckAt(it.DraftUntil) // it is purged then, unless somebody wants it
	}
	it.Saw.Next = it.NextCrawlAt
	switch {
	case it.IndexedHash != "":
		it.LeftAt = time.Time{}
	case it.Status == registry.OutOfScope && it.LeftAt.IsZero():
		it.LeftAt = now
	}
	if !failed { // after a failed forced check, the next check ignores the validators, too
		it.ReindexRequested = false
		it.ProcessedGeneration = it.ReindexGeneration
	}
	return it
}

// Counted returns the name of the outcome that the metrics record for a check.
func Counted(c Checked, f registry.Finding) string {
	switch {
	case f.Purge:
		return "purged"
	case f.Failed:
		return string(schedule.Failed)
	case c.Basis.IndexOnly:
		return "indexed"
	default:
		return string(c.Outcome.Kind)
	}
}

// KindOf returns the kind of the failure of a check, as the metrics count it.
func KindOf(c Checked) string {
	if c.Outcome.Kind != schedule.Failed {
		return "index" // the index has refused the page
	}
	return c.Outcome.Of
}

// deadly is the shortest pause before an item that killed its worker is tried again.
const deadly = 24 * time.Hour

// GiveUp records on an item that every try of its job has failed (A19).
func GiveUp(it *registry.Item, b Basis, why string, now time.Time, jitter float64) {
	it.Status = registry.Error
	it.SetError(why)
	it.Record(now, "poisoned", why)
	plan(it, b, Failed("%s", why), now, jitter)
}

// Placement states where an item's content belongs.
type Placement struct {
	Kind     PlacementKind
	Why      string          // the reason why the item is not in the index, or why another item stands for it
	Alias    source.ID       // the item that stands for the page
	NewAlias bool            // whether the item that stands for the page is a different one than before
	Soon     bool            // another check is useful before its scheduled time
	Entry    *index.Prepared // the page, as prepared for the index
	Manifest string          // the manifest of Entry
	Refused  error           // the error, if Entry could not be written to the index
}

// PlacementKind is a kind of placement.
type PlacementKind int

// Kinds of placement.
const (
	Untouched   PlacementKind = iota // nothing needs to be done, or this check cannot decide where the content belongs
	OutOfIndex                       // the page must not be found by a search
	BehindAlias                      // another item stands for the page
	OnItsOwn                         // the page is in the index itself, if there is an index
)

// Size returns the number of bytes of text and vectors that wait for the index.
func (p Placement) Size() (n int) {
	if p.Entry == nil {
		return 0
	}
	for _, chunk := range p.Entry.Page.Chunks {
		n += len(chunk.Text) + len(chunk.Heading) + 4*len(chunk.Vector)
	}
	for _, img := range p.Entry.Page.Images {
		n += len(img.Src) + len(img.Alt) + len(img.Title) + len(img.Caption)
	}
	return n
}
