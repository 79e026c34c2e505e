package api

import "testing"

// TestG1AlikeValues checks that changes of a host with the same passages are not alike if other values have changed
// (G1).
func TestG1AlikeValues(t *testing.T) {
	of := func(fields ...ChangedField) string {
		return FeedChange{Host: "shop.example", ItemID: "a", Kind: ChangeField, Fields: fields,
			Passages: []ChangedPassage{{Text: "In stock", Op: "added"}}}.AlikeKey()
	}
	price := ChangedField{Name: "price", Previous: 79, Current: 84, Currency: "EUR", Reported: true, Text: "79 → 84 EUR"}
	stock := ChangedField{Name: "availability", Current: "InStock", Reported: true}
	other, hidden := price, ChangedField{Name: "version", Current: "2"}
	other.Current = 85
	if of(price) == of(other) || of(price) == of() || of(price) == of(price, stock) {
		t.Error("changes of other values are alike")
	}
	again := price
	again.Text, again.Condition = "79 → 84 EUR (lowest 72 in May)", "price > 80"
	if of(price, stock) != of(stock, again, hidden) || of(price) == "" {
		t.Error("changes of the same values are not alike")
	}
}
