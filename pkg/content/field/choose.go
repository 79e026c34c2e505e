package field

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// productTypes are the types of items that may be what a page offers.
var productTypes = strings.Fields(`Product ProductGroup IndividualProduct ProductModel SomeProducts Vehicle Car Book
	SoftwareApplication MobileApplication WebApplication VideoGame Event Course Service Game`)

// typesFor returns the types that a name of a type in a field stands for.
func typesFor(name string) []string {
	if name == "Product" {
		return []string{"Product", "ProductGroup", "IndividualProduct", "ProductModel", "SomeProducts"}
	}
	return []string{name}
}

// maxCandidates limits the items of a type among which that of the page is looked for.
const maxCandidates = 100

// theItem returns the item of the page among those of a list that have one of the types. The rule is, in this order:
//
//  1. the one with the address of the page, or its canonical address, as url, @id or address of an offer;
//  2. the one that is the main entity of the page;
//  3. the only one, unless the page is the start page of its site, and the item has an address of its own;
//  4. the one whose name is in the title or a heading of the page.
//
// Items that are declared twice, with the same name, count as one: the first that has offers. Items in a list, and
// those that another item recommends, are not candidates. If the rule leaves several, there is none, and why says so:
// no value is better than that of another product.
func (p *Page) theItem(list []*Item, types []string) (it *Item, why string) {
	var all, main []*Item
	for _, c := range list {
		if len(all) >= maxCandidates {
			break
		}
		if c.Is(types...) || len(c.Types) == 0 && slices.Contains(types, "Product") && len(c.Items("offers")) > 0 {
			all = append(all, c)
		}
		for _, m := range c.Items("mainEntity") {
			if m.Is(types...) {
				main = append(main, m)
				all = append(all, m)
			}
		}
	}
	all = onePerName(all)
	if len(all) == 0 {
		return nil, ""
	}
	for _, rule := range []func(*Item) bool{
		p.isHere,
		func(c *Item) bool {
			return slices.ContainsFunc(main, func(m *Item) bool { return isSame(m, c) })
		},
		func(c *Item) bool { return len(all) == 1 && !p.isElsewhere(c) },
		func(c *Item) bool { return len(all) > 1 && p.isNamed(c) },
	} {
		var found []*Item
		for _, c := range all {
			if rule(c) {
				found = append(found, c)
			}
		}
		if len(found) == 1 {
			return found[0], ""
		}
	}
	if len(all) == 1 {
		return nil, "the declared " + typeOf(all[0]) + " has another address"
	}
	return nil, "the page declares several items, and none is clearly the one that it is about"
}

// typeOf returns the first type of an item. An item without one that has offers is a product.
func typeOf(it *Item) string {
	if len(it.Types) == 0 {
		return "Product"
	}
	return it.Types[0]
}

// looseOffers returns an item with the offers that stand in no product, if there are no more than a product has.
func (p *Page) looseOffers(list []*Item) (it *Item, why string) {
	offers := &Item{Types: []string{"Offer"}}
	for _, o := range list {
		if o.Is("Offer", "AggregateOffer") {
			offers.Props = append(offers.Props, Prop{Name: "offers", Value: PropValue{Item: o}})
		}
	}
	switch len(offers.Props) {
	case 0:
		return nil, ""
	case 1:
		return offers, ""
	}
	return nil, "several offers are declared without their products"
}

// onePerName returns one item for each name, the first with offers.
func onePerName(all []*Item) (out []*Item) {
	for _, it := range all {
		at := slices.IndexFunc(out, func(o *Item) bool { return isSame(o, it) })
		switch {
		case at < 0:
			out = append(out, it)
		case len(out[at].Items("offers")) == 0 && len(it.Items("offers")) > 0:
			out[at] = it
		}
	}
	return out
}

// isSame reports whether two items are the same, or have the same name.
func isSame(a, b *Item) bool {
	name := a.First("name").Text
	return a == b || a.ID != "" && a.ID == b.ID || name != "" && name == b.First("name").Text
}

// isHere reports whether an item has an address of the page.
func (p *Page) isHere(it *Item) bool {
	return slices.ContainsFunc(p.addressesOf(it), func(key string) bool { return slices.Contains(p.same, key) })
}

// isElsewhere reports whether the page is the start page of a site, and an item has an address below it.
func (p *Page) isElsewhere(it *Item) bool {
	addresses := p.addressesOf(it)
	return strings.Trim(p.address.Path, "/") == "" && len(addresses) > 0 && !p.isHere(it)
}

// addressesOf returns the addresses of an item and of its offers.
func (p *Page) addressesOf(it *Item) (keys []string) {
	add := func(text string) {
		u, err := url.Parse(cmp.Or(text, "#"))
		if text == "" || err != nil || u.Path == "" && u.Host == "" {
			return
		}
		keys = append(keys, pageKey(p.address.ResolveReference(u)))
	}
	add(it.First("url").Text)
	add(it.ID)
	const most = 50
	offers := it.Items("offers")
	for _, offer := range offers[:min(len(offers), most)] {
		add(offer.First("url").Text)
	}
	return keys
}

// isNamed reports whether the name of an item is in the title or a heading of the page.
func (p *Page) isNamed(it *Item) bool {
	const shortest = 4
	name := strings.ToLower(it.First("name").Text)
	return len(name) >= shortest && slices.ContainsFunc(p.titles, func(title string) bool {
		return strings.Contains(strings.ToLower(title), name)
	})
}
