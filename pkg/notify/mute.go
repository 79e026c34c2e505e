package notify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// This file keeps which pages lead to no messages, and until when. A mute is of a page, or of one rule on a page. It
// stops messages only: the changes stay in the feed. What a mute kept back is not sent later, also when the mute has
// ended.
//
// # How it works
//
//	Notifications  mutes  <item>.<rule>.<begin>  a mute; the rule is "page" if the mute is of all rules
//
// A mute covers the changes between its begin and its end. A mute that has ended keeps its row for [keepTime], because
// a digest or an explanation of a change may still ask for that time.

// keepMutes is how long a mute that has ended is kept.
const keepMutes = 30 * 24 * time.Hour

const (
	mutePartition = "mutes"
	wholePage     = "page"
)

// muteRow is the row of a mute.
type muteRow struct {
	Item  string    `col:"item,must"`
	Rule  string    `col:"rule"` // empty if the mute is of all rules
	URL   string    `col:"url"`
	Title string    `col:"title"`
	From  time.Time `col:"since"`
	Until time.Time `col:"until"` // zero for a mute without an end
	Link  bool      `col:"link"`  // it was made by the link of a message
}

var rows = row.Of[muteRow]()

func key(id string) storage.Key { return storage.Key{Partition: mutePartition, Row: id} }

// Mutes is the mutes of an installation, in the table of notifications. Any number of processes may use it.
type Mutes struct{ Rows storage.Table }

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

// add mutes a page, or a rule on a page. If the same is muted already, the mute gets the new end.
func (b Mutes) add(ctx context.Context, m api.Mute, now time.Time) (api.Mute, error) {
	if m.ItemID == "" {
		return m, fault.Field("itemId", "itemId must name the page that is muted")
	}
	m.From = now
	all, err := b.all(ctx)
	if err != nil {
		return m, err
	}
	same := func(old api.Mute) bool { return old.ItemID == m.ItemID && old.Rule == m.Rule && active(old, now) }
	if at := slices.IndexFunc(all, same); at >= 0 {
		m.ID, m.From = all[at].ID, all[at].From
	} else {
		m.ID = fmt.Sprintf("%s.%s.%x", m.ItemID, cmp.Or(m.Rule, wholePage), now.UnixMilli())
	}
	if err := storage.CheckKey(key(m.ID)); err != nil {
		return m, fault.Field("itemId", "itemId and rule: %w", err)
	}
	return m, b.put(ctx, m)
}

// put writes a mute over what others may have written meanwhile: the last request holds.
func (b Mutes) put(ctx context.Context, m api.Mute) error {
	kept := muteRow{Item: m.ItemID, Rule: m.Rule, URL: m.URL, Title: m.Title, From: m.From, Until: m.Until,
		Link: m.ByLink}
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
	m.Until = now
	return m, b.put(ctx, m)
}

func (r muteRow) mute(id string) api.Mute {
	return api.Mute{ID: id, ItemID: r.Item, Rule: r.Rule, URL: r.URL, Title: r.Title, From: r.From, Until: r.Until,
		ByLink: r.Link}
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
	return slices.ContainsFunc(s.Of(item, at), func(m api.Mute) bool { return m.Rule == "" || m.Rule == rule })
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
