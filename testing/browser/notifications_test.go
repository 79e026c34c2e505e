package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestNotifications creates a channel and a rule with accessible forms, tests both, and sees why there was no
// notification (W5, W7).
func TestNotifications(t *testing.T) {
	s := newStage(t, "WEBHOOK_ALLOW_HOSTS=localhost,127.0.0.1")
	script := axe(t)
	it, err := api.AddURL.Call(t.Context(), s.client, api.AddURLRequest{URL: s.site + "/index.html"})
	must(t, err)
	s.eventually("it was fetched", func() bool {
		st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{Host: ""})
		return err == nil && st.Backlog() == 0 && st.Total() == 1
	})
	path := filepath.Join(s.folder, "index.html")
	body, err := os.ReadFile(path)
	must(t, err)
	text := strings.Replace(string(body), "</main>", "<p>Tables of the tide are new.</p></main>", 1)
	must(t, os.WriteFile(path, []byte(text), 0o644))
	s.readAgain(it.ID, "index.html", "Tables of the tide")
	s.open("/notifications/channels")
	s.do(chromedp.Click(`main a[href$="kind=webhook"]`),
		chromedp.WaitVisible(`[name="url"]`))
	s.everybody(script, "new-channel")
	s.do(chromedp.SetValue(`[name="name"]`, "ops"), chromedp.SetValue(`[name="url"]`, s.site+"/hook"),
		chromedp.Click("main button.main"), chromedp.WaitVisible("#answer .bad"))
	s.reads("#answer", "did not accept the test")
	s.do(chromedp.Click(`button[value="save-anyway"]`), chromedp.WaitVisible(".notice code"))
	s.everybody(script, "channel")
	s.open("/tell?all=1&more=alert")
	s.do(chromedp.SetValue(`[name="name"]`, "Everything"), chromedp.SetValue(`[name="filter.added"]`, "("),
		toFirstChannel, chromedp.Click("main button.main"), chromedp.WaitVisible("small.bad"))
	s.everybody(script, "rule-refused")
	s.do(chromedp.Clear(`[name="filter.added"]`), chromedp.SendKeys(`[name="filter.q"]`, "submarine"))
	s.reads("#preview", "Would not have told you yet")
	s.do(chromedp.SendKeys(`[name="filter.removed"]`, "("))
	s.reads("#preview", "missing closing )")
	s.do(chromedp.Evaluate(`["filter.q", "filter.removed"].forEach(n => document.getElementsByName(n)[0].value = "")`,
		nil), chromedp.SendKeys(`[name="filter.q"]`, "tide"))
	s.reads("#preview", "Would have told you once")
	s.everybody(script, "rule-preview")
	s.shootBoth("a-rule")
	s.sentences()
	s.do(chromedp.SetValue(`[name="when.op"]`, "disappears"), chromedp.SendKeys(`[name="when.field"]`, "price"))
	s.reads("#preview", "Would not have told you yet")
	s.do(chromedp.SetValue(`[name="when.op"]`, "<"), chromedp.SendKeys(`[name="when.value"]`, "cheap"))
	s.reads("#preview", "this must be a number")
	s.do(chromedp.Evaluate(`["field", "op", "value"].forEach(n => document.getElementsByName("when."+n)[0].value = "")`,
		nil), chromedp.SendKeys(`[name="filter.q"]`, " "))
	s.reads("#preview", "Would have told you once")
	s.do(chromedp.Click("main button.main"), chromedp.WaitVisible(".toast"))
	s.reads("main .alerts", "Everything")
	s.everybody(script, "notifications")
	changes, err := api.ListChanges.Call(t.Context(), s.client, api.ChangeQuery{Top: 1})
	must(t, err)
	s.open("/changes/" + changes.Changes[0].ID)
	s.reads("main", "Everything")
	s.everybody(script, "change")
}

// sentences fails the test if the sentence of a condition shows other parts than a comparison needs (G2).
func (s *stage) sentences() {
	s.Helper()
	for _, tc := range [][3]string{{"", "", "field op"}, {"<", "", "field op against value"},
		{"<", "lowest", "field op against"}, {"changedBy", "lowest", "field op value unit since"},
		{"fromTo", "", "field op from to"}, {"changes", "", "field op"}, {"disappears", "", "field op"}} {
		var shown string
		s.do(chromedp.SetValue(`[name="when.op"]`, tc[0]), chromedp.SetValue(`[name="when.against"]`, tc[1]),
			chromedp.Evaluate(`[...document.querySelectorAll(".sentence [name^='when.']")].filter(e => e.checkVisibility())
				.map(e => e.name.slice(5)).join(" ")`, &shown))
		if shown != tc[2] {
			s.Errorf("for %q and %q the sentence has %s; want %s", tc[0], tc[1], shown, tc[2])
		}
	}
	s.do(chromedp.SetValue(`[name="when.against"]`, ""))
}
