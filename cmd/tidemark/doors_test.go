package main

import (
	"bytes"
	"encoding/json"
	unescape "html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// house is the whole app with its three doors for people and programs: HTTP, the command line and the dashboard.
type house struct{ *archived }

// http sends a request and reads the answer into a value.
func (h house) http(method, path string, body, into any) {
	h.t.Helper()
	text, err := json.Marshal(body)
	must(h.t, err)
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.server+"/api/"+path, bytes.NewReader(text))
	must(h.t, err)
	res, err := http.DefaultClient.Do(req)
	must(h.t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	must(h.t, err)
	if res.StatusCode >= 300 {
		h.t.Fatalf("%s %s %s: %d %s", method, path, text, res.StatusCode, answer)
	}
	must(h.t, json.Unmarshal(answer, into))
}

// command runs a command and returns what it prints.
func (h house) command(args ...string) string {
	h.t.Helper()
	var out, errOut bytes.Buffer
	p := &terminal.Terminal{Out: &out, Err: &errOut, In: strings.NewReader(""), Name: "tidemark", Now: time.Now}
	getenv := func(name string) string { return map[string]string{"TIDEMARK_SERVER": h.server}[name] }
	if code := run(h.t.Context(), p, getenv, args); code != 0 {
		h.t.Fatalf("%q: %d %s%s", args, code, out.String(), errOut.String())
	}
	return out.String()
}

// page returns a page of the dashboard as a person reads it.
func (h house) page(path string) string {
	h.t.Helper()
	res, err := http.Get(h.server + "/api/ui" + path)
	must(h.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(h.t, err)
	if res.StatusCode != http.StatusOK {
		h.t.Fatalf("%s: %d %s", path, res.StatusCode, text)
	}
	return string(text)
}

var (
	shownAtFirst = regexp.MustCompile(`name="was" value="([^"]*)"`)
	markup       = regexp.MustCompile(`<[^>]*>`)
)

// save types values into the form at a path, and saves it.
func (h house) save(path string, typed url.Values) {
	h.t.Helper()
	was := shownAtFirst.FindStringSubmatch(h.page(path))
	if was == nil {
		h.t.Fatalf("%s has no form", path)
	}
	typed.Set("was", unescape.UnescapeString(was[1]))
	typed.Set("do", "save")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.PostForm(h.server+"/api/ui"+path, typed)
	must(h.t, err)
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusSeeOther {
		h.t.Fatalf("%s: %d %s", path, res.StatusCode, text)
	}
}

// samples are settings that together have each leaf, as some exclude each other.
var samples = []string{
	`{"watch":{"include":["main"],"exclude":[".ad"],"ignore":["^seen"],"trigger":"stock","index":"watched","list":"tell",
	  "listLinks":["h2 a"],"fields":{"price":{"from":"css","path":".price","type":"money","locale":"de-CH"}}},
	  "interval":{"min":"2h","max":"3d"},"activeHours":{"from":"08:00","to":"18:00","days":["mon","tue"],
	  "timezone":"Asia/Tokyo"},"priority":7,"render":"always","renderInterval":"6h","waitFor":"#x","viewport":"800x600",
	  "acceptLanguage":"de","colorScheme":"dark","postHosts":["api.example"]}`,
	`{"schedule":{"text":"weekdays at 9am","timezone":"Europe/Paris"},"priority":0,"render":"never"}`,
	`{"schedule":{"cron":"0 9 * * 1-5","timezone":"Europe/Paris"}}`,
	`{}`,
}

// flagsOf returns the flags that set settings.
func flagsOf[T any](s T, interval *api.Interval, schedule *api.Schedule, hours *api.ActiveHours) (args []string) {
	if interval != nil {
		args = append(args, "--every", interval.Min+".."+interval.Max)
	}
	if schedule != nil {
		args = append(args, "--schedule", schedule.Text+schedule.Cron, "--timezone", schedule.Timezone)
	}
	if hours != nil {
		args = append(args, "--hours", hours.From+"-"+hours.To, "--timezone", hours.Timezone)
	}
	typed := form.Inputs(s)
	for _, f := range form.Of[T]().Fields {
		for _, value := range typed[f.Path] {
			for line := range strings.SplitSeq(value, "\n") {
				if f.Flag != "" && f.Flag != "timezone" && line != "" {
					args = append(args, "--"+f.Flag+"="+line)
				}
			}
		}
	}
	return args
}

// TestV4EveryDoorToTheSettings sets each setting of an item and of a tag through one door and reads it through each
// other: what one sets is what the others show, and a door that removes a setting removes it for all (V4).
func TestV4EveryDoorToTheSettings(t *testing.T) {
	h := house{newArchived(t)}
	var it api.Item
	h.http("POST", "AddUrlDocument", map[string]any{"url": "https://a.example/x"}, &it)
	things := map[string]struct {
		path, settings, shown string
		command, show         []string
	}{
		"item": {"items/" + it.ID, "/items/" + it.ID + "/settings", "/items/" + it.ID,
			[]string{"watch", "https://a.example/x"}, []string{"show", it.ID}},
		"tag": {"tags/sea", "/tags/sea", "/tags", []string{"tag", "set", "sea"}, []string{"tag", "list"}},
	}
	var tag api.Tag
	h.http("POST", "tags", map[string]any{"name": "sea", "priority": 1}, &tag)
	for name, thing := range things {
		writers := map[string]func(s api.TagSettings, null []string){
			"HTTP": func(s api.TagSettings, null []string) {
				text, _ := json.Marshal(s)
				p, err := api.ParsePatch(text)
				must(t, err)
				for _, path := range null {
					p.Set(nil, strings.Split(path, ".")...)
				}
				h.http("PATCH", thing.path, p, &struct{}{})
			},
			"command line": func(s api.TagSettings, null []string) {
				args := append(thing.command, flagsOf(s, s.Interval, s.Schedule, s.ActiveHours)...)
				for _, path := range null {
					args = append(args, "--clear", path)
				}
				h.command(args...)
			},
			"dashboard": func(s api.TagSettings, _ []string) {
				typed := form.Inputs(s)
				h.save(thing.settings, typed)
			},
		}
		for door, write := range writers {
			var last api.TagSettings
			for _, sample := range samples {
				var want api.TagSettings
				must(t, json.Unmarshal([]byte(sample), &want))
				write(want, lost(last, want))
				last = want
				var have api.TagSettings
				h.http("GET", thing.path, nil, &have)
				if diff := cmp.Diff(want, have); diff != "" {
					t.Fatalf("the %s, by %s (-want +have):\n%s", name, door, diff)
				}
				said := h.command(thing.show...)
				read := unescape.UnescapeString(markup.ReplaceAllString(h.page(thing.shown), ""))
				for path, text := range shownOf(want) {
					if !strings.Contains(said, text) {
						t.Errorf("the %s, by %s: %s %q is not at the command line:\n%s", name, door, path, text, said)
					}
					if !strings.Contains(read, text) {
						t.Errorf("the %s, by %s: %s %q is not on the dashboard:\n%s", name, door, path, text, read)
					}
				}
			}
		}
	}
}

// shownOf returns what is to be read of each leaf that is set.
func shownOf(s api.TagSettings) map[string]string {
	out := map[string]string{}
	for path, values := range form.Inputs(s) {
		f, _ := form.Of[api.TagSettings]().Field(path)
		for _, value := range values {
			for line := range strings.SplitSeq(value, "\n") {
				if line != "" {
					out[path+" "+line] = f.Text(line)
				}
			}
		}
	}
	if i := s.Interval; i != nil {
		delete(out, "interval.min "+i.Min)
		delete(out, "interval.max "+i.Max)
		out["interval"] = form.Every(i)
	}
	return out
}

// lost returns the paths of the settings that one value has and another has not, a part of an object by itself.
func lost(was, is api.TagSettings) (paths []string) {
	before, after := form.Inputs(was), form.Inputs(is)
	for path, values := range before {
		if strings.Join(values, "") != "" && strings.Join(after[path], "") == "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// TestV2PatchesAtOnce checks that changes of different settings at the same time all hold, of an item and of a tag, and
// that an empty object changes nothing (V2).
func TestV2PatchesAtOnce(t *testing.T) {
	h := house{newArchived(t)}
	var it api.Item
	h.http("POST", "AddUrlDocument", map[string]any{"url": "https://a.example/x"}, &it)
	for _, path := range []string{"items/" + it.ID, "tags/sea"} {
		for round := range 10 {
			n := strconv.Itoa(round)
			patches := []api.Patch{{"watch": api.Patch{"trigger": "t" + n}}, {"watch": api.Patch{"include": []string{"#i" + n}}},
				{"interval": api.Patch{"min": strconv.Itoa(round+1) + "h"}}, {"viewport": "800x60" + n},
				{"watch": api.Patch{"fields": api.Patch{"f" + n: api.Patch{"from": "declared", "path": "price"}}}},
				{"watch": api.Patch{}, "activeHours": api.Patch{}}}
			var all sync.WaitGroup
			for _, p := range patches {
				all.Go(func() { h.http("PATCH", path, p, &struct{}{}) })
			}
			all.Wait()
			var s api.TagSettings
			h.http("GET", path, nil, &s)
			if s.Watch == nil || s.Watch.Trigger != "t"+n || strings.Join(s.Watch.Include, "") != "#i"+n ||
				len(s.Watch.Fields) != round+1 || s.Interval.Min != strconv.Itoa(round+1)+"h" || s.Viewport != "800x60"+n {
				t.Fatalf("%s, round %d: %+v, %+v", path, round, s.Watch, s)
			}
		}
	}
}

// TestV2OneSettingInPlaceOfAnother checks that an interval removes a schedule, and the reverse, that the answer of each
// door says so, and that bad settings leave all as it was (V2).
func TestV2OneSettingInPlaceOfAnother(t *testing.T) {
	h := house{newArchived(t)}
	var it api.Item
	h.http("POST", "AddUrlDocument",
		map[string]any{"url": "https://a.example/x", "schedule": api.Patch{"text": "hourly"}}, &it)
	if it.Effective == nil || it.Effective.From["schedule"] != "item" || it.Replaced != nil {
		t.Errorf("added: %+v", it)
	}
	var is api.Item
	h.http("PATCH", "items/"+it.ID, api.Patch{"interval": api.Patch{"min": "1h"}}, &is)
	if strings.Join(is.Replaced, "") != "schedule" || is.Schedule != nil || is.Effective.From["interval"] != "item" {
		t.Errorf("an interval in place of a schedule: %+v, %+v", is.Replaced, is.Settings)
	}
	said := h.command("watch", it.ID, "--schedule", "daily at 9am")
	if !strings.Contains(said, "its interval is removed") {
		t.Errorf("a schedule in place of an interval: %s", said)
	}
	for _, bad := range []string{`{"interval":{"min":"1h"},"schedule":{"text":"hourly"}}`, `{"watch":{"listLinks":["a"]}}`,
		`{"watch":{"fields":{"x":{"from":"css","path":"p >"}}}}`, `{"watch":{"trigger":"["}}`, `{"watch":{"triger":"x"}}`} {
		req, err := http.NewRequestWithContext(t.Context(), "PATCH", h.server+"/api/items/"+it.ID, strings.NewReader(bad))
		must(t, err)
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), `"field"`) {
			t.Errorf("%s: %d %s", bad, res.StatusCode, text)
		}
	}
	var now api.TagSettings
	h.http("GET", "items/"+it.ID, nil, &now)
	if now.Schedule.Text != "daily at 9am" || now.Watch != nil {
		t.Errorf("after what was refused: %+v", now)
	}
}
