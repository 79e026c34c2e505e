package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tidemark/tidemark/pkg/content/field"
)

// TestG4KnownPrices checks that each page is in the list of known prices once, with an amount in its only form (G4).
func TestG4KnownPrices(t *testing.T) {
	known, err := readKnown(knownPrices)
	if err != nil || len(known) < 60 {
		t.Fatalf("%d pages, %v", len(known), err)
	}
	seen := map[string]bool{}
	for _, k := range known {
		d, ok := field.ParseDecimal(k.amount)
		if seen[k.id] || k.amount != "" && (!ok || string(d) != k.amount) {
			t.Errorf("%+v", k)
		}
		seen[k.id] = true
	}
	if _, err := readKnown("0580 110"); err == nil {
		t.Error("an amount without a currency is read")
	}
}

// TestG4ReportPrices checks that a right, a wrong and a missing price are counted as such (G4).
func TestG4ReportPrices(t *testing.T) {
	folder := fstest.MapFS{}
	known, _ := readKnown(knownPrices)
	for i, k := range known {
		price := k.amount
		switch {
		case i == 0:
			price = "12345.67"
		case i == 1:
			price = ""
		}
		folder["ground-truth/"+k.id+".json"] = &fstest.MapFile{Data: []byte(`{"url":"https://shop.example/p"}`)}
		folder["html/"+k.id+".html"] = &fstest.MapFile{Data: []byte(`<p>free</p><script type="application/ld+json">{"@type":
			"Product","offers":{"price":"` + price + `","priceCurrency":"` + k.currency + `"}}</script>`)}
	}
	var out bytes.Buffer
	if err := reportPrices(&out, folder, true); err != nil {
		t.Fatal(err)
	}
	if have := out.String(); !strings.Contains(have, "73  0.973  0.014     0.014                  3      0") {
		t.Errorf("have %s", have)
	}
}
