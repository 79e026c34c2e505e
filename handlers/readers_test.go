package handlers

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// TestW1ReadersAreKeys checks that each key is a reader of its own, that a machine without keys has one reader, and
// that a key for reading may mark changes as read (W1).
func TestW1ReadersAreKeys(t *testing.T) {
	r := newRig(t)
	fill(t, r, 150)
	area := &changeHandlers{Feed: r.v.Feed, Notify: r.v.Notify}
	as := func(name string) context.Context {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		return wire.WithCaller(r, wire.Caller{Name: name, Scope: api.ScopeRead}).Context()
	}
	must(t, wire.MayCall(as("ann"), api.MarkRead.Endpoint))
	cursor := listed(t, r, "top=1").Cursor
	me, err := answered[api.Reader](t, area, api.MarkRead.Endpoint, as("ann"), "", `{"upTo":"`+cursor+`"}`)
	if err != nil || me.Name != "ann" || me.Unread != 0 {
		t.Errorf("%+v, %v", me, err)
	}
	for _, name := range []string{"", "ben", hostKeyName} {
		me, err := answered[api.Reader](t, area, api.GetReader.Endpoint, as(name), "", "")
		if err != nil || me.Unread != api.MaxUnread || me.Name != name {
			t.Errorf("%q: %+v, %v", name, me, err)
		}
	}
	must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: "late", Changes: []feed.Change{{ItemID: "late"},
		{ItemID: "hidden", Silenced: true}}}))
	me, err = answered[api.Reader](t, area, api.GetReader.Endpoint, as("ann"), "", "")
	if err != nil || me.Unread != 1 {
		t.Errorf("%d unread changes are counted where one is listed (%v)", me.Unread, err)
	}
	for _, order := range []string{"newest", "oldest"} {
		page, err := answered[api.ChangePage](t, area, api.ListChanges.Endpoint, as("ann"),
			"?unread=true&top=50&order="+order, "")
		if err != nil || len(page.Changes) != 1 || page.Changes[0].ItemID != "late" {
			t.Errorf("%s: %+v, %v", order, page, err)
		}
	}
	_, err = answered[api.Reader](t, area, api.MarkRead.Endpoint, as(""), "", `{"upTo":"`+cursor+`"}`)
	must(t, err)
	for _, name := range []string{keys.Machine, keys.Machine + "@quay"} {
		me, err := answered[api.Reader](t, area, api.GetReader.Endpoint, as(name), "", "")
		if err != nil || me.Unread > 1 {
			t.Errorf("L8: %s begins anew: %+v, %v", name, me, err)
		}
	}
	many := `{"ids":["1.1.1"` + strings.Repeat(`,"1.1.1"`, api.MaxReadIDs) + `]}`
	if _, err := answered[api.Reader](t, area, api.MarkRead.Endpoint, as("ann"), "", many); err == nil {
		t.Error("too many ids are taken")
	}
}

// answered returns the answer of an area's route to a caller.
func answered[A any](t *testing.T, a area, e *api.Endpoint, ctx context.Context, query, body string) (A, error) {
	t.Helper()
	for _, route := range a.Routes() {
		if route.Endpoint == e {
			r := httptest.NewRequestWithContext(ctx, e.Method, "/api/"+e.Path+query, strings.NewReader(body))
			_, got, err := route.Answer(r)
			out, _ := got.(A)
			return out, err
		}
	}
	t.Fatalf("the area does not have %s", e.Pattern())
	panic("unreachable")
}
