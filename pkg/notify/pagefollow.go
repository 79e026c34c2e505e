package notify

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/digest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// pageState is the row with the recent messages of a rule for one page, and what it has gathered. The rule has such a
// row only for some time after a change.
type pageState struct {
	Gathered gathered  `col:"gathered,gzip"`
	Due      time.Time `col:"due"` // when the state is needed next; zero in a row of an older release
}

var pageStates = row.Of[pageState]()

const pageStateAs = "p"

func pageStateKey(id string) storage.Key {
	return storage.Key{Partition: partition, Row: pageStateAs + id}
}

// gatheredOf returns the number of changes that wait for the digest of a rule for one page.
func gatheredOf(ctx context.Context, rows storage.Table, id string) (int, error) {
	kept, _, err := pageStates.Load(ctx, rows, pageStateKey(id))
	return kept.Gathered.Gathered, err
}

// forget removes the state of a rule for one page.
func forget(ctx context.Context, rows storage.Table, id string) error {
	_, err := rows.Transact(ctx, storage.Op{Kind: storage.Delete,
		Entity: storage.Entity{Key: pageStateKey(id), ETag: storage.AnyETag}})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// heldState is the state of a rule for one page within a step.
type heldState struct {
	gathered
	due     time.Time
	etag    storage.ETag
	changed bool
	over    bool // nothing remains to be kept
}

// written reports whether a step writes the state.
func (h *heldState) written() bool { return h.changed && (!h.over || h.etag != "") }

// held are the rules for one page in a step, and their states.
type held struct {
	since  *feed.Position // nil if there are no such rules
	rules  map[string][]rule
	states map[string]*heldState
	writes int // number of states that the step writes
}

// set changes a state.
func (all *held) set(h *heldState, g gathered, due time.Time, over bool) {
	if h.written() {
		all.writes--
	}
	if h.gathered, h.due, h.changed, h.over = g, due, true, over; h.written() {
		all.writes++
	}
}

// ofPage returns the rules for the page of a change. A step reads those of a page once.
func (p *pass) ofPage(ctx context.Context, item string) (out []rule, err error) {
	if p.held.since == nil {
		return nil, nil
	}
	out, known := p.held.rules[item]
	if !known {
		out, err = p.s.book.ofPage(ctx, item)
		p.held.rules[item] = out
	}
	return out, err
}

// gathered returns what a rule has gathered.
func (p *pass) gathered(ctx context.Context, r *rule) (gathered, error) {
	if !isOfPage(r.ID) {
		return p.state.Rules[r.ID], nil
	}
	h, known := p.held.states[r.ID]
	if !known {
		kept, etag, err := pageStates.Load(ctx, p.s.rows, pageStateKey(r.ID))
		if err != nil {
			return gathered{}, err
		}
		h = &heldState{gathered: kept.Gathered, due: kept.Due, etag: etag}
		p.held.states[r.ID] = h
	}
	return h.gathered, nil
}

// keep records what a rule has gathered.
func (p *pass) keep(r *rule, g gathered) {
	p.changed = true
	if !isOfPage(r.ID) {
		p.state.Rules[r.ID] = g
		return
	}
	due := r.due(g, p.now)
	p.held.set(p.held.states[r.ID], g, due, false)
	p.wake(due)
}

// due returns when the state of a rule for one page is needed next: for its digest, or to be removed.
func (r *rule) due(g gathered, now time.Time) time.Time {
	if g.Gathered == 0 {
		return now.Add(digest.Calm)
	}
	return r.plan.Due(g.State)
}

// wake makes sure that a step at that time, or a later one, reads the states of rules for one page.
func (p *pass) wake(at time.Time) {
	if p.state.Due.IsZero() || at.Before(p.state.Due) {
		p.state.Due, p.changed = at, true
	}
}

// stateOps returns the operations on the states of rules for one page.
func (p *pass) stateOps() (ops []storage.Op) {
	for id, h := range p.held.states {
		switch {
		case !h.written():
		case !h.over:
			ops = append(ops, pageStates.Put(pageStateKey(id), h.etag, &pageState{h.gathered, h.due}))
		default:
			ops = append(ops, storage.Op{Kind: storage.Delete,
				Entity: storage.Entity{Key: pageStateKey(id), ETag: h.etag}})
		}
	}
	return ops
}

// pageDigests writes the digests of rules for one page that are due, and removes states that are not needed any more.
// It reads them only when one of them is due. It reports whether some did not fit into the transaction; the next step
// then reads the states again.
func (p *pass) pageDigests(ctx context.Context, atEnd bool) (full bool, err error) {
	if p.state.Due.IsZero() || p.now.Before(p.state.Due) {
		return false, nil
	}
	p.state.Due, p.changed = time.Time{}, true
	defer func() {
		if full {
			p.wake(p.now)
		}
	}()
	query := storage.Query{Partition: partition, RowFrom: pageStateAs, RowTo: pageStateAs + "~"}
	for e, err := range p.s.rows.Query(ctx, query) {
		if err != nil {
			return false, err
		}
		id := e.Row[len(pageStateAs):]
		h := p.held.states[id]
		if h == nil {
			kept, _ := pageStates.Decode(e.Props) // a damaged state is removed
			h = &heldState{gathered: kept.Gathered, due: kept.Due, etag: e.ETag}
		}
		if p.now.Before(h.due) {
			p.wake(h.due)
			continue
		}
		p.held.states[id] = h
		if full, err = p.pageDigest(ctx, id, atEnd); full || err != nil {
			return full, err
		}
	}
	for id, h := range p.held.states {
		if h.changed && h.etag == "" && p.now.Before(h.due) {
			p.wake(h.due)
		} else if h.changed && h.etag == "" {
			if full, err = p.pageDigest(ctx, id, atEnd); full || err != nil {
				return full, err
			}
		}
	}
	return false, nil
}

// pageDigest does what is due for one rule for one page.
func (p *pass) pageDigest(ctx context.Context, id string, atEnd bool) (full bool, err error) {
	h := p.held.states[id]
	end := func() { p.held.set(h, gathered{}, time.Time{}, true) }
	r, _, err := p.s.book.rule(ctx, id)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && r.Off:
		end()
		return p.room() < maxTargets, nil
	case err != nil:
		return false, err
	case r.Problem != "":
		p.wake(p.now.Add(time.Hour))
		return false, nil
	case h.Gathered == 0:
		if r.plan.Idle(h.State, p.now) {
			end()
		} else {
			p.wake(p.now.Add(digest.Calm))
		}
		return p.room() < maxTargets, nil
	case !r.plan.Ready(h.State, p.now):
		p.wake(r.plan.Due(h.State))
		return false, nil
	case !atEnd && p.now.Sub(h.First) < digest.Patience:
		p.wake(p.now)
		return false, nil
	case p.room() < 1+len(r.Channels):
		p.wake(p.now)
		return true, nil
	}
	if full, err = p.write(ctx, &r, h.gathered); full || err != nil {
		return full, err
	}
	end()
	return false, nil
}

// gatheredChanges yields the changes of a digest: those of a rule for one page by their positions, and those of any
// other rule from the feed.
func (s *Follower) gatheredChanges(ctx context.Context, g gathered, yield func(feed.Change, error) bool) {
	if len(g.IDs) == 0 {
		from, _ := feed.ParsePosition(g.Since)
		s.feed.Oldest(ctx, from)(yield)
		return
	}
	for _, id := range g.IDs {
		c, err := s.feed.At(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if !yield(c, err) {
			return
		}
	}
}
