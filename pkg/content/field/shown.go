package field

import (
	"slices"
	"sort"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shownAmount is an amount with a currency in the visible text of a page.
type shownAmount struct {
	text   numeral
	codes  []string
	struck bool
	near   bool // it follows the first heading closely
}

// Bounds of the visible text in which amounts are looked for: its bytes, its numbers, the amounts among them, and how
// far behind the heading the price of a product stands.
const (
	maxVisible = 1 << 20
	maxDigits  = 20_000
	maxShown   = 1000
	nearBytes  = 1500
)

// shownAmounts returns the amounts that a page shows, in page order.
func (p *Page) shownAmounts() []shownAmount {
	if p.root == nil || p.shown != nil {
		return p.shown
	}
	v := visible{heading: -1}
	v.walk(p.root, false, 0)
	p.shown = []shownAmount{}
	text := dom.PlainDigits(v.out.String())
	if len(text) != v.out.Len() {
		v.struck = nil // the offsets of another script
	}
	for end, count := 0, 0; len(p.shown) < maxShown && count < maxDigits; count++ {
		at := numberStart.FindStringIndex(text[end:])
		if at == nil {
			return p.shown
		}
		start := end + at[0]
		n := numeralAt(text, start)
		end = n.end
		const window = 12 // bytes between a number and its currency
		codes, _ := currencyAtEnd(strings.ToValidUTF8(text[max(0, start-window):start], ""))
		if codes == nil {
			codes, _ = currencyAtStart(strings.ToValidUTF8(text[end:min(len(text), end+window)], ""))
		}
		if codes != nil {
			p.shown = append(p.shown, shownAmount{n, codes, v.isStruckAt(start),
				v.heading >= 0 && start >= v.heading && start < v.heading+nearBytes})
		}
	}
	return p.shown
}

// visible collects the visible text of a page.
type visible struct {
	out     strings.Builder
	struck  [][2]int // offsets of struck texts
	heading int      // offset behind the first heading
}

func (v *visible) walk(n *html.Node, struck bool, depth int) {
	const deepest = 500
	if v.out.Len() > maxVisible || depth > deepest {
		return
	}
	if n.Type == html.TextNode {
		if start := v.out.Len(); strings.TrimSpace(n.Data) != "" {
			v.out.WriteString(strings.ToValidUTF8(n.Data, ""))
			if struck {
				v.struck = append(v.struck, [2]int{start, v.out.Len()})
			}
		} else {
			v.out.WriteByte(' ')
		}
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Svg:
		return
	case atom.Sup:
		if decimals := centsOf(n, v.out.String()); decimals != "" {
			v.out.WriteString(decimals)
			return
		}
	}
	struck = struck || isStruck(n) || isStruckClass(dom.Attr(n, "class"))
	border := isBlock(n.DataAtom)
	if border {
		v.out.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		v.walk(c, struck, depth+1)
	}
	if border {
		v.out.WriteByte('\n')
	}
	if n.DataAtom == atom.H1 && v.heading < 0 {
		v.heading = v.out.Len()
	}
}

func (v *visible) isStruckAt(at int) bool {
	i := sort.Search(len(v.struck), func(i int) bool { return v.struck[i][1] > at })
	return i < len(v.struck) && v.struck[i][0] <= at
}

// is reports whether an amount that the page shows may be a declared one.
func (a shownAmount) is(v Value, locale string) bool {
	if v.Currency != "" && !slices.Contains(a.codes, v.Currency) {
		return false
	}
	for _, h := range []Hint{{Locale: locale}, {}, {Locale: "de"}, {Locale: "en"}} {
		k := kind{money: true, code: v.Currency, decimals: decimalsOf(v.Currency)}
		if d, _, ok := a.text.read(h, k); ok && d == v.Number {
			return true
		}
	}
	return false
}

// isShown reports whether an amount is among those that a page shows.
func isShown(shown []shownAmount, v Value, locale string) bool {
	return slices.ContainsFunc(shown, func(a shownAmount) bool { return a.is(v, locale) })
}

// confirm holds a declared price against what the page shows. Where the page shows amounts of its currency close behind
// the heading, and the declared one nowhere or only struck, the declaration is not that of the page as readers see it:
// it may be without taxes, of a product that is no longer sold, or the usual price. Then the price is not read.
func (p *Page) confirm(r reading) reading {
	if r.v.None() || r.v.Number == "0" {
		return r
	}
	others, struck := false, false
	for _, a := range p.shownAmounts() {
		if a.is(r.v, p.locale) {
			if !a.struck {
				return r
			}
			struck = true
		} else if a.near && slices.Contains(a.codes, r.v.Currency) {
			others = true
		}
	}
	switch {
	case struck && others:
		return reading{Value{}, "the page shows the declared price struck through, and another price", r.raw, r.at}
	case others:
		return reading{Value{}, "the page shows amounts, but not the declared price", r.raw, r.at}
	}
	return r
}

// shownFirst returns the one of several prices that the page shows first, and whether it shows any.
func (p *Page) shownFirst(all []reading) (first reading, found bool) {
	const most = 40 // different prices
	var prices []reading
	for _, r := range all {
		if !slices.ContainsFunc(prices, func(o reading) bool { return o.v.Number == r.v.Number }) && len(prices) < most {
			prices = append(prices, r)
		}
	}
	for _, a := range p.shownAmounts() {
		if a.struck {
			continue
		}
		for _, r := range prices {
			if !r.v.None() && r.v.High == "" && a.is(r.v, p.locale) {
				return r, true
			}
		}
	}
	return reading{}, false
}
