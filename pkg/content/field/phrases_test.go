package field

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

// phraseLines are phrases of shops: language, label and phrase. Two writers composed the first two sets who had not
// seen the reader: the first was tuned to, the second is drawn by how common phrases are. The third holds hard ones,
// the fourth has texts of shops by a third writer, and neighbours of the faults that they showed.
var (
	//go:embed testdata/availability.tsv
	phraseLines string
	//go:embed testdata/availability2.tsv
	commonPhraseLines string
	//go:embed testdata/availability3.tsv
	hardPhraseLines string
	//go:embed testdata/availability4.tsv
	shopPhraseLines string
)

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
	"NotNow":     "OutOfStock SoldOut PreOrder PreSale BackOrder MadeToOrder",
	"Unclear":    "",
}

// phraseCounts are how many phrases of a set were read, wrongly, and how many with a meaning were not.
type phraseCounts struct{ total, wrong, clear, unread int }

// G5: TestG5Phrases checks how many phrases are read wrongly, and how many that have a meaning are not read.
func TestG5Phrases(t *testing.T) {
	for name, set := range map[string]struct {
		lines         string
		wrong, unread int // at most
	}{"tuned": {phraseLines, 1, 5}, "common": {commonPhraseLines, 1, 5}, "hard": {hardPhraseLines, 3, 24},
		"shops": {shopPhraseLines, 0, 2}} {
		t.Run(name, func(t *testing.T) {
			n := countPhrases(t, set.lines)
			if n.wrong > set.wrong || n.unread > set.unread {
				t.Error("more phrases are read wrongly, or not at all, than before")
			}
			t.Logf("%d phrases, %d wrong (%.4f), %d of %d not read (%.4f)", n.total, n.wrong,
				float64(n.wrong)/float64(n.total), n.unread, n.clear, float64(n.unread)/float64(n.clear))
		})
	}
}

// countPhrases reads a set of phrases.
func countPhrases(t *testing.T, lines string) (n phraseCounts) {
	for line := range strings.Lines(lines) {
		parts := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(parts) < 3 {
			continue
		}
		want, known := readAs[parts[1]]
		if !known {
			t.Fatalf("unknown label %q", parts[1])
		}
		n.total++
		v, why, ok := Parse(Availability, parts[2], Hint{})
		if want != "" {
			n.clear++
		}
		switch right := slices.Contains(strings.Fields(want), v.Text); {
		case ok && !right:
			n.wrong++
			t.Logf("wrong: %s %s %q: have %s", parts[0], parts[1], parts[2], v.Text)
		case !ok && want != "":
			n.unread++
			t.Logf("not read: %s %s %q: %s", parts[0], parts[1], parts[2], why)
		}
	}
	return n
}
