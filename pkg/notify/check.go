package notify

import (
	"cmp"
	"context"
	"iter"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/letter"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/storage"
)

// One check of a page may make several changes: its text and a value, new entries of its list, a watch that broke. They
// are in the same group of the feed, one after the other. For each rule and channel they are one message, which names
// all of them, the gravest first. A webhook gets an event for each change, because its receiver is a program that
// expects one change in an event.

// sameCheck reports whether two changes were made by the same check of a page.
func sameCheck(a, b feed.Change) bool {
	return a.ItemID != "" && a.ItemID == b.ItemID && a.Position.Segment == b.Position.Segment &&
		a.Position.Group == b.Position.Group
}

// checks gathers the changes of each check.
func checks(all iter.Seq2[feed.Change, error]) iter.Seq2[[]feed.Change, error] {
	return func(yield func([]feed.Change, error) bool) {
		var check []feed.Change
		for c, err := range all {
			if err != nil {
				yield(nil, err) // a check that may go on is read again
				return
			}
			if len(check) > 0 && !sameCheck(check[0], c) {
				if !yield(check, nil) {
					return
				}
				check = nil
			}
			check = append(check, c)
		}
		if len(check) > 0 {
			yield(check, nil)
		}
	}
}

// decide lets rules decide about the changes of a check.
func (p *pass) decide(ctx context.Context, check []feed.Change, all []rule) error {
	met := make([][]feed.Change, len(all))
	for _, c := range check {
		if err := p.meeting(ctx, c, all, met); err != nil {
			return err
		}
	}
	room := len(p.ids) + maxTargets
	for i := range all {
		if len(met[i]) == 0 {
			continue
		}
		n, err := p.deliveries(ctx, &all[i], len(met[i]))
		if err != nil {
			return err
		}
		if err := p.report(ctx, &all[i], met[i], p.bytes < maxRows && len(p.ids)+n <= room); err != nil {
			return err
		}
	}
	return nil
}

// meeting adds a change to those that rules match, for each rule that matches it.
func (p *pass) meeting(ctx context.Context, c feed.Change, all []rule, met [][]feed.Change) error {
	c, err := withDifference(ctx, p.s.feed, c, all...)
	if err != nil {
		return err
	}
	left := maxEffort
	defer func() { p.left -= maxEffort - left }()
	for i := range all {
		r := &all[i]
		if !c.Position.After(r.since) {
			continue
		}
		if meets, err := r.meets(ctx, c, &left); err != nil {
			return err
		} else if !meets {
			continue
		}
		muted, err := p.mutes(ctx)
		if err != nil {
			return err
		}
		if !hidden(muted, r, c) {
			met[i] = append(met[i], c)
		}
	}
	return nil
}

// deliveries returns how many deliveries so many changes of a check are for the channels of a rule.
func (p *pass) deliveries(ctx context.Context, r *rule, changes int) (n int, err error) {
	for _, name := range r.Channels {
		each, err := p.each(ctx, name, changes)
		if err != nil {
			return 0, err
		}
		if n++; each {
			n += changes - 1
		}
	}
	return n, nil
}

// each reports whether a channel gets a message for each of so many changes of a check, as webhooks do. It reads a
// channel at most once per step, and only for a check of several changes.
func (p *pass) each(ctx context.Context, name string, changes int) (bool, error) {
	if changes == 1 {
		return false, nil
	}
	if _, known := p.hooks[name]; !known {
		c, _, err := p.s.book.channel(ctx, name)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return false, err
		}
		if p.hooks == nil {
			p.hooks = map[string]bool{}
		}
		p.hooks[name] = c.Kind == Webhook
	}
	return p.hooks[name], nil
}

// report sends the changes of a check that a rule matches as messages of their own, if there is room for them, or
// gathers them. A mute that began after the changes still stops messages of their own; a digest asks for the mutes when
// it is written.
func (p *pass) report(ctx context.Context, r *rule, changes []feed.Change, room bool) error {
	g := p.scopes[r.page].Rules[r.ID]
	idle, last := g.Gathered == 0, changes[len(changes)-1]
	single := room && r.plan.Add(&g.digestState, alikeKey(changes), p.now)
	muted, err := p.mutes(ctx)
	if err != nil {
		return err
	}
	switch {
	case single && !muted.cover(last.ItemID, r.ID, p.now):
		if err := p.send(ctx, r, changes); err != nil {
			return err
		}
	case !single:
		for i := range changes {
			if i > 0 || !room {
				g.gather(p.now)
			}
		}
		if idle {
			g.Since, g.Kinds = p.at.String(), map[string]int{}
		}
		for _, c := range changes {
			if g.Final = c.Position.String(); r.page != "" && len(g.IDs) < inDigest {
				g.IDs = append(g.IDs, g.Final)
			}
			g.Kinds[string(c.Kind)]++
		}
	}
	p.keep(r, g)
	return nil
}

// send adds the deliveries of the changes of a check to the channels of a rule.
func (p *pass) send(ctx context.Context, r *rule, changes []feed.Change) error {
	to, err := p.linking(ctx)
	if err != nil {
		return err
	}
	for _, name := range r.Channels {
		each, err := p.each(ctx, name, len(changes))
		if err != nil {
			return err
		}
		if len(changes) > 1 && !each {
			id, d := p.s.ofCheck(r, name, changes, to, p.now)
			p.add(map[string]storage.Op{id: waiting(id, d)})
			continue
		}
		for _, c := range changes {
			id, d := p.s.single(r, name, c, to, p.now)
			p.add(map[string]storage.Op{id: waiting(id, d)})
		}
	}
	return nil
}

// alikeKey returns what the changes of a check have in common with those of other pages; see [feed.Change.AlikeKey].
func alikeKey(changes []feed.Change) string {
	var keys []string
	for _, c := range changes {
		key := c.AlikeKey()
		if key == "" {
			return ""
		}
		keys = append(keys, key)
	}
	return strings.Join(keys, " ")
}

// ofCheck makes the delivery of several changes of a check to a channel that is no webhook.
func (s *Follower) ofCheck(r *rule, channel string, changes []feed.Change, to links, now time.Time) (string, delivery) {
	first, last := changes[0].Position, changes[len(changes)-1].Position
	first.Index--
	id := deliveryID(last, api.EventDigest, r.ID, channel)
	d := newDelivery(r, channel, now)
	d.Type, d.First, d.Final, d.Count = string(api.EventDigest), first.String(), last.String(), len(changes)
	var parts []letter.Part
	for _, c := range changes {
		shown := r.shown(c)
		parts = append(parts, letter.Part{Change: shown, Count: 1, Links: to.of(r, shown)})
	}
	d.Message = r.message(letter.Gravest(parts), to)
	d.Message.ID, d.Title = id, d.Message.Title
	return id, d
}

// isWorded reports whether the rule words its messages itself.
func (r *rule) isWorded() bool { return !r.title.Empty() || !r.text.Empty() }

// maxTitle is the length of the longest title, in bytes.
const maxTitle = 250

// message returns the message about the changes of a check, worded as the rule says: the title for the first of them,
// and the text for each. If nothing is left of the title or the text, because all its variables are empty, the usual
// one stands.
func (r *rule) message(parts []letter.Part, to links) send.Message {
	first := parts[0].Change
	item := ""
	if first.ItemID != "" {
		item = to.to("/items/"+url.PathEscape(first.ItemID), nil)
	}
	var title string
	var text []letter.Piece
	for i, p := range parts {
		values := letter.Values(p, r.Name, item, cmp.Or(r.plan.Zone, time.UTC))
		if i == 0 {
			title = words.Ellipsis(words.Clean(letter.PlainText(r.title.With(values))), maxTitle)
		}
		if pieces := r.text.With(values); letter.PlainText(pieces) != "" {
			if text != nil {
				text = append(text, letter.Piece{Text: "\n\n"})
			}
			text = append(text, pieces...)
		}
	}
	l := letter.Letter{Title: cmp.Or(title, letter.SubjectOf(parts)), Rule: r.Name, RuleLink: to.rule(r), Parts: parts,
		Stop: to.stop(r, first.ItemID)}
	out := send.Message{Title: l.Title, Text: l.Summaries(), URL: first.URL, Foot: l.Foot(), Mail: l.Text(),
		HTML: l.HTML(), Stop: l.Stop}
	if text != nil {
		out.Mail = ""
		out.Text, out.Foot, out.HTML, out.Alone = letter.PlainText(text), "", letter.OwnHTML(l.Title, text), true
	}
	return out
}
