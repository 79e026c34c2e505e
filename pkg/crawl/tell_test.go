package crawl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/feed"
)

// berths is a page with its main content, a box beside that, and text that is not compared.
func berths(free int, fee, views string) page {
	return page{body: fmt.Sprintf(`<html lang=en><title>Berths</title><main><article><h1>Berths</h1><p>%s</p><p>%s</p>
<p>Berths free: %d</p><p>%s people are viewing this</p></article></main><aside><p>Night fee: %s EUR</p></aside>
<p>Boat <select><option>sail<option>motor</select></p>`, brass, brass, free, views, fee)}
}

// TestN1BesideHasPassages checks that a change beside the main content says what differs, as one in it does (N1).
func TestN1BesideHasPassages(t *testing.T) {
	r := newRig(t)
	var at feed.Position
	r.site.put("/p", berths(12, "20", "17"))
	r.first("/p")
	r.feedOf(&at)
	r.site.put("/p", berths(12, "25", "18"))
	r.next("/p")
	have := r.feedOf(&at)
	want := []feed.Passage{{Text: "Night fee: 20 EUR", Op: feed.Removed}, {Text: "Night fee: 25 EUR", Op: feed.Added}}
	if len(have) != 1 || have[0].Kind != feed.Beside || cmp.Diff(want, have[0].Passages) != "" {
		t.Errorf("the feed has %+v", have)
	}
	if it := r.item("/p"); !said(it, "changed the text beside the main content is different") {
		t.Errorf("the history has %v", it.History)
	}
}

// TestN4NumberThatMovesEachTime checks that a number which has moved alone three times is reported as before, with the
// offer of a rule, on the item, too; and that the item lists what is not compared (N3, N4).
func TestN4NumberThatMovesEachTime(t *testing.T) {
	r := newRig(t)
	var at feed.Position
	r.site.put("/p", berths(0, "20", "17"))
	r.first("/p")
	r.feedOf(&at)
	const rule = `^\s*Berths free: [\d.,:]+\s*$`
	for i := range 4 {
		r.site.put("/p", berths(i+1, "20", fmt.Sprint(20+i)))
		it := r.next("/p")
		have := r.feedOf(&at)
		if len(have) != 1 || have[0].Kind != feed.Content || len(have[0].Passages) != 2 {
			t.Fatalf("the feed has %+v", have)
		}
		offered := it.Moving.Offer() == rule && strings.HasSuffix(have[0].Why, "ignore it? The rule would be "+rule)
		if none := it.Moving.Offer() == "" && !strings.Contains(have[0].Why, "ignore"); i < 2 && !none ||
			i >= 2 && !offered {
			t.Errorf("move %d: offers %q, and says %q", i+1, it.Moving.Offer(), have[0].Why)
		}
	}
	u := r.item("/p").Uncompared
	folded := []extract.Folded{{Line: "23 people are viewing this", Rule: "people now"}}
	if diff := cmp.Diff(folded, u.Folded); diff != "" || u.Unread != "1 select" {
		t.Errorf("not read: %q; folded: %s", u.Unread, diff)
	}
}
