package notify

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	perStep     = 500 // number of changes per step; those of one check may be more
	maxExamined = 5000
	// maxRows is the number of bytes of new deliveries at which a step ends. It leaves room in the transaction for the
	// states of all rules and for the messages of one more rule.
	maxRows = 2 << 20
)

// Report counts what one call of [Follower.Follow] did.
type Report struct{ Examined, Deliveries, Resent int }

// Follow reads new changes from the feed, decides which channels are notified, and sends lost messages again. Any
// number of processes may call it at the same time.
func (s *Follower) Follow(ctx context.Context) (report Report, err error) {
	if err = s.steps(ctx, &report); fault.Lost(err) {
		err = nil // another process has performed this step
	}
	return report, errors.Join(err, s.resend(ctx, &report))
}

// steps performs steps until rules have seen all changes, or the time is over. Errors: Conflict, and others of
// [fault.Lost], if another process was quicker.
func (s *Follower) steps(ctx context.Context, report *Report) (err error) {
	for more := true; more && err == nil && ctx.Err() == nil; {
		more, err = s.step(ctx, report)
	}
	return err
}

// step performs one transaction. It reports whether there is work for another step.
func (s *Follower) step(ctx context.Context, report *Report) (more bool, err error) {
	p := &pass{s: s, now: s.now(), scopes: map[string]*scope{}, ids: map[string]storage.Op{}, left: maxEffort}
	if err := p.begin(ctx); err != nil {
		return false, err
	}
	looked, more, err := p.read(ctx)
	if err != nil {
		return false, err
	}
	if at := p.at.String(); p.rest.Position != at {
		p.rest.Position, p.changed = at, true
	}
	full, err := p.digests(ctx, !more)
	if err != nil || !p.changed {
		return false, err
	}
	ops := slices.AppendSeq(p.stateOps(), maps.Values(p.ids))
	if _, err := s.rows.Transact(ctx, ops...); err != nil {
		return false, err
	}
	p.noteGathering()
	report.Examined += looked
	report.Deliveries += len(p.ids)
	for id := range p.ids {
		if err := s.enqueue(ctx, id, 0); err != nil {
			return false, err // resend sends the remaining messages later
		}
	}
	for _, page := range p.broke {
		if err := s.reviewPage(ctx, page); err != nil {
			return false, err // the daily round finds it out
		}
	}
	return more || full, nil
}

// pass is the state of a step before its commit.
type pass struct {
	s       *Follower
	now     time.Time
	pages   bool              // whether there are rules for single pages
	rest    *scope            // the rules that are not for one page
	scopes  map[string]*scope // by page; that of the page "" is rest
	changed bool
	at, end feed.Position         // where the step is, and the end of the feed when it began
	ids     map[string]storage.Op // the rows of new deliveries, by id
	bytes   int                   // size of these rows
	left    effort                // for the rest of the step
	muted   muteSet               // nil until it is first needed
	links   *links                // the same
	broke   []string              // pages with rules of their own whose watch broke or was restored
	hooks   map[string]bool       // whether a channel is a webhook, of those that were asked for
}

// begin reads the rules that are not for one page, and sets the position from which the step continues. A new rule from
// the file begins at the end of the feed.
func (p *pass) begin(ctx context.Context) (err error) {
	// The end is read before the rules: a change after it is left to a step that knows all rules made before the change.
	if p.end, err = p.s.feed.End(ctx); err != nil {
		return err
	}
	if p.rest, err = p.scope(ctx, ""); err != nil {
		return err
	}
	for i := range p.rest.rules {
		if r := &p.rest.rules[i]; r.Origin == FromFile && p.rest.Rules[r.ID].Began == "" {
			p.beginAtEnd(r)
		}
	}
	p.applyDemands(ctx)
	if p.at, _ = feed.ParsePosition(p.rest.Position); p.at == p.end {
		return nil // nothing is new
	}
	_, next, err := p.s.book.ofPages(ctx, "", 0)
	if p.pages = next != ""; !p.pages && len(p.rest.rules) == 0 {
		p.at = p.end
	}
	return err
}

// beginAtEnd makes a rule from the file report only changes after the end of the feed.
func (p *pass) beginAtEnd(r *rule) {
	g := p.rest.Rules[r.ID]
	g.Began, r.since = p.end.String(), p.end
	p.keep(r, g)
}

// room returns the number of further deliveries that fit into the transaction.
func (p *pass) room() int {
	if p.bytes >= maxRows {
		return 0
	}
	left := storage.MaxOps - 1 - len(p.ids)
	for _, sc := range p.scopes {
		if sc.changed && sc != p.rest {
			left--
		}
	}
	return left
}

// add adds deliveries to the transaction.
func (p *pass) add(all map[string]storage.Op) {
	maps.Copy(p.ids, all)
	p.bytes += sizeOf(all)
}

// read lets the rules decide about new changes. It stops when no further delivery fits into the transaction, and when
// the effort of the step is used up.
func (p *pass) read(ctx context.Context) (looked int, more bool, err error) {
	if p.at == p.end {
		return 0, false, nil
	}
	for check, err := range checks(p.s.feed.Oldest(ctx, p.at)) {
		if fault.Is(err, fault.Expired) {
			return p.afresh(ctx)
		}
		if err != nil {
			return looked, false, err
		}
		last := check[len(check)-1].Position
		if last.After(p.end) {
			break
		}
		if looked >= perStep || p.room() <= maxTargets || p.left <= 0 {
			return looked, true, nil
		}
		looked += len(check)
		all := p.rest.rules
		if item := check[0].ItemID; p.pages && item != "" {
			own, err := p.scope(ctx, item)
			if err != nil {
				return looked, false, err
			}
			// Rules for the page come first: for them, there is always room in the transaction.
			all = slices.Concat(own.rules, all)
			if len(own.rules) > 0 && slices.ContainsFunc(check, isOfWatch) {
				p.broke = append(p.broke, item)
			}
		}
		if err := p.decide(ctx, check, all); err != nil {
			return looked, false, err
		}
		p.at = last
	}
	p.at = p.end
	return looked, false, nil
}

// isOfWatch reports whether a change says that a watch broke or was restored.
func isOfWatch(c feed.Change) bool { return c.Kind == feed.WatchBroken || c.Kind == feed.WatchRestored }

// afresh continues with the oldest change that the feed still contains. After an older copy of the store was
// restored, the position of a rule may be beyond the end of the feed. The rule then begins at the end.
func (p *pass) afresh(ctx context.Context) (looked int, more bool, err error) {
	p.s.o.Log.ErrorContext(ctx, "changes were purged, or the store was restored, before rules had seen them; "+
		"going on with the oldest that is kept", "place", p.at.String())
	all, err := p.s.book.all(ctx)
	for i := range all {
		r := &all[i]
		if r.current(p.rest.Rules[r.ID]); err != nil || !r.since.After(p.end) {
			continue
		}
		if r.Origin == FromFile {
			p.beginAtEnd(r)
			continue
		}
		_, err = p.s.rows.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: keyOf(r.page, r.ID),
			ETag: r.etag, Props: storage.Properties{"since": p.end.String()}}})
	}
	p.at, p.changed = feed.Position{}, true
	return 0, true, err
}

// write writes the digest of a rule, unless all of its changes are muted by now. It reports whether the digest does not
// fit into the transaction; then none after it does.
func (p *pass) write(ctx context.Context, r *rule, g gathered) (full bool, err error) {
	muted, err := p.mutes(ctx)
	if err != nil {
		return false, err
	}
	if r.page != "" && muted.cover(r.page, r.ID, p.now) {
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
	waiting := map[string]float64{}
	late := s.now().Add(-lostAfter)
	query := storage.Query{Partition: partition, RowFrom: waitingAs, RowTo: waitingAs + "~", Select: shownColumns}
	for e, err := range s.rows.Query(ctx, query) {
		if err != nil {
			return err
		}
		d, err := deliveryRows.Decode(e.Props)
		if err == nil {
			waiting[d.Channel]++
		}
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
	s.o.Metrics.DeliveriesWaiting.SetAll(waiting)
	return nil
}

// mutes reads the mutes once per step, when a rule first matches.
func (p *pass) mutes(ctx context.Context) (muteSet, error) {
	if p.muted == nil {
		all, err := p.s.book.Mutes.all(ctx)
		if err != nil {
			return nil, err
		}
		p.muted = append(muteSet{}, all...)
	}
	return p.muted, nil
}

// linking reads what makes links once per step, when a message is first written.
func (p *pass) linking(ctx context.Context) (links, error) {
	if p.links == nil {
		to, err := p.s.links(ctx)
		if err != nil {
			return links{}, err
		}
		p.links = &to
	}
	return *p.links, nil
}

// hidden reports whether a mute covered a change at its time, so that a rule did not count it.
func hidden(muted muteSet, r *rule, c feed.Change) bool { return muted.cover(c.ItemID, r.ID, c.At) }

// without takes the changes that a rule has counted, and that are muted by now, from the counts of a digest.
func (g gathered) without(kinds map[string]int) gathered {
	left := map[string]int{}
	for kind, n := range g.Kinds {
		if n -= kinds[kind]; n > 0 {
			left[kind] = n
		}
	}
	for _, n := range kinds {
		g.Gathered -= n
	}
	g.Kinds = left
	return g
}

// askedOf is what decides which items a rule wants to be checked, and how often.
type askedOf struct {
	Name   string         `json:"name"`
	Every  string         `json:"every"`
	Filter api.RuleFilter `json:"filter"`
}

// applyDemands begins runs for rules that are not for one page if their demands are not those for which runs were
// begun.
func (p *pass) applyDemands(ctx context.Context) {
	if p.s.o.DemandAll == nil {
		return
	}
	is := map[string]string{}
	for i := range p.rest.rules {
		if r := &p.rest.rules[i]; r.every > 0 {
			text, _ := json.Marshal(askedOf{r.Name, r.Every, r.Filter}) // texts always encode
			is[r.ID] = string(text)
		}
	}
	for _, of := range [][2]map[string]string{{p.rest.Demands, is}, {is, p.rest.Demands}} {
		for id, text := range of[0] {
			var asked askedOf
			if of[1][id] == text || json.Unmarshal([]byte(text), &asked) != nil {
				continue
			}
			if _, err := p.s.o.DemandAll(ctx, filterOf(asked.Filter)); err != nil {
				p.s.o.Log.WarnContext(ctx, "checks are moved later", "rule", id, "err", err)
				return // the next step tries it again
			}
			p.changed = true
		}
	}
	p.rest.Demands = is
}

// noteGathering notes which rules gather changes after a step.
func (p *pass) noteGathering() {
	for _, sc := range p.scopes {
		for i := range sc.rules {
			r := &sc.rules[i]
			if g := sc.Rules[r.ID]; sc.changed && r.atOnce() && g.Gathered > 0 {
				p.s.prompt.gathering.Put(r.ID, r.plan.Due(g.digestState))
			}
		}
	}
}
