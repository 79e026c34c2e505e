package chunk

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// TestC7WhatIsOneUnit checks which chunks are joined (C7). A chunk that begins a unit stands after "|".
func TestC7WhatIsOneUnit(t *testing.T) {
	h := func(level int, text string) extract.Block {
		return extract.Block{Kind: extract.Heading, Level: level, Text: text}
	}
	p := func(text string) extract.Block { return extract.Block{Kind: extract.Paragraph, Text: text} }
	code := extract.Block{Kind: extract.Code, Text: "raise(LAMP)"}
	long := p(strings.Repeat("The gauge is read each hour. ", 12))
	longer := p(strings.Repeat("The gauge is read each hour. ", 50))
	beside := extract.Block{Kind: extract.Paragraph, Text: "two", Zone: extract.Beside}
	type blocks = []extract.Block
	for name, tt := range map[string]struct {
		blocks blocks
		want   []int // number of chunks of each unit
	}{
		"an introduction and its listing": {blocks{h(1, "A"), p("For example:"), code, long}, []int{3}},
		"a listing after a long text":     {blocks{h(1, "A"), long, code}, []int{2}},
		"two sections":                    {blocks{h(1, "A"), p("one"), h(1, "B"), p("two")}, []int{1, 1}},
		"two functions":                   {blocks{h(1, "L"), h(2, "f()"), p("one"), h(2, "g()"), p("two")}, []int{1, 1}},
		"a text and a section below it":   {blocks{h(1, "A"), p("one"), h(2, "B"), p("two")}, []int{1, 1}},
		"an introduction and a section": {blocks{h(1, "A"), p("There are:"), h(2, "B"), p("two"), h(2, "C"), p("three")},
			[]int{2, 1}},
		"parts with usual names": {blocks{h(2, "f()"), long, h(3, "Parameters"), p("x"), h(3, "See also"), p("g()"),
			h(2, "g()"), p("two")}, []int{3, 1}},
		"parts with names that repeat": {blocks{h(2, "Buoy"), long, h(3, "Farbe"), p("rot"), h(3, "Lage"), p("Nord"),
			h(2, "Bake"), long, h(3, "Farbe"), p("weiß"), h(3, "Lage"), p("Ost")}, []int{3, 3}},
		"more than fits":            {blocks{h(1, "A"), longer, p("They are:"), code, long, long}, []int{2, 1}},
		"headings without a text":   {blocks{h(2, "One?"), h(2, "Two?"), h(2, "Three?"), p("yes")}, []int{1, 1, 1}},
		"beside the main content":   {blocks{p("one"), beside}, []int{1, 1}},
		"a definition and its term": {blocks{h(1, "A"), code, p(": " + long.Text)}, []int{2}},
		"small ones in a row":       {blocks{h(1, "A"), code, long, code, long, code}, []int{2, 3}},
	} {
		var have []int
		for _, c := range split("url_a", "", tt.blocks...) {
			if !c.Joined {
				have = append(have, 0)
			}
			have[len(have)-1]++
		}
		if !slices.Equal(have, tt.want) {
			t.Errorf("%s: units of %v chunks, want %v", name, have, tt.want)
		}
	}
}

// TestC7UnitsAreBounded checks of any page that a unit is within its budget, in one zone, and below one heading.
func TestC7UnitsAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunks := split("url_a", "", drawBlocks(t, "blocks")...)
		parts := outlineOf(chunks)
		tokens, from := 0, 0
		for i, c := range chunks {
			if !c.Joined {
				tokens, from = 0, i
			}
			tokens += c.Tokens + Tokens(c.Lead)
			top, here := parts.section(&chunks[from]), parts.section(&chunks[i])
			switch {
			case i == 0 && c.Joined:
				t.Fatal("the first chunk is joined")
			case c.Joined && tokens > unitBudget:
				t.Fatalf("chunk %d: a unit of %d tokens", i, tokens)
			case c.Zone != chunks[from].Zone:
				t.Fatalf("chunk %d: a unit in two zones", i)
			case len(here) < len(top) || !slices.Equal(here[:len(top)], top):
				t.Fatalf("chunk %d: %q is in a unit of %q", i, here, top)
			}
		}
	})
}
