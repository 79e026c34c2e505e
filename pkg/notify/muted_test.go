package notify

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
)

// change adds one change of a page.
func (r *rig) change(item string) string {
	r.t.Helper()
	must(r.t, r.feed.Publish(r.t.Context(), feed.Group{ID: item + r.now.Format("150405"), Changes: []feed.Change{{
		At: r.now, Kind: feed.Content, Host: "a.example", Type: "url", ItemID: item, URL: "https://a.example/" + item,
		Title: item, Passages: []feed.Passage{{Text: item + r.now.String(), Op: feed.Added}}}}}))
	for c, err := range r.feed.Newest(r.t.Context(), feedEnd) {
		must(r.t, err)
		return c.Position.String()
	}
	return ""
}

func (r *rig) mute(item, rule, length string) api.Mute {
	r.t.Helper()
	m, err := r.Mute(r.t.Context(), api.MuteRequest{ItemID: item, Rule: rule, For: length}, Page{Title: "A page"})
	must(r.t, err)
	return m
}

// expect checks how many messages and changes a channel has received.
func (r *rig) expect(channel string, messages, changes int) {
	r.t.Helper()
	if m, c := r.told(channel); m != messages || c != changes {
		r.t.Errorf("%s: %d messages of %d changes, want %d of %d", channel, m, c, messages, changes)
	}
}

// TestW18MuteStopsMessages checks on every store that a mute of a page stops the messages of all rules, and a mute of a
// rule on a page only those of that rule, and that nothing is made up for when a mute ends.
func TestW18MuteStopsMessages(t *testing.T) {
	for name, open := range map[string]opener{"mem": openMem, "embedded": openEmbedded, "azurite": openAzurite} {
		t.Run(name, func(t *testing.T) {
			r := newRigOn(t, open)
			one := r.rule(api.RuleSpec{Name: "one"}, "one")
			r.rule(api.RuleSpec{Name: "two"}, "two")
			r.now = r.now.Add(time.Minute)
			r.mute("lamp", one.ID, "week")
			r.mute("shelf", "", "1d")
			r.now = r.now.Add(time.Minute)
			lamp := r.change("lamp")
			r.change("shelf")
			r.change("chair")
			r.pass(time.Minute)
			r.expect("one", 1, 1)
			r.expect("two", 2, 2)
			why, err := r.Follower.Why(t.Context(), api.ChangeID{ID: lamp, Top: 10})
			must(t, err)
			if len(why.Mutes) != 1 || why.Mutes[0].Rule != one.ID || len(why.Rules) != 2 || len(why.Deliveries) != 1 {
				t.Errorf("why: %+v", why)
			}
			r.now = r.now.Add(25 * time.Hour)
			r.change("shelf")
			r.pass(time.Minute)
			r.expect("one", 2, 2)
			r.expect("two", 3, 3)
			got, err := r.Muted(t.Context(), "")
			must(t, err)
			if len(got.Mutes) != 1 || got.Mutes[0].ItemID != "lamp" || got.Mutes[0].Title != "A page" {
				t.Errorf("muted: %+v", got)
			}
		})
	}
}

// TestW18MuteLater checks the times around a mute: it stops a message of a change that it follows, a digest leaves out
// pages that are muted when it is written, and counts none that were muted when they changed.
func TestW18MuteLater(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{Name: "at once"}, "one")
	r.rule(api.RuleSpec{Name: "hourly", Digest: "hourly"}, "two")
	r.rule(api.RuleSpec{Name: "lamps", Digest: "hourly", Filter: api.RuleFilter{ChangeFilter: api.ChangeFilter{
		Q: "lamp"}}}, "three")
	r.change("lamp")
	r.now = r.now.Add(time.Second)
	m := r.mute("lamp", "", "always")
	r.follow() // gathers the change, which came before the mute
	r.work()
	r.expect("one", 0, 0)
	r.now = r.now.Add(time.Second)
	r.change("lamp") // muted when it came
	r.change("shelf")
	r.change("chair")
	r.pass(time.Minute)
	r.expect("one", 2, 2)
	r.now = r.now.Add(time.Hour)
	r.pass(2 * time.Minute)
	r.expect("two", 1, 2)
	r.expect("three", 0, 0)
	if _, err := r.Unmute(t.Context(), m.ID); err != nil {
		t.Fatal(err)
	}
	r.now = r.now.Add(2 * time.Hour)
	r.pass(2 * time.Minute)
	r.expect("two", 1, 2)
	if _, err := r.Unmute(t.Context(), m.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("ended twice: %v", err)
	}
	r.change("lamp")
	r.pass(time.Minute)
	r.expect("one", 3, 3)
}

// TestW18MuteIsChecked checks what is no mute, that a second mute gives the first a new end, and when rows are removed.
func TestW18MuteIsChecked(t *testing.T) {
	r := newRig(t)
	for _, q := range []api.MuteRequest{{For: "day"}, {ItemID: "lamp"}, {ItemID: "lamp", For: "soon"},
		{ItemID: "lamp", For: "-1d"}, {ItemID: "lamp", For: "day", Rule: "none"}, {ItemID: "a/b", For: "day"}} {
		if _, err := r.Mute(t.Context(), q, Page{}); fault.FieldOf(err) == "" {
			t.Errorf("%+v: %v", q, err)
		}
	}
	first := r.mute("lamp", "", "day")
	r.now = r.now.Add(time.Hour)
	second := r.mute("lamp", "", "week")
	if second.ID != first.ID || !second.From.Equal(first.From) || !second.Until.Equal(r.now.Add(7*24*time.Hour)) {
		t.Errorf("%+v, then %+v", first, second)
	}
	r.now = second.Until.Add(30*24*time.Hour - time.Minute)
	for _, want := range []int{1, 0} {
		_, err := r.Worker.Purge(t.Context())
		must(t, err)
		all, err := r.Mutes.all(t.Context())
		must(t, err)
		if len(all) != want {
			t.Errorf("at %v: %+v", r.now, all)
		}
		r.now = r.now.Add(2 * time.Minute)
	}
}
