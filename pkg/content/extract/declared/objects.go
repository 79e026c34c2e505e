package declared

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// objects are the objects of the JSON-LD of a page.
type objects struct {
	named map[string]jsonld.Object // by their ids
	path  []string                 // the ids of the objects that are being read
	left  int                      // how many more objects are read
}

// Bounds: the depth of offers in variants and in other offers, and the objects that are read of one page. An object
// counts each time that another one refers to it.
const (
	maxNested = 4
	maxRead   = 2000
)

// ofObjects returns the offers of the first object that has some with a value, or else the offers that no object has.
func ofObjects(list []jsonld.Object) []offer {
	all := objects{named: map[string]jsonld.Object{}, left: maxRead}
	for _, o := range list {
		if id := idOf(o); id != "" && len(o) > 1 && all.named[id] == nil {
			all.named[id] = o
		}
	}
	for _, o := range list {
		if found := all.offersOf(o, 0); len(found) > 0 {
			return found
		}
	}
	for _, o := range list {
		if slices.ContainsFunc(texts(get(o, "@type")), isOffer) {
			return all.read(o, offer{}, 0)
		}
	}
	return nil
}

// push reports whether an object may be read. If so, pop must be called when it was read.
func (all *objects) push(o jsonld.Object, depth int) bool {
	if depth > maxNested || all.left == 0 {
		return false
	}
	all.left--
	all.path = append(all.path, idOf(o))
	return true
}

func (all *objects) pop() { all.path = all.path[:len(all.path)-1] }

func idOf(o jsonld.Object) string {
	id, _ := o["@id"].(string)
	return id
}

// isOffer reports whether the name of a type is that of an offer.
func isOffer(name string) bool {
	name = name[strings.LastIndexAny(name, "/:#")+1:]
	return name == "Offer" || name == "AggregateOffer"
}

// offersOf returns the offers of a product and of its variants.
func (all *objects) offersOf(product jsonld.Object, depth int) (found []offer) {
	if !all.push(product, depth) {
		return nil
	}
	defer all.pop()
	for _, o := range all.list(get(product, "offers")) {
		found = append(found, all.read(o, offer{}, 0)...)
	}
	for _, key := range []string{"hasVariant", "model"} {
		for _, variant := range all.list(get(product, key)) {
			if len(found) < maxFields {
				found = append(found, all.offersOf(variant, depth+1)...)
			}
		}
	}
	return found
}

// read returns the values of an offer and of the offers in it, which inherit the currency.
func (all *objects) read(o jsonld.Object, outer offer, depth int) (found []offer) {
	if !all.push(o, depth) {
		return nil
	}
	defer all.pop()
	of := offer{currency: outer.currency}
	set := func(to *string, key string) {
		if text := first(get(o, key)); text != "" {
			*to = text
		}
	}
	set(&of.currency, "priceCurrency")
	set(&of.price.text, "price")
	set(&of.low.text, "lowPrice")
	set(&of.high.text, "highPrice")
	set(&of.stock, "availability")
	for _, s := range all.list(get(o, "priceSpecification")) {
		if all.push(s, depth) {
			all.specify(&of, s)
			all.pop()
		}
	}
	if of != (offer{currency: outer.currency}) {
		found = append(found, of)
	}
	for _, inner := range all.list(get(o, "offers")) {
		if len(found) < maxFields {
			found = append(found, all.read(inner, of, depth+1)...)
		}
	}
	return found
}

// specify adds a price specification to an offer, unless it is for a part of the product, such as one liter.
func (all *objects) specify(of *offer, s jsonld.Object) {
	amount, low := first(get(s, "price")), first(get(s, "minPrice"))
	if amount+low == "" || get(s, "referenceQuantity") != nil || get(s, "validForMemberTier") != nil {
		return
	}
	if of.currency == "" {
		of.currency = first(get(s, "priceCurrency"))
	}
	if low != "" {
		of.low.text, of.high.text = low, first(get(s, "maxPrice"))
	}
	if amount == "" {
		return
	}
	kind := first(get(s, "priceType"))
	switch kind[strings.LastIndexAny(kind, "/:#")+1:] {
	case "ListPrice", "StrikethroughPrice", "SRP", "MSRP", "RegularPrice":
		of.usual.text = amount
	case "SalePrice":
		of.reduced.text = amount
	default:
		if of.price.text == "" {
			of.price.text = amount
		}
	}
}

// list returns the objects in a value: one object, or a list of them. An object that has nothing but an id stands for
// the object of the page with that id, unless this is the one that is being read, or one around it.
func (all *objects) list(value any) (found []jsonld.Object) {
	switch v := value.(type) {
	case jsonld.Object:
		id := idOf(v)
		if id == "" || len(v) > 1 {
			return []jsonld.Object{v}
		}
		if o := all.named[id]; o != nil && !slices.Contains(all.path, id) {
			return []jsonld.Object{o}
		}
	case []any:
		for _, item := range v[:min(len(v), maxFields)] {
			if _, nested := item.([]any); !nested {
				found = append(found, all.list(item)...)
			}
		}
	}
	return found
}

// get returns a property, whose name may be given with the prefix or the address of the vocabulary.
func get(o jsonld.Object, name string) any {
	for _, prefix := range []string{"", "schema:", "https://schema.org/", "http://schema.org/"} {
		if v, found := o[prefix+name]; found {
			return v
		}
	}
	return nil
}

// first returns the first text or number in a value, or "".
func first(value any) string {
	if all := texts(value); len(all) > 0 {
		return all[0]
	}
	return ""
}

// texts returns the texts and numbers in a value, which may be a list of one level.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{strings.TrimSpace(v)}
	case json.Number:
		return []string{v.String()}
	case jsonld.Object:
		for _, key := range []string{"@value", "@id"} {
			if inner := v[key]; inner != nil {
				switch inner.(type) {
				case string, json.Number:
					return texts(inner)
				}
			}
		}
	case []any:
		var all []string
		for _, item := range v[:min(len(v), maxFields)] {
			if _, nested := item.([]any); !nested {
				all = append(all, texts(item)...)
			}
		}
		return all
	}
	return nil
}
