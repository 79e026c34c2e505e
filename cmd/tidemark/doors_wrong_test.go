package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/form"
)

// aDoor tries to set one leaf, and returns what it says; "" if it has no way to set it.
type aDoor func(f form.Field, wrong any) string

// refusedAlike checks that each wrong value of a leaf, made of its description or a particular one, is refused at each
// door with the same message, apart from the name that the door has for the leaf.
func refusedAlike[T any](t *testing.T, particular map[string]any, doors map[string]aDoor) {
	t.Helper()
	tried := 0
	for _, f := range form.Of[T]().Fields {
		wrong, given := particular[f.Path]
		if _, isLeaf := form.Inputs(*new(T))[f.Path]; !isLeaf {
			continue
		}
		if !given {
			wrong = wrongOf(f)
		}
		if wrong != nil {
			tried++
			refusesAlike(t, f, wrong, doors)
		}
		if many := tooMany(f); many != nil {
			tried++
			refusesAlike(t, f, many, doors)
		}
	}
	if tried < 2 {
		t.Errorf("%T: only %d values were tried", *new(T), tried)
	}
}

// refusesAlike checks that all doors refuse a value of a leaf with the message of HTTP.
func refusesAlike(t *testing.T, f form.Field, wrong any, doors map[string]aDoor) {
	t.Helper()
	answer := doors["HTTP"](f, wrong)
	var problem api.Problem
	if json.Unmarshal([]byte(answer), &problem) != nil || problem.Status != http.StatusBadRequest ||
		len(problem.Errors) == 0 || !strings.HasPrefix(problem.Errors[0].Field, f.Path) {
		t.Errorf("%s %.80s, by HTTP: %s", f.Path, fmt.Sprint(wrong), answer)
		return
	}
	reason := strings.TrimLeft(strings.TrimPrefix(problem.Errors[0].Message, problem.Errors[0].Field), ": ")
	for _, door := range slices.Sorted(maps.Keys(doors)) {
		if said := doors[door](f, wrong); door != "HTTP" && said != "" && !strings.Contains(said, reason) {
			t.Errorf("%s %.40s: %q is not what the %s says:\n%.3000s", f.Path, fmt.Sprint(wrong), reason, door, said)
		}
	}
}

// oneLeaf returns settings with one value.
func oneLeaf(f form.Field, value any) api.Patch {
	p := api.Patch{}
	p.Set(value, strings.Split(f.Path, ".")...)
	return p
}

// oneFlag returns the flag that sets a leaf; nil if it has none of its own.
func oneFlag(f form.Field, value any) (args []string) {
	if f.Flag == "" {
		return nil
	}
	if around := map[string]string{"schedule.timezone": "--schedule=hourly", "activeHours.timezone": "--hours=08:00-18:00",
		"quietHours.timezone": "--quiet=22:00-07:00"}[f.Path]; around != "" {
		args = append(args, around)
	}
	for _, one := range textsOf(value) {
		args = append(args, "--"+f.Flag+"="+one)
	}
	return args
}

func textsOf(value any) (out []string) {
	switch is := value.(type) {
	case []string:
		return is
	case []any:
		for _, one := range is {
			out = append(out, fmt.Sprint(one))
		}
		return out
	}
	return []string{fmt.Sprint(value)}
}

// patching is the door of HTTP that patches a thing.
func (h house) patching(path string) aDoor {
	return func(f form.Field, wrong any) string {
		_, answer := h.send("PATCH", path, oneLeaf(f, wrong))
		return answer
	}
}

// commanding is the door of a command that sets.
func (h house) commanding(command ...string) aDoor {
	return func(f form.Field, wrong any) string {
		args := oneFlag(f, wrong)
		if args == nil {
			return ""
		}
		code, said := h.run(append(slices.Clone(command), args...)...)
		if code == 0 {
			return "it is taken"
		}
		return said
	}
}

// typing is the door of a form that shows a value.
func (h house) typing(path string, shown url.Values) aDoor {
	return func(f form.Field, wrong any) string {
		typed := maps.Clone(shown)
		typed.Set("do", "save")
		texts := textsOf(wrong)
		if f.Format == "share" {
			texts = []string{"200"}
		}
		if typed[f.Path] = texts; !f.IsSet() {
			typed[f.Path] = []string{strings.Join(texts, "\n")}
		}
		status, said := h.post(path, typed)
		if status < 400 {
			return fmt.Sprintf("it is taken: %d", status)
		}
		return said
	}
}

// inFile is the door of a file that the app reads when it starts: around makes the file of an entry.
func inFile(t *testing.T, setting string, around func(f form.Field, wrong any) any) aDoor {
	return func(f form.Field, wrong any) string {
		content := around(f, wrong)
		if content == nil {
			return ""
		}
		_, path, _ := strings.Cut(written(t, setting, content), "=")
		_, err := app.Load(func(name string) string { return map[string]string{setting: path}[name] })
		return fmt.Sprint(err)
	}
}

// TestV4WrongSettings checks that each door refuses a wrong value of a setting of an item or a tag alike (V4).
func TestV4WrongSettings(t *testing.T) {
	h := house{newArchived(t)}
	var it api.Item
	h.http("POST", "AddUrlDocument", map[string]any{"url": "https://a.example/x"}, &it)
	base := api.TagSettings{ActiveHours: &api.ActiveHours{From: "08:00", To: "18:00"}}
	for _, path := range []string{"items/" + it.ID, "tags/sea"} {
		h.http("PATCH", path, base, &struct{}{})
	}
	shown := form.Inputs(base)
	particular := map[string]any{"watch.trigger": "[", "activeHours.from": "25:99", "schedule.text": "never ever"}
	refusedAlike[api.TagSettings](t, particular, map[string]aDoor{"HTTP": h.patching("items/" + it.ID),
		"command line": h.commanding("watch", it.ID), "dashboard": h.typing("/tell?more=page&item="+it.ID, shown)})
	refusedAlike[api.TagSettings](t, particular, map[string]aDoor{"HTTP": h.patching("tags/sea"),
		"command line": h.commanding("tag", "set", "sea"), "dashboard": h.typing("/tags/sea", shown)})
}

// TestV4WrongRules checks that each door, of which the rules file is one, refuses a wrong value of a rule alike (V4).
func TestV4WrongRules(t *testing.T) {
	h := newNotified(t)
	base := api.RuleSpec{Name: "Tides", Channels: []string{"ops"}, Digest: "daily", At: "07:30",
		When:       &api.Condition{Field: "price", Op: "<", Value: "80"},
		QuietHours: &api.QuietHours{From: "22:00", To: "07:00"}}
	var made api.Rule
	h.http("POST", "rules", base, &made)
	refusedAlike[api.RuleSpec](t, map[string]any{"name": strings.Repeat("x", 101), "filter.items": "colour=red",
		"filter.added": "(", "filter.removed": "(", "channels": []string{"ops", "ops"}, "message.title": "{{nope}}",
		"message.text": "{{nope}}", "when.against": "nothing", "when.op": "about"},
		map[string]aDoor{"HTTP": h.patching("rules/" + made.ID), "command line": h.commanding("rules", "set", made.ID),
			"dashboard": h.typing("/tell?more=alert&rule="+made.ID, ruleInputs(base)),
			"rules file": inFile(t, "RULES_FILE", func(f form.Field, wrong any) any {
				p := patchOf(t, base, nil)
				p.Set(wrong, strings.Split(f.Path, ".")...)
				return map[string]any{"rules": []any{p}}
			})})
}

// TestV4WrongChannels does the same for channels, whose kinds in a file are fewer (V4).
func TestV4WrongChannels(t *testing.T) {
	h := newNotified(t)
	refusedAlike[api.ChannelSettings](t, map[string]any{"kind": "pigeon", "url": "ftp://x", "secret": "no name!"},
		map[string]aDoor{"HTTP": h.patching("channels/ops"), "command line": h.commanding("channels", "set", "ops"),
			"dashboard": h.typing("/notifications/new-channel?kind=webhook", url.Values{"kind": {"webhook"},
				"name": {"new"}, "url": {"https://ops.example/"}}),
			"rules file": inFile(t, "RULES_FILE", func(f form.Field, wrong any) any {
				p := api.Patch{"name": "ops", "kind": "webhook", "url": "https://ops.example/", "secret": "OPS"}
				if p[f.Path] = wrong; f.Path == "kind" {
					return nil
				}
				return map[string]any{"channels": []any{p}}
			})})
}

// TestV4WrongMutes does the same for mutes, which no file has (V4).
func TestV4WrongMutes(t *testing.T) {
	h := newNotified(t)
	var it api.Item
	h.http("POST", "AddUrlDocument", map[string]any{"url": "https://a.example/x"}, &it)
	base := api.Patch{"itemId": it.ID, "for": "day"}
	refusedAlike[api.MuteRequest](t, map[string]any{"rule": "rule_none", "for": "for ever"}, map[string]aDoor{
		"HTTP": func(f form.Field, wrong any) string {
			p := maps.Clone(base)
			p[f.Path] = wrong
			_, answer := h.send("POST", "mutes", p)
			return answer
		},
		"command line": h.commanding("rules", "mute", it.ID),
		"dashboard": func(f form.Field, wrong any) string {
			typed := url.Values{"itemId": {it.ID}, "for": {"day"}}
			typed.Set(f.Path, fmt.Sprint(wrong))
			_, said := h.submit("/mute", typed)
			return strings.ReplaceAll(said, "no alert ", "no rule ") // what the API calls a rule is an alert for people
		}})
}

// TestV4WrongSites checks that each door, of which the site file is one, refuses a wrong value of a site alike (V4).
func TestV4WrongSites(t *testing.T) {
	h := house{newArchived(t)}
	var made api.Site
	h.http("POST", "sites", api.Patch{"url": "https://b.example/"}, &made)
	bad, glob := []string{"ftp://b.example/x"}, []string{"docs"}
	refusedAlike[api.SiteSettings](t, map[string]any{"sitemaps": bad, "feeds": bad, "listings": bad, "include": glob,
		"exclude": glob, "follow.hosts": []string{"a b"}},
		map[string]aDoor{"HTTP": h.patching("sites/" + made.Slug), "command line": h.commanding("sites", "set", made.Slug),
			"dashboard": h.typing("/sites/"+made.Slug+"/settings", url.Values{}),
			"site file": inFile(t, "BACKFILL_SITES_FILE", func(f form.Field, wrong any) any {
				p := oneLeaf(f, wrong)
				p["slug"], p["domain"] = "b", "b.example"
				switch f.Path {
				case "include", "exclude":
					return nil // the file has expressions
				case "listings":
					var all []any
					for _, page := range textsOf(wrong) {
						all = append(all, api.Patch{"url": page})
					}
					p["listings"] = all
				}
				return map[string]any{"sites": []any{p}}
			})})
}
