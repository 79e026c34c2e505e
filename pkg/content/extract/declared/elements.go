package declared

import (
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// elements are the values in attributes of a page's elements.
type elements struct {
	microdata, rdfa syntax
	graph           offer // OpenGraph
}

// Bounds: the elements between a value and the element of its product, the bytes and words of a list in an attribute,
// and the bytes of a value.
const (
	deepest      = 64
	longestList  = 500
	maxWords     = 10
	longestValue = 300
)

// syntax reads one of the two syntaxes for attributes. Their difference is in the names of the attributes.
type syntax struct {
	types, property string // the attributes
	product         *html.Node
	offers          []offer // of the product
	in              *html.Node
}

// readElements reads the attributes of all elements.
func readElements(root *html.Node) elements {
	e := elements{
		microdata: syntax{types: "itemtype", property: "itemprop"},
		rdfa:      syntax{types: "typeof", property: "property"},
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || len(n.Attr) == 0 {
			continue
		}
		if n.DataAtom == atom.Meta {
			e.readGraph(n)
		}
		e.microdata.read(n)
		e.rdfa.read(n)
	}
	return e
}

// readGraph reads a meta element of OpenGraph. The first value of each property counts.
func (e *elements) readGraph(n *html.Node) {
	name, content := dom.Attr(n, "property"), strings.TrimSpace(dom.Attr(n, "content"))
	if name == "" {
		name = dom.Attr(n, "name")
	}
	if content == "" || !strings.Contains(name, ":") {
		return
	}
	name = strings.ToLower(strings.TrimSpace(name))
	of := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "og:"), "product:"), "og:")
	if of == name {
		return
	}
	to := e.graphValue(of)
	if to != nil && *to == "" {
		*to = content
	}
}

// graphValue returns the place of a property of OpenGraph, or nil.
func (e *elements) graphValue(property string) *string {
	switch property {
	case "price:amount", "price":
		return &e.graph.price.text
	case "sale_price:amount", "sale_price":
		return &e.graph.reduced.text
	case "original_price:amount", "original_price", "price:standard_amount":
		return &e.graph.usual.text
	case "price:currency", "sale_price:currency":
		return &e.graph.currency
	case "availability":
		return &e.graph.stock
	}
	return nil
}

// read reads the attributes of an element. Elements come in page order.
func (s *syntax) read(n *html.Node) {
	types, properties := listIn(n, s.types), listIn(n, s.property)
	if types == "" && properties == "" {
		return
	}
	// A product that follows one with values is not that of the page.
	if isOneOf(types, "Product", "ProductGroup", "IndividualProduct", "ProductModel", "SomeProducts", "Vehicle", "Car",
		"Book", "SoftwareApplication", "MobileApplication", "WebApplication", "Event", "Offer", "AggregateOffer") &&
		len(s.offers) == 0 && (s.product == nil || !isBelow(n, s.product)) {
		s.product = n
	}
	if properties == "" || s.product == nil {
		return
	}
	v := sync.OnceValue(func() value { return valueOf(n) })
	words := 0
	for property := range strings.FieldsSeq(properties) {
		if words++; words > maxWords {
			break
		}
		s.set(n, property[strings.LastIndexAny(property, "/:#")+1:], v)
	}
}

// set reads a property of an element, if it is of the product or of its offers.
func (s *syntax) set(n *html.Node, property string, read func() value) {
	switch property {
	case "price", "priceCurrency", "currency", "availability", "lowPrice", "highPrice":
	default:
		return
	}
	if len(s.offers) >= maxFields {
		return
	}
	owner := s.ownerOf(n)
	if owner == nil {
		return
	}
	if owner != s.in {
		s.in, s.offers = owner, append(s.offers, offer{})
	}
	of := &s.offers[len(s.offers)-1]
	v := read()
	to := map[string]*string{"price": &of.price.text, "priceCurrency": &of.currency, "currency": &of.currency,
		"availability": &of.stock, "lowPrice": &of.low.text, "highPrice": &of.high.text}[property]
	if *to != "" {
		return
	}
	*to = v.text
	if property == "price" {
		of.price.people = v.people
	}
}

// ownerOf returns the element whose type a property describes, if it belongs to the page's product: the product, one
// of its offers, or a part of these that has no other type. Otherwise it returns nil.
func (s *syntax) ownerOf(n *html.Node) (owner *html.Node) {
	for up, depth := n.Parent, 0; up != nil && depth < deepest; up, depth = up.Parent, depth+1 {
		types := listIn(up, s.types)
		switch {
		case up == s.product && owner == nil:
			return up
		case up == s.product:
			return owner
		case types == "":
		case isOneOf(types, "PriceSpecification", "UnitPriceSpecification", "CompoundPriceSpecification"):
		case isOneOf(types, "Offer", "AggregateOffer"):
			if owner == nil {
				owner = up
			}
		case !dom.HasWord(listIn(up, s.property), "hasVariant"):
			return nil
		}
	}
	return nil
}

// listIn returns the beginning of a list of words in an attribute.
func listIn(n *html.Node, key string) string {
	list := dom.Attr(n, key)
	return list[:min(len(list), longestList)]
}

// isOneOf reports whether a list of types holds one with such a name, with or without its vocabulary.
func isOneOf(types string, names ...string) bool {
	for of := range strings.FieldsSeq(types) {
		of = of[strings.LastIndexAny(of, "/:#")+1:]
		for _, name := range names {
			if of == name {
				return true
			}
		}
	}
	return false
}

func isBelow(n, of *html.Node) bool {
	for up, depth := n.Parent, 0; up != nil && depth < deepest; up, depth = up.Parent, depth+1 {
		if up == of {
			return true
		}
	}
	return false
}

// valueOf returns the beginning of the value of a property: an attribute for programs, or else the text for people.
func valueOf(n *html.Node) value {
	for _, key := range []string{"content", "href", "value", "resource", "src"} {
		if v := strings.TrimSpace(dom.Attr(n, key)); v != "" {
			return value{text: v[:min(len(v), longestValue)]}
		}
	}
	const longest = 20 // nodes
	out, nodes := "", 0
	for c := range n.Descendants() {
		if nodes++; nodes > longest || len(out) >= longestValue {
			break
		}
		if c.Type == html.TextNode {
			out = strings.TrimLeft(out+c.Data[:min(len(c.Data), longestValue)], " \t\r\n")
		}
		if c.DataAtom == atom.Sup { // decimals without a sign before them
			out += " "
		}
	}
	return value{text: strings.TrimSpace(out[:min(len(out), longestValue)]), people: true}
}
