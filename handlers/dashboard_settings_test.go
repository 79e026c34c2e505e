package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestW10DashboardItemSettings checks that the form of an item sets all settings, shows the effective ones with their
// sources, and removes the settings of empty fields (W9, W10).
func TestW10DashboardItemSettings(t *testing.T) {
	r := newItemsRig(t)
	do(t, r, "POST", "/api/tags", `{"name":"sea","priority":7,"watch":{"exclude":[".ad"]}}`)
	to := "/api/ui/items/" + idOf(t, pageOne)
	past := itemAt(t, r, pageOne).History
	says(t, do(t, r, "GET", to+"/experts", ""), http.StatusOK, "How it is watched", "every 1 to 14 days",
		`from the tag <a href="/api/ui/tags/sea">`, "<small>because: "+past[len(past)-1].Why)
	settings := "/api/ui/tell?item=" + idOf(t, pageOne) + "&more=page"
	if w := do(t, r, "GET", to+"/settings", ""); w.Header().Get("Location") != settings {
		t.Errorf("the former address leads to %s", w.Header())
	}
	says(t, do(t, r, "GET", settings, ""), http.StatusOK, `name="tags" value="sea"`, "now 7, from the tag sea",
		"now every 1 to 14 days, the default", "now .ad, from the tag sea")
	form := url.Values{"tags": {"sea, Port"}, "interval.min": {"2h"}, "priority": {"0"},
		"activeHours.days": {"mon", "tue"},
		"watch.include":    {".price\r\n\r\n .stock "}, "watch.ignore": {`^\d+ views$`}, "watch.trigger": {"in stock"},
		"watch.index": {"watched"}, "paused": {"true"}}
	if w := post(t, r, settings, "same-origin", form); !strings.HasPrefix(w.Header().Get("Location"),
		to+"?done=settings-nothing") {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	says(t, do(t, r, "GET", to+"?done=settings-nothing", ""), http.StatusOK,
		"<span>Saved, but the selectors find nothing")
	it := itemAt(t, r, pageOne)
	if !slices.Equal(it.Tags, []string{"port", "sea"}) || it.Interval.Min != "2h" || *it.Priority != 0 || !it.Paused ||
		!slices.Equal(it.Watch.Include, []string{".price", ".stock"}) || it.Watch.Index != "watched" ||
		len(it.ActiveHours.Days) != 2 {
		t.Errorf("set: %+v", it.Item)
	}
	says(t, do(t, r, "GET", settings, ""), http.StatusOK, ".price\n.stock</textarea>", "now .ad, from the tag sea",
		`value="true" checked`, `value="tue" checked`, "now 0, set here")
	found := url.Values{"watch.include": {"body"}}
	if w := post(t, r, settings, "same-origin", found); !strings.HasPrefix(w.Header().Get("Location")+"&",
		to+"?done=settings&") {
		t.Errorf("selectors that find the page: %d %s", w.Code, w.Header())
	}
	post(t, r, settings, "same-origin", url.Values{"schedule.text": {"daily at 9am"}})
	if it := itemAt(t, r, pageOne); it.Tags != nil || it.Interval != nil || it.Priority != nil || it.Paused ||
		it.Watch != nil || it.ActiveHours != nil || it.Schedule.Text != "daily at 9am" ||
		it.Effective.From["schedule"] != "item" {
		t.Errorf("cleared: %+v", it.Item)
	}
	if w := post(t, r, "/api/ui/tell?more=page&item="+unknownID, "same-origin", form); w.Code != http.StatusNotFound {
		t.Errorf("no such item: %d", w.Code)
	}
}

// TestW10DashboardRefused checks that refused input is shown as it was typed, with the reason beside its field (W10).
func TestW10DashboardRefused(t *testing.T) {
	r := newItemsRig(t)
	for _, to := range []string{"/api/ui/tell?more=page&item=" + idOf(t, pageOne), "/api/ui/tags/sea"} {
		for name, typed := range map[string]string{"watch.include": "main >", "watch.ignore": "(", "watch.trigger": "[",
			"schedule.text": "now and then", "schedule.timezone": "Mars/Base", "interval.min": "5 minutes or so",
			"activeHours.from": "25:00"} {
			form := url.Values{"do": {"save"}, name: {typed}, "watch.exclude": {".kept"}}
			if name == "schedule.timezone" {
				form.Set("schedule.text", "daily at 9am")
			}
			if name == "activeHours.from" {
				form.Set("activeHours.to", "18:00")
			}
			w := post(t, r, to, "same-origin", form)
			says(t, w, http.StatusBadRequest, ".kept", typed)
			_, after, found := strings.Cut(w.Body.String(), `name="`+name+`"`)
			if label, _, _ := strings.Cut(after, "</label>"); !found || !strings.Contains(label, `aria-invalid="true"`) ||
				!strings.Contains(label, `class="bad"`) {
				t.Errorf("%s %s: nothing is said beside it: %s", to, name, label)
			}
		}
	}
	if it := itemAt(t, r, pageOne); it.Watch != nil {
		t.Errorf("it was saved: %+v", it.Watch)
	}
	says(t, post(t, r, "/api/ui/tell?more=page&item="+idOf(t, pageOne), "same-origin", url.Values{"tags": {"a/b"}}),
		http.StatusBadRequest, `value="a/b"`, "not a tag name")
}

// TestW9DashboardTags checks that settings of tags are listed in words, changed with a form, and removed, and that
// the items remain (W9).
func TestW9DashboardTags(t *testing.T) {
	r := newItemsRig(t)
	says(t, do(t, r, "GET", "/api/ui/tags", ""), http.StatusOK, "a label, without settings of its own")
	if w := do(t, r, "GET", "/api/ui/tags?name=High%20Sea", ""); w.Header().Get("Location") != "/api/ui/tags/High%20Sea" {
		t.Errorf("to %q", w.Header().Get("Location"))
	}
	says(t, do(t, r, "GET", "/api/ui/tags/high%20sea", ""), http.StatusOK, "This tag has no settings yet")
	says(t, do(t, r, "GET", "/api/ui/tags/%2Bsea", ""), http.StatusBadRequest, "not a tag name", `value="+sea"`)
	w := post(t, r, "/api/ui/tags/sea", "same-origin", url.Values{"do": {"save"}, "schedule.text": {"weekdays at 9am"},
		"schedule.timezone": {"Europe/Paris"}, "priority": {"7"}})
	says(t, do(t, r, "GET", w.Header().Get("Location"), ""), http.StatusOK, "Saved.", "/api/ui/items/bulk?id=bulk-",
		`value="weekdays at 9am"`)
	r.work()
	says(t, do(t, r, "GET", "/api/ui/tags", ""), http.StatusOK, "schedule weekdays at 9am, Europe/Paris", "priority 7",
		"/api/ui/items?tag=sea")
	if from := itemAt(t, r, pageOne).Effective.From["schedule"]; from != "tag sea" {
		t.Errorf("schedule from %q", from)
	}
	r.now = r.now.Add(time.Second)
	w = post(t, r, "/api/ui/tags/sea", "same-origin", url.Values{"do": {"remove"}})
	says(t, do(t, r, "GET", w.Header().Get("Location"), ""), http.StatusOK, "The settings of the tag are removed.")
	if it := itemAt(t, r, pageOne); len(it.Tags) != 1 || it.Effective.From["schedule"] != "" {
		t.Errorf("the item: %v, %v", it.Tags, it.Effective)
	}
}
