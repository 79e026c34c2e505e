package field

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Proposal is a field for the value that a chosen element shows.
type Proposal struct {
	Spec  Spec
	Value Value
	Unit  string // what a number counts, as the page has it, such as places left; "" for none, and for other types
}

// Bounds of the text of a proposal, in bytes: a longer text says more than a value, a longer unit is a sentence.
const (
	maxProposed = 120
	maxUnit     = 30
)

// countedText matches a text that is a number with what it counts, or with a label before it.
var countedText = regexp.MustCompile(`^([^\d:：]{1,40}[:：]\s*)?([-−+]?\d[\d.,'’ \x{a0}\x{202f}]*)\s*([^\d]*)$`)

// Propose returns the field that reads what a CSS selector finds as a value: an amount with its currency, a date, a
// number with its unit, or an availability. ok is false if the selector does not find one element, or its text is none
// of these alone.
func (p *Page) Propose(selector string) (out Proposal, ok bool) {
	s := Spec{Name: "value", Type: Text, Source: CSS, At: selector}
	shown := p.Read(s)
	text := shown.Value.Text
	if shown.State != Found || len(text) > maxProposed {
		return out, false
	}
	number := dom.PlainDigits(text)
	counted := countedText.FindStringSubmatch(number)
	for _, of := range []struct {
		t    Type
		name string
		may  bool
	}{
		{Money, Price, isPriced(text)},
		{Date, "date", strings.ContainsFunc(number, unicode.IsDigit)},
		{Number, "number", counted != nil},
		{Availability, Stock, true},
	} {
		if s.Type, s.Name = of.t, of.name; !of.may {
			continue
		}
		if r := p.Read(s); r.State == Found && (of.t != Date || len(r.Value.Text) > len("2006")) {
			out = Proposal{Spec: s, Value: r.Value}
			if of.t == Number {
				out.name(counted[1], counted[3])
			}
			return out, true
		}
	}
	return out, false
}

// isPriced reports whether a text has an amount with a currency.
func isPriced(text string) bool {
	all, _ := findAmounts(dom.PlainDigits(dom.Fold(text)))
	return slices.ContainsFunc(all, func(a amount) bool { return a.named })
}

// name names the field of a number after its unit, or else after its label: 4 places left is places-left.
func (p *Proposal) name(label, unit string) {
	p.Unit = strings.Trim(unit, " \u00a0.,;!()")
	if len(p.Unit) > maxUnit {
		p.Unit = ""
	}
	for _, text := range []string{p.Unit, label} {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
		if name := strings.Join(words, "-"); len(name) > 1 && len(name) <= maxUnit {
			p.Spec.Name = name
			return
		}
	}
}
