package notify

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
)

// TestW5RulesDecide checks that rules notify their channels of the changes that they match, and of no others (W5).
func TestW5RulesDecide(t *testing.T) {
	r := newRig(t)
	filter := func(f api.ChangeFilter, added, removed string) api.RuleSpec {
		return api.RuleSpec{Filter: api.RuleFilter{ChangeFilter: f, Added: added, Removed: removed}}
	}
	for name, tt := range map[string]struct {
		spec api.RuleSpec
		want int
	}{
		"all":          {api.RuleSpec{}, 2},
		"kind":         {filter(api.ChangeFilter{Kind: "gone"}, "", ""), 1},
		"host":         {filter(api.ChangeFilter{Host: "b.example"}, "", ""), 0},
		"added":        {filter(api.ChangeFilter{}, `(?i)\bLOCK\b`, ""), 2},
		"not-added":    {filter(api.ChangeFilter{}, `quay`, ""), 0},
		"removed":      {filter(api.ChangeFilter{}, "", `quay`), 2},
		"both":         {filter(api.ChangeFilter{Kind: "content"}, "lock", "quay"), 1},
		"one-too-many": {filter(api.ChangeFilter{}, "lock", "nothing"), 0},
	} {
		r.rule(tt.spec, name)
		defer func() {
			if _, got := r.told(name); got != tt.want {
				t.Errorf("%s: told of %d, want %d", name, got, tt.want)
			}
		}()
	}
	r.publish(1, feed.Content)
	r.publish(1, feed.Gone)
	r.follow()
	r.work()
}

// TestW5FromCreationOn checks that a new rule reports the changes after its creation, also if the feed was never
// followed before (W5).
func TestW5FromCreationOn(t *testing.T) {
	r := newRig(t)
	r.publish(3, feed.New)
	r.rule(api.RuleSpec{}, "first")
	r.publish(1, feed.New)
	r.follow()
	r.publish(1, feed.New)
	r.rule(api.RuleSpec{}, "second")
	r.publish(1, feed.New)
	r.follow()
	r.work()
	if _, n := r.told("first"); n != 3 {
		t.Errorf("the first rule told of %d", n)
	}
	if _, n := r.told("second"); n != 1 {
		t.Errorf("the second rule told of %d", n)
	}
}

// TestW6FirstCrawl checks that a first crawl gives a few messages and one digest that counts all changes (W6).
func TestW6FirstCrawl(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{Name: "Everything"}, "ops", "chat")
	for range 322 / 23 {
		r.publish(23, feed.New)
	}
	r.pass(30 * time.Minute)
	for _, channel := range []string{"ops", "chat"} {
		if messages, changes := r.told(channel); messages != 11 || changes != 322 {
			t.Errorf("%s: %d messages of %d changes", channel, messages, changes)
		}
	}
	got := r.to.got[address("ops")]
	last := got[len(got)-1]
	if last.Title != "Everything: 312 pages were added" || !strings.Contains(last.Text, "and 292 more") {
		t.Errorf("%q\n%s", last.Title, last.Text)
	}
	var e api.DigestEvent
	must(t, json.Unmarshal(last.Body, &e))
	if e.Data.Count != 312 || len(e.Data.Changes) != inDigest || e.Data.Kinds["new"] != 312 || e.ID != last.ID {
		t.Errorf("%+v", e)
	}
	since, err := feed.ParsePosition(e.Data.Since)
	must(t, err)
	n := 0
	for c, err := range r.feed.Oldest(t.Context(), since) {
		must(t, err)
		if n++; n == 1 && c.Position.String() != e.Data.Changes[0].ID {
			t.Errorf("the digest begins with %s, and since with %s", e.Data.Changes[0].ID, c.Position)
		}
	}
	if n != 312 {
		t.Errorf("%d changes since then", n)
	}
}

// TestW6FirstReadingOfOnePage checks that an alert for one page, made before the page was read, does not tell of the
// first reading, unless it asks for new pages; and that one for all pages does (W6).
func TestW6FirstReadingOfOnePage(t *testing.T) {
	const page = "url_lock"
	r := newRig(t)
	r.rule(api.RuleSpec{Filter: api.RuleFilter{ItemID: page}}, "ops")
	asked := api.ChangeFilter{Kind: "new,content"}
	r.rule(api.RuleSpec{Filter: api.RuleFilter{ItemID: page, ChangeFilter: asked}}, "asked")
	r.rule(api.RuleSpec{}, "all")
	group := r.changes(1, feed.New)
	group.Changes[0].ItemID = page
	must(t, r.feed.Publish(t.Context(), group))
	r.follow()
	r.work()
	for channel, want := range map[string]int{"ops": 0, "asked": 1, "all": 1} {
		if _, n := r.told(channel); n != want {
			t.Errorf("%s was told of %d", channel, n)
		}
	}
}

// TestW5Digests checks that digests are sent at their hour, and that nothing is sent in quiet hours (W5).
func TestW5Digests(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{Digest: "hourly"}, "hourly")
	r.rule(api.RuleSpec{Digest: "daily", At: "07:30", Timezone: "Europe/Paris"}, "daily")
	r.rule(api.RuleSpec{QuietHours: &api.QuietHours{From: "12:00", To: "14:00"}}, "quiet")
	r.publish(2, feed.Content)
	r.pass(50 * time.Minute)
	for _, channel := range []string{"hourly", "daily", "quiet"} {
		if n, _ := r.told(channel); n != 0 {
			t.Errorf("%s: %d messages before its time", channel, n)
		}
	}
	r.publish(1, feed.Gone)
	r.pass(20 * time.Minute)
	if messages, changes := r.told("hourly"); messages != 1 || changes != 3 {
		t.Errorf("hourly: %d messages of %d changes", messages, changes)
	}
	if m := r.to.got[address("hourly")][0]; m.Title != "rule: 1 page was gone, 2 changed" {
		t.Errorf("%q", m.Title)
	}
	r.pass(time.Hour)
	if messages, changes := r.told("quiet"); messages != 1 || changes != 3 {
		t.Errorf("quiet: %d messages of %d changes", messages, changes)
	}
	r.now = time.Date(2026, 11, 24, 6, 29, 0, 0, time.UTC)
	if r.follow(); len(r.deliveries(Waiting)) != 0 {
		t.Error("the daily digest came early")
	}
	r.pass(2 * time.Minute)
	if messages, changes := r.told("daily"); messages != 1 || changes != 3 {
		t.Errorf("daily: %d messages of %d changes", messages, changes)
	}
}

// TestW6DeadReceiver checks that a receiver that accepts nothing is tried now and then for a day without delaying
// others, and that a user can then send everything again (W6).
func TestW6DeadReceiver(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "dead", "alive")
	r.to.ill[address("dead")] = true
	for range 5 {
		r.publish(1, feed.Content)
	}
	r.pass(time.Minute)
	if n, _ := r.told("alive"); n != 5 {
		t.Errorf("the other channel was told of %d", n)
	}
	first := r.to.sent[address("dead")]
	if first > 3 {
		t.Errorf("%d tries in a minute", first)
	}
	r.pass(25 * time.Hour)
	failed := r.deliveries(Failed)
	if len(failed) != 5 || len(r.deliveries(Waiting)) != 0 {
		t.Fatalf("%d failed", len(failed))
	}
	if n := r.to.sent[address("dead")]; n > 200 {
		t.Errorf("%d tries in a day", n)
	}
	r.to.ill[address("dead")] = false
	for _, d := range failed {
		if d.Answer.Error != "no answer" {
			t.Errorf("%+v", d)
		}
		_, err := r.Retry(t.Context(), d.ID)
		must(t, err)
	}
	r.work()
	var ids []string
	for _, m := range r.to.got[address("dead")] {
		ids = append(ids, m.ID)
	}
	for _, d := range failed {
		if !slices.Contains(ids, d.ID) {
			t.Errorf("%s was not sent again", d.ID)
		}
	}
	if n := len(r.deliveries(Sent)); n != 10 {
		t.Errorf("%d sent", n)
	}
}

// TestW6ReceiverComesBack checks that a receiver that recovers gets the waiting messages, and that one that refuses a
// message still gets the others (W6).
func TestW6ReceiverComesBack(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.to.ill[address("ops")] = true
	for range 4 {
		r.publish(1, feed.Content)
	}
	r.pass(3 * time.Hour)
	r.to.ill[address("ops")] = false
	r.pass(5 * time.Hour)
	if n, _ := r.told("ops"); n != 4 {
		t.Errorf("told of %d", n)
	}
	r.to.no[address("ops")] = true
	r.publish(1, feed.Content)
	r.pass(time.Minute)
	r.to.no[address("ops")] = false
	r.publish(1, feed.Content)
	r.now = r.now.Add(time.Second)
	r.follow()
	r.work()
	if n, _ := r.told("ops"); n != 5 {
		t.Errorf("told of %d: a message that was refused holds up others", n)
	}
}

// TestW6CursorTooOld checks that changes that were purged before a rule saw them are skipped, that the remaining ones
// are delivered, and that the follower continues (W6).
func TestW6CursorTooOld(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.publish(1, feed.Content)
	r.follow()
	r.publish(1, feed.Content)
	for range 3 {
		r.now = r.now.Add(48 * time.Hour)
		r.publish(1, feed.Content)
	}
	if n, err := r.feed.Purge(t.Context(), 24*time.Hour); n == 0 || err != nil {
		t.Fatalf("purged %d, %v", n, err)
	}
	r.follow()
	r.publish(1, feed.Gone)
	r.follow()
	r.work()
	if _, n := r.told("ops"); n < 3 {
		t.Errorf("told of %d", n)
	}
}

// TestW6RestoredFeed checks that rules and a cursor that are newer than a restored feed continue with new changes
// (W6).
func TestW6RestoredFeed(t *testing.T) {
	r := newRig(t)
	for range 5 {
		r.publish(1, feed.Content)
	}
	r.rule(api.RuleSpec{}, "ops")
	r.follow()
	for e, err := range r.store.Table(feed.Table).Query(t.Context(), everything) {
		must(t, err)
		_, err = r.store.Table(feed.Table).Transact(t.Context(), deletion(e))
		must(t, err)
	}
	r.feed = feed.Open(r.store, func() time.Time { return r.now })
	r.publish(1, feed.Content)
	r.follow()
	r.publish(1, feed.Content)
	r.follow()
	r.work()
	if _, n := r.told("ops"); n != 1 {
		t.Errorf("told of %d", n)
	}
}

// TestW5Refused checks that invalid rules and channels are refused, and that the error names the field (W5).
func TestW5Refused(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	ok := api.RuleSpec{Name: "a", Channels: []string{"ops"}}
	for field, change := range map[string]func(*api.RuleSpec){
		"name":            func(s *api.RuleSpec) { s.Name = " " },
		"filter.kind":     func(s *api.RuleSpec) { s.Filter.Kind = "novel" },
		"filter.added":    func(s *api.RuleSpec) { s.Filter.Added = "(" },
		"filter.removed":  func(s *api.RuleSpec) { s.Filter.Removed = strings.Repeat("a", maxPattern+1) },
		"channels":        func(s *api.RuleSpec) { s.Channels = []string{"nobody"} },
		"digest":          func(s *api.RuleSpec) { s.Digest = "monthly" },
		"at":              func(s *api.RuleSpec) { s.Digest = "daily" },
		"timezone":        func(s *api.RuleSpec) { s.Timezone = "Mars" },
		"quietHours.from": func(s *api.RuleSpec) { s.QuietHours = &api.QuietHours{From: "7", To: "08:00"} },
		"quietHours.to":   func(s *api.RuleSpec) { s.QuietHours = &api.QuietHours{From: "07:00", To: "07:00"} },
		"quietHours.timezone": func(s *api.RuleSpec) {
			s.QuietHours = &api.QuietHours{From: "07:00", To: "08:00", Timezone: "x"}
		},
	} {
		spec := ok
		change(&spec)
		if _, err := r.SaveRule(t.Context(), "", spec); fault.FieldOf(err) != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for field, spec := range map[string]api.ChannelSpec{
		"name":    {Name: "A b", ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: "https://a.example/"}},
		"kind":    {Name: "a", ChannelSettings: api.ChannelSettings{Kind: "pigeon"}},
		"url":     {Name: "a", ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: "https://u:p@a.example/"}},
		"urlFrom": {Name: "a", ChannelSettings: api.ChannelSettings{Kind: Service}},
		"secret": {Name: "a",
			ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: "https://a.example/", Secret: "a b"}},
	} {
		if _, err := r.SaveChannel(t.Context(), spec, true); fault.FieldOf(err) != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestW6Purge checks that finished deliveries are removed after their time, and that waiting ones stay (W6).
func TestW6Purge(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.publish(3, feed.Content)
	r.follow()
	r.work()
	r.now = r.now.Add(keepTime / 2)
	r.publish(1, feed.Content)
	r.follow()
	r.work()
	r.publish(1, feed.Content)
	r.follow()
	r.now = r.now.Add(keepTime/2 + time.Hour)
	if n, err := r.Purge(t.Context()); n != 3 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
	if n := len(r.deliveries("")); n != 2 {
		t.Errorf("%d are left", n)
	}
}

// TestW6Lists checks that lists have pages without gaps, with waiting deliveries first (W6).
func TestW6Lists(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.publish(5, feed.Content)
	r.follow()
	r.work()
	r.publish(4, feed.Content)
	r.follow()
	var states []string
	q := api.DeliveryQuery{Top: 2}
	for {
		page, err := r.Deliveries(t.Context(), q)
		must(t, err)
		for _, d := range page.Deliveries {
			states = append(states, d.State)
		}
		if q.Continuation = page.Continuation; q.Continuation == "" {
			break
		}
	}
	want := strings.Fields("waiting waiting waiting waiting sent sent sent sent sent")
	if !slices.Equal(states, want) {
		t.Errorf("%v", states)
	}
}

// TestW6Metrics checks that attempts are counted by service and result, and that the name of a channel is not a label
// (W6).
func TestW6Metrics(t *testing.T) {
	r := newRig(t)
	r.settings["CREDENTIAL_CHAT"] = "secret ntfy://ntfy.sh/topic"
	_, err := r.SaveChannel(t.Context(), api.ChannelSpec{Name: "chat",
		ChannelSettings: api.ChannelSettings{Kind: Service, URLFrom: "CHAT"}}, true)
	must(t, err)
	r.rule(api.RuleSpec{}, "ops", "refuses", "dead", "chat")
	r.to.no[address("refuses")], r.to.ill[address("dead")] = true, true
	r.publish(1, feed.Content)
	r.follow()
	r.work()
	r.now = r.now.Add(tryFor)
	r.work()
	got := map[string]float64{}
	for _, f := range r.metrics.Read() {
		if f.Name == "tidemark_deliveries_total" {
			for _, s := range f.Series {
				got[strings.Join(s.Values, " ")] = s.Sum
			}
		}
	}
	want := map[string]float64{"webhook sent": 1, "webhook retried": 2, "webhook failed": 2, "ntfy sent": 1}
	if !maps.Equal(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
}

// TestN7RulesSeeEverythingThatDiffers checks that a rule finds a word of a change that is in none of its passages, when
// changes are followed and when the rule is tried.
func TestN7RulesSeeEverythingThatDiffers(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{Name: "Fees", Filter: api.RuleFilter{Added: "15 EUR"}}, "ops")
	r.rule(api.RuleSpec{Name: "Others", Filter: api.RuleFilter{Added: "99 EUR"}}, "chat")
	r.rule(api.RuleSpec{Name: "Words", Filter: api.RuleFilter{ChangeFilter: api.ChangeFilter{Q: "fee eur"}}}, "digest")
	c := feed.Change{At: r.now, Kind: feed.Content, ItemID: "harbour", To: "1",
		Passages:   []feed.Passage{{Text: "The lock opens at six.", Op: feed.Added}},
		Difference: []feed.Passage{{Text: "The lock opens at six.", Op: feed.Added}, {Text: "Fee: 15 EUR", Op: feed.Added}}}
	must(t, r.feed.Keep(t.Context(), 1, []*feed.Change{&c}))
	must(t, r.feed.Publish(t.Context(), feed.Group{ID: "g", Since: 1, Changes: []feed.Change{c}}))
	r.follow()
	r.work()
	if _, n := r.told("ops"); n != 1 {
		t.Errorf("the rule told of %d changes", n)
	}
	if _, n := r.told("digest"); n != 1 {
		t.Errorf("the rule for words told of %d changes", n)
	}
	if _, n := r.told("chat"); n != 0 {
		t.Errorf("the other rule told of %d changes", n)
	}
	tried, err := r.PreviewRule(t.Context(), api.RuleSpec{Filter: api.RuleFilter{Added: "15 EUR"}})
	if must(t, err); tried.Matched != 1 {
		t.Errorf("tried: %+v", tried)
	}
}

// TestN2EqualChangesAreOneLine checks that a change of a block that many pages of a host have is one message, and then
// one line with the difference and the pages. Each page keeps its change in the feed.
func TestN2EqualChangesAreOneLine(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{Name: "All"}, "ops")
	of := func(host string, i int) feed.Change {
		return feed.Change{At: r.now, Kind: feed.Beside, Host: host, Type: "url", ItemID: fmt.Sprint(host, i),
			URL: fmt.Sprintf("https://%s/%d", host, i), Passages: []feed.Passage{{Text: "Fee: 3 EUR", Op: feed.Removed},
				{Text: "Fee: 5 EUR", Op: feed.Added}}}
	}
	for i := range 40 {
		must(t, r.feed.Publish(t.Context(), feed.Group{ID: fmt.Sprint("g", i), Changes: []feed.Change{of("a.example", i)}}))
		if i == 30 {
			must(t, r.feed.Publish(t.Context(), feed.Group{ID: "other", Changes: []feed.Change{of("b.example", 0)}}))
		}
	}
	r.pass(time.Hour)
	got := r.to.got[address("ops")]
	if len(got) != 2 {
		t.Fatalf("%d messages", len(got))
	}
	const want = "on 39 pages of a.example: fee 3 → 5 EUR\n- Fee: 3 EUR\n+ Fee: 5 EUR\nhttps://a.example/1\n"
	if text := got[1].Text; !strings.HasPrefix(text, want) || !strings.Contains(text, "and 19 more pages\n") ||
		!strings.HasSuffix(text, "https://b.example/0: fee 3 → 5 EUR\nhttps://b.example/0\n- Fee: 3 EUR\n+ Fee: 5 EUR") {
		t.Errorf("the digest is %s", text)
	}
	var e api.DigestEvent
	must(t, json.Unmarshal(got[1].Body, &e))
	if e.Data.Count != 40 || len(e.Data.Changes) != inDigest || len(e.Data.Alike) != 1 || e.Data.Alike[0].Count != 39 ||
		len(e.Data.Alike[0].URLs) != 39 {
		t.Errorf("the event is %+v", e.Data.Alike)
	}
}
