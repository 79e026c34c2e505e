package field

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// struckClasses are parts of the classes of prices that are not the present one, in small letters, without - and _.
var struckClasses = strings.Fields(`oldprice wasprice pricewas priceold cross strike regularprice listprice compareat
	originalprice pricecompare beforeprice rrp msrp linethrough`)

// isStruckClass reports whether a class is that of a price that is not the present one.
func isStruckClass(class string) bool {
	const longest = 500
	if class == "" || len(class) > longest {
		return false
	}
	class = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(class))
	return slices.ContainsFunc(struckClasses, func(part string) bool { return strings.Contains(class, part) })
}

// isStruck reports whether the markup strikes the text of an element out: by its type, its role or its style.
func isStruck(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Del, atom.S, atom.Strike:
		return true
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; {
		case a.Key == "style" && strings.Contains(a.Val, "line-through"),
			a.Key == "role" && strings.EqualFold(a.Val, "deletion"):
			return true
		}
	}
	return false
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
