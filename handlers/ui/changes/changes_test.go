package changes

import (
	"fmt"
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
	days := byDay(all, unread)
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
