package watch_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// TestW10Suggest checks which rule is made for the forms of a line: what has moved is freed, and the rest stays as it
// stands.
func TestW10Suggest(t *testing.T) {
	for _, tt := range []struct {
		forms, want, moves string
	}{
		{"Updated 12 minutes by hand", `^Updated 12 minutes by hand$`, ""},
		{"Read 4150 times. The fee is 12 EUR.\nRead 4148 times. The fee is 12 EUR.",
			`^Read \d+ times\. The fee is 12 EUR\.$`, "number"},
		{"1,311 visitors\n1,204 visitors", `^\d{1,3}(?:,\d{3})* visitors$`, "number"},
		{"Price 1.199,00 EUR\nPrice 1.204,50 EUR", `^Price \d{1,3}(?:\.\d{3})*,\d{1,2} EUR$`, "number"},
		{"Weather: rainy today\nWeather: sunny today", `^Weather: \S+ today$`, "word"},
		{"Weather: light rain today\nWeather: sunny today", `^Weather:(?: \S+){1,2} today$`, "word"},
		{"Weather: sunny today\nWeather: today", `^Weather:(?: \S+)? today$`, "word"},
		{"Quote: do not go gentle into\nQuote: be", `^Quote: .+$`, "text"},
		{"now (rain), 3 rooms\nnow (sun), 3 rooms", `^now \(\S+\), 3 rooms$`, "word"},
		{"- Seen by 12 people\n- Seen by 15 people", `^Seen by \d+ people$`, "number"},
		{"3. Seen by 12 people\n3. Seen by 15 people", `^3\. Seen by \d+ people$`, "number"},
		{"request 77b01d done\nrequest 3f2a9c done", `^request \S+ done$`, "word"},
		{"12kg of sand\n12lb of sand", `^12[\pL\pM]+ of sand$`, "word"},
		{"阅读4150次。费用是12元\n阅读4148次。费用是12元", `^阅读\d+次。费用是12元$`, "number"},
		{"code  with  2 blanks\ncode  with  3 blanks", `^code\s+with\s+\d+\s+blanks$`, "number"},
		{"same (a.b)\nsame (a.b)", `^same \(a\.b\)$`, ""},
	} {
		have, err := watch.Suggest("", strings.Split(tt.forms, "\n")...)
		if err != nil || have.Rule != tt.want || strings.Join(have.Moves, " ") != tt.moves {
			t.Errorf("%q: %s, moves %q, %v; want %s", tt.forms, have.Rule, have.Moves, err, tt.want)
		}
	}
	for _, lines := range [][]string{{"another matter", "one thing"}, {"", "12"}, {"", "…"}, {"12 x", "13 y"}, {"", ""},
		{strings.Repeat("a long line ", 60) + "1", strings.Repeat("a long line ", 60) + "2"},
		{"Wednesday, 25 November", "Thursday, 26 November"}} {
		if made, err := watch.Suggest("", lines...); err == nil {
			t.Errorf("%q: %s", lines, made.Rule)
		}
	}
}

// TestQ11OnlyWhatMovesIsFreed checks that a rule matches all forms of a line for which it was made, and no line in
// which a number or a word differs that is the same in all of these forms. No word is one of a date, which moves as a
// whole.
func TestQ11OnlyWhatMovesIsFreed(t *testing.T) {
	word := rapid.OneOf(rapid.StringMatching(`q[a-z]{1,8}[,.:]?`), rapid.StringMatching(`[1-9][0-9]{0,4}`),
		rapid.StringMatching(`[1-9][0-9]?\.[0-9]{2}`), rapid.StringMatching(`(EUR|\$)[1-9][0-9]{0,2}`),
		rapid.StringMatching(`[012][0-9]:[0-5][0-9]`), rapid.SampledFrom([]string{"|", "–", "Monday", "5pm", "&"}))
	moving := []*rapid.Generator[string]{rapid.StringMatching(`[1-9][0-9]{0,4}`), rapid.StringMatching(`z[a-z]{1,8}`),
		rapid.StringMatching(`[012][0-9]:[0-5][0-9]`), rapid.StringMatching(`z[a-z]{0,3}( z[a-z]{0,3}){0,4}`),
		rapid.StringMatching(`€[1-9][0-9]?\.[0-9]{2},`)}
	rapid.Check(t, func(t *rapid.T) {
		words := append(rapid.SliceOfNDistinct(word, 4, 12, rapid.ID).Draw(t, "words"), "kept")
		values := rapid.SliceOfNDistinct(rapid.SampledFrom(moving).Draw(t, "moving"), 2, 4, rapid.ID).Draw(t, "values")
		place := rapid.IntRange(0, len(words)).Draw(t, "place")
		line := func(words []string, value string) string {
			return strings.Join(slices.Insert(slices.Clone(words), place, value), " ")
		}
		var forms []string
		for _, v := range values {
			if slices.ContainsFunc(strings.Fields(v), func(w string) bool { return slices.Contains(words, w) }) {
				t.Skip("what moves is also what stays")
			}
			forms = append(forms, line(words, v))
		}
		made, err := watch.Suggest("", forms...)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := watch.Compile(watch.Spec{Ignore: []string{made.Rule}})
		if err != nil {
			t.Fatal(err)
		}
		if len(made.Forms) != len(forms) {
			t.Fatalf("%d of %d forms", len(made.Forms), len(forms))
		}
		for _, f := range forms {
			if rules.Ignored(f) == "" {
				t.Fatalf("%s does not match %q", made.Rule, f)
			}
		}
		i := rapid.IntRange(0, len(words)-1).Draw(t, "changed")
		other := slices.Clone(words)
		other[i] = rapid.StringMatching(`[1-9][0-9]{5}|q[a-z]{10}`).Draw(t, "other")
		if f := line(other, rapid.SampledFrom(values).Draw(t, "value")); rules.Ignored(f) != "" {
			t.Fatalf("%s matches %q, too", made.Rule, f)
		}
	})
}

// TestW10SuggestedDates checks that a rule for a line with a date that has moved holds on other days and in other
// months, in the language of the line, and not for other words (W10).
func TestW10SuggestedDates(t *testing.T) {
	for name, tt := range map[string]struct {
		page      string
		was, is   string
		also      []string
		otherwise string
	}{
		"English": {"", "It is Wednesday, 25 November 2026 14:42:23.", "It is Thursday, 26 November 2026 09:01:00.",
			[]string{"It is Sunday, 3 May 2027 00:00:01."}, "It is closed, 3 May 2027 00:00:01."},
		"German": {"", "Stand: 25. November 2026", "Stand: 26. November 2026", []string{"Stand: 1. März 2027"},
			"Stand: 1. Ebene 2027"},
		"French": {"", "Mis à jour le mardi 24 novembre 2026", "Mis à jour le jeudi 26 novembre 2026",
			[]string{"Mis à jour le lundi 1 août 2027"}, "Mis à jour le matin 1 août 2027"},
		"a half of a day": {"", "Open until 5 pm today", "Open until 6 pm today", []string{"Open until 11 AM today"},
			"Open until 11 or today"},
		"joined to numbers": {"", "Stand: 26.Nov.2026", "Stand: 27.Nov.2026", []string{"Stand: 3.Jan.2027"},
			"Stand: sold out"},
		"joined to a time": {"", "Last checked: 10:35am", "Last checked: 10:36am", []string{"Last checked: 1:05PM"},
			"Last checked: no longer available"},
		"am is no half": {"", "Zuletzt am 3. Oktober 2026 geprüft", "Zuletzt am 4. Oktober 2026 geprüft",
			[]string{"Zuletzt am 1. März 2027 geprüft"}, "Zuletzt pm 1. März 2027 geprüft"},
		"may is no month": {"", "Visitors may bring 3 guests", "Visitors may bring 4 guests",
			[]string{"Visitors may bring 5 guests"}, "Visitors june bring 4 guests"},
		"many dates": {"", "Mar 3 Mar 4 Mar 5 Opening", "Mar 3 Mar 4 Mar 6 Opening",
			[]string{"Mar 3 Mar 4 Jan 16 Opening"}, "Mar 3 Mar 5 Mar 6 Opening"},
		"a date that stays": {"", "By 25 November 2026: 12 seats", "By 25 November 2026: 11 seats",
			[]string{"By 25 November 2026: 3 seats"}, "By 26 November 2026: 11 seats"},
		"hours": {"", "Open Monday to Friday 10 to 18.", "Open Monday to Saturday 10 to 18.",
			[]string{"Open Monday to Sunday 10 to 18."}, "Open Monday to Saturday 10 to 15."},
		"a time": {"", "At 9:59 now", "At 10:00 now", []string{"At 23:15 now"}, "At 100 now"},
		"a day": {"", "Since 2026-11-25 open", "Since 2026-11-26 open", []string{"Since 2027-01-01 open"},
			"Since 12 open"},
		"Dutch": {"nl", "Bijgewerkt wo 25 nov 2026", "Bijgewerkt do 26 nov 2026",
			[]string{"Bijgewerkt za 1 mrt 2027"}, "Bijgewerkt om 1 mrt 2027"},
		"Polish": {"pl", "Stan na śr 25 lis 2026", "Stan na czw 26 lis 2026", []string{"Stan na pon 1 gru 2026"},
			"Stan na od 1 gru 2026"},
		"Spanish": {"es", "Hasta el 25 de agosto de 2026", "Hasta el 26 de agosto de 2026",
			[]string{"Hasta el 1 de mayo de 2027"}, "Hasta el 1 de mayor de 2027"},
		"Portuguese": {"pt", "Em 25 nov 2026 aberto", "Em 26 nov 2026 aberto", []string{"Em 1 dez 2026 aberto"},
			"Em 1 dia 2026 aberto"},
		"a weekday before figures": {"de", "Stand Mi 25.11.2026", "Stand Do 26.11.2026", []string{"Stand So 1.3.2027"},
			"Stand Nr 1.3.2027"},
		"an ordinal": {"fr", "Le 1er août 2026 ouvert", "Le 2 août 2026 ouvert", []string{"Le 31 mars 2027 ouvert"},
			"Le 310 mars 2027 ouvert"},
	} {
		made, err := watch.Suggest(tt.page, tt.is, tt.was)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		matches(t, name, made.Rule, append(tt.also, tt.is, tt.was), tt.otherwise)
	}
}

func matches(t *testing.T, name, rule string, lines []string, not string) {
	t.Helper()
	rules, err := watch.Compile(watch.Spec{Ignore: []string{rule}})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if rules.Ignored(line) == "" {
			t.Errorf("%s: %s does not match %q", name, rule, line)
		}
	}
	if rules.Ignored(not) != "" {
		t.Errorf("%s: %s matches %q", name, rule, not)
	}
}

// TestW23CoversTheLastForms checks that a rule covers all forms that a line had, and that another line does not widen
// it.
func TestW23CoversTheLastForms(t *testing.T) {
	for name, tt := range map[string]struct {
		forms   []string
		matches string
		not     string
	}{
		"thousands": {[]string{"999 visitors so far", "1,000 visitors so far"},
			"1,234,567 visitors so far", "1,2 visitors so far"},
		"an older form": {[]string{"Seen by 12 people today", "Seen by 13 people today", "Seen by few people today"},
			"Seen by no people today", "Seen by no animals today"},
		"another line": {[]string{"Seen by 12 people", "Seen by 13 people", "The harbour is closed"},
			"Seen by 99 people", "Seen by few people"},
		"two that move in turn": {[]string{"4 of 12 seats, 3 dogs", "4 of 11 seats, 3 dogs", "5 of 11 seats, 3 dogs"},
			"9 of 9 seats, 3 dogs", "9 of 9 seats, 4 dogs"},
		"a row of a table": {[]string{"| Lamp No. 4 | 30 cm | € 99.00 |", "| Lamp No. 4 | 30 cm | € 89.00 |"},
			"| Lamp No. 4 | 30 cm | € 79.50 |", "| Lamp No. 5 | 30 cm | € 89.00 |"},
	} {
		made, err := watch.Suggest("", tt.forms...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		matches(t, name, made.Rule, append(tt.forms[:2], tt.matches), tt.not)
	}
}

// TestQ14ItemsOfLists checks that ^ finds the beginning of a list item behind its bullet or number, that rules with
// the bullet go on to match, and that other lines keep their beginning.
func TestQ14ItemsOfLists(t *testing.T) {
	for _, tt := range []struct {
		rule, line string
		want       bool
	}{
		{`^Seen by`, "- Seen by 12", true}, {`^Seen by`, "  - Seen by 12", true}, {`^Seen by`, "12. Seen by 12", true},
		{`^Seen by`, "a) Seen by 12", true}, {`^Seen by`, "[^2]: Seen by 12", true}, {`^Seen by`, ": Seen by 12", true},
		{`^Seen by`, "- [x] Seen by 12", true}, {`^- Seen by`, "- Seen by 12", true}, {`^Seen by`, "Seen by 12", true},
		{`^Seen by \d+$`, "1.2. Seen by 12", true},
		{`^Seen by`, "12 Seen by 12", false}, {`^Seen by`, "Not Seen by 12", false},
		{`^- Seen by`, "Seen by 12", false},
		{`^Seen by`, "A. Seen by 12", false}, {`^Seen by`, "– Seen by 12", false},
	} {
		rules, err := watch.Compile(watch.Spec{Ignore: []string{tt.rule}})
		if err != nil {
			t.Fatal(err)
		}
		if have := rules.Ignored(tt.line) == tt.rule; have != tt.want {
			t.Errorf("%s, %q: %v", tt.rule, tt.line, have)
		}
	}
}
