package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/form"
)

// sitesOf are settings of a site that together have each leaf. Its limits are complete, because an answer has them all.
func sitesOf(t *testing.T) []api.SiteSettings {
	return append([]api.SiteSettings{sampleOf[api.SiteSettings](t, nil)},
		parsed[api.SiteSettings](t, `{"feeds":["https://b.example/f","https://b.example/g"],"exclude":["/a/*","/b"]}`, `{}`)...)
}

// siteOf returns what the doors show of a site.
func (h house) siteOf(slug, domain string) readers[api.SiteSettings] {
	return readers[api.SiteSettings]{http: func() api.SiteSettings {
		var have api.Site
		h.http("GET", "sites/"+slug, nil, &have)
		return have.Set
	}, command: func() string { return h.command("sites", "show", slug) },
		page: func() string { return h.seen("/hosts/" + domain) }, said: shownOf[api.SiteSettings],
		seen: shownOf[api.SiteSettings]}
}

// TestV4EveryDoorToASite sets each setting of a site through one door, of which the site file is one, and reads it
// through each other (V4).
func TestV4EveryDoorToASite(t *testing.T) {
	type entry struct {
		Slug   string `json:"slug"`
		Domain string `json:"domain"`
		api.SiteSettings
		Listings []api.Patch `json:"listings,omitempty"`
	}
	var all []entry
	for i, s := range sitesOf(t) {
		name := "f" + strconv.Itoa(i)
		one := entry{Slug: name, Domain: name + ".example", SiteSettings: s}
		for _, list := range []*[]string{&one.Include, &one.Exclude} { // the file has expressions
			var out []string
			for _, glob := range *list {
				expression, err := site.Glob(glob)
				must(t, err)
				out = append(out, expression)
			}
			*list = out
		}
		for _, page := range one.SiteSettings.Listings {
			one.Listings = append(one.Listings, api.Patch{"url": strings.Replace(page, "b.example", one.Domain, 1)})
		}
		all = append(all, one)
	}
	h := house{newArchived(t, written(t, "BACKFILL_SITES_FILE", map[string]any{"sites": all}))}
	for i, want := range sitesOf(t) {
		for j, page := range want.Listings {
			want.Listings[j] = strings.Replace(page, "b.example", all[i].Domain, 1)
		}
		readThrough(t, "the site file", want, h.siteOf(all[i].Slug, all[i].Domain))
	}
	var made api.Site
	h.http("POST", "sites", api.Patch{"url": "https://b.example/"}, &made)
	one := "sites/" + made.Slug
	throughEachDoor(t, sitesOf(t), map[string]func(s api.SiteSettings, null []string){
		"HTTP": func(s api.SiteSettings, null []string) { h.http("PATCH", one, patchOf(t, s, null), &made) },
		"command line": func(s api.SiteSettings, null []string) {
			h.command(append(append([]string{"sites", "set", made.Slug}, flagsOf(s)...), clearing(null)...)...)
		},
		"dashboard": func(s api.SiteSettings, _ []string) { h.save("/"+one+"/settings", form.Inputs(s)) },
	}, h.siteOf(made.Slug, made.Domain))
}

// TestV4EveryDoorToAMute mutes a page for a rule through each door, and reads the mute through each other (V4).
func TestV4EveryDoorToAMute(t *testing.T) {
	h := newNotified(t)
	var it api.Item
	h.http("POST", "AddUrlDocument", map[string]any{"url": "https://a.example/x"}, &it)
	var made api.Rule
	h.http("POST", "rules", api.Patch{"name": "Tides", "channels": []string{"ops"}}, &made)
	want := sampleOf[api.MuteRequest](t, map[string]any{"itemId": it.ID, "rule": made.ID, "for": "3d"})
	for door, mute := range map[string]func(){
		"HTTP":         func() { h.http("POST", "mutes", want, &struct{}{}) },
		"command line": func() { h.command(append([]string{"rules", "mute", it.ID}, flagsOf(want)...)...) },
		"dashboard": func() {
			if status, text := h.submit("/mute", form.Inputs(want)); status != http.StatusSeeOther {
				t.Fatalf("%d %s", status, text)
			}
		},
	} {
		mute()
		var all api.Mutes
		h.http("GET", "mutes?itemId="+it.ID, nil, &all)
		if len(all.Mutes) != 1 || all.Mutes[0].Rule != made.ID ||
			all.Mutes[0].Until.Sub(all.Mutes[0].From).Round(time.Minute) != 72*time.Hour {
			t.Fatalf("by %s: %+v", door, all)
		}
		m := all.Mutes[0]
		for where, text := range map[string]string{"command line": h.command("rules", "mutes"),
			"dashboard": h.seen("/notifications")} {
			for _, part := range []string{"https://a.example/x", m.Until.Format("15:04")} {
				if !strings.Contains(text, part) {
					t.Errorf("by %s: %q is not at the %s: %s", door, part, where, text)
				}
			}
			if !strings.Contains(text, made.ID) && !strings.Contains(text, "Tides") {
				t.Errorf("by %s: the rule is not at the %s", door, where)
			}
		}
		if status, text := h.submit("/mute", url.Values{"end": {m.ID}}); status != http.StatusSeeOther {
			t.Fatalf("%d %s", status, text)
		}
	}
}
