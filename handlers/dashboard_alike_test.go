package handlers

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/feed"
)

// TestN2EqualChangesAreOneLine checks that the first page gathers equal changes of a host into one line, that the line
// names every page, and that its button marks all of them as read (N2).
func TestN2EqualChangesAreOneLine(t *testing.T) {
	r := newRig(t)
	g := feed.Group{ID: "g"}
	for i := range 5 {
		g.Changes = append(g.Changes, feed.Change{At: r.now, Kind: feed.Beside, ItemID: fmt.Sprint(i), Type: "url",
			Host: fmt.Sprintf("%c.example", "aaaab"[i]), Title: fmt.Sprintf("Page %d", i), Why: "the text beside it changed",
			Passages: []feed.Passage{{Text: "Fee: 5 EUR", Op: feed.Added}}})
	}
	must(t, r.v.Feed.Publish(t.Context(), g))
	body := shows(t, r, "/api/ui", "The same on 4 pages of a.example", "Page 0", "Page 1", "Page 2", "Page 3", "Page 4",
		"the text beside it changed")
	if n, lines := strings.Count(body, "Fee: 5 EUR"), strings.Count(body, `class="change unread"`); n != 2 || lines != 2 {
		t.Errorf("the difference is shown %d times, in %d lines", n, lines)
	}
	ids := url.Values{"query": {""}}
	for _, c := range listed(t, r, "host=a.example").Changes {
		if !strings.Contains(body, `name="id" value="`+c.ID+`"`) {
			t.Errorf("the button does not mark %s", c.ID)
		}
		ids.Add("id", c.ID)
	}
	send(t, r, "/api/ui/read", ids)
	if n := strings.Count(shows(t, r, "/api/ui"), "change unread"); n != 1 {
		t.Errorf("%d lines are unread", n)
	}
}
