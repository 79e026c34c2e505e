package textdiff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told writes passages in short: a sign, the text, and whether it has a fact.
func told(all []Passage) string {
	var out []string
	for _, p := range all {
		text := "-" + p.Text
		if p.Added {
			text = "+" + p.Text
		}
		if p.Fact {
			text += "!"
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// TestN11Order checks in which order differences are told: values that changed, lines with facts, sentences, other
// text, and what moves; and that a line stays beside its replacement (N11).
func TestN11Order(t *testing.T) {
	const sentence = "You may end the contract by a letter to our office in the town."
	moves := func(line string) bool { return strings.HasPrefix(line, "Level") && !strings.Contains(line, "fee") }
	for name, tt := range map[string]struct{ old, text, want string }{
		"a value before a line with one, a sentence and words": {
			"alpha beta\nsame\nsame\nFee: 12 EUR",
			"gamma delta\nsame\n" + sentence + "\nsame\nNight fee: 3 EUR\nFee: 15 EUR",
			"-Fee: 12 EUR!\n+Fee: 15 EUR!\n+Night fee: 3 EUR!\n+" + sentence},
		"in the order of the text": {"Fee: 1 EUR\nsame\nToll: 2 EUR", "Fee: 2 EUR\nsame\nToll: 3 EUR",
			"-Fee: 1 EUR!\n+Fee: 2 EUR!\n-Toll: 2 EUR!\n+Toll: 3 EUR!"},
		"what moves is left out": {"Level 4148 here\nsame\nred", "Level 4152 here\nsame\nblue", "-red\n+blue"},
		"what moves alone":       {"Level 4148 here", "Level 4152 here", "-Level 4148 here!\n+Level 4152 here!"},
		"a number before a time stamp": {"- made: 2026-03-01T08:30:00Z\n- at: 1772354400\n- USD: 1.08",
			"- made: 2026-03-02T08:31:07Z\n- at: 1772440867\n- USD: 1.11",
			"-- USD: 1.08!\n+- USD: 1.11!\n-- made: 2026-03-01T08:30:00Z!\n+- made: 2026-03-02T08:31:07Z!"},
		"a fact beside what moves": {"red\nsame\nLevel 4148 here, the fee is 12 EUR",
			"blue\nsame\nLevel 4152 here, the fee is 99 EUR",
			"-Level 4148 here, the fee is 12 EUR!\n+Level 4152 here, the fee is 99 EUR!\n-red\n+blue"},
		"a number before when the page was made": {"Last updated: 3 March 2026\nsame\nBoats: 12",
			"Last updated: 4 April 2026\nsame\nBoats: 15",
			"-Boats: 12!\n+Boats: 15!\n-Last updated: 3 March 2026!\n+Last updated: 4 April 2026!"},
		"a date after a price": {"Last updated: 3 March 2026\nsame\nFee: 12 EUR",
			"Last updated: 4 April 2026\nsame\nFee: 15 EUR",
			"-Fee: 12 EUR!\n+Fee: 15 EUR!\n-Last updated: 3 March 2026!\n+Last updated: 4 April 2026!"},
		"signs and addresses of links": {"Fees, tolls\nsame\nSee [here](/a).\nsame\n-----\nsame\nyou may, moor",
			"Fees; tolls\nsame\nSee [here](/b).\nsame\nsame\nyou could, moor",
			"-you may, moor\n+you could, moor\n-Fees, tolls\n+Fees; tolls"},
		"a number with a sign": {"red\nsame\n-5 °C", "blue\nsame\n5 °C", "--5 °C!\n+5 °C!\n-red\n+blue"},
		"the column of a number": {prices + "| Storm | 79 | yes |", prices + "| Storm | 84 | yes |",
			"-| Storm | 79 | yes |!\n+| Storm | 84 | yes |!"},
	} {
		d := Differences(Text{Text: tt.old}, Text{Text: tt.text}, Options{Most: 4, Size: 100, Moves: moves})
		if diff := cmp.Diff(tt.want, told(d.Chosen)); diff != "" {
			t.Errorf("%s (-want +have)\n%s", name, diff)
		}
		for i, p := range d.All {
			if i > 0 && p.Weight > d.All[i-1].Weight {
				t.Errorf("%s: all that differs is not in the order of its weight: %s", name, told(d.All))
			}
		}
	}
}

// TestN11More checks that a difference says at how many further places the texts differ, without what moves (N11).
func TestN11More(t *testing.T) {
	moves := func(line string) bool { return strings.HasPrefix(line, "Level") }
	for fees, want := range map[int]int{1: 0, 2: 0, 3: 1, 5: 3} {
		var old, now strings.Builder
		for i := range fees {
			fmt.Fprintf(&old, "Fee %d: 12 EUR\nsame\nLevel %d here\nsame\n", i, i)
			fmt.Fprintf(&now, "Fee %d: 15 EUR\nsame\nLevel %d here\nsame\n", i, i+70)
		}
		d := Differences(Text{Text: old.String()}, Text{Text: now.String()}, Options{Most: 4, Size: 100, Moves: moves})
		if d.More != want {
			t.Errorf("%d more besides %s, want %d", d.More, told(d.Chosen), want)
		}
	}
}

// TestN11NamesLast checks that the heading of a new entry comes after what it is the name of, and first if it has as
// much to say (N11).
func TestN11NamesLast(t *testing.T) {
	for heading, want := range map[string]string{
		"Night ferry": "+- id: 19!\n+- state: draft\n+- quay: north\n+- crew: six",
		"From 3 EUR":  "+From 3 EUR!\n+- id: 19!\n+- state: draft\n+- quay: north",
	} {
		of := func(line, _, _ int) []string { return map[bool][]string{true: {heading}}[line > 1] }
		text := "Ferries\n" + heading + "\n- id: 19\n- state: draft\n- quay: north\n- crew: six"
		d := Differences(Text{Text: "Ferries"}, Text{Text: text, Of: of}, Options{Most: 4, Size: 100})
		if diff := cmp.Diff(want, told(d.Chosen)); diff != "" {
			t.Errorf("(-want +have)\n%s", diff)
		}
	}
}

// TestN11BothForms checks that a line which only lost or gained words is told as it was and as it is, and that whole
// sentences which came or went are told alone (N11).
func TestN11BothForms(t *testing.T) {
	for name, tt := range map[string]struct{ old, text, want string }{
		"lost":   {"Dogs are not allowed.", "Dogs are allowed.", "-Dogs are not allowed.!\n+Dogs are allowed."},
		"gained": {"Dogs are allowed.", "Dogs are not allowed.", "-Dogs are allowed.\n+Dogs are not allowed.!"},
		"at the end": {"Open on Sundays", "Open on Sundays in summer",
			"-Open on Sundays\n+Open on Sundays in summer"},
		"French": {"Les chiens ne sont pas admis.", "Les chiens sont admis.",
			"-Les chiens ne sont pas admis.!\n+Les chiens sont admis."},
		"Chinese":       {"码头不可停泊", "码头可停泊", "-码头不可停泊!\n+码头可停泊"},
		"a sentence":    {"We carry you. You pay.", "We carry you. Pets stay here. You pay.", "+Pets stay here."},
		"one that went": {"We carry you. Pets stay here.", "We carry you.", "-Pets stay here."},
		"blanks":        {"if a:\n    b()\nc()", "if a:\n    b()\n    c()", "+c()"},
	} {
		d := differences(tt.old, tt.text, 4, 100)
		if diff := cmp.Diff(tt.want, told(d.Chosen)); diff != "" || told(d.All) != tt.want {
			t.Errorf("%s (-want +have)\n%s\nall: %s", name, diff, told(d.All))
		}
	}
}

// TestN11Partners checks that a line which changed is told with what it became, also beside lines that came (N11).
func TestN11Partners(t *testing.T) {
	d := differences("Berth 8 m: 39 EUR\nsame", "Night watch\nShower: 2 EUR\nBerth 8 m: 45 EUR\nsame", 4, 100)
	const want = "-Berth 8 m: 39 EUR!\n+Berth 8 m: 45 EUR!\n+Shower: 2 EUR!\n+Night watch"
	if diff := cmp.Diff(want, told(d.Chosen)); diff != "" {
		t.Errorf("(-want +have)\n%s", diff)
	}
}

// TestN11Of checks that each side is named by its own text: by the line and by what differs in it (N11).
func TestN11Of(t *testing.T) {
	of := func(text string) Text {
		return Text{Text: text, Of: func(line, from, to int) []string { return []string{fmt.Sprint(line, from, to)} }}
	}
	d := Differences(of("a\nFee: 12 EUR\nb"), of("new\na\nFee: 15 EUR\nb"), Options{Most: 4, Size: 100})
	var have []string
	for _, p := range d.Chosen {
		have = append(have, p.Text+" "+p.Of[0])
	}
	want := []string{"Fee: 12 EUR 1 5 8", "Fee: 15 EUR 2 5 8", "new 0 0 3"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have)\n%s", diff)
	}
	d = Differences(of(prices+"| Storm | 79 | yes |"), of(prices+"| Storm | 84 | yes |"), Options{Most: 4, Size: 100})
	if len(d.Chosen) != 2 || d.Chosen[1].Of[0] != "2 10 12" {
		t.Errorf("of a cell: %+v", d.Chosen)
	}
}
