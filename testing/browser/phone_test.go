package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestU9OnAPhone checks that the four places stand at the foot of a narrow screen, with the present one marked, and
// that results, lists and changes begin near its top (U9).
func TestU9OnAPhone(t *testing.T) {
	s := newStage(t)
	_, err := api.AddURL.Call(t.Context(), s.client, api.AddURLRequest{URL: s.site + "/index.html"})
	must(t, err)
	s.eventually("it was fetched", func() bool {
		st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{})
		return err == nil && st.Items[api.StatusIndexed] == 1
	})
	s.do(chromedp.EmulateViewport(390, 844))
	for _, c := range []struct{ path, place, first string }{
		{"", "Changes", "main h1"}, {"/items", "Pages", ".pages li"}, {"/search?q=tide", "Search", ".result"},
		{"/notifications", "Alerts", "main h1"},
	} {
		s.open(c.path)
		var places []string
		var top float64
		s.ask(`[...document.querySelectorAll("header nav a")].filter(a => { const r = a.getBoundingClientRect();
			return r.left >= 0 && r.right <= 390 && r.bottom <= 844 && r.top > 700 }).map(a => a.innerText +
			(a.matches("[aria-current]") ? "*" : ""))`, &places)
		want := fmt.Sprint([]string{"Changes", "Pages", "Search", "Alerts"})
		for i, p := range places {
			if p == c.place+"*" {
				places[i] = c.place
			}
		}
		if fmt.Sprint(places) != want || s.text("header nav [aria-current]") != c.place {
			t.Errorf("%s: the places are %q", c.path, places)
		}
		s.ask(fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().top`, c.first), &top)
		if top > 320 {
			t.Errorf("%s: %s begins at %.0f", c.path, c.first, top)
			s.shoot("phone-" + c.place)
		}
	}
}
