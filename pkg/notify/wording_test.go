package notify

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// services adds a channel of each service, and returns their names.
func (r *rig) services() (names []string) {
	for name, at := range map[string]string{"slack": "slack://hook:A-B-C@webhook", "discord": "discord://tk@1",
		"telegram": "telegram://1:tk@telegram?chats=1", "ntfy": "ntfy://h.example/topic", "teams": "teams://h.example/a?b=c",
		"gotify": "gotify://h.example/tk", "mail": "smtp://h.example/?from=a@a.example&to=b@b.example",
		"zulip": "zulip://bot%40h.example:k@h.example/?stream=s", "pushover": "pushover://shoutrrr:tk@user"} {
		setting := strings.ToUpper(name)
		r.settings["CREDENTIAL_"+setting] = "secret " + at
		_, err := r.SaveChannel(r.t.Context(), api.ChannelSpec{Name: name,
			ChannelSettings: api.ChannelSettings{Kind: Service, URLFrom: setting}}, true)
		must(r.t, err)
		names = append(names, name)
	}
	_, err := r.SaveChannel(r.t.Context(), api.ChannelSpec{Name: "hook",
		ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: address("hook")}}, true)
	must(r.t, err)
	return append(names, "hook")
}

var worded = &api.MessageWording{Title: "{{title}} *now* {{summary}}",
	Text: "{{url}} @everyone\n{{difference}}\n{{time}}, {{tags}}\nMute: {{mute}}"}

// TestW20WordedMessages checks that the messages of a rule are worded as it says, that what would be markup stays text,
// and that a webhook gets the words beside all of the change (W20).
func TestW20WordedMessages(t *testing.T) {
	r := newRig(t)
	r.settings["CREDENTIAL_MAIL"] = "secret smtp://h.example/?from=a@a.example&to=b@b.example"
	_, err := r.SaveChannel(t.Context(), api.ChannelSpec{Name: "mail",
		ChannelSettings: api.ChannelSettings{Kind: Service, URLFrom: "MAIL"}}, true)
	must(t, err)
	_, err = r.SaveChannel(t.Context(), api.ChannelSpec{Name: "ops",
		ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: address("ops")}}, true)
	must(t, err)
	_, err = r.SaveRule(t.Context(), "", api.RuleSpec{Name: "Prices", Message: worded, Channels: []string{"ops", "mail"}})
	must(t, err)
	must(t, r.feed.Publish(t.Context(), feed.Group{ID: "g", Changes: []feed.Change{{At: r.now, Kind: feed.Content,
		ItemID: "url_a", URL: "https://a.example/", Title: "<script>{{mute}}\nBcc: x", Passages: []feed.Passage{
			{Text: "79 EUR", Op: feed.Removed}, {Text: "<b>84</b> EUR", Op: feed.Added}}}}}))
	r.follow()
	r.work()
	const title = "<script>{{mute}} Bcc: x *now* 79 → <b>84</b> EUR"
	text := "https://a.example/ @everyone\n- 79 EUR\n+ <b>84</b> EUR\n" + r.now.Format("2006-01-02 15:04") + " UTC,"
	hook, mail := r.to.got[address("ops")][0], r.to.got["b@b.example"][0]
	var event api.ChangeEvent
	must(t, json.Unmarshal(hook.Body, &event))
	if diff := cmp.Diff(&api.MessageWording{Title: title, Text: text}, event.Data.Message); diff != "" ||
		event.Data.Title == "" {
		t.Errorf("%s: %s", hook.Body, diff)
	}
	if mail.Title != title || mail.Text != text || mail.Foot != "" || !mail.Alone || strings.Contains(mail.HTML, "<b>") ||
		strings.Contains(mail.HTML, "<script") || !strings.Contains(mail.HTML, ` href="https://a.example/">`) {
		t.Errorf("%+v", mail)
	}
	if d := r.deliveries(Sent); len(d) != 2 || d[0].Title != title {
		t.Errorf("%+v", d)
	}
}

// TestW20WordingsRefused checks that a rule is refused for a variable that is not known, with the field, and for a
// wording that a digest would not use (W20). What leaves no words leaves the usual message.
func TestW20WordingsRefused(t *testing.T) {
	r := newRig(t)
	for field, spec := range map[string]api.RuleSpec{
		"message.title": {Message: &api.MessageWording{Title: "{{colour}}"}},
		"message.text":  {Message: &api.MessageWording{Text: strings.Repeat("a", 4001)}},
		"message":       {Message: &api.MessageWording{Text: "{{title}}"}, Digest: "hourly"},
	} {
		if _, err := r.PreviewRule(t.Context(), spec); fault.FieldOf(err) != field || !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", field, err)
		}
	}
	_, err := ParseFile("f", []byte("rules:\n- name: a\n  channels: [b]\n  message:\n    text: '{{colour}}'\n"))
	const refused = "f:5: rules[0].message.text: {{colour}} is not known: there are title"
	if err == nil || !strings.HasPrefix(err.Error(), refused) {
		t.Error(err)
	}
	got, err := r.PreviewRule(t.Context(), api.RuleSpec{Message: &api.MessageWording{Title: "{{mute}}", Text: "{{mute}}"}})
	must(t, err)
	if text := got.Preview.Messages[0].Text; !strings.HasPrefix(text, "Storm lamp: price 79 → 84 EUR\nhttps://shop") {
		t.Errorf("%q", text)
	}
}

// TestW20VariablesInDocs checks that the table of the documentation has the variables that there are (W20).
func TestW20VariablesInDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/channels.md")
	must(t, err)
	var want strings.Builder
	for _, v := range letter.Variables {
		fmt.Fprintf(&want, "| `{{%s}}` | %s |\n", v.Name, v.Means)
	}
	if !strings.Contains(string(page), "|---|---|\n"+want.String()+"\n") {
		t.Errorf("docs/channels.md lacks the table\n%s", want.String())
	}
}

// TestW20Previews checks what each service would get: of a sample that says so before there is a change, and then of
// the newest change. No preview has a link that mutes (W20).
func TestW20Previews(t *testing.T) {
	r := newRig(t)
	_, err := r.Book.SavePublicAddress(t.Context(), "https://tide.example", "anna")
	must(t, err)
	spec := api.RuleSpec{Name: "Prices", Message: worded, Channels: r.services()}
	var out strings.Builder
	for _, begin := range []string{"before", "after"} {
		got, err := r.PreviewRule(t.Context(), spec)
		must(t, err)
		fmt.Fprintf(&out, "== %s a change: sample %v, about %t\n", begin, got.Preview.Sample, got.Preview.ChangeID != "")
		shown := map[string]api.ShownMessage{}
		for _, m := range got.Preview.Messages {
			shown[m.Channel] = m
		}
		if len(shown) != len(spec.Channels) {
			t.Errorf("%d messages for %d channels", len(shown), len(spec.Channels))
		}
		for _, name := range strings.Fields("slack discord telegram ntfy teams gotify mail zulip pushover hook") {
			m := shown[name]
			fmt.Fprintf(&out, "-- %s (%s) cut %v\n[%s]\n%s\n", name, m.Service, m.Cut, m.Title, m.Text)
		}
		must(t, r.feed.Publish(t.Context(), feed.Group{ID: "g", Changes: []feed.Change{{At: r.now, Kind: feed.Content,
			ItemID: "url_a", URL: "https://a.example/_b_", Title: "<script> *bold* @everyone [pay](https://evil.example)",
			Tags: []string{"price"}, Passages: []feed.Passage{{Text: strings.Repeat("&", 1100), Op: feed.Added}}}}}))
	}
	golden(t, "previews.golden", out.String())
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, have string) {
	t.Helper()
	goldentest.Compare(t, "testdata/"+name, have)
}
