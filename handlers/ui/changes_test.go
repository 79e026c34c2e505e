package ui

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestU6AddedPagesAreOneLine checks that the new pages of a host are one line of a day, that a few are listed one by
// one, and that no other change is hidden (U6).
func TestU6AddedPagesAreOneLine(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var all, unread []api.FeedChange
	add := func(host string, kind api.ChangeKind) {
		c := api.FeedChange{Host: host}
		c.ID, c.ItemID, c.Kind, c.At = fmt.Sprint(len(all)), "url_"+fmt.Sprint(len(all)), kind, at
		all = append(all, c)
	}
	add("port.example", api.ChangeNew)
	add("few.example", api.ChangeNew)
	add("port.example", api.ChangeContent)
	add("port.example", api.ChangeNew)
	add("few.example", api.ChangeNew)
	add("port.example", api.ChangeNew)
	add("", api.ChangeNew)
	unread = append(unread, all[5])
	days := byDay(all, unread, time.UTC)
	var got []string
	for _, c := range days[0].Changes {
		got = append(got, fmt.Sprintf("%s %s %d %v %v", c.Host, c.Kind, c.Pages(), c.IsAdded(), c.Unread))
	}
	want := []string{"port.example new 3 true true", "few.example new 1 false false", "port.example content 1 false false",
		"few.example new 1 false false", " new 1 false false"}
	if len(days) != 1 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("have %q", got)
	}
}

// TestW23DaysOfTheReader checks that changes are under the day on which they are in the time zone of the reader.
func TestW23DaysOfTheReader(t *testing.T) {
	late := api.FeedChange{}
	late.At = time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"": "2026-03-01", "Asia%2FKolkata": "2026-03-02", "Local": "2026-03-01",
		"..%2Fetc": "2026-03-01", "America/Lima": "2026-03-01"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(&http.Cookie{Name: "tidemark_zone", Value: zone})
		if have := byDay([]api.FeedChange{late}, nil, zoneOf(r))[0].Day.Format(time.DateOnly); have != want {
			t.Errorf("%s: %s, want %s", zone, have, want)
		}
	}
}
