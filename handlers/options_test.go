package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestW11Contract records a conversation about settings of items and tags, and about bulk runs
// (testdata/options.golden).
func TestW11Contract(t *testing.T) {
	r := newRig(t)
	one, two := "https://port.example/ok/one", "https://port.example/ok/two"
	id := idOf(t, one)
	var log strings.Builder
	run := ""
	for _, step := range []struct{ name, method, path, body string }{
		{"W9 a tag is defined", "POST", "/api/tags", `{"name":"News","interval":{"min":"1h","max":"7d"},"priority":7}`},
		{"W12 a page is added with tags", "POST", "/api/AddUrlDocument",
			`{"url":"` + one + `","tags":["news","Port"],"watch":{"include":["main"],"ignore":["^\\d+ views$"]}}`},
		{"W12 a page is added for later", "POST", "/api/AddUrlDocument",
			`{"urls":["` + two + `"],"tags":["port"],"paused":true}`},
		{"the worker works", "", "", ""},
		{"W11 items of a tag", "GET", "/api/items?tag=port&sort=-source&top=1", ""},
		{"W11 items that rest", "GET", "/api/items?paused=true", ""},
		{"W9 an item has a schedule", "PATCH", "/api/items/" + id,
			`{"schedule":{"text":"weekdays at 9am","timezone":"Europe/Paris"},"priority":0}`},
		{"W9 the item has none any more", "PATCH", "/api/items/" + id, `{"schedule":null,"watch":null}`},
		{"W9 what has set the next check", "GET", "/api/items/" + id, ""},
		{"W9 a tag is changed", "PATCH", "/api/tags/news", `{"schedule":{"cron":"0 9 * * 1-5"}}`},
		{"the worker works", "", "", ""},
		{"W9 a tag", "GET", "/api/tags/news", ""},
		{"W9 the tags", "GET", "/api/tags", ""},
		{"W9 no such tag", "GET", "/api/tags/none", ""},
		{"W9 a schedule that nobody understands", "PATCH", "/api/items/" + id, `{"schedule":{"text":"now and then"}}`},
		{"W12 pages are not rendered", "PATCH", "/api/items/" + id, `{"render":"always"}`},
		{"W11 resume all of a tag", "POST", "/api/items/bulk", `{"filter":{"tag":"port","paused":true},"op":"resume"}`},
		{"the worker works", "", "", ""},
		{"W11 how far it is", "GET", "/api/bulk/RUN", ""},
		{"W11 tag some", "POST", "/api/items/bulk", `{"ids":["` + id + `","` + unknownID + `"],"op":"tag","tag":"Best"}`},
		{"the worker works", "", "", ""},
		{"W11 what could not be done", "GET", "/api/bulk/RUN", ""},
		{"W11 items of a tag that was added", "GET", "/api/items?tag=best", ""},
		{"W11 all items have to be meant", "POST", "/api/items/bulk", `{"filter":{},"op":"remove"}`},
		{"W11 nothing else can be done", "POST", "/api/items/bulk", `{"ids":["` + id + `"],"op":"burn"}`},
		{"W9 a tag is removed", "DELETE", "/api/tags/news", ""},
		{"W11 no such order", "GET", "/api/items?sort=colour", ""},
		{"the site asks for a pause", "pause", "", ""},
		{"W37 check some", "POST", "/api/items/bulk", `{"ids":["` + id + `"],"op":"check"}`},
		{"the worker works", "", "", ""},
		{"W37 what waits", "GET", "/api/bulk/RUN", ""},
	} {
		fmt.Fprintf(&log, "=== %s\n", step.name)
		r.now = r.now.Add(time.Second)
		switch step.method {
		case "":
			r.work()
			continue
		case "pause":
			must(t, r.v.Registry.Hosts.Pause(t.Context(), "port.example", "port.example", r.now.Add(time.Hour), "HTTP 429"))
			continue
		}
		step.path = strings.Replace(step.path, "RUN", run, 1)
		w := do(t, r, step.method, step.path, step.body)
		if step.path == "/api/items/bulk" && w.Code == http.StatusAccepted {
			var begun api.BulkRun
			must(t, json.Unmarshal(w.Body.Bytes(), &begun))
			run = begun.ID
		}
		fmt.Fprintf(&log, "%s %s\n%s\n%d %s\n%s\n\n", step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes()))
	}
	golden(t, "options.golden", log.String())
}

// TestW11Pages checks that filters without an index of their own are answered in pages, with each item once (W11).
func TestW11Pages(t *testing.T) {
	r := newRig(t)
	var urls []string
	for i := range 250 {
		urls = append(urls, fmt.Sprintf("https://h%d.example/%d", i%3, i))
	}
	body, _ := json.Marshal(api.AddURLRequest{URLs: urls, ItemSettings: api.ItemSettings{Tags: []string{"some"}}})
	if w := do(t, r, "POST", "/api/AddUrlDocument", string(body)); w.Code != http.StatusAccepted {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for _, query := range []string{"tag=some", "tag=some&sort=source", "sort=-nextCrawlAt", "status=Pending&tag=some"} {
		seen, last := map[string]bool{}, ""
		for next, pages := "", 0; ; pages++ {
			w := do(t, r, "GET", "/api/items?top=40&"+query+next, "")
			var page api.ItemPage
			must(t, json.Unmarshal(w.Body.Bytes(), &page))
			for _, it := range page.Items {
				if seen[it.ID] {
					t.Fatalf("%s: %s is there twice", query, it.ID)
				}
				if strings.Contains(query, "sort=source") && it.NormalizedSource < last {
					t.Fatalf("%s: %s comes after %s", query, it.NormalizedSource, last)
				}
				seen[it.ID], last = true, it.NormalizedSource
			}
			if page.Continuation == "" {
				break
			}
			if next = "&continuation=" + page.Continuation; pages > 20 {
				t.Fatalf("%s: it does not end", query)
			}
		}
		if len(seen) != 250 {
			t.Errorf("%s: %d items", query, len(seen))
		}
	}
	for _, bad := range []string{"tag=some&continuation=%21", "sort=source&continuation=x", "tag=a%2Fb"} {
		if w := do(t, r, "GET", "/api/items?"+bad, ""); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
}

// TestW11Null checks that null removes a setting, and that an omitted field keeps it (W11).
func TestW11Null(t *testing.T) {
	r := newRig(t)
	url := "https://port.example/ok/one"
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+url+`","tags":["a"],"priority":0,"interval":{"min":"2h"},
		"activeHours":{"days":["mon"]},"paused":true}`)
	patch := func(body string) (it api.Item) {
		t.Helper()
		w := do(t, r, "PATCH", "/api/items/"+idOf(t, url), body)
		must(t, json.Unmarshal(w.Body.Bytes(), &it))
		return it
	}
	if it := patch(`{}`); it.Priority == nil || it.Interval == nil || !it.Paused || it.ActiveHours == nil ||
		len(it.Tags) != 1 || !it.NextCrawlAt.IsZero() {
		t.Errorf("nothing was asked for, and it is %+v", it)
	}
	if it := patch(`{"priority":null,"paused":null,"activeHours":null}`); it.Priority != nil || it.Interval == nil ||
		it.Paused || it.ActiveHours != nil || it.NextCrawlAt.IsZero() {
		t.Errorf("with nulls it is %+v", it)
	}
	if it := patch(`{"schedule":{"text":"hourly"},"tags":[]}`); it.Interval != nil || it.Schedule == nil || it.Tags != nil {
		t.Errorf("a schedule in place of an interval: %+v", it)
	}
	if w := do(t, r, "PATCH", "/api/items/"+idOf(t, url), `{"tags":"a"}`); w.Code != http.StatusBadRequest {
		t.Errorf("tags that are no list: %d", w.Code)
	}
	if w := do(t, r, "PATCH", "/api/items/"+unknownID, `{}`); w.Code != http.StatusNotFound {
		t.Errorf("no such item: %d", w.Code)
	}
}
