package registry

import (
	"context"
	"reflect"
	"slices"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// While a worker holds an item, people and sites go on asking for things. The commit then finds another item than the
// check has read, and must lose neither what the check has found nor what was asked. The result is the item as it would
// be if all that was asked had been asked right after the commit.

// meanwhile is an item that was written while a worker held it.
type meanwhile struct {
	read, now *Item     // as the worker's batch read it, and as it stands
	began     time.Time // when the worker locked it
}

// moved reports whether the next check was moved. One that was asked for in the very millisecond in which the lock
// began counts, too.
func (m meanwhile) moved() bool {
	return !m.now.NextCrawlAt.Equal(m.read.NextCrawlAt) || m.now.NextCrawlAt.Equal(m.began)
}

func (m meanwhile) rebuild() bool { return m.now.RebuildRun != m.read.RebuildRun }

// asked reports whether a check is asked for that the worker's check does not answer.
func (m meanwhile) asked(now time.Time) bool {
	return m.rebuild() || m.now.ReindexGeneration != m.read.ReindexGeneration || m.moved() && !m.now.NextCrawlAt.After(now)
}

// rebase has an item, as a check leaves it, take over what was asked of it meanwhile. Each of its records has a rule.
func (m meanwhile) rebase(it *Item, now time.Time) {
	it.etag = m.now.etag
	it.Identity, it.Asked = m.now.Identity, m.now.Asked // which no check writes
	m.rebasePlan(&it.Plan)
	m.rebaseSeen(&it.Seen, now)
	if !slices.Equal(m.read.Tags, it.Tags) { // the index was given those of before
		indexAgain(it, now)
	}
	// The lock is the worker's own.
}

// rebaseSeen keeps what the check has seen. Only what a person accepts of the next check, and the lines of history, are
// of others.
func (m meanwhile) rebaseSeen(s *Seen, now time.Time) {
	asked := m.asked(now)
	if asked || m.read.Collapse.Asked != m.now.Collapse.Asked {
		s.Collapse.Asked = m.now.Collapse.Asked
	}
	if asked || m.read.Watched.Asked != m.now.Watched.Asked {
		s.Watched.Asked = m.now.Watched.Asked
	}
	s.History = mergeHistory(s.History, m.now.History)
}

// rebasePlan keeps the check's plan, unless something is to be done sooner.
func (m meanwhile) rebasePlan(p *Plan) {
	p.ReindexRequested = m.now.ReindexGeneration > p.ProcessedGeneration
	if m.now.Level != m.read.Level {
		p.Level = m.now.Level
	}
	if m.moved() && !m.now.NextCrawlAt.Equal(Never) { // the page itself is asked for
		p.NextCrawlAt, p.IndexPending = earlier(p.NextCrawlAt, m.now.NextCrawlAt), false
	}
	if m.rebuild() { // what the check gave to the index may have been too early
		if m.now.IndexPending && !p.IndexPending {
			p.ResumeAt = p.NextCrawlAt
		}
		p.RebuildPending, p.IndexPending = m.now.RebuildPending, m.now.IndexPending
		p.NextCrawlAt = earlier(p.NextCrawlAt, m.now.NextCrawlAt)
	}
	if !p.GoneSince.IsZero() { // the time of a tombstone begins again when somebody wants the item
		p.GoneSince = policy.Later(p.GoneSince, m.now.GoneSince)
	}
}

// resettle plans the next check anew if what was set meanwhile has it at another time. One that was asked for stays.
func (r *store) resettle(ctx context.Context, it *Item, m meanwhile, now time.Time) error {
	if m.asked(now) {
		return nil
	}
	before, err := r.tags.Effective(ctx, m.read)
	if err != nil {
		return err
	}
	is, err := r.tags.Effective(ctx, it)
	if err != nil || it.Paused == m.read.Paused && m.now.Level == m.read.Level && reflect.DeepEqual(before, is) {
		return err
	}
	next, resumes := it.NextCrawlAt, it.ResumeAt
	why, err := replan(ctx, r, it, now)
	if why != "" && !(it.NextCrawlAt.Equal(next) && it.ResumeAt.Equal(resumes)) {
		it.Record(now, "scheduled", why)
	}
	return err
}

// mergeHistory adds to the check's decisions those of others that are newer than what the check had read.
func mergeHistory(ours, theirs []Decision) []Decision {
	seen := map[Decision]bool{}
	for _, d := range ours {
		seen[d] = true
	}
	for _, d := range theirs {
		if !seen[d] {
			ours = append(ours, d)
		}
	}
	slices.SortStableFunc(ours, func(a, b Decision) int { return a.At.Compare(b.At) })
	return ours[max(0, len(ours)-maxHistory):]
}
