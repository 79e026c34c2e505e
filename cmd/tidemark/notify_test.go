package main

import "testing"

const (
	dailyRule = `{"id":"rule_a","name":"Prices","filter":{"host":"a.example","kind":"gone","minShare":0.2},` +
		`"channels":["ops"],"digest":"daily","at":"07:30","timezone":"Europe/Paris",` +
		`"quietHours":{"from":"22:00","to":"07:00","timezone":"Asia/Tokyo"},"origin":"here"}`
	atOnceRule = `{"id":"rule_a","name":"Prices","channels":["ops"],"message":{"text":"{{url}}"},"origin":"here"}`
	opsChannel = `{"channels":[{"name":"ops","kind":"webhook","url":"https://a.example/","secret":"OPS"}]}`
)

// rulesTable is what lists a rule.
const rulesTable = "NAME    CONDITION  WHEN         CHANNELS  FROM  ID      PROBLEM\n" +
	"Prices             daily 07:30  ops,chat  here  rule_a  \n"

// TestW5Commands checks the commands for rules, channels and deliveries (W5 to W7).
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
			err: "tidemark: give --webhook URL or --service NAME\nsee `tidemark channels add --help`\n"},
		{name: "a test", args: []string{"channels", "test", "ops"},
			answers: []answered{{body: `{"ok":true,"status":204}`}}, out: "taken: 204\n"},
		{name: "a test that fails", args: []string{"channels", "test", "ops"}, code: 1,
			answers: []answered{{body: `{"ok":false,"status":404,"body":"no hook\u001b[2J","error":"it refuses the message"}`}},
			err:     "tidemark: the receiver did not take it: it refuses the message 404 no hook�[2J\n"},
		{name: "channels", args: []string{"channels"}, answers: []answered{{body: `{"channels":[` +
			`{"name":"ops","kind":"webhook","url":"https://ops.example/","origin":"file"}]}`}},
			out: "NAME  KIND     TO                    FROM  PROBLEM\nops   webhook  https://ops.example/  file  \n"},
		{name: "a channel moved", args: []string{"channels", "set", "ops", "--webhook", "https://b.example/"},
			answers: []answered{{body: opsChannel}, {body: `{"name":"ops","kind":"webhook"}`}},
			asked: []string{"GET /api/channels", `PUT /api/channels/ops {"name":"ops","kind":"webhook",` +
				`"url":"https://b.example/","secret":"OPS"}`},
			out: "the channel ops is changed\n"},
		{name: "a channel of another kind", args: []string{"channels", "set", "ops", "--service", "CHAT"},
			answers: []answered{{body: opsChannel}, {body: `{"name":"ops","kind":"shoutrrr"}`}},
			asked:   []string{"GET /api/channels", `PUT /api/channels/ops {"name":"ops","kind":"shoutrrr","urlFrom":"CHAT"}`},
			out:     "the channel ops is changed\n"},
		{name: "a channel that is none", args: []string{"channels", "set", "pops", "--secret", "A"}, code: 2,
			answers: []answered{{body: opsChannel}}, err: "tidemark: there is no channel \"pops\"; `tidemark channels list` " +
				"names them\nsee `tidemark channels set --help`\n"},
		{name: "no channels", args: []string{"channels", "list"}, answers: []answered{{body: `{"channels":[]}`}},
			out: "no channels; `tidemark channels add NAME --webhook URL` makes one\n"},
		{name: "a rule", args: []string{"rules", "add", "Prices", "--host", "a.example", "--added", "EUR", "--channel", "ops",
			"--daily", "07:30", "--timezone", "Europe/Paris", "--quiet", "22:00-07:00"},
			answers: []answered{{body: `{"id":"rule_a","name":"Prices"}`}},
			asked: []string{`POST /api/rules {"name":"Prices","filter":{"host":"a.example","added":"EUR"},"channels":["ops"],` +
				`"digest":"daily","at":"07:30","timezone":"Europe/Paris","quietHours":{"from":"22:00","to":"07:00"}}`},
			out: "rule Prices made; it applies to changes from now on: rule_a\n"},
		{name: "a rule changed", args: []string{"rules", "set", "rule_a", "--hourly", "--kind", "", "--quiet", "23:00-06:00"},
			answers: []answered{{body: dailyRule}, {body: `{"id":"rule_a","name":"Prices"}`}},
			asked: []string{"GET /api/rules/rule_a", `PUT /api/rules/rule_a {"id":"rule_a","name":"Prices",` +
				`"filter":{"host":"a.example","minShare":0.2},"channels":["ops"],"digest":"hourly","timezone":"Europe/Paris",` +
				`"quietHours":{"from":"23:00","to":"06:00","timezone":"Asia/Tokyo"}}`},
			out: "rule Prices changed\n"},
		{name: "a rule at once", args: []string{"rules", "set", "rule_a", "--at-once", "--quiet", "", "--name", "Costs"},
			answers: []answered{{body: dailyRule}, {body: `{"id":"rule_a","name":"Costs"}`}},
			asked: []string{"GET /api/rules/rule_a", `PUT /api/rules/rule_a {"id":"rule_a","name":"Costs",` +
				`"filter":{"host":"a.example","kind":"gone","minShare":0.2},"channels":["ops"],"timezone":"Europe/Paris"}`},
			out: "rule Costs changed\n"},
		{name: "a rule changed to two", args: []string{"rules", "set", "rule_a", "--hourly", "--at-once"}, code: 2,
			answers: []answered{{body: dailyRule}}, err: "tidemark: give one of --at-once, --hourly and --daily\n" +
				"see `tidemark rules set --help`\n"},
		{name: "a rule changed to nothing", args: []string{"rules", "set", "rule_a"}, code: 2,
			err: "tidemark: give what changes, such as --hourly\nsee `tidemark rules set --help`\n"},
		{name: "rules", args: []string{"rules"}, answers: []answered{{body: `{"rules":[{"id":"rule_a","name":"Prices",` +
			`"channels":["ops","chat"],"digest":"daily","at":"07:30","origin":"here"}]}`}},
			out: rulesTable},
		{name: "a rule tried", args: []string{"rules", "test", "rule_a"}, answers: []answered{{body: `{"looked":1000,"messages":1,` +
			`"matched":1,"changes":[{"at":"2026-03-01T12:00:00Z","kind":"gone","url":"https://a.example/"}]}`}},
			asked: []string{"POST /api/rules/rule_a/test"},
			out:   "would have sent 1 message about 1 of the newest 1000 changes\n2026-03-01 12:00  gone  https://a.example/\n"},
		{name: "a rule removed", args: []string{"rules", "remove", "rule_a"},
			answers: []answered{{body: `{"id":"rule_a","name":"Prices"}`}}, asked: []string{"DELETE /api/rules/rule_a"},
			out: "the rule Prices is removed\n"},
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
			answers: []answered{{body: atOnceRule}, {body: `{"id":"rule_a","name":"Prices"}`}},
			asked: []string{"GET /api/rules/rule_a", `PUT /api/rules/rule_a {"id":"rule_a","name":"Prices",` +
				`"channels":["ops"],"message":{"title":"{{title}}!","text":"{{url}}"}}`},
			out: "rule Prices changed\n"},
		{name: "a rule without them", args: []string{"rules", "set", "rule_a", "--message-text", ""},
			answers: []answered{{body: atOnceRule}, {body: `{"id":"rule_a","name":"Prices"}`}},
			asked: []string{"GET /api/rules/rule_a", `PUT /api/rules/rule_a {"id":"rule_a","name":"Prices",` +
				`"channels":["ops"]}`},
			out: "rule Prices changed\n"},
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
