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
	if n, lines := strings.Count(body, "<p dir=\"auto\"><ins>Fee: 5 EUR"), strings.Count(body, `class="row new"`); n != 2 || lines != 2 {
		t.Errorf("the difference is shown %d times, in %d lines", n, lines)
	}
	var ids []string
	for _, c := range listed(t, r, "host=a.example").Changes {
		ids = append(ids, c.ID)
	}
	all := strings.Join(ids, ",")
	if !strings.Contains(body, `name="id" value="`+all+`"`) {
		t.Errorf("no button marks %s", all)
	}
	send(t, r, "/api/ui/read", url.Values{"query": {""}, "id": {all}})
	if n := strings.Count(shows(t, r, "/api/ui"), "row new"); n != 1 {
		t.Errorf("%d lines are unread", n)
	}
}
