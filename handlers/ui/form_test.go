package ui

import (
	"net/url"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestW10OneFieldForTheInterval checks that "every 15 minutes" is one field, that it is shown again in that field, and
// that two different bounds keep theirs (W10).
func TestW10OneFieldForTheInterval(t *testing.T) {
	for text, want := range map[string]string{"every 15 minutes": "15m", "15m": "15m", "Hour": "1h", "2 days": "2d",
		"1h30m": "1h30m", "soon": "soon", "every week": "1w"} {
		empty := newForm(api.TagSettings{})
		p, err := changed[api.TagSettings](url.Values{"every": {text}, "was": {empty.Was.Encode()}})
		var s api.TagSettings
		if err == nil {
			err = p.Apply(&s)
		}
		if err != nil || s.Interval.Min != want || s.Interval.Max != want {
			t.Errorf("%q: %+v, %v", text, s.Interval, err)
		}
		if f := (settingsForm{Form: newForm(s)}); f.Every() != want || f.Bound("interval.min") != "" {
			t.Errorf("%q is shown as %v", text, f.Values)
		}
	}
	f := settingsForm{Form: newForm(api.TagSettings{Interval: &api.Interval{Min: "1h", Max: "7d"}})}
	if f.Every() != "" || f.Bound("interval.min") != "1h" || f.Bound("interval.max") != "7d" {
		t.Errorf("two bounds are shown as %v", f.Values)
	}
}
