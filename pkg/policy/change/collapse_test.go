package change

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestH9ACollapseWaits checks that a collapsed body waits for two more readings, and is then accepted whatever they
// contain (H9).
func TestH9ACollapseWaits(t *testing.T) {
	seen := []Reading{reading("Oops", "Something went wrong"), empty, reading("T", prose(500, 20))}
	known := full.Known()
	for i, r := range seen[:2] {
		d := Decide(known, r, false, noon.Add(time.Duration(i)*time.Hour))
		if !d.Waits || d.Kind != None || d.Known.Collapse.Checks != i+1 || !d.Known.Collapse.Since.Equal(noon) {
			t.Fatalf("reading %d: %+v", i+1, d)
		}
		if d.Known.Hash != full.Hash || len(d.Known.States) != 1 || d.Known.Words.Letters() != full.Words.Letters() {
			t.Fatalf("reading %d is remembered: %+v", i+1, d.Known)
		}
		known = d.Known
	}
	if want := "0 % of the main content is left on 2 of 3 checks; what was known is kept until then"; known.Collapse.
		Why() != want {
		t.Errorf("have %q, want %q", known.Collapse.Why(), want)
	}
	d := Decide(known, seen[2], false, noon)
	if d.Waits || d.Kind != Content || !d.Accepted || d.Over || d.Known.Collapse.Waits() || d.Known.Hash != seen[2].Hash {
		t.Errorf("the third reading: %+v", d)
	}
	if want := "0 % of the main content is left on 3 checks in a row: accepted"; d.Why != want {
		t.Errorf("have %q, want %q", d.Why, want)
	}
}

// TestH9WhatEndsACollapse checks what ends a collapse: enough of the known body, an earlier state, and a forced check
// (H9).
func TestH9WhatEndsACollapse(t *testing.T) {
	collapsed := Decide(full.Known(), empty, false, noon).Known
	before := collapsed
	before.States = States{full.Body, reading("", "short").Body}
	for _, tt := range []struct {
		name   string
		known  Known
		seen   Reading
		insist bool
		want   Kind
		over   bool
	}{
		{"the same again", collapsed, full, false, None, true},
		{"a third of it", collapsed, reading("T", prose(0, 33)), false, Content, true},
		{"H8 a state that was accepted before", before, reading("T", "short"), false, Reverted, true},
		{"somebody insists", collapsed, empty, true, Content, false},
		{"somebody insists at first sight", full.Known(), empty, true, Content, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name[:2] == "H8" {
				tt.known.States[1] = tt.seen.Body
			}
			d := Decide(tt.known, tt.seen, tt.insist, noon)
			if d.Kind != tt.want || d.Waits || d.Over != tt.over || d.Known.Collapse.Waits() {
				t.Errorf("%+v", d)
			}
		})
	}
}

// TestH9WhatIsNoCollapse checks the bounds of a collapse (H9).
func TestH9WhatIsNoCollapse(t *testing.T) {
	forgotten := full.Known()
	forgotten.Words = Words{}
	for _, tt := range []struct {
		name  string
		known Known
		seen  Reading
		waits bool
	}{
		{"29 %", full.Known(), reading("T", prose(0, 29)), true},
		{"31 %", full.Known(), reading("T", prose(0, 32)), false},
		{"31 % and much that is new", full.Known(), reading("T", prose(0, 32)+prose(1000, 500)), false},
		{"all else is new", full.Known(), reading("T", prose(1000, 100)), true},
		{"99 letters", reading("T", prose(100, 14)+"x").Known(), empty, false},
		{"105 letters", reading("T", prose(100, 15)).Known(), empty, true},
		{"a body that is not remembered", forgotten, empty, false},
		{"a title", full.Known(), reading("Error", prose(0, 100)), false},
		{"images", full.Known(), full.with("i", ""), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := Decide(tt.known, tt.seen, false, noon); d.Waits != tt.waits {
				t.Errorf("%+v", d)
			}
		})
	}
}

// TestH9NeverStaleForEver checks that the known content is at most two readings behind, for any readings, and that a
// waiting collapse does not change it (H9).
func TestH9NeverStaleForEver(t *testing.T) {
	texts := []string{"", prose(0, 100), prose(0, 50), prose(200, 100), prose(300, 20), prose(0, 20)}
	rapid.Check(t, func(t *rapid.T) {
		known, behind := Known{}, 0
		for range rapid.IntRange(1, 40).Draw(t, "checks") {
			r := reading(rapid.SampledFrom([]string{"T", "U"}).Draw(t, "title"), rapid.SampledFrom(texts).Draw(t, "text"))
			insist := rapid.Bool().Draw(t, "insist") && rapid.Bool().Draw(t, "really")
			d := Decide(known, r, insist, noon)
			if behind++; !d.Waits {
				behind = 0
			}
			switch {
			case behind > Confirmations, insist && d.Waits:
				t.Fatalf("%d readings behind", behind)
			case d.Waits && (d.Known.Hash != known.Hash || !d.Known.Collapse.Waits()):
				t.Fatalf("waiting changed what is known: %+v", d)
			case !d.Waits && (d.Known.Hash != r.Hash || d.Known.Collapse.Waits()):
				t.Fatalf("accepted, and not known: %+v", d)
			case d.Kind.OfContent() && known.Hash != "" && known.States.has(r.Body):
				t.Fatalf("a return is %q", d.Kind)
			}
			known = d.Known
		}
	})
}

// TestPercent checks that only zero and one are formatted as 0 % and 100 %.
func TestPercent(t *testing.T) {
	for part, want := range map[float64]string{
		0: "0 %", 0.001: "less than 1 %", 0.294: "29 %", 0.999: "more than 99 %", 1: "100 %",
	} {
		if have := percent(part); have != want {
			t.Errorf("%v: have %q, want %q", part, have, want)
		}
	}
}
