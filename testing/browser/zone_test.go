package browser

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestU9TimesOfTheReader checks that times are in the reader's zone, and that a new rule proposes that zone (U9).
func TestU9TimesOfTheReader(t *testing.T) {
	s := newStage(t)
	s.do(emulation.SetTimezoneOverride("Asia/Kolkata"))
	_, err := api.AddURL.Call(t.Context(), s.client, api.AddURLRequest{URL: s.site + "/index.html"})
	must(t, err)
	s.open("/machine")
	var right bool
	s.ask(`(() => { const t = document.querySelector("footer time"), at = new Date(t.dateTime);
		return !t.textContent.includes("UTC") && /Asia.(Calcutta|Kolkata)$/.test(t.title) &&
			t.textContent.slice(-5) === new Date(at.valueOf() + 5.5 * 3600e3).toISOString().slice(11, 16); })()`, &right)
	if !right {
		t.Errorf("the time is %q", s.text("footer time"))
	}
	s.open("/tell?all=1")
	var zone string
	s.ask(`document.querySelector("[name=timezone]").value`, &zone)
	if zone != "Asia/Calcutta" && zone != "Asia/Kolkata" {
		t.Errorf("the zone of a new rule is %q", zone)
	}
}
