package notify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// This file keeps which pages lead to no messages, and until when. A mute is of a page, or of one rule on a page, or of
// one rule on all pages; the link of a mail makes the last. It stops messages only: the changes stay in the feed. What
// a mute kept back is not sent later, also when the mute has ended.
//
// # How it works
//
//	Notifications  mutes  <item>.<rule>.<begin>  a mute; the rule is "page" if the mute is of all rules, and the item
//	                                             is "all" if it is of all pages
//
// A mute covers the changes between its begin and its end. A mute that has ended keeps its row for [keepTime], because
// a digest or an explanation of a change may still ask for that time.

// keepMutes is how long a mute that has ended is kept.
const keepMutes = 30 * 24 * time.Hour

const (
	mutePartition = "mutes"
	wholePage     = "page"
	allPages      = "all"
)

// muteRow is the row of a mute.
type muteRow struct {
	Item  string    `col:"item,must"` // allPages if the mute is of all pages of the rule
	Rule  string    `col:"rule"`      // empty if the mute is of all rules
	URL   string    `col:"url"`
	Title string    `col:"title"`
	From  time.Time `col:"since"`
	Until time.Time `col:"until"` // zero for a mute without an end
	Link  bool      `col:"link"`  // it was made by the link of a message
}

var rows = row.Of[muteRow]()

func key(id string) storage.Key { return storage.Key{Partition: mutePartition, Row: id} }

// Mutes is the mutes of an installation, in the table of notifications. Any number of processes may use it.
type Mutes struct {
	Rows storage.Table
	Undo *undo.Log
}

// muteUntil returns the end of a mute that begins now: after a day, a week, or another length such as 12h or 3d. The
// end of the mute "always" is zero.
func muteUntil(text string, now time.Time) (time.Time, error) {
	switch text {
	case "day":
		return now.Add(24 * time.Hour), nil
	case "week":
		return now.Add(7 * 24 * time.Hour), nil
	case "always":
		return time.Time{}, nil
	}
	length, err := form.Length("for", text)
	if err != nil {
		return time.Time{}, fault.Field("for", "for must be day, week, always, or a length such as 12h or 3d, not %.40q",
			text)
	}
	return now.Add(length), nil
}

// add mutes a page, or a rule on a page or on all. If the same is muted already, the mute gets the new end; but a link
// changes no mute that none has made.
func (b Mutes) add(ctx context.Context, m api.Mute, now time.Time) (api.Mute, error) {
	m.From = now
	all, err := b.all(ctx)
	if err != nil {
		return m, err
	}
	same := func(old api.Mute) bool {
		return old.ItemID == m.ItemID && old.Rule == m.Rule && active(old, now) && (old.ByLink || !m.ByLink)
	}
	at := slices.IndexFunc(all, same)
	if at >= 0 {
		m.ID, m.From = all[at].ID, all[at].From
	} else {
		m.ID = fmt.Sprintf("%s.%s.%x", cmp.Or(m.ItemID, allPages), cmp.Or(m.Rule, wholePage), now.UnixMilli())
	}
	if err := storage.CheckKey(key(m.ID)); err != nil {
		return m, fault.Field("itemId", "itemId and rule: %w", err)
	}
	var was api.Mute
	if at >= 0 {
		was = all[at]
	}
	return b.change(ctx, was, m, now)
}

// muteState is what a record says of a mute: its begin and its end; nothing if there is none, or none any more.
type muteState struct {
	Span []string `json:"the mute,omitempty"`
}

func stateOf(m api.Mute, now time.Time) muteState {
	if m.ID == "" || !active(m, now) {
		return muteState{}
	}
	return muteState{[]string{storage.FormatTime(m.From), storage.FormatTime(m.Until)}}
}

// change writes a mute, and keeps a record of what becomes of it.
func (b Mutes) change(ctx context.Context, was, is api.Mute, now time.Time) (api.Mute, error) {
	done := b.Undo.Begin(undo.Mute, is.ID, telemetry.From(ctx).Actor, undo.Long)
	if err := b.Undo.Keep(ctx, done, stateOf(was, now), stateOf(is, now)); err != nil {
		return is, err
	}
	is.Undo = done.Ref()
	return is, b.put(ctx, is)
}

// back takes back what a record says of a mute.
func (b Mutes) back(ctx context.Context, r *undo.Record, now time.Time) (m api.Mute, err error) {
	kept, _, err := rows.Load(ctx, b.Rows, key(r.Subject))
	if err != nil {
		return m, err
	}
	m = kept.mute(r.Subject)
	state := stateOf(m, now)
	if err := undo.Back(r, &state); err != nil {
		return m, err
	}
	was := m
	if m.Until = now; len(state.Span) == 2 {
		m.From, m.Until = storage.ParseTime(state.Span[0]), storage.ParseTime(state.Span[1])
	}
	return b.change(ctx, was, m, now)
}

// put writes a mute over what others may have written meanwhile: the last request holds.
func (b Mutes) put(ctx context.Context, m api.Mute) error {
	kept := muteRow{Item: cmp.Or(m.ItemID, allPages), Rule: m.Rule, URL: m.URL, Title: m.Title, From: m.From,
		Until: m.Until, Link: m.ByLink}
	_, err := b.Rows.Transact(ctx, storage.Op{Kind: storage.Upsert,
		Entity: storage.Entity{Key: key(m.ID), Props: rows.Encode(&kept)}})
	return err
}

// end ends a mute now. Changes from now on lead to messages again; what the mute kept back is not sent. Errors:
// NotFound.
func (b Mutes) end(ctx context.Context, id string, now time.Time) (m api.Mute, err error) {
	missing := fault.New(fault.NotFound, "there is no mute %.100q", id)
	if storage.CheckKey(key(id)) != nil {
		return m, missing
	}
	kept, etag, err := rows.Load(ctx, b.Rows, key(id))
	if err != nil {
		return m, err
	}
	if m = kept.mute(id); etag == "" || !active(m, now) {
		return m, missing
	}
	was := m
	m.Until = now
	return b.change(ctx, was, m, now)
}

func (r muteRow) mute(id string) api.Mute {
	out := api.Mute{ID: id, ItemID: r.Item, Rule: r.Rule, URL: r.URL, Title: r.Title, From: r.From, Until: r.Until,
		ByLink: r.Link}
	if out.ItemID == allPages {
		out.ItemID = ""
	}
	return out
}

// all lists the mutes, also those that have ended.
func (b Mutes) all(ctx context.Context) (out muteSet, err error) {
	for e, err := range b.Rows.Query(ctx, storage.Query{Partition: mutePartition}) {
		if err != nil {
			return nil, err
		}
		if r, err := rows.Decode(e.Props); err == nil {
			out = append(out, r.mute(e.Row))
		}
	}
	return out, nil
}

// purge removes mutes that ended more than [keepMutes] ago.
func (b Mutes) purge(ctx context.Context, now time.Time) (removed int, err error) {
	for e, err := range b.Rows.Query(ctx, storage.Query{Partition: mutePartition, Select: []string{"until"}}) {
		if err != nil {
			return removed, err
		}
		if r, _ := rows.Decode(e.Props); r.Until.IsZero() || r.Until.Add(keepMutes).After(now) {
			continue
		}
		_, err := b.Rows.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: e.ETag}})
		if err != nil && !fault.Lost(err) {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// muteSet is a list of mutes.
type muteSet []api.Mute

// active returns the mutes that have not ended, the newest first.
func (s muteSet) active(now time.Time) []api.Mute {
	out := []api.Mute{}
	for _, m := range s {
		if active(m, now) {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b api.Mute) int { return cmp.Or(b.From.Compare(a.From), cmp.Compare(a.ID, b.ID)) })
	return out
}

// Of returns the mutes of an item that cover a time.
func (s muteSet) Of(item string, at time.Time) (out []api.Mute) {
	for _, m := range s {
		if item != "" && m.ItemID == item && !at.Before(m.From) && active(m, at) {
			out = append(out, m)
		}
	}
	return out
}

// cover reports whether a mute keeps back what a rule reports about an item at a time.
func (s muteSet) cover(item, rule string, at time.Time) bool {
	return len(s.covering(item, rule, at)) > 0
}

// covering returns the mutes that do so.
func (s muteSet) covering(item, rule string, at time.Time) (out []api.Mute) {
	for _, m := range s {
		page := item != "" && m.ItemID == item && (m.Rule == "" || m.Rule == rule)
		if (page || m.ItemID == "" && m.Rule == rule) && !at.Before(m.From) && active(m, at) {
			out = append(out, m)
		}
	}
	return out
}

func active(m api.Mute, now time.Time) bool { return m.Until.IsZero() || now.Before(m.Until) }

// Page says of an item what is shown beside its mutes and rules.
type Page struct {
	ID, URL, Title string
	Watch          *api.Watch // the watch settings of the item itself; nil if there are none
}

// Mute keeps messages about a page back, those of one rule or of all rules. Errors: Invalid; NotFound for a rule that
// does not exist.
func (s *Book) Mute(ctx context.Context, q api.MuteRequest, of Page) (api.Mute, error) {
	if q.ItemID == "" || q.ItemID == allPages {
		return api.Mute{}, fault.Field("itemId", "itemId must name the page that is muted")
	}
	until, err := muteUntil(q.For, s.now())
	if err != nil {
		return api.Mute{}, err
	}
	if q.Rule != "" {
		if _, err := s.rule(ctx, q.Rule); err != nil {
			return api.Mute{}, fault.Field("rule", "rule: %w", err)
		}
	}
	return s.mute(ctx, api.Mute{ItemID: q.ItemID, Rule: q.Rule, URL: of.URL, Title: of.Title, Until: until})
}

// mute adds a mute. The rules that it mutes want no checks of the page meanwhile.
func (s *Book) mute(ctx context.Context, m api.Mute) (api.Mute, error) {
	m, err := s.Mutes.add(ctx, m, s.now())
	if err == nil {
		err = s.demandOf(ctx, m.ItemID)
	}
	return m, err
}

// Unmute ends a mute. Errors: NotFound.
func (s *Book) Unmute(ctx context.Context, id string) (api.Mute, error) {
	m, err := s.Mutes.end(ctx, id, s.now())
	if err == nil {
		err = s.demandOf(ctx, m.ItemID)
	}
	return m, err
}

// UndoMute takes back what a record says of a mute, and returns the mute that is in force again; nil if there is none.
func (s *Book) UndoMute(ctx context.Context, r *undo.Record) (*api.Mute, error) {
	m, err := s.Mutes.back(ctx, r, s.now())
	if err == nil {
		err = s.demandOf(ctx, m.ItemID)
	}
	if err != nil || !active(m, s.now()) {
		return nil, err
	}
	return &m, nil
}

// Muted lists the mutes that have not ended, of one item or of all.
func (s *Book) Muted(ctx context.Context, item string) (api.Mutes, error) {
	all, err := s.Mutes.all(ctx)
	out := api.Mutes{Mutes: all.active(s.now())}
	if item != "" {
		out.Mutes = slices.DeleteFunc(out.Mutes, func(m api.Mute) bool { return m.ItemID != item })
	}
	return out, err
}

// mutesOf lists the mutes that covered a change, and those of its page that hold now.
func (s *Follower) mutesOf(ctx context.Context, c feed.Change) ([]api.Mute, error) {
	if c.ItemID == "" {
		return nil, nil
	}
	all, err := s.book.Mutes.all(ctx)
	if err != nil {
		return nil, err
	}
	out := all.Of(c.ItemID, c.At)
	for _, m := range all.Of(c.ItemID, s.now()) {
		if !slices.ContainsFunc(out, func(o api.Mute) bool { return o.ID == m.ID }) {
			out = append(out, m)
		}
	}
	for i := range out {
		out[i].Ended = !out[i].Until.IsZero() && !s.now().Before(out[i].Until)
	}
	return out, nil
}
