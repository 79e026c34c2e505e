package handlers

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
)

// W1: each key is a reader of its own, and so is the person of a machine without keys; one with a key for reading may
// mark what was read.
func TestW1ReadersAreKeys(t *testing.T) {
	r := newRig(t)
	fill(t, r, 150)
	v := &call{Services: r.v}
	as := func(name string) context.Context {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		return wire.WithCaller(r, wire.Caller{Name: name, Scope: api.ScopeRead}).Context()
	}
	must(t, wire.MayCall(as("ann"), api.MarkRead.Endpoint))
	cursor := listed(t, r, "top=1").Cursor
	if me, err := markRead(as("ann"), v, api.ReadRequest{UpTo: cursor}); err != nil || me.Name != "ann" || me.Unread != 0 {
		t.Errorf("%+v, %v", me, err)
	}
	for _, name := range []string{"", "ben", hostKeyName} {
		me, err := reader(as(name), v, api.None{})
		if err != nil || me.Unread != api.MaxUnread || me.Name != name {
			t.Errorf("%q: %+v, %v", name, me, err)
		}
	}
	must(t, r.v.Registry.Feed.Publish(t.Context(), feed.Group{ID: "late", Changes: []feed.Change{{ItemID: "late"}}}))
	for _, order := range []string{"newest", "oldest"} {
		page, err := changes(as("ann"), v, api.ChangeQuery{Unread: true, Order: order, Top: 50})
		if err != nil || len(page.Changes) != 1 || page.Changes[0].ItemID != "late" {
			t.Errorf("%s: %+v, %v", order, page, err)
		}
	}
	many := strings.Fields(strings.Repeat("1.1.1 ", api.MaxReadIDs+1))
	if _, err := markRead(as("ann"), v, api.ReadRequest{IDs: many}); err == nil {
		t.Error("too many ids are taken")
	}
}
