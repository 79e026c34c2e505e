package notify

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
)

const goodFile = `# who hears of what
channels:
  - name: ops
    kind: webhook
    url: https://ops.example/
    secret: OPS
  - {name: chat, kind: shoutrrr, urlFrom: CHAT}
rules:
  - name: Prices of the port
    filter: {host: port.example, kind: content, minShare: 0.1, added: '\bEUR\b'}
    channels: [ops, chat]
    digest: daily
    at: 07:30
    timezone: Europe/Paris
    quietHours: {from: "22:00", to: 06:00}
`

// TestW5File checks that a file of rules and channels is read strictly, and that all of its mistakes are reported at
// once, each with its line (W5).
func TestW5File(t *testing.T) {
	f, err := ParseFile("rules.yaml", []byte(goodFile))
	must(t, err)
	r := f.rules[0]
	if len(f.channels) != 2 || r.ID != "file-prices-of-the-port" || r.plan.Quiet == nil || len(r.sought) != 1 ||
		r.Filter.MinShare != 0.1 || r.Origin != FromFile {
		t.Errorf("%+v", f)
	}
	_, err = ParseFile("rules.yaml", []byte(`channels:
  - name: ops
    kind: webhook
    url: ftp://ops.example/
    colour: red
  - {name: chat, kind: pigeon}
  - {name: chat, kind: webhook, url: "https://a.example/"}
rules:
  - name: 7
    channels: [ops]
  - name: Prices
    filter:
      added: "("
      minShare: 2
    channels: []
    digest: daily
  - name: prices!
    channels: ops
  - name: Prices
    channels: [ops]
  - {name: Tides, channels: [ops], enabled: "no"}
  - {name: Levels, channels: [ops], when: {field: level, op: less, value: "3"}}
more: true
`))
	want := strings.TrimSpace(`
rules.yaml:5: channels[0].colour: there is no such field; known are fields, kind, name, secret, url, urlFrom
rules.yaml:6: channels[1].kind: kind must be webhook or shoutrrr in a file, not "pigeon"
rules.yaml:7: channels[2].secret: a webhook of a file names its secret: the setting CREDENTIAL_NAME=secret whsec_…
rules.yaml:7: channels[2].name: another channel has this name
rules.yaml:9: rules[0].name: must be text, not number; put it in quotes
rules.yaml:11: rules[1].at: at must be the time of the daily digest, such as 07:30
rules.yaml:13: rules[1].filter.added: error parsing regexp: missing closing ): ` + "`(`" + `; write a regular expression of RE2
rules.yaml:14: rules[1].filter.minShare: filter.minShare must be from 0 to 1 (100%), not 2
rules.yaml:15: rules[1].channels: channels must name 1 to 10 channels
rules.yaml:18: rules[2].channels: must be a list, not string
rules.yaml:19: rules[3].name: another rule has this name
rules.yaml:21: rules[4].enabled: must be true or false, not string
rules.yaml:22: rules[5].when.op: when.op must be one of <, <=, =, >=, >, changedBy, fromTo, appears, disappears, not "less"
rules.yaml:23: more: unknown; allowed are channels, rules`)
	if !fault.Is(err, fault.Invalid) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// TestW5RulesOfAFile checks that rules of a file report changes from when the rules are first seen, and can be
// changed only in the file (W5).
func TestW5RulesOfAFile(t *testing.T) {
	r := newRig(t)
	f, err := ParseFile("rules.yaml", []byte(`channels:
  - {name: ops, kind: webhook, url: "https://ops.example/", secret: OPS}
rules:
  - {name: All, channels: [ops]}
`))
	must(t, err)
	r.Book.o.File = f
	r.Book.o.Setting = func(string) string { return "secret whsec_" + strings.Repeat("A", 43) + "=" }
	r.publish(2, feed.New)
	r.follow()
	r.publish(1, feed.New)
	r.follow()
	r.work()
	if _, n := r.told("ops"); n != 1 {
		t.Errorf("told of %d", n)
	}
	if _, err := r.SaveRule(t.Context(), "file-all", f.rules[0].RuleSpec); !fault.Is(err, fault.Conflict) {
		t.Error(err)
	}
	_, rule := r.PatchRule(t.Context(), "file-all", api.Patch{"name": "Else"})
	_, channel := r.PatchChannel(t.Context(), "ops", api.Patch{"url": "https://else.example/"})
	for _, err := range []error{rule, channel} {
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "rules.yaml (RULES_FILE)") {
			t.Errorf("a patch of what the file defines: %v", err)
		}
	}
	if _, err := r.RemoveChannel(t.Context(), "ops"); !fault.Is(err, fault.Conflict) {
		t.Error(err)
	}
	if _, err := r.SaveChannel(t.Context(), f.channels[0].ChannelSpec, true); !fault.Is(err, fault.Conflict) {
		t.Error(err)
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte(goodFile))
	f.Add([]byte("rules: [{name: a, channels: [b], filter: *x}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ParseFile("f", data)
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", data, err)
		}
		for _, r := range file.rules {
			if len(r.Channels) == 0 || r.plan.Zone == nil {
				t.Errorf("%q is taken: %+v", data, r)
			}
		}
	})
}
