package letter

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestHeadlines checks that a headline sets apart what a list shows: both values, what they are of, and what came or
// went.
func TestHeadlines(t *testing.T) {
	for line, want := range map[string]Headline{
		"Notice period: [[30||14]] days": {Old: "30", New: "14 days", Of: "Notice period"},
		"Open until [[18. December 2026||8. January 2027]] each day": {
			Old: "18. December 2026", New: "8. January 2027 each", Of: "Open until",
		},
		"Now € [[129.00||119.00]]":                           {Old: "€ 129.00", New: "€ 119.00", Of: "Now"},
		"Lift: [[open||closed]]":                             {Old: "open", New: "closed", Of: "Lift"},
		"Open.[[|| Dogs of all sizes are welcome on deck.]]": {New: "Dogs of all sizes are welcome on deck."},
		"Open. [[Closed at Easter.||]]":                      {Old: "Closed at Easter."},
		"[[||The pier is closed until further notice]]":      {New: "The pier is closed until further notice"},
		"[[The pier is closed until further notice||]]":      {Old: "The pier is closed until further notice"},
	} {
		if have := HeadlineOf(ofPage(t, "text/plain", "Harbour\n\nOpen to all ships.\n\n"+line)); have != want {
			t.Errorf("%s: %+v", line, have)
		}
	}
	row := "<p>" + fourTimes("The prices of berths, by the length of the ship. ") + "</p><table><tr><th>Date<th>Place" +
		"<tr><td>8 March<td>[[Great||Small]] Hall<tr><td>9 March<td>Hut</table>"
	have := HeadlineOf(ofPage(t, "text/html", "<title>Dates</title><main><h1>Dates</h1>"+row))
	if have.Old != "Great Hall" || have.New != "Small Hall" || have.Of != "8 March · Place" {
		t.Errorf("a row: %+v", have)
	}
	price := api.ChangedField{Name: "price", Text: "89.00 → 79.00 EUR (lowest until now, before 84.00)", Reported: true}
	c := api.FeedChange{Kind: api.ChangeField, Fields: []api.ChangedField{price}}
	if have := HeadlineOf(c); have != (Headline{Old: "89.00", New: "79.00 EUR", Of: "price", Note: "lowest until now"}) {
		t.Errorf("a value: %+v", have)
	}
	c.Kind, c.Fields = api.ChangeGone, nil
	if have := HeadlineOf(c); have != (Headline{Happened: "gone"}) {
		t.Errorf("gone: %+v", have)
	}
	c.Listed = &api.ListedEntry{Title: "Ferryman"}
	if have := HeadlineOf(c); have != (Headline{New: "Ferryman"}) {
		t.Errorf("an entry: %+v", have)
	}
}

// fourTimes repeats a sentence, so that a text is long enough for a page.
func fourTimes(sentence string) string { return sentence + sentence + sentence + sentence }
