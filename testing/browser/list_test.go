package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// lists writes a page that lists minutes, and waits for its check.
func (s *stage) lists(id string, minutes ...string) string {
	s.Helper()
	var entries strings.Builder
	for _, m := range minutes {
		fmt.Fprintf(&entries, "<li><a href=/minutes/%s.html>Minutes of %[1]s</a> <a href=/minutes/%[1]s.pdf>print</a>", m)
	}
	page := fmt.Sprintf(`<html lang=en><title>Harbour council</title><nav><a href=/>Home</a></nav><main>
		<h1>Harbour council</h1><p>%s</p><ul class=minutes>%s</ul></main></html>`,
		strings.Repeat("The council meets in the harbour office. ", 10), entries.String())
	must(s.T, os.WriteFile(filepath.Join(s.folder, "council.html"), []byte(page), 0o644))
	return s.readAgain(id, "council.html", "Minutes of "+minutes[0])
}

// listedNow returns the titles of the entries of lists that were told.
func (s *stage) listedNow() (out []string) {
	s.Helper()
	page, err := api.ListChanges.Call(s.Context(), s.client, api.ChangeQuery{Kind: string(api.ChangeListed)})
	must(s.T, err)
	for _, c := range page.Changes {
		out = append(out, c.Listed.Title)
	}
	return out
}

// TestW25ListInTheDashboard watches a page as a list: the preview shows its entries as they are typed, what is wrong is
// said at the field, and once saved, a new entry is told, and nothing else is.
func TestW25ListInTheDashboard(t *testing.T) {
	s := newStage(t)
	script := axe(t)
	id := s.lists("", "2026-01", "2026-02")
	s.open("/items/" + id + "/pick")
	s.do(chromedp.Click(`//form[@id="press"]//button[contains(., "Minutes of 2026-01")]`, chromedp.BySearch),
		chromedp.WaitReady("#tried"), chromedp.Click("aside details > summary"))
	s.do(chromedp.Clear(`[name="watch.include"]`), chromedp.SetValue(`[name="watch.list"]`, "tell"),
		chromedp.SendKeys(`[name="watch.listLinks"]`, "ul.minutes a[href$='.html'"))
	s.reads("#written", "Links of its entries")
	s.do(chromedp.SendKeys(`[name="watch.listLinks"]`, "]"))
	for _, want := range []string{"Minutes of 2026-01", "Minutes of 2026-02"} {
		s.reads("#written", want)
	}
	if text := s.text("#written"); strings.Contains(text, ".pdf") || strings.Contains(text, "Home") {
		t.Errorf("more than the entries: %s", text)
	}
	s.leave(`button[value="preview"]`)
	s.reads("#written", "Minutes of 2026-02")
	s.everybody(script, "list-preview")
	s.press(`button[value="save"]`)
	s.reads(".toast", "Saved.")
	s.open("/items/" + id + "/experts")
	s.reads("main", "new entries are told")
	s.lists(id, "2026-01", "2026-02")
	if told := s.listedNow(); len(told) > 0 {
		t.Errorf("told of what was there: %q", told)
	}
	s.lists(id, "2026-03", "2026-02", "2026-01")
	s.eventually("the new entry is told", func() bool { return len(s.listedNow()) > 0 })
	if told := s.listedNow(); !slices.Equal(told, []string{"Minutes of 2026-03"}) {
		t.Errorf("told of %q", told)
	}
	s.open("/?kind=listed")
	s.reads("#live-changes", "Minutes of 2026-03")
	s.everybody(script, "list-told")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}
