package item

import (
	"slices"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// While a worker holds an item, people and sites go on asking for things. The commit then finds another item than the
// check has read, and must lose neither what the check has found nor what was asked. The result is the item as it would
// be if all that was asked had been asked right after the commit.

// Meanwhile is an item that was written while a worker held it.
type Meanwhile struct {
	Read, Now *Item     // as the worker's batch read it, and as it stands
	Began     time.Time // when the worker locked it
}

// moved reports whether the next check was moved. One that was asked for in the very millisecond in which the lock
// began counts, too.
func (m Meanwhile) moved() bool {
	return !m.Now.NextCrawlAt.Equal(m.Read.NextCrawlAt) || m.Now.NextCrawlAt.Equal(m.Began)
}

func (m Meanwhile) rebuild() bool { return m.Now.RebuildRun != m.Read.RebuildRun }

// Asked reports whether a check is asked for that the worker's check does not answer.
func (m Meanwhile) Asked(now time.Time) bool {
	return m.rebuild() || m.Now.ReindexGeneration != m.Read.ReindexGeneration || m.moved() && !m.Now.NextCrawlAt.After(now)
}

// Rebase has an item, as a check leaves it, take over what was asked of it meanwhile. Each of its records has a rule.
func (m Meanwhile) Rebase(it *Item, now time.Time) {
	it.etag = m.Now.etag
	it.Identity, it.Asked = m.Now.Identity, m.Now.Asked // which no check writes
	m.rebasePlan(&it.Plan)
	m.rebaseSeen(&it.Seen, now)
	if !slices.Equal(m.Read.Tags, it.Tags) { // the index was given those of before
		IndexAgain(it, now)
	}
	// The lock is the worker's own.
}

// rebaseSeen keeps what the check has seen. Only what a person accepts of the next check, and the lines of history, are
// of others.
func (m Meanwhile) rebaseSeen(s *Seen, now time.Time) {
	asked := m.Asked(now)
	if asked || m.Read.Collapse.Asked != m.Now.Collapse.Asked {
		s.Collapse.Asked = m.Now.Collapse.Asked
	}
	if asked || m.Read.Watched.Asked != m.Now.Watched.Asked {
		s.Watched.Asked = m.Now.Watched.Asked
	}
	s.History = mergeHistory(s.History, m.Now.History)
}

// rebasePlan keeps the check's plan, unless something is to be done sooner.
func (m Meanwhile) rebasePlan(p *Plan) {
	p.ReindexRequested = m.Now.ReindexGeneration > p.ProcessedGeneration
	if m.Now.Level != m.Read.Level {
		p.Level = m.Now.Level
	}
	if m.moved() && !m.Now.NextCrawlAt.Equal(Never) { // the page itself is asked for
		p.NextCrawlAt, p.IndexPending = policy.Earlier(p.NextCrawlAt, m.Now.NextCrawlAt), false
	}
	if m.rebuild() { // what the check gave to the index may have been too early
		if m.Now.IndexPending && !p.IndexPending {
			p.ResumeAt = p.NextCrawlAt
		}
		p.RebuildPending, p.IndexPending = m.Now.RebuildPending, m.Now.IndexPending
		p.NextCrawlAt = policy.Earlier(p.NextCrawlAt, m.Now.NextCrawlAt)
	}
	if !p.GoneSince.IsZero() { // the time of a tombstone begins again when somebody wants the item
		p.GoneSince = policy.Later(p.GoneSince, m.Now.GoneSince)
	}
}
