package notify

import (
	"context"
	"net/url"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// links makes the links of messages back to the installation. Without an address it makes none, and without a key no
// link that mutes.
type links struct {
	home  string
	key   []byte
	until time.Time
}

// links returns what makes the links of the messages of a step.
func (s *base) links(ctx context.Context) (links, error) {
	at, err := s.o.Home.Get(ctx)
	if err != nil || at.URL == "" {
		return links{}, err
	}
	return links{at.URL + dashboardPath, s.o.Keys.Derive(mutePurpose), s.now().Add(MuteLinkLife)}, nil
}

// to returns the address of a page of the dashboard, or "" without an address.
func (l links) to(path string, query url.Values) string {
	if l.home == "" {
		return ""
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return l.home + path
}

// of returns the links of a change in a message of a rule.
func (l links) of(r *rule, c api.FeedChange) (out letter.Links) {
	out.Why = l.to("/changes/"+url.PathEscape(c.ID), nil)
	out.Difference = out.Why
	if c.Diff != "" {
		q := url.Values{"from": {c.From}, "to": {c.To}}
		if diff, err := url.Parse(c.Diff); err == nil && diff.Query().Has("part") {
			q.Set("part", diff.Query().Get("part"))
		}
		out.Difference = l.to("/items/"+url.PathEscape(c.ItemID)+"/diff", q)
	}
	if c.ItemID != "" && len(l.key) > 0 {
		token := muteLink{Item: c.ItemID, Rule: r.ID, Until: l.until}.sign(l.key)
		out.Mute = l.to("/mute/"+token, nil)
	}
	return out
}

// LinksAt returns the links to a change at an address of the installation. There is none that mutes.
func LinksAt(address string, c api.FeedChange) letter.Links {
	return links{home: address + dashboardPath}.of(nil, c)
}

// rule returns the address of a rule, or "".
func (l links) rule(r *rule) string {
	if r.ID == "" {
		return "" // it is not saved yet
	}
	return l.to("/notifications/rules/"+url.PathEscape(r.ID), nil)
}

// PublicAddress returns the address at which people reach the installation, with the addresses of the machine.
func (s *Book) PublicAddress(ctx context.Context) (api.PublicAddress, error) {
	out, err := s.o.Home.Get(ctx)
	if problem := s.o.Keys.Problem(); problem != "" {
		out.NoMutes = problem
	}
	if s.o.Home.Nearby != nil {
		out.Machine = s.o.Home.Nearby()
	}
	return out, err
}

// SavePublicAddress keeps the address that an administrator has confirmed.
func (s *Book) SavePublicAddress(ctx context.Context, address, by string) (api.PublicAddress, error) {
	if _, err := s.o.Home.confirm(ctx, address, by, s.now()); err != nil {
		return api.PublicAddress{}, err
	}
	return s.PublicAddress(ctx)
}
