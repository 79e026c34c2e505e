package main

import (
	"strings"
	"testing"
)

// TestN1GeneratedFacts checks every 61st page with a fact: of the facts .99 are found, and of their changes .99 are
// reported, each once (N1).
func TestN1GeneratedFacts(t *testing.T) {
	const step, least = 61, .99
	s, err := scoreFacts(trials(step))
	if err != nil {
		t.Fatal(err)
	}
	const spotsAtLeast = 40
	if len(spots) < spotsAtLeast || len(allFacts()) != 72 || len(s.by[0]) < len(spots) {
		t.Fatalf("%d spots, of which %d with slots were tried, and %d facts", len(spots), len(s.by[0]), len(allFacts()))
	}
	found, reported := float64(s.all.found)/float64(s.all.all), float64(s.all.reported)/float64(s.all.all)
	if found < least || reported < least {
		t.Errorf("of %d facts, %.3f are found and %.3f are reported\n%s", s.all.all, found, reported,
			strings.Join(s.all.missed, "\n"))
	}
}

// TestN1FactsAreCounted checks the counting itself: a fact that nobody sees is not found, and one that a page has twice
// is not found once.
func TestN1FactsAreCounted(t *testing.T) {
	f := fact{"price", "en", "Price: 49.00 EUR", "Price: 54.00 EUR"}
	for html, want := range map[string]result{
		"<p>%s</p>":                             {1, 1, 1},
		"<!-- %s -->":                           {0, 0, 0},
		"<nav>%s</nav>":                         {0, 0, 0},
		"<p>%s</p><p>Price: 49.00 EUR</p>":      {2, 1, 1},
		"<p>Price: 49.00 EUR</p><nav>%s</nav>":  {1, 0, 0},
		"<p>%s</p><p>Price: 54.00 EUR, too</p>": {1, 1, 1},
	} {
		r, err := trial{spot{"", "in", html}, "in", pageTemplates[0], f}.run()
		if err != nil || r != want {
			t.Errorf("%s: have %+v, want %+v, %v", html, r, want, err)
		}
	}
	if r := (result{2, 1, 1}); r.isFound() {
		t.Error("twice is once")
	}
	if r := (result{1, 1, 0}); r.isReported() {
		t.Error("a change without its text is reported")
	}
}

// TestN1FactsOnRealPages checks that a fact is put where the known paragraphs of a page are, that what the page says
// already is not counted, and that a page without known paragraphs has no trials.
func TestN1FactsOnRealPages(t *testing.T) {
	const one = "The old quay was built of granite, and for many years the ships unloaded there."
	const two = "Today it belongs to the town, which looks after the walls and the path."
	const three = "There are 14 rooms in the old house of the master of the harbour."
	set := []page{
		{name: "quay", text: one + "\n" + two + "\n" + three, html: []byte("<body><header><a href=/>Port</a></header>" +
			"<main><h1>Quay</h1><p>" + one + "</p><p>" + two + "</p><p>" + three + "</p></main><footer>Imprint</footer>")},
		{name: "empty", html: []byte("<p>Nothing is known of this page.</p>")},
	}
	all, err := realTrials(set)
	if err != nil || len(all) != 10 || all[0].template.existing("14 rooms") != 1 {
		t.Fatalf("%d trials, %v", len(all), err)
	}
	s := spot{html: "<b>%s</b>"}
	for slot, want := range map[string]string{"before": "</h1><b>x</b><p>The old", "in": "path.</p><b>x</b><p>There",
		"after": "harbour.</p><b>x</b></main>", "out": "</main><b>x</b><footer>"} {
		if have := all[0].template.page(s, slot, "en", "x"); !strings.Contains(have, want) {
			t.Errorf("%s: %s is not in %s", slot, want, have)
		}
	}
	score, err := scoreFacts(all)
	if err != nil || score.all.found != 10 {
		t.Errorf("%d facts found: %v, %v", score.all.found, score.all.missed, err)
	}
}
