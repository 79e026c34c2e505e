package notify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// A rule may lose what it waits for: a price, a list, its page, its channel. A daily round finds that out for all rules
// ([Follower.Review]), and a step of the follower for the rules of a page whose watch has just broken. A check costs
// nothing for it.
//
//	Notifications  notify  n<page>.<rule>  a rule that can fire nowhere, as far as its channels know of it
//
// The row is written together with the messages, so they are sent once, whatever fails. It is removed when the rule can
// fire again. A rule that is saved although it can fire nowhere has the row from then on, and nobody is notified.

// stoppedRow is the row of a rule that can fire nowhere.
type stoppedRow struct {
	Cannot []api.CannotFire `col:"cannot,gzip"`
	More   int              `col:"more"`
	Since  time.Time        `col:"since,must"`
}

var stoppedRows = row.Of[stoppedRow]()

const stoppedAs = "n"

// mostAsked limits the rules of a list that can fire nowhere by their rows, and of which it is found out whether that
// is still so.
const mostAsked = 20

func stoppedKey(r *rule) storage.Key {
	return storage.Key{Partition: partition, Row: stoppedAs + r.page + "." + r.ID}
}

// stopped is the rows of rules that can fire nowhere, by their keys.
type stopped map[string]storedStop

type storedStop struct {
	stoppedRow

	key  storage.Key
	etag storage.ETag
}

// stops reads the rows of the rules between two of them, in the order of the rules.
func (s *base) stops(ctx context.Context, from, to string) (stopped, error) {
	out := stopped{}
	query := storage.Query{Partition: partition, RowFrom: stoppedAs + from, RowTo: stoppedAs + to}
	for e, err := range s.rows.Query(ctx, query) {
		if err != nil {
			return nil, err
		}
		st, _ := stoppedRows.Decode(e.Props)
		out[e.Row] = storedStop{st, e.Key, e.ETag}
	}
	return out, nil
}

// Review finds out of each rule whether it can fire anywhere. The channels of a rule that no longer can are notified
// once. It returns the number of these rules. It reads a page for each rule, and more only for rules that cannot fire
// on the first pages.
func (s *Follower) Review(ctx context.Context) (n int, err error) {
	all, err := s.book.all(ctx)
	if err != nil {
		return 0, err
	}
	known, err := s.stops(ctx, "", "~")
	if err != nil {
		return 0, err
	}
	n, err = s.book.reconcile(ctx, all, known)
	if err != nil {
		return n, err
	}
	for _, r := range all {
		delete(known, stoppedKey(&r).Row)
	}
	for of := range maps.Values(known) { // their rules were removed
		if err := s.forget(ctx, of); err != nil {
			return n, err
		}
	}
	return n, nil
}

// reviewPage is [Follower.Review] for the rules of one page.
func (s *Follower) reviewPage(ctx context.Context, page string) error {
	all, err := s.book.under(ctx, page)
	if err != nil {
		return err
	}
	known, err := s.stops(ctx, page+".", page+".~")
	if err == nil {
		_, err = s.book.reconcile(ctx, all, known)
	}
	return err
}

// reconcile makes the rows of rules say which of them can fire nowhere, and notifies the channels of those that no
// longer can. It returns the number of these.
func (s *Book) reconcile(ctx context.Context, all []rule, known stopped) (n int, err error) {
	names, err := s.channelNames(ctx)
	if err != nil {
		return 0, err
	}
	for i := range all {
		r := &all[i]
		before, was := known[stoppedKey(r).Row]
		var found survey
		if !r.Off && r.Problem == "" {
			if found, err = s.survey(ctx, r, names, false); err != nil {
				return n, err
			}
		}
		switch {
		case found.nowhere && !was:
			n++
			err = fault.Except(s.stop(ctx, r, &found, names), fault.Conflict) // another process has just done it
		case !found.nowhere && was:
			err = s.forget(ctx, before)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// reconcileOne makes the row of a rule that a person has just saved say whether it can fire anywhere.
func (s *Book) reconcileOne(ctx context.Context, r *rule, found *survey) error {
	known, err := s.stops(ctx, r.page+"."+r.ID, r.page+"."+r.ID+"~")
	before, was := known[stoppedKey(r).Row]
	switch {
	case err != nil:
		return err
	case was && (r.Off || !found.nowhere):
		return s.forget(ctx, before)
	case found.nowhere && !r.Off:
		_, err = s.rows.Transact(ctx, s.stopOp(r, found, before.etag))
	}
	return err
}

func (s *base) stopOp(r *rule, found *survey, etag storage.ETag) storage.Op {
	return stoppedRows.Put(stoppedKey(r), etag, &stoppedRow{found.Cannot, found.CannotMore, s.now()})
}

// forget removes the row of a rule.
func (s *base) forget(ctx context.Context, of storedStop) error {
	_, err := s.rows.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: of.key, ETag: of.etag}})
	if fault.Lost(err) {
		return nil
	}
	return err
}

// stop writes the row of a rule that can fire nowhere any more, together with the messages about it. A rule that has
// reported the cause itself, and one that is muted for its page, sends none.
func (s *Book) stop(ctx context.Context, r *rule, found *survey, names map[string]bool) error {
	muted, to, end, err := s.besideFeed(ctx)
	if err != nil {
		return err
	}
	all := map[string]storage.Op{}
	for _, name := range r.Channels {
		if !names[name] || found.reported || muted.cover(r.page, r.ID, s.now()) {
			continue
		}
		id := deliveryID(end, api.EventCannot, r.ID, name)
		d := newDelivery(r, name, s.now())
		d.Next = r.plan.Quiet.Over(d.Next)
		d.Type, d.Title = string(api.EventCannot), "Alert "+r.Name+" can tell nothing any more"
		var lines []string
		for _, c := range found.Cannot {
			lines = append(lines, strings.TrimPrefix(fmt.Sprintf("%s: %s. What to do: %s.", c.Title, c.Why, c.Remedy), ": "))
		}
		event := api.CannotEvent{Event: s.event(id, api.EventCannot, r.ID, s.now()), Data: api.RuleStopped{Name: r.Name,
			Warning: found.warning(), Firing: found.Firing, Link: to.rule(r)}}
		d.Message = send.Message{ID: id, Title: d.Title, Text: strings.Join(lines, "\n"), URL: to.rule(r),
			Body: jsonBody(event), Stop: to.stop(r, r.page)}
		all[id] = waiting(id, d)
	}
	return s.dispatch(ctx, all, s.stopOp(r, found, ""))
}

// checked adds to rules why they can fire nowhere: what the last round found out, or, if now is true, what is so now.
func (s *Book) checked(ctx context.Context, all []rule, now bool) error {
	if len(all) == 0 {
		return nil
	}
	names, err := s.channelNames(ctx)
	if err != nil {
		return err
	}
	keys := make([]string, len(all))
	for i := range all {
		keys[i] = all[i].page + "." + all[i].ID
	}
	known, err := s.stops(ctx, slices.Min(keys), slices.Max(keys)+"~")
	if err != nil {
		return err
	}
	asked := 0
	for i := range all {
		r := &all[i]
		of, was := known[stoppedKey(r).Row]
		found := survey{nowhere: was, Firing: api.Firing{Cannot: of.Cannot, CannotMore: of.More}}
		if stuck := r.stuck(names); now || !stuck.can() || was && asked < mostAsked { // the row may be out of date
			asked++
			if found, err = s.survey(ctx, r, names, now); err != nil {
				return err
			}
		}
		if found.nowhere && !r.Off && len(found.Cannot) > 0 {
			r.Warning, r.Firing = found.warning(), found.Firing
		}
	}
	return nil
}

// unableRules lists rules that can fire nowhere or are broken, at most as many as most.
func (s *Book) unableRules(ctx context.Context, most int) (out api.Rules, err error) {
	all, err := s.under(ctx, "")
	if err != nil {
		return out, err
	}
	known, err := s.stops(ctx, firstPage, "~")
	if err != nil {
		return out, err
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		_, id, _ := strings.Cut(key, ".")
		r, err := s.rule(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return out, err
		}
		if all = append(all, r); len(all) > most+maxRules {
			break
		}
	}
	if err := s.checked(ctx, all, false); err != nil {
		return out, err
	}
	all = slices.DeleteFunc(all, func(r rule) bool { return r.Warning == "" && r.Problem == "" })
	out.Rules, err = s.counted(ctx, "", all[:min(len(all), most)])
	return out, err
}
