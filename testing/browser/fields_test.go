package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// offers writes a shop's page that declares its product, and waits for its check.
func (s *stage) offers(id, price, availability string) string {
	s.Helper()
	page := fmt.Sprintf(`<html lang=en><title>Storm lamp</title><script type="application/ld+json">{"@context":
		"https://schema.org", "@type": "Product", "name": "Storm lamp", "offers": {"@type": "Offer", "price": "%[1]s",
		"priceCurrency": "EUR", "availability": "https://schema.org/%[2]s"}}</script>
		<main><h1>Storm lamp</h1><p>Price: %[1]s EUR</p><p>%[2]s</p><p>%[3]s</p></main></html>`,
		price, availability, strings.Repeat("A line about lamps. ", 20))
	must(s.T, os.WriteFile(filepath.Join(s.folder, "lamp.html"), []byte(page), 0o644))
	return s.readAgain(id, "lamp.html", "Price: "+price+" EUR", availability)
}

// G1, G2: TestG1G2ValuesOfAShop checks that a person sees the price of a shop's page, what it was over several checks,
// and its history as a plot and as CSV, that the list of changes selects values, and that all of it is accessible.
func TestG1G2ValuesOfAShop(t *testing.T) {
	s := newStage(t)
	script := axe(t)
	id := s.offers("", "79.00", "InStock")
	for _, price := range []string{"84.00", "72.00", "79.50"} {
		s.offers(id, price, "InStock")
	}
	s.offers(id, "79.50", "OutOfStock")
	s.eventually("the values are known", func() bool {
		it, err := api.GetItem.Call(t.Context(), s.client, api.ItemID{ID: id})
		return err == nil && it.Fields["price"].Entries == 4 && it.Fields["availability"].Entries == 2
	})
	s.open("/items/" + id + "/experts")
	for _, want := range []string{"79.50 EUR", "first 79 EUR", "lowest 72 EUR", "highest 84 EUR", "out of stock",
		"JSON-LD", "Product.offers.price", "Tell me when…"} {
		s.reads("section[aria-labelledby=values]", want)
	}
	s.everybody(script, "values")

	s.do(chromedp.Click(`a[href$="/fields/price"]`), chromedp.WaitReady(".figure svg path"))
	for _, want := range []string{"lowest 72 EUR", "highest 84 EUR", "79.50 EUR", "until"} {
		if text := strings.Join(strings.Fields(s.text("main")), " "); !strings.Contains(strings.ToLower(text),
			strings.ToLower(want)) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	s.everybody(script, "field")
	var csv string
	s.do(chromedp.Evaluate(`fetch(document.querySelector('a[href*="/csv/"]').href).then(r => r.text())`, &csv, awaited))
	if strings.Count(strings.TrimSpace(csv), "\n") != 4 || !strings.Contains(csv, "EUR") {
		t.Errorf("the CSV is %s", csv)
	}

	s.do(chromedp.Click(`main a[href*="/tell?"]`), chromedp.WaitVisible(`[name="limit"]`),
		chromedp.SetValue(`[name="op"]`, "below"), chromedp.SendKeys(`[name="limit"]`, "75"))
	s.reads("#preview", "84 → 72 EUR")
	s.everybody(script, "condition")

	s.open("/items/" + id + "/fields/availability")
	s.reads("main", "out of stock")
	s.everybody(script, "availability")

	s.open("/items/" + id + "/settings")
	s.do(chromedp.SendKeys(`[name="watch.fields"]`, "heading=css:h1"))
	s.reads("#tried", "heading: Storm lamp")
	s.previewed(script, "settings-preview")

	s.open("/?kind=field")
	s.reads("#live-changes", "to\n72 EUR")
	s.reads("#live-changes", "to\n84 EUR")
	s.everybody(script, "changes-of-values")
}
