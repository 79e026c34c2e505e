package main

import "testing"

const (
	dailyRule = `{"id":"rule_a","name":"Prices","filter":{"host":"a.example","kind":"gone","minShare":0.2},` +
		`"channels":["ops"],"digest":"daily","at":"07:30","timezone":"Europe/Paris",` +
		`"quietHours":{"from":"22:00","to":"07:00","timezone":"Asia/Tokyo"},"enabled":true,"origin":"here"}`
	atOnceRule = `{"id":"rule_a","name":"Prices","channels":["ops"],"message":{"text":"{{url}}"},"enabled":true,"origin":"here"}`
	opsChannel = `{"channels":[{"name":"ops","kind":"webhook","url":"https://a.example/","secret":"OPS"}]}`
)

// rulesTable is what lists two rules.
const rulesTable = "NAME    CHANGES                                SENT            CHANNELS  FROM  ID      PROBLEM\n" +
	"Prices  kinds of change gone; when price < 80  daily at 07:30  ops,chat  here  rule_a  \n" +
	"All     all                                    off             ops       here  rule_b  \n"

// TestW5Commands checks the commands for channels (W5, W7).
func TestW5Commands(t *testing.T) {
	for _, sc := range []script{
		{name: "a webhook", args: []string{"channels", "add", "ops", "--webhook", "https://ops.example/"},
			answers: []answered{{body: `{"name":"ops","kind":"webhook","signingSecret":"whsec_x"}`}},
			asked:   []string{`POST /api/channels {"name":"ops","kind":"webhook","url":"https://ops.example/"}`},
			out: "the channel ops is signed by:\n\n  whsec_x\n\nIt is not shown again. The receiver needs it to know who " +
				"sends.\n"},
		{name: "a service", args: []string{"channels", "add", "chat", "--service", "CHAT"},
			answers: []answered{{body: `{"name":"chat","kind":"shoutrrr","problem":"credential CHAT is not set"}`}},
			asked:   []string{`POST /api/channels {"name":"chat","kind":"shoutrrr","urlFrom":"CHAT"}`},
			out:     "the channel chat is made\nnothing can be sent yet: credential CHAT is not set\n"},
		{name: "neither", args: []string{"channels", "add", "chat"}, code: 2,
			err: "tidemark: give --webhook URL, --service NAME, or --kind KIND with --field NAME=VALUE\n" +
				"see `tidemark channels add --help`\n"},
		{name: "a test", args: []string{"channels", "test", "ops"},
			answers: []answered{{body: `{"ok":true,"status":204}`}}, out: "taken: 204\n"},
		{name: "V4 a test of a channel that is not saved", args: []string{"channels", "test", "ops", "--webhook",
			"https://ops.example/", "--secret", "OPS"}, answers: []answered{{body: `{"ok":true,"status":204}`}},
			asked: []string{`POST /api/channels/ops/test {"name":"ops","kind":"webhook","url":"https://ops.example/","secret":"OPS"}`},
			out:   "taken: 204\n"},
		{name: "V4 a test of a part of a channel", args: []string{"channels", "test", "ops", "--secret", "OPS"}, code: 2,
			err: "tidemark: give --webhook URL, --service NAME, or --kind KIND with --field NAME=VALUE\n" +
				"see `tidemark channels test --help`\n"},
		{name: "a test that fails", args: []string{"channels", "test", "ops"}, code: 1,
			answers: []answered{{body: `{"ok":false,"status":404,"body":"no hook\u001b[2J","error":"it refuses the message"}`}},
			err:     "tidemark: the receiver did not take it: it refuses the message 404 no hook�[2J\n"},
		{name: "channels", args: []string{"channels"}, answers: []answered{{body: `{"channels":[` +
			`{"name":"ops","kind":"webhook","url":"https://ops.example/","origin":"file"}]}`}},
			out: "NAME  KIND     TO                    FROM  PROBLEM\nops   webhook  https://ops.example/  file  \n"},
		{name: "a channel moved", args: []string{"channels", "set", "ops", "--webhook", "https://b.example/"},
			answers: []answered{{body: `{"name":"ops","kind":"webhook"}`}},
			asked: []string{`PATCH /api/channels/ops {"fields":null,"kind":"webhook","url":"https://b.example/",` +
				`"urlFrom":null}`},
			out: "the channel ops is changed\n"},
		{name: "a channel of another kind", args: []string{"channels", "set", "ops", "--service", "CHAT"},
			answers: []answered{{body: `{"name":"ops","kind":"shoutrrr"}`}},
			asked: []string{`PATCH /api/channels/ops {"fields":null,"kind":"shoutrrr","secret":null,"url":null,` +
				`"urlFrom":"CHAT"}`},
			out: "the channel ops is changed\n"},
		{name: "a channel that is none", args: []string{"channels", "set", "pops", "--secret", "A"}, code: 1,
			answers: []answered{{404, `{"title":"Not Found","status":404,"detail":"there is no channel \"pops\""}`}},
			err:     "tidemark: there is no channel \"pops\"\n"},
		{name: "a mailbox", args: []string{"channels", "add", "mail", "--kind", "smtp", "--field", "host=smtp.a.example",
			"--field", "password=-"}, stdin: "hunter2\n",
			answers: []answered{{body: `{"name":"mail","kind":"smtp"}`}},
			asked: []string{`POST /api/channels {"name":"mail","kind":"smtp",` +
				`"fields":{"host":"smtp.a.example","password":"hunter2"}}`},
			out: "the channel mail is made\n"},
		{name: "a mailbox changed", args: []string{"channels", "set", "mail", "--field", "to=a@b.example", "--clear",
			"fields.user"}, answers: []answered{{body: `{"name":"mail","kind":"smtp"}`}},
			asked: []string{`PATCH /api/channels/mail {"fields":{"to":"a@b.example","user":null}}`},
			out:   "the channel mail is changed\n"},
		{name: "a channel shown", args: []string{"channels", "show", "mail"}, answers: []answered{{body: `{"channels":[` +
			`{"name":"mail","kind":"smtp","fields":{"to":"a@b.example","fromName":"Tide"},"to":"smtp.a.example:587",` +
			`"secrets":["password"],"origin":"here","problem":"no key"}]}`}},
			out: "name           mail\nproblem        no key\nkind           smtp\nname of the sender Tide\n" +
				"to             a@b.example\nsent to        smtp.a.example:587\nstored secrets password\nedited in      here\n"},
		{name: "no such channel", args: []string{"channels", "show", "pops"}, code: 2,
			answers: []answered{{body: opsChannel}}, err: "tidemark: there is no channel \"pops\"; `tidemark channels list` " +
				"names them\nsee `tidemark channels show --help`\n"},
		{name: "no channels", args: []string{"channels", "list"}, answers: []answered{{body: `{"channels":[]}`}},
			out: "no channels; `tidemark channels add NAME --webhook URL` makes one\n"},
	} {
		t.Run(sc.name, func(t *testing.T) { perform(t, sc) })
	}
}

// asOften is said of a new rule that does not say how often its pages are checked.
const asOften = "its pages are checked as often as their settings say; --every 1d is proposed: about 1 request a day\n"

// TestW5RuleCommands checks the commands for rules (W5), and what they say of the cost of checks (K15).
func TestW5RuleCommands(t *testing.T) {
	for _, sc := range []script{
		{name: "a rule", args: []string{"rules", "add", "Prices", "--host", "a.example", "--added", "EUR", "--channel", "ops",
			"--daily", "07:30", "--timezone", "Europe/Paris", "--quiet", "22:00-07:00"},
			answers: []answered{{body: `{"id":"rule_a","name":"Prices"}`}},
			asked: []string{`POST /api/rules {"name":"Prices","filter":{"host":"a.example","added":"EUR"},"channels":["ops"],` +
				`"digest":"daily","at":"07:30","timezone":"Europe/Paris","quietHours":{"from":"22:00","to":"07:00"}}`},
			out: "rule Prices made; it applies to changes from now on: rule_a\n" + asOften},
		{name: "a rule that asks for checks", args: []string{"rules", "add", "Lamp", "--channel", "ops", "--every", "1h"},
			answers: []answered{{body: `{"id":"rule_a","name":"Lamp","every":"1h"}`}},
			asked:   []string{`POST /api/rules {"name":"Lamp","channels":["ops"],"every":"1h"}`},
			out: "rule Lamp made; it applies to changes from now on: rule_a\n" +
				"each of its pages is checked at least every 1h: about 24 requests a day\n"},
		{name: "a rule changed", args: []string{"rules", "set", "rule_a", "--hourly", "--kind", "", "--quiet", "23:00-06:00"},
			answers: []answered{{body: `{"id":"rule_a","name":"Prices"}`}},
			asked: []string{`PATCH /api/rules/rule_a {"at":null,"digest":"hourly","filter":{"kind":null},"on":null,` +
				`"quietHours":{"from":"23:00","to":"06:00"}}`},
			out: "rule Prices changed\n"},
		{name: "a rule at once", args: []string{"rules", "set", "rule_a", "--at-once", "--quiet", "", "--name", "Costs"},
			answers: []answered{{body: `{"id":"rule_a","name":"Costs"}`}},
			asked:   []string{`PATCH /api/rules/rule_a {"at":null,"digest":null,"name":"Costs","on":null,"quietHours":null}`},
			out:     "rule Costs changed\n"},
		{name: "a rule changed to two", args: []string{"rules", "set", "rule_a", "--hourly", "--at-once"}, code: 2,
			err: "tidemark: give one of --at-once, --hourly, --daily and --weekly\n" +
				"see `tidemark rules set --help`\n"},
		{name: "a rule changed to nothing", args: []string{"rules", "set", "rule_a"}, code: 2,
			err: "tidemark: give what changes, such as --hourly, or --clear NAME\nsee `tidemark rules set --help`\n"},
		{name: "rules", args: []string{"rules"}, answers: []answered{{body: `{"rules":[{"id":"rule_a","name":"Prices",` +
			`"channels":["ops","chat"],"digest":"daily","at":"07:30","origin":"here","filter":{"kind":"gone"},` +
			`"when":{"field":"price","op":"<","value":"80"}},` +
			`{"id":"rule_b","name":"All","channels":["ops"],"off":true,"origin":"here"}]}`}},
			out: rulesTable},
		{name: "V4 the rules of a page", args: []string{"rules", "list", "--page", "url_p"},
			answers: []answered{{body: `{"id":"url_p"}`}, {body: `{"rules":[]}`}},
			asked:   []string{"GET /api/items/url_p", "GET /api/rules?itemId=url_p&top=5000"},
			out:     "no rules; `tidemark rules add NAME --channel CHANNEL` makes one\n"},
		{name: "a rule tried", args: []string{"rules", "test", "rule_a"}, answers: []answered{{body: `{"looked":1000,"messages":1,` +
			`"matched":1,"changes":[{"at":"2026-03-01T12:00:00Z","kind":"gone","url":"https://a.example/"}]}`}},
			asked: []string{"POST /api/rules/rule_a/test"},
			out:   "would have sent 1 message about 1 of the newest 1000 changes\n2026-03-01 12:00  gone  https://a.example/\n"},
		{name: "a rule removed", args: []string{"rules", "remove", "rule_a"},
			answers: []answered{{body: `{"id":"rule_a","name":"Prices"}`}}, asked: []string{"DELETE /api/rules/rule_a"},
			out: "the rule Prices is removed\n"},
	} {
		t.Run(sc.name, func(t *testing.T) { perform(t, sc) })
	}
}

// TestV4RuleFlags checks flags for what could only be set elsewhere before, in any order, and a text that is not a
// condition (V4).
func TestV4RuleFlags(t *testing.T) {
	for _, sc := range []script{
		{name: "what a rule could not be told", args: []string{"rules", "set", "rule_a", "--against", "lowest", "--when",
			"price <", "--zone", "main", "--silenced", "true", "--quiet-timezone", "Asia/Tokyo", "--clear", "message.title",
			"--off=false"},
			answers: []answered{{body: `{"id":"rule_a","name":"Costs"}`}},
			asked: []string{`PATCH /api/rules/rule_a {"filter":{"silenced":"true","zone":"main"},"message":{"title":null},` +
				`"off":false,"quietHours":{"timezone":"Asia/Tokyo"},"when":{"against":"lowest","field":"price","first":null,` +
				`"from":null,"op":"<","to":null,"unit":null,"value":null}}`},
			out: "rule Costs changed\n"},
		{name: "a wrong condition", args: []string{"rules", "set", "rule_a", "--when", "cheap"}, code: 2,
			err: "tidemark: invalid argument \"cheap\" for \"--when\" flag: \"cheap\" is not a condition; examples: price < " +
				"80 EUR; price < the lowest value; price changes by 10 %; availability from OutOfStock to InStock; version " +
				"changes; price disappears\nsee `tidemark rules set --help`\n"},
	} {
		t.Run(sc.name, func(t *testing.T) { perform(t, sc) })
	}
}

// TestW18MuteCommands checks the commands that keep messages about pages back (W18).
func TestW18MuteCommands(t *testing.T) {
	for _, sc := range []script{
		{name: "a page muted", args: []string{"rules", "mute", "url_p", "--rule", "rule_a", "--for", "3d"},
			answers: []answered{{body: `{"id":"url_p"}`}, {body: `{"id":"m.1","itemId":"url_p","rule":"rule_a",` +
				`"until":"2026-03-04T12:00:00Z"}`}},
			asked: []string{"GET /api/items/url_p",
				`POST /api/mutes {"itemId":"url_p","rule":"rule_a","for":"3d"}`},
			out: "messages of the rule rule_a are muted until 2026-03-04 12:00:00Z: m.1\n"},
		{name: "a mute ends", args: []string{"rules", "unmute", "m.1"}, answers: []answered{{body: `{"id":"m.1"}`}},
			asked: []string{"DELETE /api/mutes/m.1"}, out: "the mute m.1 has ended\n"},
		{name: "all mutes of a page end", args: []string{"rules", "unmute", "url_p"},
			answers: []answered{{body: `{"id":"url_p"}`}, {body: `{"id":"m.1"}`}},
			beside:  map[string][]string{"/api/mutes": {`{"mutes":[{"id":"m.1"}]}`}},
			asked:   []string{"GET /api/items/url_p", "DELETE /api/mutes/m.1"}, out: "the mute m.1 has ended\n"},
		{name: "mutes", args: []string{"rules", "mutes"},
			beside: map[string][]string{"/api/mutes": {`{"mutes":[{"id":"m.1","title":"Lamp"}]}`}},
			out:    "PAGE  MUTED               ID\nLamp  messages are muted  m.1\n"},
	} {
		t.Run(sc.name, func(t *testing.T) { perform(t, sc) })
	}
}

// TestW6Commands checks the commands for deliveries (W6).
func TestW6Commands(t *testing.T) {
	for _, sc := range []script{
		{name: "deliveries", args: []string{"deliveries", "--state", "failed"}, answers: []answered{{body: `{"deliveries":[` +
			`{"id":"d-1","channel":"ops","title":"Costs – content","state":"failed","created":"2026-03-01T12:00:00Z",` +
			`"attempts":3,"answer":{"ok":false,"status":500}}]}`}},
			asked: []string{"GET /api/deliveries?state=failed&top=50"},
			out: "STATE   MADE              TO   TRIES  WHAT             ANSWER  ID\n" +
				"failed  2026-03-01 12:00  ops  3      Costs – content  500     d-1\n"},
		{name: "sent again", args: []string{"deliveries", "retry", "d-1"},
			answers: []answered{{status: 202, body: `{"id":"d-1","channel":"ops","title":"Costs"}`}},
			asked:   []string{"POST /api/deliveries/d-1/retry"}, out: "Costs is sent to ops again\n"},
	} {
		t.Run(sc.name, func(t *testing.T) { perform(t, sc) })
	}
}

// TestW20Words checks the flags that word a message, and the preview that shows it (W20).
func TestW20Words(t *testing.T) {
	for _, sc := range []script{
		{name: "a rule with words of its own", args: []string{"rules", "set", "rule_a", "--message-title", "{{title}}!"},
			answers: []answered{{body: `{"id":"rule_a","name":"Prices"}`}},
			asked:   []string{`PATCH /api/rules/rule_a {"message":{"title":"{{title}}!"}}`},
			out:     "rule Prices changed\n"},
		{name: "a rule without them", args: []string{"rules", "set", "rule_a", "--message-text", ""},
			answers: []answered{{body: `{"id":"rule_a","name":"Prices"}`}},
			asked:   []string{`PATCH /api/rules/rule_a {"message":{"text":null}}`},
			out:     "rule Prices changed\n"},
		{name: "words tried", args: []string{"rules", "test", "rule_a", "--message-text", "{{summary}}"},
			answers: []answered{{body: atOnceRule}, {body: `{"looked":10,"messages":0,"matched":0,"changes":[],` +
				`"preview":{"sample":true,"messages":[{"channel":"ops","service":"ntfy","title":"Lamp","text":"a\nb\u001b",` +
				`"cut":true}]}}`}},
			asked: []string{"GET /api/rules/rule_a", `POST /api/rules/test {"name":"Prices","channels":["ops"],` +
				`"message":{"text":"{{summary}}"}}`},
			out: "would have sent 0 messages about 0 of the newest 10 changes\n\nthe message to ops (ntfy) about a sample, " +
				"because the rule has matched no change:\n  Lamp\n  a\n  b�\n  (cut: ntfy does not take all of it)\n"},
	} {
		t.Run(sc.name, func(t *testing.T) { perform(t, sc) })
	}
}
