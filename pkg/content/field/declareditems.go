package field

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"golang.org/x/net/html"
)

// This file reads the typed items that a page declares for programs, such as a Product with its offers, in JSON-LD,
// microdata or RDFa Lite. The three have one form here. All that is read is bounded.

// Item is a typed item. Items may refer to each other in circles.
type Item struct {
	Types []string // without their vocabulary: Product
	ID    string
	Props []Prop
}

// Prop is a property of an item. Its name is without its vocabulary and begins with a small letter: offers.
type Prop struct {
	Name  string
	Value PropValue
}

// PropValue is the value of a property: another item, or a text. The text is written for people, in the manner of their
// country, or for programs.
type PropValue struct {
	Item   *Item
	Text   string
	People bool
}

// Bounds of a page: the items and properties of one syntax, their depth, and the bytes of a text.
const (
	maxItems    = 3000
	maxProps    = 20_000
	maxDepth    = 12
	maxItemText = 600
)

// itemSets are the items of a page that are in no other item, by syntax and in page order. The item that is the main
// entity of a page is in JSONLD itself, too.
type itemSets struct {
	JSONLD, Microdata, RDFa []*Item
	Unread                  jsonld.Unread // what of these could not be read
}

// readItems reads the items of a page with this JSON-LD.
func readItems(root *html.Node, data jsonld.Data) (s itemSets) {
	s.Unread = data.Unread
	var more [3]bool
	s.JSONLD, more[0] = ofObjects(data.Objects)
	s.Microdata, more[1] = ofElements(root, microdata)
	s.RDFa, more[2] = ofElements(root, rdfa)
	for i, name := range []string{"JSON-LD", "microdata", "RDFa"} {
		if more[i] {
			s.Unread.Add(fmt.Sprintf("of its %s, only %s items and %s properties are read", name, words.Thousands(maxItems),
				words.Thousands(maxProps)), "")
		}
	}
	return s
}

// Is reports whether an item has one of the types.
func (it *Item) Is(types ...string) bool {
	return slices.ContainsFunc(it.Types, func(t string) bool { return slices.Contains(types, t) })
}

// all returns the values of a property.
func (it *Item) all(name string) (all []PropValue) {
	for _, p := range it.Props {
		if p.Name == name {
			all = append(all, p.Value)
		}
	}
	return all
}

// Items returns the values of a property that are items.
func (it *Item) Items(name string) (all []*Item) {
	for _, v := range it.all(name) {
		if v.Item != nil {
			all = append(all, v.Item)
		}
	}
	return all
}

// First returns the first value of a property that is a text, or the id of an item; "" for none.
func (it *Item) First(name string) PropValue {
	for _, v := range it.all(name) {
		if v.Item != nil {
			v = PropValue{Text: v.Item.ID}
		}
		if v.Text != "" {
			return v
		}
	}
	return PropValue{}
}

// typesOf returns names of types without their vocabularies.
func typesOf(list []string) (types []string) {
	const longest, most = 60, 10
	for _, t := range list[:min(len(list), most)] {
		if t = t[strings.LastIndexAny(t, "/:#")+1:]; t != "" && len(t) <= longest {
			types = append(types, t)
		}
	}
	return types
}

// nameOf returns the name of a property without its vocabulary, and with a small letter first.
func nameOf(name string) string {
	name = name[strings.LastIndexAny(name, "/:#")+1:]
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return name
	}
	return strings.ToLower(name[:1]) + name[1:]
}
