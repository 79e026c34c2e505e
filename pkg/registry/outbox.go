package registry

import (
	"cmp"
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/feed"
)

// The transaction of a commit also writes the commit's changes to the host row, where they stay until the next commit
// of the host. The worker publishes the changes after the transaction. If the process dies in between, the changes
// are published later, by whichever of these comes first: the worker that receives the job's message again; the next
// commit of the host, which does not overwrite changes that are not in the feed; or the daily round of
// [Hosts.Recount].

// changesOf returns the changes that a finding makes to an item, as the feed has them. A removal by a person is not a
// change.
func changesOf(was *Item, f *Finding, now time.Time) (out []feed.Change) {
	if f.Purge {
		return nil
	}
	is := &f.Item
	add := func(kind feed.Kind, why string) {
		out = append(out, feed.Change{At: now, Kind: kind, Why: why, From: was.RawHash, To: is.RawHash})
	}
	wasGone, isGone := !was.GoneSince.IsZero(), !is.GoneSince.IsZero()
	switch {
	case isGone && !wasGone && was.ContentHash != "":
		add(feed.Gone, is.ErrorMessage)
	case wasGone && !isGone && is.ContentHash != "" && !f.Failed:
		add(feed.Back, "the page is there again")
		if f.News != nil {
			back := *f.News
			back.Kind, back.Silenced = feed.Back, false
			out[0] = back
		}
	case f.News != nil:
		out = append(out, *f.News)
	}
	out = append(out, f.Listed...)
	switch broken, wasBroken := BrokenWatch(is), BrokenWatch(was); {
	case wasBroken == "" && broken != "":
		add(feed.WatchBroken, broken)
	case wasBroken != "" && broken == "" && (was.Watched.Broken == "" || is.Watched.Works()):
		why := "what is watched is there again"
		if was.Watched.Asked {
			why = "somebody says that what is watched is right now"
		}
		add(feed.WatchRestored, why)
	}
	switch {
	case !isFailing(was) && f.Failed && isFailing(is):
		add(feed.Failing, is.ErrorMessage)
	case isFailing(was) && !wasGone && is.CrawlAttempts == 0:
		add(feed.Recovered, "the page was read again")
	}
	for i := range out {
		c := &out[i]
		c.ItemID, c.Type, c.Host = string(is.ID), string(is.Type), is.SourceHost
		c.URL, c.Tags = words.ClipRunes(is.DisplaySource, maxErrorMessage), is.Tags
		c.Title = words.ClipRunes(is.Title, 300)
		c.Why = words.ClipRunes(c.Why, 300)
	}
	return out
}

// isFailing reports whether the item's last checks failed often enough to be told. Checks that found it missing count
// only with a later failure, because what is told of a page that is still missing is that it is gone.
func isFailing(it *Item) bool { return it.CrawlAttempts-it.MissingChecks >= feed.FailingAfter }

// prepareOutbox does what must happen before the commit of changes: it learns the segment of the feed, and writes
// what differs in changes whose passages are not all of it, so that everybody who reads such a change finds its
// difference.
func (c *commit) prepareOutbox(ctx context.Context) error {
	var changes []*feed.Change
	for _, p := range c.done {
		for i := range p.changes {
			changes = append(changes, &p.changes[i])
		}
	}
	if len(changes) == 0 || c.since > 0 {
		return nil
	}
	since, err := c.r.s.Options.Feed.Segment(ctx)
	if err != nil {
		return err
	}
	if err := c.r.s.Options.Feed.Keep(ctx, since, changes); err != nil {
		return err
	}
	c.since = since
	return nil
}

// outbox returns the changes of the commit.
func (c *commit) outbox() (g feed.Group) {
	for _, p := range c.done {
		g.Changes = append(g.Changes, p.changes...)
	}
	if len(g.Changes) > 0 {
		g.ID, g.Since = c.id, c.since
	}
	return g
}

// Watched is the state of the part of a page that is watched (W10). It is zero for an item whose whole content is
// watched.
type Watched struct {
	// Key identifies the rules under which the other fields were computed, and the version of these rules.
	Key string `json:"key"`
	// States are short hashes of the part's last texts, as in [Seen].States. States is empty if the part was never
	// found.
	States  []byte `json:"states,omitempty"`
	Letters int    `json:"letters,omitempty"` // number of letters in the part when it was last found
	// Broken is the reason why the part is missing or not as expected (W16). It is empty while the part is as
	// expected. While Broken is set, States keeps the hashes of the last texts that were as expected.
	Broken string    `json:"broken,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	// BrokenRaw is the hash of the body in which the part was not as expected. If only the part is indexed, that body
	// is not stored.
	BrokenRaw string `json:"brokenRaw,omitempty"`
	// Empty records that a person has accepted that there is no such part.
	Empty bool `json:"empty,omitempty"`
	// Asked records that a person accepts whatever the next reading finds.
	Asked bool `json:"asked,omitempty"`
}

// Works reports whether a part is watched and was found as expected.
func (w *Watched) Works() bool { return w.Key != "" && w.Broken == "" }

// BrokenWatch says what is watched and is not there: the watched part, or the source of a field. It is empty if
// everything is there.
func BrokenWatch(it *Item) string { return cmp.Or(it.Watched.Broken, it.Fields.Broken()) }
