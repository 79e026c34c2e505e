package main

import (
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/form"
	services "github.com/tidemark/tidemark/pkg/notify/form"
)

// rulesOf are rules that together have each leaf, as some exclude each other.
func rulesOf(t *testing.T) []api.RuleSpec {
	all := sampleOf[api.RuleSpec](t, map[string]any{"digest": nil, "at": nil, "on": nil, "when": nil, "filter.itemId": nil,
		"quietHours.from": "22:00", "channels": []string{"ops", "chat"}})
	rest := parsed[api.RuleSpec](t, `{"digest":"daily","at":"07:30"}`, `{"digest":"hourly"}`,
		`{"digest":"weekly","at":"07:30","on":"fri"}`,
		`{"when":{"field":"price","op":"<","value":"80","first":true}}`,
		`{"when":{"field":"price","op":"<","against":"lowest"}}`,
		`{"when":{"field":"price","op":"changedBy","value":"10","unit":"%","against":"first"}}`,
		`{"when":{"field":"version","op":"fromTo","from":"one","to":"two"}}`, `{}`)
	for i := range rest {
		rest[i].Name, rest[i].Channels = "Tides", []string{"ops"}
	}
	return append([]api.RuleSpec{all}, rest...)
}

// ruleFlags returns the flags that set a rule.
func ruleFlags(r api.RuleSpec) []string {
	args := flagsOf(r)
	switch r.Digest {
	case "daily":
		args = append(args, "--daily", r.At)
	case "weekly":
		args = append(args, "--weekly", r.At)
	case "hourly":
		args = append(args, "--hourly")
	}
	if c := r.When; c != nil {
		text := map[string]string{"fromTo": " from " + string(c.From) + " to " + string(c.To),
			"changedBy": " changes by " + string(c.Value) + " " + c.Unit}[c.Op]
		if text == "" {
			text = " " + c.Op + " " + string(c.Value)
		}
		args = append(args, "--when", c.Field+text)
	}
	return args
}

// ruleInputs returns what a person types to have a rule.
func ruleInputs(r api.RuleSpec) url.Values {
	typed := form.Inputs(r)
	if typed.Get("when.op") == "changedBy" {
		typed.Set("when.since", typed.Get("when.against"))
	}
	return typed
}

// saidOf says a condition as the command line does: in one line.
func saidOf(r api.RuleSpec) map[string]string {
	out := shownOf(r)
	for path := range out {
		if strings.HasPrefix(path, "when.") {
			delete(out, path)
		}
	}
	out["when"] = condition.Text(r.When)
	if r.Off {
		out["off"] = "enabled        no"
	}
	return out
}

// seenOf says a condition as the sentence of the form does.
func seenOf(r api.RuleSpec) map[string]string {
	out := shownOf(r)
	for path, text := range map[string]string{"when.op <": "is below", "when.op changedBy": "changes by at least",
		"when.op fromTo": "goes from … to …", "when.first": "also if the first value that is seen meets it"} {
		if out[path] != "" {
			out[path] = text
		}
	}
	return out
}

// rule returns what the doors show of a rule.
func (h house) rule(id func() string) readers[api.RuleSpec] {
	return readers[api.RuleSpec]{http: func() api.RuleSpec {
		var have api.Rule
		h.http("GET", "rules/"+id(), nil, &have)
		have.Filter.Item = ""
		return have.RuleSpec
	}, command: func() string { return h.command("rules", "show", id()) },
		page: func() string { return h.seen("/tell?more=alert&rule=" + id()) }, said: saidOf, seen: seenOf}
}

// newNotified returns the whole app with two channels.
func newNotified(t *testing.T, env ...string) house {
	h := house{newArchived(t, env...)}
	for _, name := range []string{"ops", "chat"} {
		h.http("POST", "channels", api.Patch{"name": name, "kind": "webhook", "url": "https://ops.example/"}, &struct{}{})
	}
	return h
}

// TestV4EveryDoorToARule sets each setting of a rule through one door, of which the rules file is one, and reads it
// through each other (V4).
func TestV4EveryDoorToARule(t *testing.T) {
	inFile := rulesOf(t)
	for i := range inFile {
		inFile[i].Name = "File " + strconv.Itoa(i)
	}
	h := newNotified(t, written(t, "RULES_FILE", map[string]any{"rules": inFile}))
	for i, want := range inFile {
		readThrough(t, "the rules file", want, h.rule(func() string { return "file-file-" + strconv.Itoa(i) }))
	}
	var made api.Rule
	h.http("POST", "rules", api.Patch{"name": "Tides", "channels": []string{"ops"}}, &made)
	throughEachDoor(t, rulesOf(t), map[string]func(r api.RuleSpec, null []string){
		"HTTP": func(r api.RuleSpec, null []string) {
			h.http("PATCH", "rules/"+made.ID, patchOf(t, r, null), &struct{}{})
		},
		"command line": func(r api.RuleSpec, null []string) {
			h.command(append(append([]string{"rules", "set", made.ID}, ruleFlags(r)...), clearing(null)...)...)
		},
		"dashboard": func(r api.RuleSpec, _ []string) { h.save("/tell?more=alert&rule="+made.ID, ruleInputs(r)) },
	}, h.rule(func() string { return made.ID }), "filter.itemId")
}

// TestV4EveryDoorToTheRulesOfAPage makes a rule of one page through each door, and reads it through each other (V4).
func TestV4EveryDoorToTheRulesOfAPage(t *testing.T) {
	h := newNotified(t)
	var it api.Item
	h.http("POST", "AddUrlDocument", map[string]any{"url": "https://a.example/x"}, &it)
	want := api.RuleSpec{Name: "Page", Channels: []string{"ops"}, Filter: api.RuleFilter{ItemID: it.ID}}
	for door, make := range map[string]func(){
		"HTTP":         func() { h.http("POST", "rules", want, &struct{}{}) },
		"command line": func() { h.command("rules", "add", "Page", "--channel", "ops", "--page", "https://a.example/x") },
		"dashboard":    func() { h.save("/tell?more=alert&item="+it.ID, form.Inputs(want)) },
	} {
		make()
		var all api.Rules
		h.http("GET", "rules?itemId="+it.ID, nil, &all)
		if len(all.Rules) != 1 || all.Rules[0].Filter.ItemID != it.ID {
			t.Fatalf("by %s: %+v", door, all)
		}
		id := all.Rules[0].ID
		said := h.command("rules", "show", id) + h.command("rules", "list", "--page", it.ID)
		if strings.Count(said, "https://a.example/x") != 2 || !strings.Contains(said, "enabled        yes") {
			t.Errorf("by %s: %s", door, said)
		}
		if seen := h.seen("/notifications/rules/" + id); !strings.Contains(seen, "https://a.example/x") {
			t.Errorf("by %s: %s", door, seen)
		}
		h.http("DELETE", "rules/"+id, nil, &struct{}{})
	}
}

// written writes a value as JSON, which is YAML, to a file, and returns the setting that names it.
func written(t *testing.T, setting string, content any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.yaml")
	text, err := json.Marshal(content)
	must(t, err)
	must(t, os.WriteFile(path, text, 0o600))
	return setting + "=" + path
}

// channelsOf are channels that together have each leaf, as some exclude each other.
func channelsOf(t *testing.T) []api.ChannelSettings {
	mail, _ := services.Of("smtp")
	fields := map[string]string{"port": "2525", "auth": "", "user": "", "encryption": "tls"}
	for _, f := range mail.Fields {
		if _, given := fields[f.Name]; !given && !f.Secret && f.Example != "" && !strings.Contains(f.Help, "token") &&
			f.Name != "scope" && f.Name != "tokenUrl" {
			fields[f.Name] = f.Example
		}
	}
	maps.DeleteFunc(fields, func(_, value string) bool { return value == "" }) // they need a secret
	return append(parsed[api.ChannelSettings](t, `{"kind":"webhook","url":"https://ops.example/hook","secret":"OPS"}`,
		`{"kind":"webhook","urlFrom":"HOOK"}`, `{"kind":"shoutrrr","urlFrom":"CHAT"}`),
		api.ChannelSettings{Kind: "smtp", Fields: fields})
}

// channelText returns what is to be read of a channel, with each of its fields.
func channelText(c api.ChannelSettings) map[string]string {
	fields := c.Fields
	c.Fields = nil
	out := shownOf(c)
	for name, value := range fields {
		out["fields."+name] = value
	}
	return out
}

// channel returns what the doors show of a channel.
func (h house) channel(name string) readers[api.ChannelSettings] {
	one := "/notifications/channels/" + name
	return readers[api.ChannelSettings]{http: func() (out api.ChannelSettings) {
		var all api.Channels
		h.http("GET", "channels", nil, &all)
		for _, c := range all.Channels {
			if c.Name == name {
				out = c.ChannelSettings
			}
		}
		return out
	}, command: func() string { return h.command("channels", "show", name) },
		page: func() string { return h.seen("/notifications") + h.seen(one) }, said: channelText,
		seen: func(c api.ChannelSettings) map[string]string {
			out := channelText(c)
			if out["fields.encryption"] == "tls" {
				out["fields.encryption"] = "TLS (SSL)"
			}
			for path := range out {
				if strings.HasPrefix(path, "kind ") {
					out[path] = map[string]string{"webhook": "Webhook", "shoutrrr": "Address in a setting", "smtp": "E-mail"}[c.Kind]
				}
			}
			return out
		}}
}

// TestV4EveryDoorToAChannel makes channels that together have each setting through one door, and reads them through
// each other (V4).
func TestV4EveryDoorToAChannel(t *testing.T) {
	type entry struct {
		Name string `json:"name"`
		api.ChannelSettings
	}
	content := map[string][]entry{}
	for i, c := range channelsOf(t) {
		if c.Kind == "webhook" {
			c.Secret = "OPS"
		}
		if c.Fields == nil {
			content["channels"] = append(content["channels"], entry{"file" + strconv.Itoa(i), c})
		}
	}
	h := house{newArchived(t, written(t, "RULES_FILE", content))}
	for _, c := range content["channels"] {
		readThrough(t, "the rules file", c.ChannelSettings, h.channel(c.Name))
	}
	for i, c := range channelsOf(t) {
		typed := url.Values{"kind": {c.Kind}, "url": {c.URL}, "secret": {c.Secret}, "urlFrom": {c.URLFrom},
			"do": {"save-anyway"}}
		for name, value := range c.Fields {
			typed.Set("fields."+name, value)
		}
		for door, make := range map[string]func(name string){
			"http":    func(name string) { h.http("POST", "channels", entry{name, c}, &struct{}{}) },
			"command": func(name string) { h.command(append([]string{"channels", "add", name}, channelFlags(c)...)...) },
			"dashboard": func(name string) {
				typed.Set("name", name)
				if status, text := h.submit("/notifications/new-channel?kind="+c.Kind, typed); status >= 400 {
					t.Errorf("%d %s", status, text)
				}
			},
		} {
			name := door + strconv.Itoa(i)
			make(name)
			readThrough(t, door, c, h.channel(name))
		}
	}
}

// channelFlags returns the flags that set a channel.
func channelFlags(c api.ChannelSettings) (args []string) {
	fields := c.Fields
	c.Fields = nil
	args = flagsOf(c)
	for name, value := range fields {
		args = append(args, "--field", name+"="+value)
	}
	return args
}
