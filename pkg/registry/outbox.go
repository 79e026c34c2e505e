package registry

import (
	"cmp"
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/feed"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// The transaction of a commit also writes the commit's changes to the host row, where they stay until the next commit
// of the host. The worker publishes the changes after the transaction. If the process dies in between, the changes
// are published later, by whichever of these comes first: the worker that receives the job's message again; the next
// commit of the host, which does not overwrite changes that are not in the feed; or the daily round of
// [Hosts.Recount].

// changesOf returns the changes that a finding makes to an item, as the feed has them.
func changesOf(was *Item, f *Finding, now time.Time) (out []feed.Change) {
	is := &f.Item
	if !f.Purge {
		out = changesOfPage(was, f, now)
	}
	if kind, why := membership(was, f); kind != "" {
		c := feed.Change{At: now, Kind: kind, Why: why, From: is.RawHash, Small: &feed.Small{Why: feed.SmallIndex}}
		if !f.Purge {
			c.To = is.RawHash
		}
		out = append(out, c)
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

// changesOfPage returns the changes of a page that a check has found.
func changesOfPage(was *Item, f *Finding, now time.Time) (out []feed.Change) {
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
		if was.Watched.Broken != "" {
			out[len(out)-1].Broke = was.Watched.Since
		}
	case !was.Watched.Long && is.Watched.Long:
		add(feed.WatchBroken, "what is watched has been empty since "+is.Watched.Since.Format(time.DateOnly))
		c := &out[len(out)-1]
		c.Silenced, c.Ignored = true, []feed.Ignored{{Rule: "watch: it is empty, which may be right"}}
	}
	switch {
	case !isFailing(was) && f.Failed && isFailing(is):
		add(feed.Failing, is.ErrorMessage)
		out[len(out)-1].Cause = f.Cause
	case isFailing(was) && !wasGone && !isFailing(is) && is.CrawlAttempts == 0:
		add(feed.Recovered, "the page was read again")
	}
	return out
}

// membership returns the kind of change that says that a page left the index for a reason other than its end, or came
// back, or was removed; "" if none.
func membership(was *Item, f *Finding) (kind feed.Kind, why string) {
	is := &f.Item
	switch {
	case f.Purge && is.MovedTo != "":
		return feed.ItemRemoved, "its address is now that of " + string(is.MovedTo)
	case f.Purge && was.ContentHash != "":
		return feed.ItemRemoved, "the page was removed"
	case f.Purge:
	case was.IndexedHash != "" && is.IndexedHash == "" && is.Status == OutOfScope:
		return feed.ItemLeft, cmp.Or(is.ErrorMessage, is.Exclusion)
	case was.IndexedHash == "" && is.IndexedHash != "" && (!was.LeftAt.IsZero() || was.Status == OutOfScope):
		return feed.ItemReturned, "the page may be indexed again"
	}
	return "", ""
}

// isFailing reports whether the item's last checks failed often enough to be told, or its host is out of reach. Checks
// that found it missing count only with a later failure, because what is told of a page that is still missing is that
// it is gone.
func isFailing(it *Item) bool {
	return it.CrawlAttempts-it.MissingChecks >= feed.FailingAfter || !it.UnreachedSince.IsZero()
}

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

// Fail records, on every item of a job, that the job could not be processed (A19: the poison queue). It does not
// change items that a worker has checked in spite of this, or holds now.
func (r *Jobs) Fail(ctx context.Context, job Job, decide func(it *Item, now time.Time)) error {
	return r.failEach(ctx, hostID{Partition: job.PartitionKey, Host: job.Host}, "poisoned", job.hashes(),
		func(h *hostRecord, items []Item, now time.Time) (out []*Item) {
			for _, it := range eligible(items, job, now) {
				decide(it, now)
				it.Rebuilt(false)
				it.IndexPending = false // the snapshot may have caused the failure
				h.Rates.Add(false, true)
				h.Policy.Count(now, false, true)
				h.Answers = false
				out = append(out, it)
			}
			return out
		})
}

// failEach writes those items that the given function has changed because they fail, and publishes that with the cause.
func (r *Jobs) failEach(ctx context.Context, id hostID, cause string, hashes []string,
	fail func(h *hostRecord, items []Item, now time.Time) []*Item) error {
	token := r.s.Options.Token()
	var written *hostRecord
	err := r.s.ChangeHost(ctx, id, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		if err := r.s.Announce(ctx, h); err != nil {
			return nil, err // stop, because the transaction might overwrite the host's outbox
		}
		items, err := r.s.LoadItems(ctx, id.Partition, hashes)
		if err != nil {
			return nil, err
		}
		now, c, changes := r.s.Now(), hostChange{}, []feed.Change(nil)
		before := map[storage.Key]Item{}
		for _, it := range items {
			before[it.Key()] = it
		}
		for _, it := range fail(h, items, now) {
			was := before[it.Key()]
			changes = append(changes, changesOf(&was, &Finding{Item: *it, Failed: true, Cause: cause}, now)...)
			h.recount(tallyOf(&was), tallyOf(it))
			c.Ops = append(c.Ops, it.Write(was.NextCrawlAt, now)...) // also the due row, which no job has
			c.Hint = policy.Earlier(c.Hint, it.NextCrawlAt)
		}
		if c.Ops == nil {
			return nil, nil
		}
		if written = h; len(changes) > 0 {
			since, err := r.s.Options.Feed.Segment(ctx)
			h.Outbox = feed.Group{ID: token, Since: since, Changes: changes}
			return &c, err
		}
		return &c, nil
	})
	if err == nil && written != nil {
		r.s.AnnounceLater(ctx, written)
	}
	return err
}
