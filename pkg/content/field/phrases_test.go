package field

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

// phraseLines are phrases of shops that somebody collected who had not seen the reader: language, label and phrase.
//
//go:embed testdata/availability.tsv
var phraseLines string

// readAs are the availabilities that are right for a label. Unclear phrases must not be read. What comes later may be
// out of stock, or may take orders. What is on request may be taken for an order, or for out of stock: in no case is
// it in stock.
var readAs = map[string]string{
	"InStock":    "InStock LimitedAvailability OnlineOnly InStoreOnly",
	"OutOfStock": "OutOfStock SoldOut Discontinued",
	"PreOrder":   "PreOrder PreSale",
	"BackOrder":  "BackOrder MadeToOrder",
	"Later":      "OutOfStock SoldOut PreOrder BackOrder",
	"OnRequest":  "BackOrder MadeToOrder PreOrder OutOfStock",
	"Unclear":    "",
}

// G5: TestG5Phrases checks how many phrases are read wrongly, and how many that have a meaning are not read.
func TestG5Phrases(t *testing.T) {
	var total, wrong, clear, unread int
	for line := range strings.Lines(phraseLines) {
		parts := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(parts) < 3 {
			continue
		}
		want, known := readAs[parts[1]]
		if !known {
			t.Fatalf("unknown label %q", parts[1])
		}
		total++
		v, why, ok := Parse(Availability, parts[2], Hint{})
		if want != "" {
			clear++
		}
		switch right := slices.Contains(strings.Fields(want), v.Text); {
		case ok && !right:
			wrong++
			t.Logf("wrong: %s %s %q: have %s", parts[0], parts[1], parts[2], v.Text)
		case !ok && want != "":
			unread++
			t.Logf("not read: %s %s %q: %s", parts[0], parts[1], parts[2], why)
		}
	}
	if wrong > 2 || unread > 10 {
		t.Error("more phrases are read wrongly, or not at all, than before")
	}
	t.Logf("%d phrases, %d wrong (%.4f), %d of %d not read (%.4f)", total, wrong, float64(wrong)/float64(total),
		unread, clear, float64(unread)/float64(clear))
}
