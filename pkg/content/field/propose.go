package field

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// Propose returns the field that reads what a CSS selector or a JSONPath finds as a value: an amount with its currency,
// a date, a number with its unit, or an availability. ok is false if it does not find one element or value, or the text
// of that is not one of these alone.
func (p *Page) Propose(selector string) (out Proposal, ok bool) {
	if p.json != nil {
		return p.proposeJSON(selector)
	}
	return p.propose(Spec{Name: "value", Type: Text, Source: CSS, At: selector})
}

// proposeJSON names the field after the member that has the value. A number of JSON is no date.
func (p *Page) proposeJSON(path string) (out Proposal, ok bool) {
	s := Spec{Name: "value", Type: Number, Source: JSONPath, At: path}
	parsed, err := jsonpath.Parse(path)
	if err != nil {
		return out, false
	}
	found, err := jsonpath.Select(p.json, []jsonpath.Path{parsed})
	if err != nil || len(found) != 1 {
		return out, false
	}
	n := found[0]
	if n.Kind == jsonpath.Number {
		r := p.Read(s)
		out, ok = Proposal{Spec: s, Value: r.Value}, r.State == Found
	} else if s.Type = Text; n.Kind == jsonpath.String {
		out, ok = p.propose(s)
	}
	if options.FieldName(n.Name) == nil && utf8.RuneCountInString(n.Name) <= maxUnit && n.Name != "" {
		out.Spec.Name = n.Name
	}
	return out, ok
}

// propose returns the field for the text that a field of the type text reads.
func (p *Page) propose(s Spec) (out Proposal, ok bool) {
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

// Shows returns the type of the value that a text has besides other words: [Money] for an amount with a currency,
// [Number] for a number with what it counts or with a label, [Availability]; "" for none of these.
func Shows(text string) Type {
	if text == "" || len(text) > maxProposed {
		return ""
	}
	if counted := countedText.FindStringSubmatch(dom.PlainDigits(text)); isPriced(text) {
		return Money
	} else if counted != nil && !strings.HasSuffix(strings.TrimRight(counted[2], " "), ".") { // a number in a list
		var p Proposal
		if p.name(counted[1], counted[3]); p.Spec.Name != "" {
			return Number
		}
		return ""
	}
	if _, _, ok := readStock(text); ok {
		return Availability
	}
	return ""
}

// isPriced reports whether a text has an amount with a currency.
func isPriced(text string) bool {
	all, _ := findAmounts(dom.PlainDigits(dom.Fold(text)))
	return slices.ContainsFunc(all, func(a amount) bool { return a.named })
}

// name names the field of a number after its unit, or else after its label: 4 places left is places-left.
func (p *Proposal) name(label, unit string) {
	p.Unit = strings.Trim(unit, " \u00a0.,;!()+")
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

// IsStruck reports whether the value that an element shows is struck out: by the element, by one in it or around it, or
// by the style sheet in the page.
func (p *Page) IsStruck(n *html.Node) bool {
	if Shows(itemText(n, false)) == "" {
		return true
	}
	const highest = 4
	for up, steps := n, 0; up != nil && steps < highest; up, steps = up.Parent, steps+1 {
		class := dom.Attr(up, "class")
		if isStruck(up) || isStruckClass(class) || dom.HasName(p.struckNames(), class) {
			return true
		}
	}
	return false
}

// ruleOfStyle matches a rule of a style sheet that strikes text out; its last class is the name of what is struck.
var ruleOfStyle = regexp.MustCompile(`([^{}]+)\{[^{}]*line-through[^{}]*\}`)

// struckNames returns the classes that the style sheets in the page strike out.
func (p *Page) struckNames() map[string]bool {
	const longest, most = 200_000, 100
	if p.struck != nil || p.root == nil {
		return p.struck
	}
	p.struck = map[string]bool{}
	for n := range p.root.Descendants() {
		if n.DataAtom != atom.Style || n.FirstChild == nil || len(n.FirstChild.Data) > longest {
			continue
		}
		for _, rule := range ruleOfStyle.FindAllStringSubmatch(n.FirstChild.Data, most) {
			for one := range strings.SplitSeq(rule[1], ",") {
				one = one[strings.LastIndexAny(strings.TrimSpace(one), " >+~")+1:]
				if at := strings.LastIndexByte(one, '.'); at >= 0 && !strings.ContainsAny(one[at:], ":[(") {
					p.struck[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(one[at+1:])), "_", "-")] = true
				}
			}
		}
	}
	return p.struck
}

// Beside reports whether the words around an amount say that it is not the price: that it is an earlier or usual one,
// what one saves, or the costs of shipping.
func Beside(text string) bool {
	all, _ := findAmounts(dom.PlainDigits(dom.Fold(text)))
	all = slices.DeleteFunc(all, func(a amount) bool { return !a.named })
	return len(all) > 0 && !slices.ContainsFunc(all, func(a amount) bool { return !a.listed && !a.aside })
}
