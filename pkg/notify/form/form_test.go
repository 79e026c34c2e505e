package form

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

// filled has a form of each service as people fill it in, with its address and where its secrets go.
var filled = []struct {
	kind        string
	v           Values
	address, to string
	bare        bool
}{
	{"smtp", Values{"host": "smtp.a.example", "user": "anna@a.example", "password": "p&w/ d", "from": "anna@a.example",
		"to": "bo@b.example\ncy@c.example"}, "smtp://anna%40a.example:p&w%2F%20d@smtp.a.example:587/?encryption=ExplicitTLS" +
		"&from=anna%40a.example&to=bo%40b.example%2Ccy%40c.example", "smtp.a.example:587", false},
	{"smtp", Values{"host": "192.168.1.5", "encryption": "none", "from": "t@a.example", "to": "bo@b.example"},
		"smtp://192.168.1.5:25/?encryption=None&from=t%40a.example&to=bo%40b.example", "192.168.1.5:25", true},
	{"smtp", Values{"host": "[::1]", "encryption": "tls", "from": "t@a.example", "to": "bo@b.example"},
		"smtp://[::1]:465/?encryption=ImplicitTLS&from=t%40a.example&to=bo%40b.example", "[::1]:465", false},
	{"smtp", Values{"host": "smtp.office365.com", "user": "a@a.example", "password": "s", "from": "a@a.example",
		"to": "b@b.example", "auth": "oauth2", "tokenUrl": "https://login.example/t", "clientId": "c"},
		"smtp://a%40a.example:s@smtp.office365.com:587/?auth=oauth2&clientId=c&encryption=ExplicitTLS&from=a%40a.example&" +
			"to=b%40b.example&tokenUrl=https%3A%2F%2Flogin.example%2Ft", "smtp.office365.com:587 login.example:443", false},
	{"slack", Values{"webhook": " https://hooks.slack.com/services/T1/B2/x3 "}, "slack://hook:T1-B2-x3@webhook",
		"slack.com:443", false},
	{"slack", Values{"token": "xoxb-1-2", "channel": "C1"}, "slack://xoxb:1-2@C1", "slack.com:443", false},
	{"telegram", Values{"token": "1:AA-b_c", "chats": "-100123, @tide"},
		"telegram://1:AA-b_c@telegram?chats=-100123%2C%40tide", "api.telegram.org:443", false},
	{"teams", Values{"webhook": "https://p.logic.example:443/workflows/1/t?sig=x%2Fy"},
		"teams://p.logic.example:443/workflows/1/t?sig=x%2Fy", "p.logic.example:443", false},
	{"discord", Values{"webhook": "https://discord.com/api/webhooks/12/t-k_n"}, "discord://t-k_n@12",
		"discord.com:443", false},
	{"discord", Values{"webhook": "https://discordapp.com/api/v10/webhooks/12/tk/"}, "discord://tk@12",
		"discord.com:443", false},
	{"ntfy", Values{"topic": "tide"}, "ntfy://ntfy.sh/tide", "ntfy.sh:443", false},
	{"ntfy", Values{"topic": "tide", "server": "http://192.168.1.5:8080/", "token": "tk_1"},
		"ntfy://:tk_1@192.168.1.5:8080/tide?disabletls=yes", "192.168.1.5:8080", true},
	{"ntfy", Values{"topic": "tide", "server": "Push.example.", "user": "anna", "password": "x:y"},
		"ntfy://anna:x%3Ay@Push.example./tide", "push.example:443", false},
	{"gotify", Values{"server": "https://a.example/gotify", "token": "A.b"}, "gotify://a.example/gotify/A.b",
		"a.example:443", false},
	{"matrix", Values{"server": "https://matrix.example", "token": "syt_1",
		"rooms": "!a:matrix.example, !b:matrix.example"},
		"matrix://:syt_1@matrix.example/?rooms=%21a%3Amatrix.example%2C%21b%3Amatrix.example", "matrix.example:443", false},
	{"mattermost", Values{"webhook": "http://chat.lan/hooks/tk", "channel": "town", "user": "tide"},
		"mattermost://tide@chat.lan/tk/town?disabletls=yes", "chat.lan:80", true},
	{"rocketchat", Values{"webhook": "https://chat.example/hooks/A/B"}, "rocketchat://chat.example/A/B",
		"chat.example:443", false},
	{"zulip", Values{"server": "https://z.example", "bot": "b@z.example", "key": "k", "stream": "general"},
		"zulip://b%40z.example:k@z.example/?stream=general&topic=Tidemark", "z.example:443", false},
	{"pushover", Values{"user": strings.Repeat("u", 30), "token": strings.Repeat("t", 30), "devices": "a, b"},
		"pushover://shoutrrr:" + strings.Repeat("t", 30) + "@" + strings.Repeat("u", 30) + "?devices=a%2Cb",
		"api.pushover.net:443", false},
	{"googlechat", Values{"webhook": "https://chat.googleapis.com/v1/spaces/S/messages?key=k&token=t"},
		"googlechat://chat.googleapis.com/v1/spaces/S/messages?key=k&token=t", "chat.googleapis.com:443", false},
	{"generic", Values{"webhook": "http://home.lan/hook?a=b"}, "generic://home.lan/hook?a=b&disabletls=yes",
		"home.lan:80", true},
}

// TestP1Forms checks the address that each form makes, and where its secrets go (P1).
func TestP1Forms(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range filled {
		s, ok := Of(f.kind)
		if !ok {
			t.Fatalf("there is no %s", f.kind)
		}
		seen[f.kind] = true
		address, errs := s.Address(f.v)
		if len(errs) > 0 || address != f.address {
			t.Errorf("%s: %s, %v; want %s", f.kind, address, errs, f.address)
		}
		if name, _, err := send.Check(address); name != f.kind || err != nil {
			t.Errorf("%s is the address of %s: %v", address, name, err)
		}
		if to := s.Destination(f.v); to != f.to || s.Encrypted(f.v) == f.bare {
			t.Errorf("%s goes to %s, encrypted %t", f.kind, to, s.Encrypted(f.v))
		}
	}
	for _, name := range send.Services() {
		if !seen[name] || !slices.Contains(Kinds(), name) {
			t.Errorf("the form of %s is not tried", name)
		}
	}
}

// TestP1FormsRefuse checks that what cannot work is refused at the field that is wrong, in words, without secrets (P1).
func TestP1FormsRefuse(t *testing.T) {
	mailWith := func(more ...string) Values {
		v := Values{"host": "smtp.a.example", "from": "a@a.example", "to": "b@b.example"}
		for i := 0; i < len(more); i += 2 {
			v[more[i]] = more[i+1]
		}
		return v
	}
	for _, c := range []struct {
		kind        string
		v           Values
		field, text string
	}{
		{"smtp", mailWith("host", ""), "host", "missing"},
		{"smtp", mailWith("host", "smtp.a.example:587"), "host", "port has a field of its own"},
		{"smtp", mailWith("host", "https://smtp.a.example"), "host", "alone"},
		{"smtp", mailWith("port", "65536"), "port", "1 to 65535"},
		{"smtp", mailWith("port", "smtp"), "port", "1 to 65535"},
		{"smtp", mailWith("port", "465"), "encryption", "Port 465"},
		{"smtp", mailWith("port", "587", "encryption", "tls"), "encryption", "Port 587"},
		{"smtp", mailWith("encryption", "ssl"), "encryption", "starttls or tls or none"},
		{"smtp", mailWith("encryption", "none", "user", "a", "password", "hunter2"), "encryption", "never sent without"},
		{"smtp", mailWith("user", "a"), "password", "no password"},
		{"smtp", mailWith("password", "hunter2"), "user", "no user"},
		{"smtp", mailWith("to", "b@b.example cy"), "to", "separated by commas"},
		{"smtp", mailWith("to", strings.Repeat("b@b.example,", 51)), "to", "at most 50"},
		{"smtp", mailWith("from", "Anna"), "from", "mail address"},
		{"smtp", mailWith("from", "a@a.example\r\nBcc: e@e.example"), "from", "one line"},
		{"smtp", mailWith("auth", "oauth2", "user", "a", "password", "hunter2", "clientId", "c"), "tokenUrl", "https://"},
		{"smtp", mailWith("clientId", "c"), "clientId", "token"},
		{"smtp", mailWith("clientHost", "a b"), "to", "clientHost"},
		{"smtp", mailWith("colour", "red"), "colour", "has no field"},
		{"slack", Values{}, "webhook", "missing"},
		{"slack", Values{"webhook": "https://hooks.slack.com/triggers/T/1/hunter2"}, "webhook", "incoming webhook"},
		{"slack", Values{"webhook": "https://evil.example/services/T/B/hunter2"}, "webhook", "incoming webhook"},
		{"slack", Values{"webhook": "hunter2 hunter2"}, "webhook", "must be an address"},
		{"slack", Values{"token": "hunter2"}, "token", "xoxb-"},
		{"telegram", Values{"token": "hunter2", "chats": "1"}, "token", "BotFather"},
		{"telegram", Values{"token": "1:hunter2", "chats": "Anna"}, "chats", "Anna"},
		{"telegram", Values{"token": "1:hunter2", "chats": strings.Repeat("1,", 11)}, "chats", "at most 10"},
		{"teams", Values{"webhook": "https://a.webhook.office.com/webhookb2/hunter2?x=y"}, "webhook", "ended connectors"},
		{"teams", Values{"webhook": "http://a.logic.example/workflows/1?sig=hunter2"}, "webhook", "whole address"},
		{"discord", Values{"webhook": "https://discord.com/channels/1/2"}, "webhook", "api/webhooks"},
		{"discord", Values{"webhook": "https://discord.com/api/webhooks/1/hunter2?thread_id=3"}, "webhook", "not supported"},
		{"ntfy", Values{"topic": "a/b"}, "topic", "letters"},
		{"ntfy", Values{"topic": "a", "server": "https://a.example/b"}, "server", "alone"},
		{"ntfy", Values{"topic": "a", "server": "ftp://a.example"}, "server", "https://"},
		{"ntfy", Values{"topic": "a", "server": "https://anna:hunter2@a.example"}, "server", "without user"},
		{"ntfy", Values{"topic": "a", "user": "anna"}, "password", "needs a password"},
		{"matrix", Values{"server": "a.example", "token": "hunter2", "rooms": "#a:b"}, "rooms", "begins with !"},
		{"mattermost", Values{"webhook": "https://a.example/mattermost/hooks/hunter2"}, "webhook", "/hooks/…"},
		{"pushover", Values{"user": "hunter2", "token": "hunter2"}, "user", "30 letters"},
		{"googlechat", Values{"webhook": "https://a.example/v1/spaces/x/messages?key=k&token=hunter2"}, "webhook", "whole"},
	} {
		s, _ := Of(c.kind)
		_, errs := s.Address(c.v)
		found := false
		for _, err := range errs {
			found = found || fault.FieldOf(err) == Prefix+c.field && strings.Contains(err.Error(), c.text)
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s repeats a secret: %v", c.kind, err)
			}
		}
		if !found {
			t.Errorf("%s %v: %v; want %q of %s", c.kind, c.v, errs, c.text, c.field)
		}
	}
}

// TestP1FormsProperty checks that whatever is typed makes an address that can be sent to, or is refused (P1).
func TestP1FormsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := filled[rapid.IntRange(0, len(filled)-1).Draw(t, "form")]
		s, _ := Of(f.kind)
		v := Values{}
		for _, one := range s.Fields {
			v[one.Name] = f.v[one.Name]
			if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
				v[one.Name] = rapid.OneOf(rapid.String(), rapid.StringMatching(`(https?://)?[a-z@:/?#&%!.\[\]-]{0,20}`),
					rapid.SampledFrom([]string{"", "none", "tls", "oauth2", "0", "25", "a@b.example"})).Draw(t, one.Name)
			}
		}
		address, errs := s.Address(v)
		if (address == "") != (len(errs) > 0) {
			t.Fatalf("%q and %v", address, errs)
		}
		fields := map[string]bool{}
		for _, err := range errs {
			if fields[fault.FieldOf(err)] {
				t.Fatalf("two errors of a field: %v", errs)
			}
			fields[fault.FieldOf(err)] = true
		}
		if address == "" {
			return
		}
		if name, _, err := send.Check(address); err != nil || name != f.kind {
			t.Fatalf("%s: %s %v", address, name, err)
		}
		if s.Destination(v) == "" {
			t.Fatalf("%v goes nowhere", v)
		}
	})
}
