package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// asks sends a request and decodes its answer, which must have a status.
func asks[T any](t *testing.T, r http.Handler, method, path, body string, status int) (out T) {
	t.Helper()
	w := do(t, r, method, "/api/"+path, body)
	if w.Code != status {
		t.Fatalf("%s %s %s: %d %s", method, path, body, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// takeBack takes back what an answer has the undo of.
func takeBack(t *testing.T, r http.Handler, u *api.Undo, status int) (out api.Undone) {
	t.Helper()
	if u == nil {
		t.Fatal("the answer has no undo")
	}
	return asks[api.Undone](t, r, "POST", "undo/"+u.ID, "", status)
}

func added(t *testing.T, r *rig, name string) (id, path string) {
	t.Helper()
	address := "https://port.example/ok/" + name
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+address+`"}`)
	r.work()
	id = idOf(t, address)
	return id, "items/" + id
}

// TestUndoSettings checks that an undo of a change of settings puts back what the change has changed, and leaves what
// was changed meanwhile; that it says so if the same was changed; and that the history offers it while it holds.
func TestUndoSettings(t *testing.T) {
	r := newRig(t)
	_, path := added(t, r, "one")
	patch := func(body string) api.Item { return asks[api.Item](t, r, "PATCH", path, body, 200) }
	patch(`{"watch":{"include":["main"]},"priority":3,"tags":["shop"]}`)
	if it := patch(`{}`); it.Undo != nil {
		t.Errorf("a patch that changes nothing has the undo %+v", it.Undo)
	}
	done := patch(`{"watch":{"include":["article"],"trigger":"sale"},"paused":true,"priority":null}`).Undo
	patch(`{"watch":{"exclude":["nav"]},"interval":{"min":"2h"}}`)

	detail := asks[api.ItemDetail](t, r, "GET", path, "", 200)
	offered := 0
	for _, d := range detail.History {
		if d.Undo != nil && *d.Undo == *done {
			offered++
		}
	}
	if want := r.now.Add(30 * 24 * time.Hour); offered != 1 || !done.Until.Equal(want) {
		t.Errorf("the history offers the undo %+v %d times; it should hold until %s", done, offered, want)
	}

	back := takeBack(t, r, done, 200)
	want := &api.Watch{Include: []string{"main"}, Exclude: []string{"nav"}}
	if diff := cmp.Diff(want, back.Item.Watch); diff != "" || back.Item.Paused || *back.Item.Priority != 3 ||
		back.Item.Interval == nil || back.Item.Effective == nil {
		t.Errorf("in force again: %s%+v", diff, back.Item.Settings)
	}
	if p := asks[api.Problem](t, r, "POST", "undo/"+done.ID, "", 409); !strings.Contains(p.Detail, "already") {
		t.Errorf("again: %s", p.Detail)
	}
	if it := takeBack(t, r, back.Item.Undo, 200).Item; it.Watch.Trigger != "sale" || !it.Paused {
		t.Errorf("the undo of the undo: %+v", it.Settings)
	}

	stale := patch(`{"watch":{"trigger":"sold out"},"priority":7}`).Undo
	patch(`{"watch":{"trigger":"gone"}}`)
	p := asks[api.Problem](t, r, "POST", "undo/"+stale.ID, "", 409)
	if !strings.Contains(p.Detail, "Only if the text matches") || strings.Contains(p.Detail, "watch.") {
		t.Errorf("the refusal does not name what was changed: %s", p.Detail)
	}
	if it := asks[api.Item](t, r, "GET", path, "", 200); *it.Priority != 7 || it.Watch.Trigger != "gone" {
		t.Errorf("a refused undo has changed %+v", it.Settings)
	}
	r.now = r.now.Add(30 * 24 * time.Hour)
	asks[api.Problem](t, r, "POST", "undo/"+stale.ID, "", 410)
	for _, d := range asks[api.ItemDetail](t, r, "GET", path, "", 200).History {
		if d.Undo != nil {
			t.Errorf("an undo is offered that does not hold any more: %+v", d)
		}
	}
	asks[api.Problem](t, r, "POST", "undo/nothing", "", 404)
	asks[api.Problem](t, r, "POST", "undo/ffffffffff-aaaaaaaaaaaaa", "", 404)
}

// TestUndoIgnore checks that ignored lines count again after an undo, and that an undo does not remove a rule that was
// added after it.
func TestUndoIgnore(t *testing.T) {
	r := newRig(t)
	id, path := added(t, r, "one")
	if out := ignoring(t, r, id, `{"pattern":"^Read","preview":true}`, 200); out.Undo != nil {
		t.Errorf("a preview has the undo %+v", out.Undo)
	}
	first := ignoring(t, r, id, `{"pattern":"^Read"}`, 200).Undo
	second := ignoring(t, r, id, `{"pattern":"^Seen"}`, 200).Undo
	asks[api.Problem](t, r, "POST", "undo/"+first.ID, "", 409)
	takeBack(t, r, second, 200)
	if it := takeBack(t, r, first, 200).Item; it.Watch != nil {
		t.Errorf("still ignored: %+v", it.Watch)
	}
	if it := asks[api.Item](t, r, "GET", path, "", 200); it.Watch != nil {
		t.Errorf("still ignored: %+v", it.Watch)
	}
}

// TestUndoMute checks that an undo ends a mute, or gives it its former end; and that the undo of its end mutes again.
func TestUndoMute(t *testing.T) {
	r := newRig(t)
	id, _ := added(t, r, "one")
	mute := func(length string) api.Mute {
		return asks[api.Mute](t, r, "POST", "mutes", fmt.Sprintf(`{"itemId":%q,"for":%q}`, id, length), 200)
	}
	until := func() (out []time.Time) {
		for _, m := range asks[api.Mutes](t, r, "GET", "mutes?itemId="+id, "", 200).Mutes {
			out = append(out, m.Until)
		}
		return out
	}
	day := mute("day")
	r.now = r.now.Add(time.Hour)
	week := mute("week")
	asks[api.Problem](t, r, "POST", "undo/"+day.Undo.ID, "", 409)
	if m := takeBack(t, r, week.Undo, 200).Mute; m == nil || !m.Until.Equal(day.Until) {
		t.Errorf("in force again: %+v", m)
	}
	ended := asks[api.Mute](t, r, "DELETE", "mutes/"+day.ID, "", 200)
	if left := until(); len(left) != 0 {
		t.Fatalf("after its end: %v", left)
	}
	takeBack(t, r, ended.Undo, 200)
	if left := until(); len(left) != 1 || !left[0].Equal(day.Until) {
		t.Errorf("after the undo of the end: %v", left)
	}
	if m := takeBack(t, r, day.Undo, 200).Mute; m != nil || len(until()) != 0 {
		t.Errorf("after the undo of the mute: %+v, %v", m, until())
	}
}

// TestUndoTag checks that an undo of a change of a tag puts back what it sets, that a tag which a change has made is
// gone again, and that a removed one is back.
func TestUndoTag(t *testing.T) {
	r := newRig(t)
	save := func(body string) api.Tag { return asks[api.Tag](t, r, "PATCH", "tags/shop", body, 200) }
	made := save(`{"priority":3}`).Undo
	changed := save(`{"priority":4,"watch":{"trigger":"sale"}}`).Undo
	if tag := takeBack(t, r, changed, 200).Tag; *tag.Priority != 3 || tag.Watch != nil || tag.Run == "" {
		t.Errorf("in force again: %+v", tag)
	}
	gone := asks[api.Tag](t, r, "DELETE", "tags/shop", "", 200).Undo
	takeBack(t, r, gone, 200)
	if tag := asks[api.Tag](t, r, "GET", "tags/shop", "", 200); *tag.Priority != 3 {
		t.Errorf("restored: %+v", tag)
	}
	takeBack(t, r, made, 200)
	asks[api.Problem](t, r, "GET", "tags/shop", "", 404)
}

// TestUndoRule checks that an undo of a change of a rule puts back what it has changed; that a removed rule is back
// with its id, and reports again; and that a rule which was added is removed, unless it was changed since.
func TestUndoRule(t *testing.T) {
	r := newRig(t)
	_, _ = added(t, r, "one")
	make := func(name string) api.Rule {
		return asks[api.Rule](t, r, "POST", "rules", `{"name":"`+name+`","channels":["pager"]}`, 200)
	}
	one := make("One")
	path := "rules/" + one.ID
	patch := func(body string) api.Rule { return asks[api.Rule](t, r, "PATCH", path, body, 200) }
	changed := patch(`{"digest":"daily","at":"07:30"}`).Undo
	patch(`{"name":"Other"}`)
	if rule := takeBack(t, r, changed, 200).Rule; rule.Digest != "" || rule.At != "" || rule.Name != "Other" {
		t.Errorf("in force again: %+v", rule)
	}
	stale := patch(`{"digest":"hourly"}`).Undo
	patch(`{"digest":"weekly","at":"08:00"}`)
	p := asks[api.Problem](t, r, "POST", "undo/"+stale.ID, "", 409)
	if !strings.HasSuffix(p.Detail, ": Sent") {
		t.Errorf("the refusal: %s", p.Detail)
	}
	before := asks[api.Rule](t, r, "GET", path, "", 200)
	gone := asks[api.Rule](t, r, "DELETE", path, "", 200).Undo
	takeBack(t, r, gone, 200)
	after := asks[api.Rule](t, r, "GET", path, "", 200)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	asks[api.Problem](t, r, "POST", "undo/"+one.Undo.ID, "", 409)
	asks[api.Rule](t, r, "DELETE", path, "", 200)
	two := make("Two")
	if rule := takeBack(t, r, two.Undo, 200).Rule; rule != nil {
		t.Errorf("it is still there: %+v", rule)
	}
	asks[api.Problem](t, r, "GET", "rules/"+two.ID, "", 404)
}

// TestUndoRead checks that an undo of "mark all as seen" gives a person's marks back, and refuses once the person has
// read on; and that changes become unread again.
func TestUndoRead(t *testing.T) {
	r := newRig(t)
	fill(t, r, 20)
	all := listed(t, r, "top=20")
	mark := func(body string) api.Reader { return asks[api.Reader](t, r, "POST", "changes/read", body, 200) }
	ids := fmt.Sprintf(`{"ids":[%q,%q]}`, all.Changes[3].ID, all.Changes[7].ID)
	was := mark(ids)
	if again := mark(ids); again.Undo != nil {
		t.Errorf("what changes nothing has the undo %+v", again.Undo)
	}
	seen := mark(`{"upTo":"` + all.Cursor + `"}`)
	if seen.Unread != 0 {
		t.Fatalf("after marking all: %+v", seen)
	}
	back := takeBack(t, r, seen.Undo, 200).Reader
	if back.Unread != was.Unread || back.UpTo != was.UpTo || back.Beyond != was.Beyond {
		t.Errorf("before: %+v, in force again: %+v", was, back)
	}
	seen = mark(`{"upTo":"` + all.Cursor + `"}`)
	if on := mark(`{"unread":true,"ids":["` + all.Changes[0].ID + `"]}`); on.Unread != 1 {
		t.Errorf("one is unread again: %+v", on)
	}
	asks[api.Problem](t, r, "POST", "undo/"+seen.Undo.ID, "", 409)
}

// TestUndoNeedsTheScope checks that an undo takes a key that may do what is taken back, and that nobody takes back what
// somebody else has read.
func TestUndoNeedsTheScope(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	_, path := added(t, g.rig, "one")
	fill(t, g.rig, 3)
	as := func(scope api.Scope, method, path, body string) (out struct {
		Undo *api.Undo `json:"undo"`
		Code int       `json:"-"`
	}) {
		w := ask(t, g, method, "/api/"+path, body, "Authorization", "Bearer "+g.keys[scope])
		_ = json.Unmarshal(w.Body.Bytes(), &out) // a refusal has no undo
		out.Code = w.Code
		return out
	}
	set := as(api.ScopeWrite, "PATCH", path, `{"priority":3}`)
	read := as(api.ScopeRead, "POST", "changes/read", `{"upTo":"`+listed(t, g.rig, "top=1").Cursor+`"}`)
	if set.Undo == nil || read.Undo == nil {
		t.Fatalf("%+v, %+v", set, read)
	}
	for _, ask := range []struct {
		scope api.Scope
		id    string
		want  int
	}{
		{api.ScopeRead, set.Undo.ID, 403}, {api.ScopeWrite, set.Undo.ID, 200},
		{api.ScopeAdmin, read.Undo.ID, 404}, {api.ScopeRead, read.Undo.ID, 200},
	} {
		if got := as(ask.scope, "POST", "undo/"+ask.id, ""); got.Code != ask.want {
			t.Errorf("a key for %s takes back %s: %d, want %d", ask.scope, ask.id, got.Code, ask.want)
		}
	}
}

// purge waits until removals can be taken back no more, and works on them.
func (r *rig) purge() {
	r.t.Helper()
	r.work()
	r.now = r.now.Add(undo.Removed + 2*time.Minute)
	do(r.t, r, "POST", "/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`)
	r.work()
}

// TestUndoRemoval checks that a removed page leaves the index and the lists at once; that an undo brings it back with
// its captures and its settings, without a request to the site; and that everything goes once it is too late for that.
func TestUndoRemoval(t *testing.T) {
	r := newRig(t)
	id, path := added(t, r, "one")
	asks[api.Item](t, r, "PATCH", path, `{"priority":3}`, 200)
	before := asks[api.ItemDetail](t, r, "GET", path, "", 200)
	found := func() int {
		return asks[api.SearchResponse](t, r, "GET", "Search?q=harbour", "", 200).Count +
			len(asks[api.ItemPage](t, r, "GET", "items", "", 200).Items)
	}
	if found() != 2 {
		t.Fatalf("found %d times", found())
	}
	asked := r.web.asked
	gone := asks[api.Item](t, r, "DELETE", path, "", 202)
	r.work()
	r.now = r.now.Add(10 * time.Minute)
	r.work()
	left := asks[api.ItemPage](t, r, "GET", "items?removing=true", "", 200).Items
	if len(left) != 1 || !left[0].RemoveRequested {
		t.Errorf("on request, lists have %+v", left)
	}
	shows(t, r, "/api/ui/items", "being removed")
	if found() != 0 || gone.Undo == nil {
		t.Errorf("found %d times while it waits for its removal; the undo is %+v", found(), gone.Undo)
	}
	if again := asks[api.Item](t, r, "DELETE", path, "", 202); again.Undo != nil || !again.RemoveRequested {
		t.Errorf("removed again: %+v", again.Undo)
	}
	if it := takeBack(t, r, gone.Undo, 200).Item; it.RemoveRequested {
		t.Errorf("in force again: %+v", it)
	}
	r.work()
	after := asks[api.ItemDetail](t, r, "GET", path, "", 200)
	if found() != 2 || len(after.Captures) != 1 || *after.Priority != 3 || after.Status != "Indexed" ||
		!after.NextCrawlAt.Equal(before.NextCrawlAt) || r.web.asked != asked {
		t.Errorf("found %d times, asked the site %d times; before: %+v, after: %+v", found(), r.web.asked-asked,
			before.Item, after.Item)
	}

	gone = asks[api.Item](t, r, "DELETE", path, "", 202)
	r.work()
	r.now = gone.Undo.Until
	asks[api.Problem](t, r, "POST", "undo/"+gone.Undo.ID, "", 410)
	r.purge()
	asks[api.Problem](t, r, "GET", path, "", 404)
	if captures, err := r.v.Snapshots.List(t.Context(), source.ID(id)); err != nil || len(captures) != 0 {
		t.Errorf("captures that are left: %v, %v", captures, err)
	}
}
