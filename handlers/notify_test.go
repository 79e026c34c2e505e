package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/notify"
	nsend "github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
	"github.com/tidemark/tidemark/pkg/storage"
)

// receiver is a receiver of messages that can be made to fail.
type receiver struct {
	fails bool
	got   []nsend.Message
}

func (r *receiver) Send(_ context.Context, _ nsend.Target, m nsend.Message) []nsend.Result {
	if r.fails {
		return []nsend.Result{{ReceiverAnswer: api.ReceiverAnswer{Status: 404, Body: "no such hook",
			Error: "it refuses the message"}}}
	}
	r.got = append(r.got, m)
	return []nsend.Result{{ReceiverAnswer: api.ReceiverAnswer{OK: true, Status: 204}}}
}

// rulesOfFile is a file of rules, as a user keeps it in git.
const rulesOfFile = `channels:
  - {name: pager, kind: webhook, url: "https://pager.example/hook", secret: PAGER}
rules:
  - {name: What is gone, filter: {kind: gone}, channels: [pager]}
`

// notifies adds the notification service to the rig.
func (r *rig) notifies(store storage.Store, clock func() time.Time) {
	r.t.Helper()
	rules, err := notify.ParseFile("rules.yaml", []byte(rulesOfFile))
	must(r.t, err)
	r.receiver, r.settings["CREDENTIAL_PAGER"] = &receiver{}, "secret whsec_"+strings.Repeat("A", 43)+"="
	r.v.Notify = notify.New(store, r.v.Feed, r.receiver, notify.Options{File: rules, Clock: clock, Undo: r.v.Undo,
		Page: notify.PageOf(r.v.Registry.Items), Pages: notify.PagesOf(r.v.Registry.Items, r.v.Registry.Tags),
		Demand: notify.DemandsIn(r.v.Registry.Items),
		Keys:   secrets.Load(secrets.Options{Key: strings.Repeat("A", 43) + "="}), Admit: noPrivate,
		Setting: func(name string) string { return r.settings[name] },
		Token:   func() string { return cmp.Or(r.token, "token") }})
	must(r.t, notify.New(r.store, r.v.Feed, nil, notify.Options{}).Create(r.t.Context()))
}

// reachable confirms the address to which messages lead.
func (r *rig) reachable() {
	r.t.Helper()
	if w := do(r.t, r, "PUT", "/api/address", `{"url":"https://tide.example"}`); w.Code != http.StatusOK {
		r.t.Fatalf("the address: %d %s", w.Code, w.Body)
	}
}

// noPrivate refuses private addresses, as the guard of connections does.
func noPrivate(_ context.Context, to ...nsend.Address) error {
	for _, a := range to {
		if strings.HasPrefix(a.HostPort, "192.168.") {
			return fault.New(fault.Blocked, "Tidemark may not send anything to %s", a.HostPort)
		}
	}
	return nil
}

var ownSecret = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]{44}`)

const mailSpec = `{"kind":"smtp","fields":{"host":"smtp.port.example","user":"tide","password":"hunter2",` +
	`"from":"tide@port.example","to":"anna@port.example"}}`

type step struct{ name, method, path, body string }

// notifySteps are the steps of the conversation.
func notifySteps(one, id string) []step {
	const spec = `"name":"Locks","filter":{"host":"port.example","kind":"content","added":"(?i)\\block\\b"},` +
		`"channels":["ops"]`
	return []step{
		{"W5 no channels yet", "GET", "/api/channels", ""},
		{"W5 a webhook", "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://hooks.example/tidemark"}`},
		{"W5 a service", "POST", "/api/channels", `{"name":"chat","kind":"shoutrrr","urlFrom":"CHAT"}`},
		{"W5 no such kind", "POST", "/api/channels", `{"name":"other","kind":"pigeon"}`},
		{"W5 a channel of that name", "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://a.example/"}`},
		{"W5 a webhook with a secret of one's own", "PUT", "/api/channels/chat",
			`{"kind":"webhook","url":"https://chat.example/","secret":"CHAT"}`},
		{"W7 a test", "POST", "/api/channels/ops/test", ""},
		{"P1 what is wrong with a channel", "POST", "/api/channels/mail/check", `{"kind":"smtp","fields":{"host":` +
			`"192.168.1.5","from":"tide@port.example","to":"Anna"}}`},
		{"P1 a test before saving", "POST", "/api/channels/mail/test", mailSpec},
		{"P1 mail", "POST", "/api/channels", `{"name":"mail",` + mailSpec[1:]},
		{"V2 a mailbox has another receiver", "PATCH", "/api/channels/mail", `{"fields":{"to":"bo@port.example"}}`},
		{"V2 no such channel", "PATCH", "/api/channels/nobody", `{"url":"https://a.example/"}`},
		{"V2 a channel of the file", "PATCH", "/api/channels/pager", `{"url":"https://a.example/"}`},
		{"P1 the secret is not for another server", "PUT", "/api/channels/mail", `{"kind":"smtp","fields":{"host":` +
			`"smtp.evil.example","user":"tide","from":"tide@port.example","to":"anna@port.example"}}`},
		{"P1 the channel is removed", "DELETE", "/api/channels/mail", ""},
		{"Q18 a rule that no page meets", "POST", "/api/rules", `{` + spec + `}`},
		{"W5 a rule", "POST", "/api/rules", `{` + spec + `,"anyway":true}`},
		{"W5 a rule with mistakes", "POST", "/api/rules", `{"name":"a","channels":["nobody"],"filter":{"added":"("}}`},
		{"W5 the rule is another", "PUT", "/api/rules/RULE", `{` + spec +
			`,"quietHours":{"from":"22:00","to":"07:00","timezone":"Europe/Paris"}}`},
		{"V2 a rule is changed", "PATCH", "/api/rules/RULE", `{"quietHours":{"from":"23:00"},"filter":{"kind":null},"anyway":true}`},
		{"V2 the rule is switched off", "PATCH", "/api/rules/RULE", `{"enabled":false}`},
		{"V2 and on again", "PATCH", "/api/rules/RULE", `{"off":null,"quietHours":null,"anyway":true}`},
		{"V2 a rule with a wrong type", "PATCH", "/api/rules/RULE", `{"filter":{"kind":["gone"]}}`},
		{"V2 a rule of the file", "PATCH", "/api/rules/file-what-is-gone", `{"name":"Gone"}`},
		{"W5 the rules", "GET", "/api/rules", ""},
		{"W5 one rule", "GET", "/api/rules/RULE", ""},
		{"W5 a rule of the file", "DELETE", "/api/rules/file-what-is-gone", ""},
		{"W5 the channels", "GET", "/api/channels", ""},
		{"a page is added", "POST", "/api/AddUrlDocument", `{"url":"` + one + `"}`},
		{"the worker works", "", "", ""},
		{"one page changes", "edit", "The lock is closed on Mondays.", ""},
		{"it is checked", "POST", "/api/ReindexItem", `{"id":"` + id + `"}`},
		{"the worker works", "", "", ""},
		{"W5 what the rule would have told", "POST", "/api/rules/RULE/test", ""},
		{"W5 what a rule would send before it is created", "POST", "/api/rules/test",
			`{"name":"","channels":[],"filter":{"added":"Mondays"},"digest":"hourly"}`},
		{"W5 a preview with a mistake", "POST", "/api/rules/test", `{"name":"","channels":[],"filter":{"added":"("}}`},
		{"W6 the timer", "POST", "/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{}}`},
		{"W6 what waits", "GET", "/api/deliveries?state=waiting", ""},
		{"W6 the receiver refuses it", "deliver", "fails", ""},
		{"W6 the deliveries of a rule", "GET", "/api/deliveries?rule=RULE", ""},
		{"W6 send again", "POST", "/api/deliveries/DELIVERY/retry", ""},
		{"W6 the receiver takes it", "deliver", "", ""},
		{"W6 what was sent", "GET", "/api/deliveries?state=sent", ""},
		{"W17 why was I told", "GET", "/api/changes/CHANGE/why", ""},
		{"W20 no address yet", "GET", "/api/address", ""},
		{"W20 an address is confirmed", "PUT", "/api/address", `{"url":"https://Tide.example/api/ui/"}`},
		{"W20 no address", "PUT", "/api/address", `{"url":"tide.example"}`},
		{"W18 a page is muted", "POST", "/api/mutes", `{"itemId":"` + id + `","for":"week"}`},
		{"W18 no such rule to mute", "POST", "/api/mutes",
			`{"itemId":"` + id + `","for":"day","rule":"rule_none"}`},
		{"W18 no such page to mute", "POST", "/api/mutes", `{"itemId":"url_none","for":"day"}`},
		{"W18 the mutes", "GET", "/api/mutes", ""},
		{"W18 a mute ends", "DELETE", "/api/mutes/" + id + ".page.MUTED", ""},
		{"W18 no such mute", "DELETE", "/api/mutes/" + id + ".page.1", ""},
		{"W17 no such change", "GET", "/api/changes/1.999.1/why", ""},
		{"W6 no such delivery", "POST", "/api/deliveries/nothing/retry", ""},
		{"W5 a channel that a rule names", "DELETE", "/api/channels/ops", ""},
		{"W5 the rule is removed", "DELETE", "/api/rules/RULE", ""},
		{"W5 the channel is removed", "DELETE", "/api/channels/ops", ""},
	}
}

// TestW5Contract records a conversation about notifications (testdata/notify.golden).
func TestW5Contract(t *testing.T) {
	r := newRig(t)
	one := "https://port.example/ok/one"
	id := idOf(t, one)
	var log strings.Builder
	var muted string // the last part of the mute's id
	var rule api.Rule
	var page api.DeliveryPage
	for _, step := range notifySteps(one, id) {
		fmt.Fprintf(&log, "=== %s\n", step.name)
		r.now = r.now.Add(time.Minute)
		switch step.method {
		case "":
			r.work()
			continue
		case "edit":
			r.web.more = map[string]string{"one": step.path}
			continue
		case "deliver":
			r.receiver.fails = step.path == "fails"
			for r.deliver(notify.Queue, "/DeliveryWorker") {
			}
			continue
		}
		if step.name == "W18 a page is muted" {
			muted = fmt.Sprintf("%x", r.now.UnixMilli())
		}
		step.path = strings.NewReplacer("RULE", rule.ID, "MUTED", muted).Replace(step.path)
		if len(page.Deliveries) > 0 {
			step.path = strings.NewReplacer("DELIVERY", page.Deliveries[0].ID, "CHANGE", page.Deliveries[0].First).
				Replace(step.path)
		}
		w := do(t, r, step.method, step.path, step.body)
		answer := pretty(t, w.Body.Bytes())
		if step.name == "W5 a rule" {
			must(t, json.Unmarshal(w.Body.Bytes(), &rule))
		}
		if strings.HasPrefix(step.path, "/api/deliveries?") {
			must(t, json.Unmarshal(w.Body.Bytes(), &page))
		}
		answer = ownSecret.ReplaceAllString(answer, "whsec_"+strings.Repeat("A", 43)+"=")
		fmt.Fprintf(&log, "%s %s\n%s\n%d %s\n%s\n\n", step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), answer)
	}
	golden(t, "notify.golden", log.String())
	if n := len(r.receiver.got); n != 3 || r.receiver.got[2].ID != page.Deliveries[0].ID {
		t.Errorf("the receiver got %d messages: %+v", n, r.receiver.got)
	}
}

// TestW6Poison checks that a message that could not be processed is shown as a failed delivery (W6).
func TestW6Poison(t *testing.T) {
	r := newRig(t)
	r.channelAndRule()
	fill(t, r, 1)
	do(t, r, "POST", "/CrawlTimer", `{"Data":{},"Metadata":{}}`)
	messages, err := r.store.Queue(notify.Queue).Receive(t.Context(), 32, time.Second)
	must(t, err)
	if len(messages) != 1 {
		t.Fatalf("%d messages", len(messages))
	}
	do(t, r, "POST", "/DeliveryPoison", fmt.Sprintf(`{"Data":{"job":%q},"Metadata":{}}`, messages[0].Body))
	var page api.DeliveryPage
	must(t, json.Unmarshal(do(t, r, "GET", "/api/deliveries", "").Body.Bytes(), &page))
	if len(page.Deliveries) != 1 || page.Deliveries[0].State != notify.Failed ||
		!strings.Contains(page.Deliveries[0].Answer.Error, "could not be worked on") {
		t.Errorf("%+v", page)
	}
	shows(t, r, "/api/ui/notifications/messages?state=failed", `value="retry"`)
	shows(t, r, "/api/ui/attention", "Messages that did not arrive", `value="retry"`)
}

// channelAndRule adds a channel, ops, and a rule for all changes.
func (r *rig) channelAndRule() {
	r.t.Helper()
	for path, body := range map[string]string{"/api/channels": `{"name":"ops","kind":"webhook","url":"https://h.example/"}`} {
		if w := do(r.t, r, "POST", path, body); w.Code != http.StatusOK {
			r.t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if w := do(r.t, r, "POST", "/api/rules", `{"name":"All","channels":["ops"]}`); w.Code != http.StatusOK {
		r.t.Fatalf("%d %s", w.Code, w.Body)
	}
}

// TestW7Dashboard checks that the dashboard shows rules, channels and messages, sends tests and shows the receiver's
// answer, and sends messages again (W5, W7).
func TestW7Dashboard(t *testing.T) {
	r := newRig(t)
	r.channelAndRule()
	fill(t, r, 1)
	do(t, r, "POST", "/CrawlTimer", `{"Data":{},"Metadata":{}}`)
	r.receiver.fails = true
	for r.deliver(notify.Queue, "/DeliveryWorker") {
	}
	shows(t, r, "/api/ui/notifications", "All pages</b></a> when anything changes", "ops, at once", "Defined in a file")
	shows(t, r, "/api/ui/notifications/channels", "ops", "https://h.example/", "pager", "defined in a file", "Send a test")
	body := shows(t, r, "/api/ui/notifications/messages", "Page 0: changed", "no such hook", "next try")
	if strings.Contains(body, `value="retry"`) {
		t.Error("what is tried again by itself can be sent again")
	}
	post := func(form string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), "POST", "/api/ui/notifications", strings.NewReader(form))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		return w
	}
	w := post("do=test&of=ops")
	if !strings.Contains(w.Body.String(), "The receiver did not accept the test: it refuses the message") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	r.receiver.fails = false
	if w := post("do=test&of=ops"); !strings.Contains(w.Body.String(), "The receiver accepted the test (204)") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	var page api.DeliveryPage
	must(t, json.Unmarshal(do(t, r, "GET", "/api/deliveries", "").Body.Bytes(), &page))
	if w := post("do=retry&of=" + page.Deliveries[0].ID); w.Code != http.StatusSeeOther {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for r.deliver(notify.Queue, "/DeliveryWorker") {
	}
	w = do(t, r, "GET", "/api/ui/notifications?state=sent", "")
	if to := w.Header().Get("Location"); to != "/api/ui/notifications/messages?state=sent" {
		t.Errorf("the former address of the messages leads to %q", to)
	}
	shows(t, r, "/api/ui/notifications/messages?state=sent", "Page 0: changed", "arrived")
	if w := post("do=anything"); w.Code != http.StatusBadRequest {
		t.Errorf("%d", w.Code)
	}
}

// TestW20WordsForm checks that the form of a rule takes words for its messages, refuses a variable that is not known,
// and shows the message of a sample (W20).
func TestW20WordsForm(t *testing.T) {
	r := newRig(t)
	r.channelAndRule()
	const rule = "/api/ui/tell?more=alert&rule=rule_token"
	form := url.Values{"do": {"save"}, "name": {"Locks"}, "channels": {"ops"}, "message.title": {"{{title}}!"},
		"message.text": {"{{colour}}"}}
	if w := post(t, r, rule, "same-origin", form); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "{{colour}} is not known: there are title, url") {
		t.Errorf("a variable that is none: %d %s", w.Code, w.Body)
	}
	form["do"], form["message.text"] = []string{"preview"}, []string{"<b>{{title}}</b> {{mute}}"}
	body := post(t, r, rule, "same-origin", form).Body.String()
	for _, want := range []string{"Such a message would come", "Storm lamp!", "&lt;b&gt;Storm lamp&lt;/b&gt;"} {
		if !strings.Contains(body, want) {
			t.Errorf("the preview of a sample lacks %q: %s", want, body)
		}
	}
	form["do"] = []string{"save"}
	send(t, r, rule, form)
	shows(t, r, rule, `value="{{title}}!"`, "&lt;b&gt;{{title}}&lt;/b&gt; {{mute}}</textarea>")
}

// TestW5RuleForm checks that a rule is made, previewed and changed with a form, that a refused form keeps its input,
// and that a rule from the file is shown but not changed.
func TestW5RuleForm(t *testing.T) {
	r := newRig(t)
	r.channelAndRule()
	const rule, alert = "/api/ui/tell?more=alert&rule=rule_token", "/api/ui/notifications/rules/rule_token"
	typed := url.Values{"do": {"save"}, "name": {"Locks"}, "channels": {"ops"}, "filter.kind": {"title", "gone"},
		"filter.minShare": {"25"}, "digest": {"daily"}, "at": {"07:30"}, "timezone": {"Europe/Paris"},
		"quietHours.from": {"22:00"}, "quietHours.to": {"07:00"}, "filter.silenced": {"true"}, "filter.added": {"lock"}}
	for field, bad := range map[string]string{"filter.added": "[", "filter.minShare": "NaN", "at": "7", "channels": "x"} {
		form := maps.Clone(typed)
		form.Set(field, bad)
		w := post(t, r, rule, "same-origin", form)
		if body := w.Body.String(); w.Code != http.StatusBadRequest || !strings.Contains(body, `value="Locks"`) ||
			!strings.Contains(body, `<small class="bad">`) {
			t.Errorf("%s: %d %s", field, w.Code, body)
		}
	}
	send(t, r, rule, typed)
	var got api.Rule
	must(t, json.Unmarshal(do(t, r, "GET", "/api/rules/rule_token", "").Body.Bytes(), &got))
	want := api.RuleSpec{Name: "Locks", Channels: []string{"ops"}, Digest: "daily", At: "07:30",
		Timezone: "Europe/Paris", QuietHours: &api.QuietHours{From: "22:00", To: "07:00"}}
	want.Filter.Kind, want.Filter.MinShare, want.Filter.Silenced, want.Filter.Added = "title,gone", 0.25, "true", "lock"
	if !reflect.DeepEqual(got.RuleSpec, want) {
		t.Errorf("%+v\nwant %+v", got.RuleSpec, want)
	}
	shows(t, r, rule, `value="Locks"`, `value="gone" checked`, `value="25"`, `value="ops" checked`)
	shows(t, r, alert, "The ways in which it is sent stay", "ignored changes included", `/api/ui/tell?rule=rule_token`)
	if page := shows(t, r, "/api/ui/notifications", "when something changes of the kind title, gone, only minimum "+
		"share of the text 25%; ignored changes included; added text matches lock",
		"daily at 07:30, quiet 22:00 to 07:00, Europe/Paris"); strings.
		Contains(page, "&lt;nil&gt;") {
		t.Error("the list shows a value of Go")
	}
	fill(t, r, 3)
	w := post(t, r, "/api/ui/tell?all=1&more=alert", "same-origin", url.Values{"do": {"preview"}, "filter.q": {"page"}})
	if body := w.Body.String(); !strings.Contains(body, "Would have told you 3 times") ||
		strings.Count(body, "/api/ui/changes/") != 3 {
		t.Errorf("a preview: %d %s", w.Code, body)
	}
	send(t, r, alert, url.Values{"do": {"remove"}})
	send(t, r, "/api/ui/tell?all=1&more=alert", url.Values{"do": {"save"}, "name": {"<New>"}, "channels": {"ops"},
		"timezone": {"UTC"}, "quietHours.timezone": {"UTC"}}) // as the browser fills them in
	shows(t, r, "/api/ui/notifications", "&lt;New&gt;")
	var rules api.Rules
	must(t, json.Unmarshal(do(t, r, "GET", "/api/rules", "").Body.Bytes(), &rules))
	for _, rule := range rules.Rules {
		if rule.Name == "Locks" {
			t.Error("it was not removed")
		}
		if rule.Origin == notify.FromFile {
			shows(t, r, "/api/ui/notifications/rules/"+rule.ID, "RULES_FILE")
			shows(t, r, "/api/ui/tell?rule="+rule.ID, "RULES_FILE", `data-preview="preview" disabled>`)
		}
	}
}

// TestW5ChannelForm checks that a channel is made, tested and changed with a form, that the secret of a webhook is
// shown once, and that a channel with rules cannot be removed.
func TestW5ChannelForm(t *testing.T) {
	r := newRig(t)
	const to = "/api/ui/notifications/"
	w := post(t, r, to+"new-channel", "same-origin", url.Values{"do": {"save"}, "kind": {"webhook"},
		"name": {"Bad Name"}, "url": {"x"}})
	if body := w.Body.String(); w.Code != http.StatusBadRequest || !strings.Contains(body, `value="Bad Name"`) {
		t.Errorf("%d %s", w.Code, body)
	}
	w = post(t, r, to+"new-channel", "same-origin",
		url.Values{"do": {"save"}, "kind": {"webhook"}, "name": {"ops"}, "url": {"https://h.example/"}})
	if body := w.Body.String(); !strings.Contains(body, "<code>whsec_") || !strings.Contains(body, "shown only once") {
		t.Errorf("%d %s", w.Code, body)
	}
	if body := shows(t, r, to+"channels/ops", `value="https://h.example/"`, "None yet."); strings.Contains(body, "<code>whsec_") {
		t.Error("the secret is shown again")
	}
	w = post(t, r, to+"channels/ops", "same-origin", url.Values{"do": {"test"}, "kind": {"webhook"},
		"url": {"https://h.example/"}})
	if body := w.Body.String(); !strings.Contains(body, "The receiver accepted the test (204)") {
		t.Errorf("%d %s", w.Code, body)
	}
	send(t, r, to+"channels/ops", url.Values{"do": {"save"}, "kind": {"webhook"}, "url": {"https://other.example/"}})
	shows(t, r, to+"channels/ops?done=channel-tested", `value="https://other.example/"`, "Its receiver accepted a test")
	send(t, r, "/api/ui/tell?all=1&more=alert", url.Values{"do": {"save"}, "name": {"All"}, "channels": {"ops"}})
	shows(t, r, to+"channels/ops", "The alerts above use it. Change them first")
	if w := post(t, r, to+"channels/ops", "same-origin", url.Values{"do": {"remove"}}); w.Code != http.StatusConflict {
		t.Errorf("a channel that a rule names: %d", w.Code)
	}
	var rules api.Rules
	must(t, json.Unmarshal(do(t, r, "GET", "/api/rules", "").Body.Bytes(), &rules))
	for _, rule := range rules.Rules {
		if rule.Origin != notify.FromFile {
			send(t, r, to+"rules/"+rule.ID, url.Values{"do": {"remove"}})
		}
	}
	send(t, r, to+"channels/ops", url.Values{"do": {"remove"}})
	if w := do(t, r, "GET", to+"channels/ops", ""); w.Code != http.StatusNotFound {
		t.Errorf("it was not removed: %d", w.Code)
	}
}

// TestX16DashboardShowsBrokenRules checks that a stored rule beyond the bounds is shown as broken wherever people look:
// in the list, on its own page, which can mend it, and where things need attention (X16).
func TestX16DashboardShowsBrokenRules(t *testing.T) {
	r := newRig(t)
	r.reachable()
	const why = "filter.added: it is too large"
	post(t, r, "/api/ui/notifications/new-channel", "same-origin",
		url.Values{"kind": {"webhook"}, "name": {"ops"}, "url": {"https://h.example/"}})
	_, err := r.store.Table(notify.Table).Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
		Key: storage.Key{Partition: "rules", Row: "rule_large"}, Props: storage.Properties{"since": "0.0.0",
			"created": "2026-11-25T12:00:00Z",
			"spec":    `{"name":"Large","filter":{"added":"(.?){999}(.?){999}"},"channels":["ops"]}`}}})
	must(t, err)
	must(t, r.v.Notify.Create(t.Context())) // it is a row of an older release
	shows(t, r, "/api/ui/notifications", "Large", "Cannot tell you anything", "Added text matches: it is too large")
	shows(t, r, "/api/ui/attention", "Alerts that cannot tell anything", why)
	shows(t, r, "/api/ui/notifications/rules/rule_large", "It cannot tell you anything at present", why, "Large")
	send(t, r, "/api/ui/tell?more=alert&rule=rule_large",
		url.Values{"do": {"save"}, "name": {"Small"}, "channels": {"ops"}, "filter.added": {"lock"}})
	shows(t, r, "/api/ui/attention", "Nothing needs attention")
}

// TestG2WarningsOfConditions checks that a rule with a condition on a value that its pages do not have says so (G2).
func TestG2WarningsOfConditions(t *testing.T) {
	r := newItemsRig(t)
	id := idOf(t, pageOne)
	readFields(t, r, id)
	for _, tc := range []struct{ filter, when, want string }{
		{`{"itemId":"` + id + `"}`, `{"field":"price","op":"<","value":80}`, ""},
		{`{"itemId":"` + id + `"}`, `{"field":"cost","op":"<","value":80}`,
			`the page has no value named "cost"; there are note, price`},
		{`{"itemId":"` + id + `"}`, `{"field":"note","op":"changedBy","value":80}`, "its condition can never be met"},
		{`{}`, `{"field":"cost","op":"<","value":80}`, ""}, // the other page has not been read
		{`{"tag":"nobody"}`, `{"field":"cost","op":"<","value":80}`, "there is no page that its filter selects"},
	} {
		w := do(t, r, "POST", "/api/rules/test", `{"channels":[],"filter":`+tc.filter+`,"when":`+tc.when+`}`)
		var test api.RuleTest
		must(t, json.Unmarshal(w.Body.Bytes(), &test))
		have := test.Warning
		if w.Code != http.StatusOK || !strings.HasPrefix(have, tc.want) || tc.want == "" && have != "" {
			t.Errorf("%s of %s: %d %q, want %q", tc.when, tc.filter, w.Code, have, tc.want)
		}
	}
}
