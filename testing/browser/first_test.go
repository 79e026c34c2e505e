package browser

import (
	"fmt"
	"mime"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestU10FirstMail does on a phone what a person does who watches a price for the first time: types the address without
// a scheme, chooses the price, asks for mail, sets the mailbox up on the way, checks now, and gets the mail with both
// prices (U10). The log says how long the whole took.
func TestU10FirstMail(t *testing.T) {
	sink := &mailSink{}
	port := sink.serve(t)
	s := newStage(t, "WEBHOOK_ALLOW_HOSTS=127.0.0.1:"+port)
	s.do(chromedp.EmulateViewport(390, 844))
	lamp := func(price string) {
		page := fmt.Sprintf(`<html lang=en><title>Storm lamp</title><main><h1>Storm lamp</h1><p>A lamp for the harbour wall,
			of brass.</p><p>Price: <b class=price>%s EUR</b></p><p>%s</p></main></html>`, price,
			strings.Repeat("It is made by hand. ", 20))
		must(t, os.WriteFile(filepath.Join(s.folder, "lamp.html"), []byte(page), 0o644))
	}
	lamp("79")
	began := time.Now()
	s.open("")
	s.do(chromedp.SendKeys("#urls", strings.TrimPrefix(s.site, "http://")+"/lamp.html"))
	s.press(`form[action$="/add"] button.main`)
	var id string
	s.eventually("the page was read", func() bool {
		list, err := api.ListItems.Call(t.Context(), s.client, api.ItemQuery{Status: api.StatusIndexed})
		if err == nil && len(list.Items) == 1 {
			id = list.Items[0].ID
		}
		return id != ""
	})
	s.open("/items/" + id)
	s.do(chromedp.Click(`a[href$="/pick"]`), chromedp.WaitReady("form.pick"),
		chromedp.Click(`//form[contains(@class, "pick")]//button[contains(., "79")]`, chromedp.BySearch),
		chromedp.WaitReady("#tried"))
	s.press(`button[value="save"]`)
	s.reads(".flash", "Saved.")
	s.do(chromedp.Click(`a[href*="/notifications/new-rule"]`), chromedp.WaitReady(`a[href*="new-channel"]`),
		chromedp.Click(`main a[href*="new-channel"]`), chromedp.WaitReady(`a[href*="kind=smtp"]`),
		chromedp.Click(`a[href*="kind=smtp"]`), chromedp.WaitReady(`[name="fields.host"]`))
	for name, value := range map[string]string{"host": "127.0.0.1", "port": port, "to": "anna@a.example",
		"from": "tide@a.example"} {
		s.do(chromedp.SetValue(`[name="fields.`+name+`"]`, value))
	}
	s.do(chromedp.SetValue(`[name="fields.encryption"]`, "none"))
	s.press(`main .row button.main`)
	s.reads(".flash", "Its receiver accepted a test")
	s.press(`button[value="save"]`)
	s.reads(".flash", "rule")
	lamp("84")
	s.open("/items/" + id)
	s.press(`button[value="check"]`)
	const want = "Storm lamp: price 79 → 84 EUR"
	for !slices.Contains(sink.subjects(), want) && time.Since(began) < patience {
		time.Sleep(time.Second)
	}
	t.Logf("the first mail after %.0f s", time.Since(began).Seconds())
	if all := sink.subjects(); !slices.Contains(all, want) {
		t.Errorf("the subjects are %q", all)
	}
}

// subjects returns the decoded subjects of the letters.
func (m *mailSink) subjects() (all []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, letter := range m.letters {
		read, err := mail.ReadMessage(strings.NewReader(letter))
		if err != nil {
			continue
		}
		subject, _ := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
		all = append(all, subject)
	}
	return all
}
