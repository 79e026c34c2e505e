package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// settingsOf are the settings of an item or a tag that together have each leaf, as some exclude each other.
func settingsOf(t *testing.T) []api.TagSettings {
	all := sampleOf[api.TagSettings](t, map[string]any{"schedule": nil, "interval": api.Patch{"min": "2h", "max": "3d"},
		"watch.fields": api.Patch{"price": api.Patch{"from": "css", "path": ".price", "type": "money", "locale": "de-CH"}},
		"watch.index":  "watched", "activeHours.from": "08:00", "activeHours.to": "18:00"})
	return append([]api.TagSettings{all}, parsed[api.TagSettings](t,
		`{"schedule":{"text":"weekdays at 9am","timezone":"Europe/Paris"},"priority":0,"render":"never"}`,
		`{"schedule":{"cron":"0 9 * * 1-5","timezone":"Europe/Paris"}}`, `{}`)...)
}

// shownOfSettings says an interval in words.
func shownOfSettings(s api.TagSettings) map[string]string {
	out := shownOf(s)
	if i := s.Interval; i != nil {
		delete(out, "interval.min "+i.Min)
		delete(out, "interval.max "+i.Max)
		out["interval"] = form.Every(i)
	}
	return out
}

// TestV4EveryDoorToTheSettings sets each setting of an item and of a tag through one door and reads it through each
// other: what one sets is what the others show, and a door that removes a setting removes it for all (V4).
func TestV4EveryDoorToTheSettings(t *testing.T) {
	h := house{newArchived(t)}
	var it api.Item
	h.http("POST", "AddUrlDocument", map[string]any{"url": "https://a.example/x"}, &it)
	var tag api.Tag
	h.http("POST", "tags", map[string]any{"name": "sea", "priority": 1}, &tag)
	h.http("PATCH", "tags/sea", api.Patch{"priority": nil}, &tag)
	for _, thing := range []struct {
		path, settings, shown string
		command, show         []string
	}{
		{"items/" + it.ID, "/tell?more=page&item=" + it.ID, "/items/" + it.ID + "/experts",
			[]string{"watch", "https://a.example/x"}, []string{"show", it.ID}},
		{"tags/sea", "/tags/sea", "/tags", []string{"tag", "set", "sea"}, []string{"tag", "list"}},
	} {
		throughEachDoor(t, settingsOf(t), map[string]func(s api.TagSettings, null []string){
			"HTTP": func(s api.TagSettings, null []string) { h.http("PATCH", thing.path, patchOf(t, s, null), &struct{}{}) },
			"command line": func(s api.TagSettings, null []string) {
				h.command(append(append(thing.command, flagsOf(s)...), clearing(null)...)...)
			},
			"dashboard": func(s api.TagSettings, _ []string) { h.save(thing.settings, form.Inputs(s)) },
		}, readers[api.TagSettings]{
			http: func() (s api.TagSettings) {
				h.http("GET", thing.path, nil, &s)
				return s
			},
			command: func() string { return h.command(thing.show...) }, page: func() string { return h.seen(thing.shown) },
			said: shownOfSettings, seen: shownOfSettings,
		})
	}
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
