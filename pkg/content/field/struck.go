package field

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
