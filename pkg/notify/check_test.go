package notify

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
)

// jobs publishes the changes of a check of a list: a new entry, the text that has it, and a value; and a change of
// another page in the same commit.
func (r *rig) jobs() {
	r.t.Helper()
	of := func(c feed.Change) feed.Change {
		c.At, c.ItemID, c.Host, c.URL, c.Title = r.now, "url_jobs", "a.example", "https://a.example/jobs", "Jobs"
		return c
	}
	other := feed.Change{At: r.now, Kind: feed.Content, ItemID: "url_other", Host: "a.example",
		URL: "https://a.example/other", Title: "Other", Passages: []feed.Passage{{Text: "It rains.", Op: feed.Added}}}
	must(r.t, r.feed.Publish(r.t.Context(), feed.Group{ID: "jobs" + r.now.String(), Changes: []feed.Change{
		of(feed.Change{Kind: feed.Content, Passages: []feed.Passage{{Text: "- Ferryman, part time", Op: feed.Added,
			Weight: 110}, {Text: "- Cook", Op: feed.Removed, Weight: 104}}}),
		of(feed.Change{Kind: feed.Listed, Entry: &feed.Entry{Title: "Ferryman", URL: "https://a.example/jobs/7"}}),
		of(feed.Change{Kind: feed.WatchBroken, Why: "what is watched is gone"}), other}}))
}

// W28: TestW28OneCheckIsOneMessage checks that the changes of a check are one message for each rule and channel, with
// the gravest first, and that a webhook gets each of them.
func TestW28OneCheckIsOneMessage(t *testing.T) {
	r := newRig(t)
	r.settings["CREDENTIAL_MAIL"] = "secret smtp://h.example/?from=a@a.example&to=b@b.example"
	_, err := r.SaveChannel(t.Context(), api.ChannelSpec{Name: "mail",
		ChannelSettings: api.ChannelSettings{Kind: Service, URLFrom: "MAIL"}}, true)
	must(t, err)
	_, err = r.SaveChannel(t.Context(), api.ChannelSpec{Name: "ops",
		ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: address("ops")}}, true)
	must(t, err)
	_, err = r.SaveRule(t.Context(), "", api.RuleSpec{Name: "All", Channels: []string{"ops", "mail"}})
	must(t, err)
	r.jobs()
	r.follow()
	r.work()
	r.follow()
	r.work()
	mails := r.to.got["b@b.example"]
	var titles []string
	for _, m := range mails {
		titles = append(titles, m.Title)
	}
	slices.Sort(titles)
	const want = "Jobs: the watched part is missing, and 3 more; Other: new: It rains"
	if all := strings.Join(titles, "; "); all != want {
		t.Errorf("the mails are %s", all)
	}
	for _, m := range mails {
		if !strings.HasPrefix(m.Title, "Jobs") {
			continue
		}
		at := 0
		for _, part := range []string{"the watched part is missing", "new: Ferryman", "+ Ferryman, part time"} {
			next := strings.Index(m.Text, part)
			if next < at || !strings.Contains(strings.ToLower(m.HTML), strings.ToLower(strings.TrimPrefix(part, "+ "))) {
				t.Errorf("%q is not in its order in %s\n%s", part, m.Text, m.HTML)
			}
			at = next
		}
	}
	var kinds []string
	for _, m := range r.to.got[address("ops")] {
		var e api.ChangeEvent
		must(t, json.Unmarshal(m.Body, &e))
		if e.Type != api.EventChange {
			t.Errorf("the webhook got %s", m.Body)
		}
		kinds = append(kinds, string(e.Data.Kind))
	}
	if len(kinds) != 4 {
		t.Errorf("the webhook got %v", kinds)
	}
	for _, d := range r.deliveries(Sent) {
		if d.Channel == "mail" && strings.HasPrefix(d.Title, "Jobs") && d.Count != 3 {
			t.Errorf("the delivery has %d changes", d.Count)
		}
	}
	for _, id := range []string{"1.1.1", "1.1.2", "1.1.3"} {
		why, err := r.Follower.Why(t.Context(), api.ChangeID{ID: id, Top: 10})
		must(t, err)
		channels := map[string]int{}
		for _, d := range why.Deliveries {
			channels[d.Channel]++
		}
		if channels["mail"] != 1 || channels["ops"] != 1 {
			t.Errorf("%s was told by %v", id, channels)
		}
	}
}

// W28: TestW28WordsOfACheck checks that a rule which words its messages has its words for each change of a check.
func TestW28WordsOfACheck(t *testing.T) {
	r := newRig(t)
	r.settings["CREDENTIAL_MAIL"] = "secret smtp://h.example/?from=a@a.example&to=b@b.example"
	_, err := r.SaveChannel(t.Context(), api.ChannelSpec{Name: "mail",
		ChannelSettings: api.ChannelSettings{Kind: Service, URLFrom: "MAIL"}}, true)
	must(t, err)
	_, err = r.SaveRule(t.Context(), "", api.RuleSpec{Name: "All", Channels: []string{"mail"},
		Filter:  api.RuleFilter{ChangeFilter: api.ChangeFilter{Kind: "listed,content"}},
		Message: &api.MessageWording{Title: "{{title}}!", Text: "{{kind}}: {{summary}}"}})
	must(t, err)
	r.jobs()
	r.follow()
	r.work()
	var texts []string
	for _, m := range r.to.got["b@b.example"] {
		texts = append(texts, m.Title+" "+m.Text)
	}
	all := strings.Join(texts, "; ")
	const want = "Jobs! watchBroken: the watched part is missing\n\nlisted: new: Ferryman\n\n" +
		"content: new: Ferryman, part time, and 1 more"
	if !strings.Contains(all, want) ||
		len(texts) != 2 {
		t.Errorf("%q", texts)
	}
}

// W28: TestW28ChecksInQuietHours checks that a check which is not told at once is gathered with all of its changes, and
// that a test of a rule counts one message for a check.
func TestW28ChecksInQuietHours(t *testing.T) {
	r := newRig(t)
	rule := r.rule(api.RuleSpec{Digest: "hourly"}, "ops")
	r.jobs()
	r.pass(2 * time.Hour)
	if messages, changes := r.told("ops"); messages != 1 || changes != 4 {
		t.Errorf("%d messages with %d changes", messages, changes)
	}
	r.rule(api.RuleSpec{Name: "at once"}, "now")
	tested, err := r.TestRule(t.Context(), rule.ID)
	must(t, err)
	if tested.Matched != 4 {
		t.Errorf("%d changes match", tested.Matched)
	}
	got, err := r.PreviewRule(t.Context(), api.RuleSpec{})
	must(t, err)
	if got.Matched != 4 || got.Messages != 2 {
		t.Errorf("%d changes in %d messages", got.Matched, got.Messages)
	}
}
