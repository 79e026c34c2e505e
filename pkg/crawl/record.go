package crawl

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// checked is an item after the stages, before the index has its page. It becomes a finding by [record].
type checked struct {
	item        registry.Item
	memory      memory
	outcome     outcome
	place       place
	purged      bool // nothing is left of the item but its rows
	ended       time.Time
	differences differences // from what was stored before
}

// record closes a check: what the item is now, why, and when it is checked next. It comes after the
// index has taken the page or refused it, at now; the check ended before that.
func record(c checked, now time.Time, jitter float64) registry.Finding {
	if c.purged {
		return registry.Finding{Item: c.item, Purge: true}
	}
	c = conclude(c, now)
	failed := c.outcome.kind == schedule.Failed
	changed := c.outcome.kind == schedule.Changed
	return registry.Finding{
		Item: reschedule(c, failed, jitter), News: newsOf(c), Changed: changed, Failed: failed,
		Differs: !changed && c.outcome.news.kind != change.None,
		Unasked: c.memory.indexOnly,
	}
}

// conclude gives the item the status that it has now, with the reason.
func conclude(c checked, now time.Time) checked {
	it, o := &c.item, c.outcome
	switch o.kind {
	case schedule.Failed: // what the index holds stays
		it.Status = registry.Error
		it.SetError(o.why)
		it.Record(c.ended, "error", it.ErrorMessage)
	case schedule.OutOfScope:
		it.Status = registry.OutOfScope
		it.SetError(o.why)
		it.Record(c.ended, "outOfScope", o.why)
	case schedule.Missing, schedule.Guarded:
		if it.Status == registry.Pending {
			it.Status = registry.Error // nothing of it was ever fetched
		}
		it.SetError(o.why)
		it.Record(c.ended, string(o.kind), o.why)
	case schedule.Gone:
		if it.Status != registry.Gone {
			it.Record(c.ended, "gone", o.note)
		}
		it.Status = registry.Gone
		it.SetError(o.why)
	case schedule.Collapsed:
		it.Record(c.ended, "collapsed", o.why)
		c.outcome.why = ""
		return concludePlace(c, now)
	default:
		if it.Collapse.Waits() && !c.memory.indexOnly {
			it.Record(c.ended, "back", "the main content is there again: the collapse is over")
		}
		return concludePlace(c, now)
	}
	return c
}

// concludePlace is [conclude] for an item whose content is stored.
func concludePlace(c checked, now time.Time) checked {
	it, p, m := &c.item, c.place, c.memory
	switch p.kind {
	case untouched:
		if m.indexOnly {
			return c // nothing could be indexed, and that says nothing about the site
		}
		it.Status, it.ErrorMessage = m.status(it), ""
		if c.outcome.why != "" {
			it.Record(c.ended, "unchanged", c.outcome.why)
		}
		if it.Status == registry.Crawled && it.Exclusion == "" {
			noteUnindexed(it, c.ended)
		}
	case outOfIndex:
		it.Status, it.ErrorMessage = m.status(it), ""
		it.Record(c.ended, "notIndexed", p.why)
	case behindAlias:
		it.AliasOf, it.CanonicalNote = p.alias, ""
		it.Status = m.status(it)
		it.SetError(p.why)
		if p.newAlias {
			it.Record(c.ended, "alias", p.why)
		}
	case onItsOwn:
		if p.entry != nil {
			return concludeIndex(c, now)
		}
		if !m.statusIsOfSite(it) {
			it.Status, it.ErrorMessage = registry.Crawled, ""
		}
		noteUnindexed(it, c.ended)
	}
	return c
}

const noIndex = "no search index is configured"

// noteUnindexed says once in the history why the page is not Indexed.
func noteUnindexed(it *registry.Item, now time.Time) {
	if !slices.ContainsFunc(it.History, func(d registry.Decision) bool { return d.Why == noIndex }) {
		it.Record(now, "notIndexed", noIndex)
	}
}

// concludeIndex takes note of what the index said; only now may the item be Indexed. An index that fails
// leaves the page to be indexed, whatever the reason: the item stays Crawled and its snapshot is indexed
// later, so that the site is not asked again over a fault of ours.
//
// The item names the manifest of what was given to the index, also when it failed or refused: nobody
// counts on the manifest of an outdated item, but one that nobody names would stay behind until the
// item is purged.
func concludeIndex(c checked, now time.Time) checked {
	it, p, m := &c.item, c.place, c.memory
	if it.IndexPending = p.refused != nil && !fault.Refused(p.refused); p.refused != nil {
		it.Outdate()
	}
	if p.manifest != "" {
		it.Manifest = p.manifest
	}
	switch {
	case it.IndexPending && m.statusIsOfSite(it):
	case it.IndexPending:
		it.Status = registry.Crawled
		it.SetError("the index could not be written: " + p.refused.Error())
		if !m.indexOnly { // one line of history is enough for an outage
			it.Record(now, "indexDebt", it.ErrorMessage)
		}
	case p.refused != nil:
		c.outcome, c.place.kind = failed("the index refuses the page: %v", p.refused), untouched
		return conclude(c, now)
	default:
		if !m.statusIsOfSite(it) {
			it.Status, it.ErrorMessage = registry.Indexed, ""
		}
		it.IndexedHash, it.LastIndexedDocID, it.LastIndexed = it.ContentHash, string(it.ID), now
		it.ImageCount = len(p.entry.Page.Images)
		it.Record(now, "indexed", entered(p.entry))
	}
	return c
}

// entered says what of a page is in the index.
func entered(e *index.Prepared) string {
	text := words.Count(len(e.Page.Chunks), "chunk")
	if n := len(e.Page.Images); n > 0 {
		text += ", " + words.Count(n, "image")
	}
	if e.LeftOut > 0 {
		text += fmt.Sprintf("; the page is too long, so %s of its text were left out", words.Count(e.LeftOut, "chunk"))
	}
	return text
}

// plan decides when the site is asked next.
func plan(it *registry.Item, m memory, o outcome, now time.Time, jitter float64) {
	d := m.options.Next(m.rules.schedule, options.Check{ID: string(it.ID), State: it.Schedule(), Outcome: o.kind,
		RetryAfter: o.retryAfter, At: now, Jitter: jitter})
	it.Reschedule(d)
	registry.Rank(it, m.options)
	if it.Paused {
		it.CheckAt(registry.Never)
		d.Reason = "paused: no check until somebody asks for one"
	}
	it.Record(now, "scheduled", d.Reason)
}

// reschedule says when the item is checked next.
func reschedule(c checked, failed bool, jitter float64) registry.Item {
	it, o, m, now := c.item, c.outcome, c.memory, c.ended
	if seen := o.stands() && o.kind != schedule.Collapsed; seen && !m.indexOnly && it.RawHash != "" {
		it.LastVerified = now
	}
	if !m.indexOnly && o.kind != schedule.Collapsed && (o.stands() || o.kind == schedule.Gone ||
		o.kind == schedule.OutOfScope) {
		it.Collapse = change.Collapse{} // there is nothing that could come back, or it has
	}
	if m.indexOnly && !failed {
		it.CheckAt(host.Later(now, it.ResumeAt)) // as if nothing had happened
	} else {
		plan(&it, m, o, now, jitter)
		it.LastChecked = now
		if it.Deadly {
			it.CheckAt(host.Later(it.NextCrawlAt, now.Add(deadly)))
		}
		it.ResumeAt = it.NextCrawlAt
	}
	soon := now.Add(m.rules.schedule.ErrorBase)
	if it.IndexPending {
		it.CheckAt(soon) // the site is not asked, so no politeness is needed
	} else {
		it.ResumeAt = time.Time{}
		if !m.unstored || it.Paused { // else a rebuild waits for another check
			it.Rebuilt(c.place.entry != nil && !failed || m.forced && failed)
		}
	}
	if c.place.soon && !failed && !it.Paused && soon.Before(it.NextCrawlAt) {
		it.CheckAt(soon)
	}
	if !failed { // after a force that failed the next try ignores the validators, too
		it.ReindexRequested = false
		it.ProcessedGeneration = it.ReindexGeneration
	}
	return it
}

// counted is the outcome that a check is counted by.
func counted(c checked, f registry.Finding) string {
	switch {
	case f.Purge:
		return "purged"
	case f.Failed:
		return string(schedule.Failed)
	case c.memory.indexOnly:
		return "indexed"
	default:
		return string(c.outcome.kind)
	}
}

// deadly is how long an item that killed its worker is left alone, at least.
const deadly = 24 * time.Hour

// giveUp records on an item that its job could not be processed (A19).
func giveUp(it *registry.Item, m memory, why string, now time.Time, jitter float64) {
	it.Status = registry.Error
	it.SetError(why)
	it.Record(now, "poisoned", why)
	plan(it, m, failed("%s", why), now, jitter)
}
