package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tidemark/tidemark/pkg/api"
)

// awaited lets an expression return its value later.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// TestAddFindAndCompare adds a page, watches it become searchable while typing, edits it, checks it and reads the
// change, without loading any page twice.
func TestAddFindAndCompare(t *testing.T) {
	s := newStage(t)
	url := s.site + "/reference/specifications.html"
	s.open("")
	s.reads("main", "Which page do you want to watch?")
	s.shoot("empty")
	s.open("/add")
	s.do(chromedp.SendKeys("[name=urls]", url), chromedp.Click("form[action^='/api/ui/add'] button"),
		chromedp.WaitVisible(".toast"))
	s.open("")
	s.reads("#live-guide", "1 of 1 page can be searched")
	s.reads("#live-changes", "added")

	s.do(chromedp.Click("header nav a[href^='/api/ui/search']"), chromedp.WaitVisible("input[type=search]"))
	s.do(chromedp.SendKeys("input[type=search]", "ste"), chromedp.WaitReady("#suggested option"))
	s.do(chromedp.SendKeys("input[type=search]", strings.Repeat(kb.Backspace, len("ste"))+"bent ste"))
	s.do(chromedp.SendKeys("input[type=search]", "el"))
	s.reads("#results", "1 result")
	s.reads("#said", "1 result")
	s.reads("#results mark", "bent")
	s.shootBoth("a-search")

	path := filepath.Join(s.folder, "reference", "specifications.html")
	body, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(body), "six weeks", "seven weeks", 1)), 0o644))
	s.do(chromedp.Click("#results h3 a"), chromedp.WaitVisible("button[value=check]"))
	s.press("button[value=check]")
	s.do(chromedp.WaitVisible(".toast"))
	s.reads("#live-item", "seven weeks")
	s.shootBoth("a-item")
	s.press(`#live-item a[href*="/diff?"]`)
	s.do(chromedp.WaitVisible(".diff"))
	if gone, come := s.text(".diff del"), s.text(".diff ins"); strings.TrimSpace(gone) != "six" ||
		strings.TrimSpace(come) != "seven" {
		t.Errorf("%q became %q", gone, come)
	}
	s.shootBoth("a-diff")

	s.open("")
	s.reads("#live-changes", "seven weeks")
	s.reads("main", "1 not seen yet")
	s.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("o"))
	s.reads("[data-change]:first-of-type .diff", "seven")
	s.leaving(func() { s.do(chromedp.KeyEvent("u")) })
	s.reads("main", "You have seen everything")
	s.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("o"))
	s.press(`[data-change][open] .in a[href*="/changes/"]`)
	s.reads("main", "no alert is for this page.")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}

// tariff adds a page with a table in which a cell changes, a row comes and another one goes.
func (s *stage) tariff() (id string) {
	s.Helper()
	const rows = "<tr><td>Berth A<td>12 EUR<td>24 h<tr><td>Berth B<td>%s EUR<td>24 h<tr><td>%s<td>%s EUR<td>1 h"
	for _, now := range [][]any{{"18", "Crane", "40"}, {"19", "Slipway", "55"}} {
		page := fmt.Sprintf("<html lang=en><title>Tariff</title><main><h1>Tariff of the harbour</h1><p>"+
			strings.Repeat("What a berth costs. ", 20)+"</p><table><tr><th>Place<th>Price<th>Time"+rows+
			"</table></main></html>", now...)
		must(s.T, os.WriteFile(filepath.Join(s.folder, "tariff.html"), []byte(page), 0o644))
		id = s.readAgain(id, "tariff.html", fmt.Sprint(now[1]))
	}
	return id
}

// TestEverybody checks that each page is accessible: by keys, in dark mode, on a phone.
func TestEverybody(t *testing.T) {
	s := newStage(t)
	script := axe(t)
	one, err := api.AddURL.Call(t.Context(), s.client, api.AddURLRequest{URL: s.site + "/index.html"})
	must(t, err)
	_, err = api.AddURL.Call(t.Context(), s.client, api.AddURLRequest{URL: s.site + "/nothing-here.html"})
	must(t, err)
	s.eventually("both were looked at", func() bool {
		st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{Host: ""})
		return err == nil && st.Backlog() == 0 && st.Total() == 2
	})
	table := s.tariff()
	item, err := api.GetItem.Call(t.Context(), s.client, api.ItemID{ID: one.ID})
	must(t, err)
	digest := item.Captures[0].SHA256
	host := strings.TrimPrefix(s.site, "http://")
	run, err := api.StartBackfill.Call(t.Context(), s.client,
		api.BackfillRequest{Sources: []string{"gauge"}, DryRun: true})
	must(t, err)
	entry, err := api.InsertEntry.Call(t.Context(), s.client, api.Entry{
		Source: "telegram", ContentType: "link", Title: "What the harbour says", Author: "Ada",
		IdempotencyPolicyKey: "telegram_link_v1", IdempotencyKeyPrimary: "1",
		URL: s.site + "/index.html", CleanText: "A text about harbours.",
		Metadata: map[string]any{"telegram": map[string]any{"chat_id": "1"}},
	})
	must(t, err)
	audit, err := api.StartRebuild.Call(t.Context(), s.client, api.RebuildRequest{Audit: true})
	must(t, err)
	for name, path := range map[string]string{
		"changes": "", "machine": "/machine", "attention": "/attention",
		"items": "/items", "no-items": "/items?find=submarine", "one-item": "/items/" + one.ID,
		"reading":   "/items/" + one.ID + "/captures/" + digest + "/read",
		"no-change": "/items/" + one.ID + "/diff?from=" + digest + "&to=" + digest,
		"table":     "/items/" + table + "/diff", "change-of-a-table": "/items/" + table,
		"found": "/search?q=tide&pictures=1", "hosts": "/hosts", "host": "/hosts/" + host, "unknown": "/nothing",
		"backfill": "/backfill", "run": "/backfill/" + run.ID, "index": "/index", "audit": "/index/run?id=" + audit.ID,
		"entries": "/entries", "entry": "/entries/" + entry.ID, "no-batches": "/entries/batches",
		"no-imports": "/entries/imports",
		"images":     "/items/" + one.ID + "/images?pictures=1",
		"help":       "/help", "settings": "/help/settings", "guide": "/help/guide",
	} {
		s.open(path)
		s.everybody(script, name)
	}
	s.open("/items/" + table + "/diff")
	s.reads(".diff table", "Slipway")
	s.open("/items")
	s.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	var at string
	s.do(chromedp.Evaluate(`document.activeElement.id`, &at))
	if at != "main" {
		t.Errorf("the first key goes to %q, not past the navigation", at)
	}
	s.do(chromedp.KeyEvent("/"), chromedp.Evaluate(`document.activeElement.type`, &at))
	if at != "search" {
		t.Errorf("/ goes to %q", at)
	}
}
