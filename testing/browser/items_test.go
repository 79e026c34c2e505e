package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestItemsAndTags checks that the lists and forms of items, tags and imports are accessible, also after a refusal
// (W10, W11, W12).
func TestItemsAndTags(t *testing.T) {
	s := newStage(t)
	script := axe(t)
	one, err := api.AddURL.Call(t.Context(), s.client, api.AddURLRequest{URL: s.site + "/index.html",
		ItemSettings: api.ItemSettings{Tags: []string{"sea"}}})
	must(t, err)
	priority := 7
	_, err = api.SaveTag.Call(t.Context(), s.client, api.TagRequest{Name: "sea", TagSettings: api.TagSettings{
		Priority: &priority, Watch: &api.Watch{Exclude: []string{"." + strings.Repeat("long", 40)}}}})
	must(t, err)
	s.eventually("it was fetched", func() bool {
		st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{Host: ""})
		return err == nil && st.Backlog() == 0 && st.Total() == 1
	})
	for name, path := range map[string]string{
		"tagged": "/items?tag=sea&sort=source", "bad-tag": "/items?tag=a%2Fb", "bad-order": "/items?sort=colour",
		"tags": "/tags", "tag": "/tags/sea", "new-tag": "/tags/new", "item-settings": "/tell?more=page&item=" + one.ID,
		"item-of-a-tag": "/items/" + one.ID, "import-list": "/import",
	} {
		s.open(path)
		s.everybody(script, name)
	}
	s.open("/items?tag=sea")
	s.shootBoth("a-items")
	s.open("/tell?more=page&item=" + one.ID)
	s.do(chromedp.SetValue(`[name="watch.include"]`, "main >"), chromedp.Click("main button.main"))
	s.reads(`label:has([name="watch.include"])`, "main >")
	s.everybody(script, "settings-refused")
	s.do(chromedp.SetValue(`[name="watch.include"]`, "main"), chromedp.Click("main button.main"))
	s.reads(".toast", "Saved.")
	s.open("/import")
	s.do(chromedp.SetValue("textarea", s.site+"/harbour.html\nftp://example.com/"), chromedp.Click("main button.main"))
	s.reads("#live-list h1", "done")
	s.everybody(script, "imported")
	s.open("/items")
	s.do(chromedp.SetValue(`[name="of"]`, "filter"), chromedp.Click(".go summary"), chromedp.Click(`button[value="remove"]`))
	s.reads("h1", "Remove 2 items?")
	s.everybody(script, "remove")
	s.do(chromedp.Click(`button[value="pause"]`))
	s.reads("#live-bulk", "done")
	s.everybody(script, "bulk")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}
