package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tidemark/tidemark/measure/internal/product"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
)

// madeMoving makes a folder of pages that are never the same twice, in the form that -moving reads: on each, something
// moves at every check, and one sentence changes at some of them.
func madeMoving(t *testing.T, bodies int) fstest.MapFS {
	t.Helper()
	fees := []string{"Berth fee: 49.00 EUR a night", "Berth fee: 54.00 EUR a night", "Berth fee: 51.00 EUR a night"}
	dogs := []string{"Dogs are allowed on the pier", "Cats and dogs are not allowed on the pier"}
	crane := []string{"The crane lifts 12 tons", "The crane lifts 9 tons"}
	clock := func(n int) string { return fmt.Sprintf("%02d:%02d:%02d", 8+n/3, n*17%60, n*23%60) }
	ships := strings.Fields("Alma Berta Cato Doris Elba Freya Gerda")
	folder, index := fstest.MapFS{}, strings.Builder{}
	for _, p := range []struct {
		name          string
		texts         []string
		at            []int
		apart, beside func(n int) string
	}{
		{"clock", fees[:2], []int{7}, func(n int) string { return "Harbour time " + clock(n) + " by the tower" }, nil},
		{"same", crane, []int{11}, nil, nil},
		{"view", dogs, []int{9}, func(n int) string { return fmt.Sprintf("%d people are viewing this", 3+n*7%40) }, nil},
		{"ships", fees[:2], []int{13}, nil, func(n int) string { return ships[n%7] + " is in port, and " + ships[n*3%7] }},
		{"build", crane, []int{5}, func(n int) string { return fmt.Sprintf("Build 4812.%d", n) }, nil},
		{"price", fees, []int{6, 12}, nil, nil},
	} {
		about := movingPage{Page: p.name, Class: "made", Bodies: bodies}
		for i, at := range p.at {
			about.Facts = append(about.Facts, movingFact{at, p.texts[i], p.texts[i+1]})
		}
		for n := range bodies {
			fact, apart, beside := p.texts[0], "", ""
			for i, at := range p.at {
				if n >= at {
					fact = p.texts[i+1]
				}
			}
			if p.name == "same" {
				fact += "; the time here is " + clock(n)
			}
			if p.apart != nil {
				apart = "<p>" + p.apart(n) + "</p>"
			}
			if p.beside != nil {
				beside = "<div class=col>" + p.beside(n) + "</div>"
			}
			prose := "<p>The harbour office keeps the books of the quay, and whoever moors here is asked to read them.</p>"
			folder[fmt.Sprintf("%s/%02d.html", p.name, n)] = &fstest.MapFile{Data: []byte("<html lang=en><title>Quay</title>" +
				"<main><h1>Quay</h1>" + prose + apart + "<p>" + fact + ".</p>" + prose + "</main>" + beside + "</html>")}
		}
		line, err := json.Marshal(map[string]any{"page": p.name, "class": about.Class, "tell": about.Facts, "bodies": bodies})
		if err != nil {
			t.Fatal(err)
		}
		index.Write(append(line, '\n'))
	}
	folder["pages.jsonl"] = &fstest.MapFile{Data: []byte(index.String())}
	return folder
}

// TestH13MovingFactsAreTold checks that on pages on which something moves at each check, each change of a fact is told
// at its check by both rules. How much else is told is measured, and not asserted.
func TestH13MovingFactsAreTold(t *testing.T) {
	const bodies = 20
	pages, err := movingPages(madeMoving(t, bodies))
	if err != nil || len(pages) != 6 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	counts, err := moving(t.Context(), pages, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pages {
		for r, c := range counts[i] {
			if c.facts != len(p.Facts) || c.reported != c.facts || c.shown != c.facts ||
				c.messages < c.facts || c.messages >= bodies {
				t.Errorf("%s by rule %s: %+v", p.Page, movingRules[r].name, c)
			}
		}
	}
	var out strings.Builder
	err = reportMoving(&out, madeMoving(t, bodies), time.Hour, true)
	if err != nil || !strings.Contains(out.String(), "default   made") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestPlaceOfAFact checks where a fact is found in messages.
func TestPlaceOfAFact(t *testing.T) {
	f := movingFact{1, "The fee is 49", "The fee is 54"}
	passage := func(op feed.Op, text string) (feed.Passage, api.ChangedPassage) {
		return feed.Passage{Op: op, Text: text}, api.ChangedPassage{Op: string(op), Text: text}
	}
	lost, shownLost := passage(feed.Removed, "The fee is 49.")
	news, shownNews := passage(feed.Added, "The fee is 54.")
	other, shownOther := passage(feed.Added, "It rains.")
	message := func(differ []feed.Passage, shown ...api.ChangedPassage) []product.Message {
		return []product.Message{{Change: api.FeedChange{Passages: shown}, Differing: differ}}
	}
	for name, tt := range map[string]struct {
		all  []product.Message
		want [3]bool
	}{
		"nothing":      {nil, [3]bool{}},
		"another":      {message([]feed.Passage{other}, shownOther), [3]bool{}},
		"loss alone":   {message([]feed.Passage{lost}, shownLost), [3]bool{true, false, false}},
		"not shown":    {message([]feed.Passage{lost, other, news}, shownOther), [3]bool{true, false, false}},
		"shown second": {message([]feed.Passage{other, news}, shownOther, shownNews), [3]bool{true, true, false}},
		"first":        {message([]feed.Passage{lost, news}, shownLost, shownNews, shownOther), [3]bool{true, true, true}},
	} {
		if told, shown, first := f.in(tt.all); [3]bool{told, shown, first} != tt.want {
			t.Errorf("%s: %v %v %v, want %v", name, told, shown, first, tt.want)
		}
	}
}
