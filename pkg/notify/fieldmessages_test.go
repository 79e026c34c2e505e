package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
)

// TestG2MessagesOfFields checks what each service gets of a change of a price, of a text, and of a price that has
// disappeared (G2).
func TestG2MessagesOfFields(t *testing.T) {
	r := newRig(t)
	services := r.services()
	r.now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	up := price("79", "84")
	up.Now.Seen.Lowest = field.Point{Value: euros("72").Value, At: time.Date(2026, 5, 11, 8, 0, 0, 0, time.UTC)}
	version := func(text string) field.Moment {
		return field.Moment{Value: field.Value{Type: field.Text, Text: text}}
	}
	release := field.Change{Name: "version", State: field.Found, Then: version("1.4.2"), Now: version("2.0 <b>"),
		Reported: true}
	release.Now.Seen.Previous = release.Then.Value
	gone := field.Change{Name: field.Price, State: field.Disappeared, Then: euros("84"), Reported: true}
	var out strings.Builder
	for _, tc := range []struct {
		change field.Change
		when   api.Condition
	}{
		{up, api.Condition{Field: "price", Op: ">", Value: "80 EUR"}},
		{release, api.Condition{Field: "version", Op: "fromTo"}},
		{gone, api.Condition{Field: "price", Op: "disappears"}},
	} {
		r.now = r.now.Add(time.Minute)
		r.fields(feed.Change{Title: "Storm lamp"}, tc.change)
		got, err := r.PreviewRule(t.Context(), api.RuleSpec{Name: "Values", Channels: services, When: &tc.when})
		must(t, err)
		fmt.Fprintf(&out, "== %s: %s\n", tc.change.Name, tc.change.Text(r.now))
		shown := map[string]api.ShownMessage{}
		for _, m := range got.Preview.Messages {
			shown[m.Channel] = m
		}
		for _, name := range strings.Fields("slack discord telegram ntfy teams gotify mail zulip pushover") {
			fmt.Fprintf(&out, "-- %s\n[%s]\n%s\n", name, shown[name].Title, shown[name].Text)
		}
	}
	golden(t, "fields.golden", out.String())
}
