package notify

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/mute"
	"github.com/tidemark/tidemark/pkg/policy/digest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	perStep     = 500 // number of changes per step
	maxExamined = 5000
	// maxRows is the number of bytes of new deliveries at which a step ends. It leaves room in the transaction for the
	// states of all rules and for the messages of one more rule.
	maxRows = 2 << 20
)

// gathered records a rule's recent deliveries, and the changes that are waiting for its next digest: those changes
// after the position Since, up to the position Final, that the rule matches.
type gathered struct {
	digest.State

	Since string         `json:"since,omitempty"`
	Final string         `json:"final,omitempty"`
	Kinds map[string]int `json:"kinds,omitempty"`
	// IDs are the positions of the first changes that a rule for one page has gathered.
	IDs []string `json:"ids,omitempty"`
	// Began is the position after which the rule reports changes, if that is not in the row of the rule. This is the
	// case for a rule from a file, and after an older copy of the store was restored.
	Began string `json:"began,omitempty"`
}

// state is the position in the feed, with what each rule has gathered.
type state struct {
	Position string              `col:"place"`
	Rules    map[string]gathered `col:"rules,gzip"`
	Due      time.Time           `col:"due"` // when a state of a rule for one page is needed next; zero if none is
}

var (
	stateRows = row.Of[state]()
	stateKey  = storage.Key{Partition: partition, Row: "state"}
)

func (s *base) loadState(ctx context.Context) (state, storage.ETag, error) {
	return stateRows.Load(ctx, s.rows, stateKey)
}

// Report counts what one call of [Follower.Follow] did.
type Report struct{ Examined, Deliveries, Resent int }

// Follow reads new changes from the feed, decides which channels are notified, and sends lost messages again. Any
// number of processes may call it at the same time.
func (s *Follower) Follow(ctx context.Context) (report Report, err error) {
	for more := true; more && err == nil && ctx.Err() == nil; {
		more, err = s.step(ctx, &report)
	}
	if fault.Lost(err) {
		err = nil // another process has performed this step
	}
	return report, errors.Join(err, s.resend(ctx, &report))
}

// step performs one transaction. It reports whether there is work for another step.
func (s *Follower) step(ctx context.Context, report *Report) (more bool, err error) {
	all, err := s.book.all(ctx)
	if err != nil || len(all.rules) == 0 && !all.pages {
		return false, err
	}
	st, etag, err := s.loadState(ctx)
	if err != nil {
		return false, err
	}
	p := newPass(s, all, st)
	if err := p.begin(ctx, etag == ""); err != nil {
		return false, err
	}
	looked, more, err := p.read(ctx)
	if err != nil {
		return false, err
	}
	full, err := p.digests(ctx, !more)
	if err != nil || !p.changed && etag != "" {
		return false, err
	}
	ops := append(p.stateOps(), stateRows.Put(stateKey, etag, &p.state))
	ops = slices.AppendSeq(ops, maps.Values(p.ids))
	if _, err := s.rows.Transact(ctx, ops...); err != nil {
		return false, err
	}
	report.Examined += looked
	report.Deliveries += len(p.ids)
	for id := range p.ids {
		if err := s.enqueue(ctx, id, 0); err != nil {
			return false, err // resend sends the remaining messages later
		}
	}
	return more || full, nil
}

// pass is the state of a step before its commit.
type pass struct {
	s       *Follower
	now     time.Time
	rules   []rule
	state   state
	changed bool
	at      feed.Position
	ids     map[string]storage.Op // the rows of new deliveries, by id
	bytes   int                   // size of these rows
	left    effort                // for the rest of the step
	muted   mute.Set              // nil until it is first needed
	links   *links                // the same
	held    held
}

// newPass begins a step. Rules that are switched off take no part, so what they had gathered is forgotten.
func newPass(s *Follower, all rules, st state) *pass {
	p := &pass{s: s, now: s.now(), state: st, ids: map[string]storage.Op{}, left: maxEffort,
		held: held{rules: map[string][]rule{}, states: map[string]*heldState{}}}
	p.rules = slices.DeleteFunc(all.rules, func(r rule) bool { return r.Off })
	if all.pages {
		p.held.since = &all.since
	}
	return p
}

// begin sets the position from which the step continues. It removes the state of deleted rules, and sets the first
// position of new rules from the file.
func (p *pass) begin(ctx context.Context, first bool) error {
	if p.state.Rules == nil {
		p.state.Rules = map[string]gathered{}
	}
	for id := range p.state.Rules {
		if !slices.ContainsFunc(p.rules, func(r rule) bool { return r.ID == id }) {
			delete(p.state.Rules, id)
			p.changed = true
		}
	}
	if len(p.rules) == 0 && p.held.since == nil {
		return nil
	}
	earliest := p.held.since
	for i := range p.rules {
		r := &p.rules[i]
		if r.Origin == FromFile && p.state.Rules[r.ID].Began == "" {
			end, err := p.s.feed.End(ctx)
			if err != nil {
				return err
			}
			p.beginAt(r.ID, end)
		}
		if began, err := feed.ParsePosition(p.state.Rules[r.ID].Began); err == nil {
			r.since = began
		}
		if earliest == nil || earliest.After(r.since) {
			earliest = &r.since
		}
	}
	if !first {
		p.at, _ = feed.ParsePosition(p.state.Position)
	}
	if earliest.After(p.at) { // before this position, no rule reports changes
		p.at = *earliest
	}
	return nil
}

// beginAt makes a rule report only changes after the given position.
func (p *pass) beginAt(id string, at feed.Position) {
	g := p.state.Rules[id]
	g.Began, p.changed = at.String(), true
	p.state.Rules[id] = g
}

// room returns the number of further deliveries that fit into the transaction.
func (p *pass) room() int {
	if p.bytes >= maxRows {
		return 0
	}
	return storage.MaxOps - 1 - len(p.ids) - p.held.writes
}

// add adds deliveries to the transaction.
func (p *pass) add(all map[string]storage.Op) {
	maps.Copy(p.ids, all)
	p.bytes += sizeOf(all)
}

// read lets the rules decide about new changes. It stops when no further delivery fits into the transaction, and when
// the effort of the step is used up.
func (p *pass) read(ctx context.Context) (looked int, more bool, err error) {
	if len(p.rules) == 0 && p.held.since == nil {
		return 0, false, nil
	}
	before := p.at
	defer func() {
		if p.state.Position != p.at.String() {
			p.state.Position, p.changed = p.at.String(), true
		}
	}()
	for c, err := range p.s.feed.Oldest(ctx, before) {
		if fault.Is(err, fault.Expired) {
			return p.afresh(ctx)
		}
		if err != nil {
			return looked, false, err
		}
		if looked == perStep || p.room() < maxTargets || p.left <= 0 {
			return looked, true, nil
		}
		looked++
		own, err := p.ofPage(ctx, c.ItemID)
		if err != nil {
			return looked, false, err
		}
		// Rules for the page come first: for them, there is always room in the transaction.
		if err := p.decide(ctx, c, slices.Concat(own, p.rules)); err != nil {
			return looked, false, err
		}
		p.at = c.Position
	}
	return looked, false, nil
}

// afresh continues with the oldest change that the feed still contains. After an older copy of the store was
// restored, the position of a rule may be beyond the end of the feed. The rule then begins at the end.
func (p *pass) afresh(ctx context.Context) (looked int, more bool, err error) {
	p.s.o.Log.ErrorContext(ctx, "changes were purged, or the store was restored, before rules had seen them; "+
		"going on with the oldest that is kept", "place", p.at.String())
	end, err := p.s.feed.End(ctx)
	if err != nil {
		return 0, false, err
	}
	for _, r := range p.rules {
		if r.since.After(end) {
			p.beginAt(r.ID, end)
		}
	}
	if err := p.s.book.pagesBeginAt(ctx, p.held.since, end); err != nil {
		return 0, false, err
	}
	p.at = end
	for c, err := range p.s.feed.Oldest(ctx, feed.Position{}) {
		if err != nil {
			return 0, false, err
		}
		p.at = feed.Position{Segment: c.Position.Segment}
		break
	}
	p.changed = true
	return 0, true, nil
}

// decide lets rules decide about a change.
func (p *pass) decide(ctx context.Context, c feed.Change, all []rule) error {
	c, err := withDifference(ctx, p.s.feed, c, all...)
	if err != nil {
		return err
	}
	left, room := maxEffort, len(p.ids)+maxTargets
	alike := sync.OnceValue(c.AlikeKey)
	defer func() { p.left -= maxEffort - left }()
	for i := range all {
		r := &all[i]
		if !c.Position.After(r.since) {
			continue
		}
		if met, err := r.meets(ctx, c, &left); err != nil {
			return err
		} else if !met {
			continue
		}
		muted, err := p.mutes(ctx)
		if err != nil {
			return err
		}
		if isOfPage(r.ID) {
			room-- // for the state of the rule
		}
		if hidden(muted, r, c) {
			continue
		}
		fits := p.bytes < maxRows && len(p.ids)+len(r.Channels) <= room
		if err := p.report(ctx, r, c, reported{alike(), muted, fits}); err != nil {
			return err
		}
	}
	return nil
}

// reported is what decides how a change that a rule matches is reported.
type reported struct {
	alike string
	muted mute.Set
	room  bool // whether messages of its own fit into the transaction
}

// report sends a change that a rule matches as a message of its own, or gathers it. A mute that began after the change
// still stops a message of its own; a digest asks for the mutes when it is written.
func (p *pass) report(ctx context.Context, r *rule, c feed.Change, by reported) error {
	g, err := p.gathered(ctx, r)
	if err != nil {
		return err
	}
	idle := g.Gathered == 0
	single := by.room && r.plan.Add(&g.State, by.alike, p.now)
	to, err := p.linking(ctx)
	if err != nil {
		return err
	}
	switch {
	case single && !by.muted.Cover(c.ItemID, r.ID, p.now):
		for _, name := range r.Channels {
			id, d := p.s.single(r, name, c, to, p.now)
			p.add(map[string]storage.Op{id: waiting(id, d)})
		}
	case !single:
		if !by.room {
			g.Gather(p.now)
		}
		if idle {
			g.Since, g.Kinds = p.at.String(), map[string]int{}
		}
		if g.Final = c.Position.String(); isOfPage(r.ID) && len(g.IDs) < inDigest {
			g.IDs = append(g.IDs, g.Final)
		}
		g.Kinds[string(c.Kind)]++
	}
	p.keep(r, g)
	return nil
}

// digests writes the digests that are due. It reports whether some did not fit into the transaction. Before the step
// has reached the end of the feed, digests writes only those that cannot wait, so that the changes of a burst share a
// digest.
func (p *pass) digests(ctx context.Context, atEnd bool) (full bool, err error) {
	for i := range p.rules {
		r := &p.rules[i]
		g := p.state.Rules[r.ID]
		if r.Problem != "" || !r.plan.Ready(g.State, p.now) || !atEnd && p.now.Sub(g.First) < digest.Patience {
			continue
		}
		if p.room() < len(r.Channels) {
			full = true
			continue
		}
		if tooMany, err := p.write(ctx, r, g); err != nil {
			return full, err
		} else if tooMany {
			full = true
			continue
		}
		p.state.Rules[r.ID] = gathered{Began: g.Began}
		p.changed = true
	}
	more, err := p.pageDigests(ctx, atEnd)
	return full || more, err
}

// write writes the digest of a rule, unless all of its changes are muted by now. It reports whether the digest does not
// fit into the transaction; then none after it does.
func (p *pass) write(ctx context.Context, r *rule, g gathered) (full bool, err error) {
	muted, err := p.mutes(ctx)
	if err != nil {
		return false, err
	}
	if isOfPage(r.ID) && muted.Cover(r.Filter.ItemID, r.ID, p.now) {
		return false, nil // also of changes that the digest does not list
	}
	some, lines, kinds, err := p.s.listed(ctx, r, g, muted)
	if err != nil {
		return false, err
	}
	if g = g.without(kinds); g.Gathered <= 0 || len(lines.All) == 0 && len(kinds) > 0 {
		return false, nil
	}
	to, err := p.linking(ctx)
	if err != nil {
		return false, err
	}
	all := p.s.digests(r, g, some, lines, to, p.now)
	if len(p.ids) > 0 && p.bytes+sizeOf(all) > maxRows {
		p.bytes = max(p.bytes, maxRows)
		return true, nil
	}
	p.add(all)
	return false, nil
}

// resend finds the deliveries that no worker has claimed for a long time, and sends their messages again.
func (s *Follower) resend(ctx context.Context, report *Report) error {
	late := s.now().Add(-lostAfter)
	query := storage.Query{Partition: partition, RowFrom: waitingAs, RowTo: waitingAs + "~", Select: shownColumns}
	for e, err := range s.rows.Query(ctx, query) {
		if err != nil {
			return err
		}
		d, err := deliveryRows.Decode(e.Props)
		if err != nil || d.Next.After(late) || d.Claimed.After(late) {
			continue
		}
		// The new time prevents the next round from sending another message.
		_, err = s.rows.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: e.Key, ETag: e.ETag,
			Props: storage.Properties{"next": storage.FormatTime(s.now())}}})
		if fault.Lost(err) {
			continue
		}
		if err == nil {
			err = s.enqueue(ctx, e.Row[1:], 0)
		}
		if err != nil {
			return err
		}
		report.Resent++
	}
	return nil
}
