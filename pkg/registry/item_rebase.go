package registry

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// While a worker holds an item, people and sites may request changes of the item. The commit then finds that the row
// has changed since the check read it. It must lose neither the findings nor the requests. The result is the item as
// if all requests had been made right after the commit.

// meanwhile is an item that was written while a worker held it.
type meanwhile struct {
	Read, Now *Item     // the item as the worker's batch read it, and as it is stored now
	Began     time.Time // when the worker locked the item
}

// moved reports whether a request has moved the next check. This includes a request in the millisecond in which the
// lock began.
func (m meanwhile) moved() bool {
	return !m.Now.NextCrawlAt.Equal(m.Read.NextCrawlAt) || m.Now.NextCrawlAt.Equal(m.Began)
}

func (m meanwhile) rebuild() bool { return m.Now.RebuildRun != m.Read.RebuildRun }

// Asked reports whether someone requested a check, and the worker's check does not satisfy that request.
func (m meanwhile) Asked(now time.Time) bool {
	return m.rebuild() || m.Now.ReindexGeneration != m.Read.ReindexGeneration || m.moved() && !m.Now.NextCrawlAt.After(now)
}

// rebase applies the requests that were made in the meantime to an item that has a check's findings. Each record has
// a rule of its own.
func (m meanwhile) rebase(it *Item, now time.Time) {
	it.etag = m.Now.etag
	it.Identity, it.Asked = m.Now.Identity, m.Now.Asked // checks do not write these records
	m.rebasePlan(&it.Plan)
	m.rebaseSeen(&it.Seen, now)
	if !slices.Equal(m.Read.Tags, it.Tags) { // the check has indexed the page with its earlier tags
		indexAgain(it, now)
	}
	// The record Lock is not changed, because the lock belongs to the worker.
}

// rebaseSeen keeps what the check has found. Only four things are taken from other writers: a person's acceptance of
// what the next check finds, the sum of what moves, rules that ask for the values of fields, and entries of the
// history.
func (m meanwhile) rebaseSeen(s *Seen, now time.Time) {
	asked := m.Asked(now)
	if asked || m.Read.Collapse.Asked != m.Now.Collapse.Asked {
		s.Collapse.Asked = m.Now.Collapse.Asked
	}
	if asked || m.Read.Watched.Asked != m.Now.Watched.Asked {
		s.Watched.Asked = m.Now.Watched.Asked
	}
	if m.Read.Watched.Long && !m.Now.Watched.Long {
		s.Watched.acceptEmpty()
	}
	if s.Moving == m.Read.Moving { // a person's decision counts in the sum
		s.Moving = m.Now.Moving
	}
	for _, rule := range m.Now.Fields.Asking() {
		if !slices.Contains(m.Read.Fields.Asking(), rule) {
			s.Fields.Ask(rule)
		}
	}
	s.History = mergeHistory(s.History, m.Now.History)
}

// rebasePlan keeps the plan of the check, unless something is to be done sooner.
func (m meanwhile) rebasePlan(p *Plan) {
	p.ReindexRequested = m.Now.ReindexGeneration > p.ProcessedGeneration
	if m.Now.Level != m.Read.Level {
		p.Level = m.Now.Level
	}
	if m.moved() && !m.Now.NextCrawlAt.Equal(Never) { // a check of the page itself was requested
		p.NextCrawlAt, p.IndexPending = policy.Earlier(p.NextCrawlAt, m.Now.NextCrawlAt), false
	}
	if m.rebuild() { // the check may have written the index before the rebuild was requested
		if m.Now.IndexPending && !p.IndexPending {
			p.ResumeAt = p.NextCrawlAt
		}
		p.RebuildPending, p.IndexPending = m.Now.RebuildPending, m.Now.IndexPending
		p.NextCrawlAt = policy.Earlier(p.NextCrawlAt, m.Now.NextCrawlAt)
	}
	if !p.GoneSince.IsZero() { // the retention of a tombstone starts again when the item is wanted
		p.GoneSince = policy.Later(p.GoneSince, m.Now.GoneSince)
	}
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
	Since  time.Time `json:"since,omitzero"` // when the part broke, or became empty
	// BrokenRaw is the hash of the body in which the part was not as expected. If only the part is indexed, that body
	// is not stored.
	BrokenRaw string `json:"brokenRaw,omitempty"`
	// Good is the hash of the body before the one in which the part broke.
	Good string `json:"good,omitempty"`
	// Empty records that the part is expected to be empty: the page around it is as it was with it, or a person has
	// accepted that there is no such part. In the second case, Since is zero.
	Empty bool `json:"empty,omitempty"`
	// Long records that the part has been empty for [api.EmptyFor], which was said once.
	Long bool `json:"long,omitempty"`
	// Asked records that a person accepts whatever the next reading finds.
	Asked bool `json:"asked,omitempty"`
}

// Stands records that a check has found the part as it was, or has changed what it is.
func (w *Watched) Stands(now time.Time) {
	w.Long = w.Long || w.Empty && !w.Since.IsZero() && now.Sub(w.Since) >= api.EmptyFor
}

// acceptEmpty notes that a person knows of a part that has been empty for long. Nothing more is said of that.
func (w *Watched) acceptEmpty() {
	if w.Long {
		w.Long, w.Since = false, time.Time{}
	}
}

// Works reports whether a part is watched and was found as expected.
func (w *Watched) Works() bool { return w.Key != "" && w.Broken == "" }

// BrokenWatch says what is watched and is not there: the watched part, or the source of a field. It is empty if
// everything is there.
func BrokenWatch(it *Item) string { return cmp.Or(it.Watched.Broken, it.Fields.Broken()) }
