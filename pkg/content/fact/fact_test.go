package fact_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/content/fact"
)

// found returns the facts of a text, each as its kind and its words.
func found(text string) (out []string) {
	for _, f := range fact.Find(text) {
		out = append(out, fmt.Sprintf("%s %s", f.Kind, text[f.From:f.To]))
	}
	return out
}

// TestQ1FactsDiffer checks pairs of texts before and after a change, of six kinds and languages: the facts differ, or
// only one of the texts has one (Q1).
func TestQ1FactsDiffer(t *testing.T) {
	list, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	const least = 72
	n := 0
	for line := range strings.Lines(string(list)) {
		part := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		n++
		if before, after := found(part[1]), found(part[2]); slices.Equal(before, after) {
			t.Errorf("%s: both have %q", part, before)
		}
	}
	if n < least {
		t.Errorf("%d pairs", n)
	}
}

// TestQ1Kinds checks the kind and the bounds of facts (Q1).
func TestQ1Kinds(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Price: 49.00 EUR", []string{"price 49.00 EUR"}},
		{"£1,299", []string{"price £1,299"}},
		{"1 299,50 € TTC", []string{"price 1 299,50 €"}},
		{"CHF 1’200.50", []string{"price CHF 1’200.50"}},
		{"US$49", []string{"price US$49"}},
		{"价格：49.00元", []string{"price 49.00元"}},
		{"٤٩٫٥٠ ر.س", []string{"price ٤٩٫٥٠ ر"}},
		{"Eintritt: kostenlos", []string{"price kostenlos"}},
		{"VAT of 7.5 %", []string{"percent 7.5 %"}},
		{"12 per cent", []string{"percent 12 per cent"}},
		{"Apply by 3 March 2027", []string{"date 3 March 2027"}},
		{"Bewerbung bis 3. März 2027", []string{"date 3. März 2027"}},
		{"hasta el 3 de marzo de 2027.", []string{"date 3 de marzo de 2027"}},
		{"March 3, 2027", []string{"date March 3, 2027"}},
		{"September 3", []string{"date September 3"}},
		{"opens in October", []string{"date October"}},
		{"2027年3月11日", []string{"date 2027年3月11日"}},
		{"11.03.2027", []string{"date 11.03.2027"}},
		{"closed on Mondays", []string{"availability closed", "date Mondays"}},
		{"10:00-18:00", []string{"time 10:00-18:00"}},
		{"ab 14 Uhr", []string{"time 14 Uhr"}},
		{"at 3pm", []string{"time 3pm"}},
		{"à 14h30", []string{"time 14h30"}},
		{"54", []string{"number 54"}},
		{"12kg of salt", []string{"number 12kg"}},
		{"14 rooms", []string{"number 14"}},
		{"Gate B12", []string{"number B12"}},
		{"You can't swim", []string{"negation can't"}},
		{"Ce n’est rien", []string{"negation n"}},
		{"不允许携带宠物登船", []string{"negation 不"}},
		{"Call 040 123 4567", []string{"contact 040 123 4567"}},
		{"tel. 981 234 567", []string{"contact 981 234 567"}},
		{"+49 40 1234567", []string{"contact 49 40 1234567"}},
		{"no-reply@port.example.", []string{"contact no-reply@port.example"}},
		{"a notice of four weeks", []string{"clause four weeks"}},
		{"提前四周通知", []string{"clause 四周"}},
		{"4.2 The operator pays 7 EUR at once.", []string{"clause 4.2 The operator pays", "price 7 EUR", "clause at once."}},
		{"§ 4 (2) Der Betreiber haftet", []string{"clause § 4", "number 2", "clause ) Der Betreiber haftet"}},
		{"see Article 7 below", []string{"clause Article 7"}},
		{"Sold out", []string{"availability Sold out"}},
		{"Out-of-stock", []string{"availability Out-of-stock"}},
		{"已取消", []string{"availability 已取消"}},
	} {
		if got := found(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: have %q, want %q", c.text, got, c.want)
		}
		if fact.Has(c.text) != (c.want != nil) {
			t.Errorf("%q: Has differs from Find", c.text)
		}
	}
}

// TestQ1NoFacts checks that menus, prose, names and ids have no facts (Q1).
func TestQ1NoFacts(t *testing.T) {
	list, err := os.ReadFile("testdata/none.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if got := found(strings.TrimSpace(line)); got != nil || fact.Has(line) {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// TestTouches checks that a change inside a fact touches it, and that one beside it does not.
func TestTouches(t *testing.T) {
	const text = "Apply by 3 March 2027 at the gate"
	facts := fact.Find(text)
	for part, want := range map[string]bool{"March": true, "3 ": true, "Apply by ": false, " at": false, "7 at": true} {
		at := strings.Index(text, part)
		if got := fact.Touches(facts, at, at+len(part)); got != want {
			t.Errorf("%q: %v", part, got)
		}
	}
}

// FuzzFind checks that facts are in order, do not overlap, and begin and end between characters.
func FuzzFind(f *testing.F) {
	for _, file := range []string{"testdata/pairs.txt", "testdata/none.txt"} {
		list, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(list)) {
			f.Add(line)
		}
	}
	f.Add("4.2 A b@c.example c@d.example\n§ 3 第3条 EUR 3 12 345 67 +1 3 \xff 14h 3.\xc3")
	f.Add("第十条 no-1@a.b 1-1-1-1-1-1-1-1-1-1 0 0 0 0 0 0 0 0 0 0 © 2020 US$ March March 3, 3 March 2027 2027")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		all := fact.Find(text)
		for _, one := range all {
			if one.From < end || one.To <= one.From || one.To > len(text) || one.Kind == "" {
				t.Fatalf("%q: %v in %v", text, one, all)
			}
			if end = one.To; utf8.ValidString(text) && !utf8.ValidString(text[one.From:one.To]) {
				t.Fatalf("%q: %v is no text", text, one)
			}
		}
		if fact.Has(text) != (len(all) > 0) {
			t.Fatalf("%q: Has differs from Find, %v", text, all)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	none, err := os.ReadFile("testdata/none.txt")
	if err != nil {
		b.Fatal(err)
	}
	pairs, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(none)+string(pairs), 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		fact.Find(text)
	}
}
