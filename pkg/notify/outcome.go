package notify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// whySegments limits the search for digests that contain a change. The search covers this many segments of the
	// feed after the change. Each segment lasts at most a day.
	whySegments = 3
	whyRows     = 1000
)

// Why returns what became of a change for the rules that are for its page, and its deliveries (W17).
func (s *Follower) Why(ctx context.Context, q api.ChangeID) (out api.ChangeWhy, err error) {
	out = api.ChangeWhy{Rules: []api.MetRule{}, Deliveries: []api.Delivery{}}
	c, err := s.feed.At(ctx, q.ID)
	if err != nil {
		return out, err
	}
	out.Change = c.JSON()
	e, err := s.explainer(ctx)
	if err != nil {
		return out, err
	}
	x, err := e.explained(ctx, c)
	if err != nil {
		return out, err
	}
	for i := range x.rules {
		if r := &x.rules[i]; x.met[r.ID] {
			out.Rules = append(out.Rules, api.MetRule{ID: r.ID, Name: r.Name})
		}
	}
	if out.Mutes, err = s.mutesOf(ctx, c); err != nil {
		return out, err
	}
	if out.Deliveries = x.deliveries; len(x.rules) == 0 { // one that was removed may have told of it
		if out.Deliveries, err = s.deliveriesOf(ctx, c, nil); err != nil {
			return out, err
		}
	}
	out.Outcomes, out.Continuation = x.outcomes(ctx, q.Continuation, q.Top)
	return out, nil
}

// Outcomes adds to changes what became of them for the rules that are for their pages. At most ten rules are named for
// each change.
func (s *Follower) Outcomes(ctx context.Context, all []api.FeedChange) error {
	e, err := s.explainer(ctx)
	if err == nil {
		err = e.preread(ctx, all)
	}
	if err != nil {
		return err
	}
	for i := range all {
		c, found := e.changes[all[i].ID]
		if !found {
			continue
		}
		x, err := e.explained(ctx, c)
		if err != nil {
			return err
		}
		all[i].Outcomes, _ = x.outcomes(ctx, "", mostNamed)
	}
	return nil
}

// explainer says what became of changes. It reads once what is the same for all of them.
type explainer struct {
	s     *Follower
	rest  []rule // the rules that are not for one page
	state state  // what they have gathered
	muted muteSet
	names map[string]bool // of channels
	left  effort

	changes map[string]feed.Change // by id
	items   map[string]ofItem
	told    *messagesOf // nil if they were not read ahead
}

// ofItem is what decides about the changes of one page.
type ofItem struct {
	rules []rule // those for this page alone
	state state  // what they have gathered
	facts *Facts // nil if they are not known
	read  bool   // whether state and facts were read
}

// messagesOf are the deliveries that may be of some changes.
type messagesOf struct {
	ids   []string
	rows  []delivery
	since string // the id from which on older deliveries may be missing; empty if none is
}

// preread reads the changes of a list, and the deliveries of all of them at once.
func (e *explainer) preread(ctx context.Context, all []api.FeedChange) (err error) {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	if e.changes, err = e.s.feed.Some(ctx, ids); err != nil || len(e.changes) == 0 {
		return err
	}
	var first, last feed.Position
	for _, c := range e.changes {
		if first == (feed.Position{}) || first.After(c.Position) {
			first = c.Position
		}
		if c.Position.After(last) {
			last = c.Position
		}
	}
	last.Segment += whySegments
	e.told = &messagesOf{}
	e.told.since, err = e.s.messages(ctx, order(last), order(first), shownColumns, func(id string, d delivery) {
		e.told.ids, e.told.rows = append(e.told.ids, id), append(e.told.rows, d)
	})
	return err
}

func (s *Follower) explainer(ctx context.Context) (e *explainer, err error) {
	e = &explainer{s: s, left: maxEffort, items: map[string]ofItem{}}
	if e.rest, err = s.book.under(ctx, ""); err != nil {
		return nil, err
	}
	if e.state, _, err = s.loadState(ctx, ""); err != nil {
		return nil, err
	}
	if e.muted, err = s.book.Mutes.all(ctx); err != nil {
		return nil, err
	}
	e.names, err = s.book.channelNames(ctx)
	return e, err
}

// explained is a change with what decides about its outcomes.
type explained struct {
	*explainer

	change     feed.Change
	rules      []rule // those that are for its page: first those for this page alone
	own        state  // what those have gathered
	facts      *Facts // of its page; nil if they are not known
	met        map[string]bool
	deliveries []api.Delivery
}

// explained reads what decides about the outcomes of a change. If no rule is for its page, nothing further is read.
func (e *explainer) explained(ctx context.Context, c feed.Change) (x *explained, err error) {
	x = &explained{explainer: e, change: c, met: map[string]bool{}}
	own, known := e.items[c.ItemID]
	if c.ItemID != "" && !known {
		if own.rules, err = e.s.book.under(ctx, c.ItemID); err != nil {
			return nil, err
		}
		e.items[c.ItemID] = own
	}
	x.rules = slices.DeleteFunc(slices.Concat(own.rules, e.rest), func(r rule) bool {
		unhidden := c
		unhidden.Silenced = false
		return r.elsewhere(c) || !r.filter.Concerns(unhidden)
	})
	if len(x.rules) == 0 {
		return x, nil
	}
	if c.ItemID != "" && !own.read {
		if own.state, _, err = e.s.loadState(ctx, c.ItemID); err != nil {
			return nil, err
		}
		if own.facts, err = e.s.book.factsOf(ctx, c.ItemID); err != nil {
			return nil, err
		}
		own.read = true
		e.items[c.ItemID] = own
	}
	x.own, x.facts = own.state, own.facts
	if x.change, err = withDifference(ctx, e.s.feed, c, x.rules...); err != nil {
		return nil, err
	}
	for i := range x.rules {
		r := &x.rules[i]
		if x.met[r.ID], err = r.meets(ctx, x.change, &e.left); err != nil {
			return nil, err
		}
	}
	if e.told == nil || e.told.since != "" && e.told.since <= order(c.Position)+"~" {
		x.deliveries, err = e.s.deliveriesOf(ctx, c, x.met)
		return x, err
	}
	for i, d := range e.told.rows {
		if covers(d, c, x.met) {
			x.deliveries = append(x.deliveries, deliveryJSON(e.told.ids[i], d))
		}
	}
	return x, nil
}

// factsOf returns the facts of a page; nil if they are not known, or the page is not watched any more.
func (s *Book) factsOf(ctx context.Context, item string) (out *Facts, err error) {
	if s.o.Pages == nil {
		return nil, nil
	}
	var f api.RuleFilter
	f.ItemID = item
	_, err = s.o.Pages(ctx, f, func(p Facts) bool {
		out = &p
		return true
	})
	return out, fault.Except(err, fault.NotFound, fault.Invalid)
}

// outcomes returns the outcomes for some rules, from the one on whose id is given. Next is the id of the rule after
// them.
func (x *explained) outcomes(ctx context.Context, from string, most int) (out api.Outcomes, next string) {
	some, rest := listed(x.rules, from, most)
	for i := range some {
		out.Outcome = append(out.Outcome, x.outcome(ctx, &some[i]))
	}
	if out.OutcomeMore = len(rest); len(rest) > 0 {
		next = rest[0].ID
	}
	return out, next
}

// listed returns some rules from the one on whose id is given, or else from the first one, and those after them.
func listed(all []rule, from string, most int) (some, rest []rule) {
	begin := max(0, slices.IndexFunc(all, func(r rule) bool { return r.ID == from }))
	end := min(len(all), begin+most)
	return all[begin:end], all[end:]
}

// outcome returns what became of the change for a rule.
func (x *explained) outcome(ctx context.Context, r *rule) (out api.Outcome) {
	c := x.change
	out = api.Outcome{Rule: r.ID, Name: r.Name, Channels: r.Channels}
	of := slices.DeleteFunc(slices.Clone(x.deliveries), func(d api.Delivery) bool { return d.Rule != r.ID })
	switch {
	case len(of) > 0:
		delivered(&out, of)
	case r.Off:
		out.State = api.OutcomeOff
	case r.Problem != "":
		out.State, out.Why = api.OutcomeCannot, r.Problem
	case !x.met[r.ID]:
		out.State, out.Why = x.unmatched(ctx, r)
	case x.muted.cover(c.ItemID, r.ID, c.At):
		out.State = api.OutcomeMuted
		out.Until, _ = x.muted.until(c.ItemID, r.ID, c.At)
	default:
		x.pending(r, &out)
	}
	return out
}

// delivered is the outcome of a change that is in deliveries: the worst of them counts.
func delivered(out *api.Outcome, of []api.Delivery) {
	grave := func(d api.Delivery) int { return slices.Index([]string{Sent, Waiting, Failed}, d.State) }
	worst := slices.MaxFunc(of, func(a, b api.Delivery) int { return cmp.Compare(grave(a), grave(b)) })
	switch worst.State {
	case Failed:
		out.State, out.At = api.OutcomeFailed, worst.LastAttempt
		out.Why = strings.TrimSuffix(worst.Channel+": "+worst.Answer.Error, ": ")
	case Waiting:
		out.State, out.Until, out.Why = api.OutcomeGathered, worst.NextAttempt, "its message is to be sent"
		if worst.Answer.Error != "" {
			out.Why = worst.Channel + ": " + worst.Answer.Error
		}
	default:
		out.State, out.At = api.OutcomeSent, worst.LastAttempt
	}
}

// pending is the outcome of a change that a rule matches, and that is in no delivery.
func (x *explained) pending(r *rule, out *api.Outcome) {
	c, st := x.change, x.state
	if r.page != "" {
		st = x.own
	}
	g := r.current(st.Rules[r.ID])
	since, _ := feed.ParsePosition(g.Since)
	last, _ := feed.ParsePosition(g.Final)
	decided, _ := feed.ParsePosition(x.state.Position)
	switch {
	case g.Gathered > 0 && c.Position.After(since) && !c.Position.After(last):
		out.State, out.Until = api.OutcomeGathered, r.plan.Due(g.digestState)
	case !c.Position.After(r.since):
		out.State, out.Why = api.OutcomeNotMet, "the rule was made or switched on after the change"
	case c.Position.After(decided):
		out.State, out.Why = api.OutcomeGathered, "rules have not decided about it yet"
	case x.s.now().Sub(c.At) > keepTime:
		out.State, out.Why = api.OutcomeSent, "its message is not kept any more"
	default:
		out.State, out.Why = api.OutcomeNotMet, "the rule matches the change now, and did not when it was found"
	}
}

// unmatched says why a rule does not match the change.
func (x *explained) unmatched(ctx context.Context, r *rule) (api.OutcomeState, string) {
	c := x.change
	if x.facts != nil {
		if why := unable(r, x.names, *x.facts); !why.can() {
			return api.OutcomeCannot, why.why
		}
	} else if stuck := r.stuck(x.names); !stuck.can() {
		return api.OutcomeCannot, stuck.why
	}
	if why := r.whyNot(c); why != "" {
		return api.OutcomeNotMet, why
	}
	filter := r.selects(c)
	switch refusal := filter.Refuses(c); refusal {
	case feed.RefusedSilenced:
		var by []string
		for _, ignored := range c.Ignored {
			if !slices.Contains(by, ignored.Rule) {
				by = append(by, ignored.Rule)
			}
		}
		return api.OutcomeSilenced, strings.Join(by, "; ")
	case feed.RefusedSmall:
		return api.OutcomeSmall, c.JSON().Small.Words()
	case "":
	default:
		return api.OutcomeNotMet, string(refusal)
	}
	if c.ForConditions() && r.When == nil {
		return api.OutcomeSilenced, "nobody asked to be told of these values"
	}
	for _, s := range r.sought {
		left := maxEffort
		if found, err := s.in(ctx, c, &left); err == nil && !found {
			return api.OutcomeNotMet, fmt.Sprintf("nothing %s matches %s", s.op, s.re.Regexp)
		}
	}
	return api.OutcomeNotMet, "the rule asks for something else"
}

// whyNot says why a change is not one for a rule: by the condition of the rule, or as the first reading of its page; ""
// if it is one, or only conditions could need it.
func (r *rule) whyNot(c feed.Change) string {
	switch {
	case r.isFor(c), r.When == nil && c.ForConditions():
		return ""
	case r.When == nil:
		return "the page was read for the first time"
	}
	for _, f := range c.Fields {
		if f.Name == r.when.Field() {
			return fmt.Sprintf("%s: %s", f.Name, r.when.WhyNot(f))
		}
	}
	return r.when.Field() + " did not change"
}

// Here lists the rules that are for a page, with the state of each there: first those for this page alone. Next is the
// id of the rule after them.
func (s *Follower) Here(ctx context.Context, p Facts, q api.ItemWhyQuery) (out []api.RuleHere, next string, err error) {
	out = []api.RuleHere{}
	e, err := s.explainer(ctx)
	if err != nil {
		return out, "", err
	}
	all, err := s.book.under(ctx, p.Page.ItemID)
	if err != nil {
		return out, "", err
	}
	all = slices.DeleteFunc(append(all, e.rest...), func(r rule) bool { return !r.isAbout(p) })
	some, rest := listed(all, q.Continuation, q.Top)
	if len(rest) > 0 {
		next = rest[0].ID
	}
	var last map[string]time.Time
	if !q.Brief {
		last, err = s.lastMessages(ctx)
	}
	for i := range some {
		here := e.here(&some[i], p)
		here.LastTold = last[here.Rule]
		out = append(out, here)
	}
	return out, next, err
}

// here returns the state of a rule at a page.
func (e *explainer) here(r *rule, p Facts) api.RuleHere {
	out := api.RuleHere{Rule: r.ID, Name: r.Name, State: api.RuleWaits, Every: r.Every}
	why := unable(r, e.names, p)
	switch now := e.s.now(); {
	case r.Off:
		out.State = api.RuleOff
	case r.Problem != "":
		out.State, out.Why, out.Remedy = api.RuleCannot, r.Problem, "change the rule"
	case !why.can():
		out.State, out.Why, out.Remedy = api.RuleCannot, why.why, why.remedy
	case e.muted.cover(p.Page.ItemID, r.ID, now):
		out.State = api.RuleMuted
		out.Until, _ = e.muted.until(p.Page.ItemID, r.ID, now)
	}
	return out
}

// lastMessages returns when the newest message of each rule was made, of the newest messages.
func (s *base) lastMessages(ctx context.Context) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	_, err := s.messages(ctx, "", "", []string{"rule", "created"}, func(_ string, d delivery) {
		if d.Created.After(out[d.Rule]) {
			out[d.Rule] = d.Created
		}
	})
	return out, err
}

// deliveriesOf lists the deliveries of a change. These include the digests of a matching rule whose range contains
// the change.
func (s *Follower) deliveriesOf(ctx context.Context, c feed.Change, met map[string]bool) ([]api.Delivery, error) {
	out := []api.Delivery{}
	later := c.Position
	later.Segment += whySegments
	_, err := s.messages(ctx, order(later), order(c.Position), shownColumns, func(id string, d delivery) {
		if covers(d, c, met) {
			out = append(out, deliveryJSON(id, d))
		}
	})
	return out, err
}

// messages passes deliveries to a function, the newest first: first those that wait, and then those that are done, of
// each at most [whyRows]. Their ids are between two texts, or begin with the second one. If there are more, since is
// the first id that was left out.
func (s *base) messages(ctx context.Context, from, to string, columns []string,
	see func(id string, d delivery)) (since string, err error) {
	for _, as := range []string{waitingAs, doneAs} {
		looked := 0
		for e, err := range s.rows.Query(ctx, storage.Query{Partition: partition, RowFrom: as + from, RowTo: as + to + "~",
			Select: columns}) {
			if err != nil {
				return since, err
			}
			if looked++; looked > whyRows {
				if id := e.Row[1:]; since == "" || id < since {
					since = id
				}
				break
			}
			if d, err := deliveryRows.Decode(e.Props); err == nil {
				see(e.Row[1:], d)
			}
		}
	}
	return since, nil
}

// covers reports whether a delivery contains a change. The map says for each rule whether it matches the change.
func covers(d delivery, c feed.Change, met map[string]bool) bool {
	if d.Type == string(api.EventChange) {
		return d.Final == c.Position.String()
	}
	since, err := feed.ParsePosition(d.First)
	last, failed := feed.ParsePosition(d.Final)
	if err != nil || failed != nil || !c.Position.After(since) || c.Position.After(last) {
		return false
	}
	matches, exists := met[d.Rule]
	return matches || !exists // a rule that no longer exists may have matched the change
}
