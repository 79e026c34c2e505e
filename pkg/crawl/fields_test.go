package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// product is a page of a shop, which declares what it shows. Its form of the price for programs may differ.
type product struct {
	declared, shown string // the price
	sale            string
	stock           string
	version         string
	words           string // other text
	undeclared      bool
}

func (p product) page() page {
	offer := fmt.Sprintf(`{"@type":"Offer","price":"%s","priceCurrency":"EUR","availability":"https://schema.org/%s"}`,
		p.declared, p.stock)
	if p.sale != "" {
		offer = fmt.Sprintf(`{"@type":"Offer","price":"%s","priceCurrency":"EUR","availability":"https://schema.org/%s",
			"priceSpecification":[{"@type":"UnitPriceSpecification","priceType":"https://schema.org/StrikethroughPrice",
			"price":"%s","priceCurrency":"EUR"}]}`, p.sale, p.stock, p.declared)
	}
	ld := `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Storm lamp",` +
		`"offers":` + offer + `}</script>`
	if p.undeclared {
		ld = ""
	}
	return page{body: `<html lang=de><title>Storm lamp</title>` + ld + `<main><h1>Storm lamp</h1><p>` + brass + `</p>` +
		`<p class=price>Price: ` + p.shown + ` €</p><p class=version>Version ` + p.version + `</p><p>` + p.words + `</p></main>`}
}

// after changes the product, and returns its page.
func (p *product) after(change func(p *product)) page {
	change(p)
	return p.page()
}

// values returns what the feed tells since the last call: the kinds of changes with their fields. What is silenced is
// in brackets.
func (r *rig) values(after *feed.Position) string {
	r.t.Helper()
	var out []string
	for _, c := range r.feedOf(after) {
		text := string(c.Kind)
		for _, f := range c.Fields {
			text += fmt.Sprintf(" %s %s>%s", f.Name, f.Previous(), f.Current())
			if f.First {
				text += " first"
			}
			if f.Begins {
				text += " begins"
			}
		}
		if c.Silenced {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// G1, G3: TestG1FieldsAreTold checks what is told of the fields of a page that nobody asked for: told values that
// explain all that differs are a change of the kind field; otherwise the change keeps its kind and has the values.
func TestG1FieldsAreTold(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		is := product{declared: "79", shown: "79,00", stock: "InStock", version: "1"}
		after := is.after
		r.compared(t, []step{
			{"first", is.page(), "new availability >InStock first price >79 EUR first", nil},
			{"the price", after(func(p *product) { p.declared, p.shown = "84", "84,00" }), "field price 79 EUR>84 EUR", nil},
			{"other markup", after(func(p *product) { p.declared = "84.00" }), "", nil},
			{"not what it shows: not read", after(func(p *product) { p.declared = "85" }), "", nil},
			{"and other words", after(func(p *product) { p.declared, p.shown, p.words = "72", "72,00", "On special offer!" }),
				"content price 84 EUR>72 EUR", nil},
			{"for programs alone", after(func(p *product) { p.shown = "?" }), "content", nil},
			{"for programs alone", after(func(p *product) { p.declared = "85" }), "field price 72 EUR>85 EUR", nil},
			{"a version", after(func(p *product) { p.version = "2" }), "content", nil},
			{"a sale", after(func(p *product) { p.sale = "59" }), "field salePrice >59 EUR", nil},
			{"sold", after(func(p *product) { p.stock = "OutOfStock" }), "field availability InStock>OutOfStock", nil},
			{"the sale ends", after(func(p *product) { p.sale = "" }), "field salePrice 59 EUR>", nil},
			{"no product", after(func(p *product) { p.undeclared = true }), "watchBroken", nil},
			{"a product again", after(func(p *product) { p.undeclared = false }), "watchRestored", nil},
		}, r.values)
	})
}

// G1: TestG1FieldsInTheHistory checks that the history of an item names a change that is nothing but values.
func TestG1FieldsInTheHistory(t *testing.T) {
	r := newRig(t)
	is := product{declared: "79", shown: "79,00", stock: "InStock", version: "1"}
	r.site.put("/p", is.page())
	r.first("/p")
	r.site.put("/p", is.after(func(p *product) { p.declared, p.shown = "84", "84,00" }))
	if it := r.next("/p"); !said(it, "field price: 79 → 84 EUR") {
		t.Errorf("the history has %v", it.History)
	}
	for _, step := range []struct {
		change func(p *product)
		want   string
	}{
		{func(p *product) { p.shown = "?" }, ""},
		{func(p *product) { p.declared = "85" }, "field price: 84 → 85 EUR"},
		{func(p *product) { p.stock = "OutOfStock" }, "field availability: in stock → out of stock"},
		{func(p *product) { p.stock = "InStock" }, "field availability: out of stock → in stock"},
		{func(p *product) { p.declared, p.words = "60", "On special offer!" },
			"; price: 85 → 60 EUR (lowest until now, before 79"},
	} {
		r.site.put("/p", is.after(step.change))
		if it := r.next("/p"); !said(it, step.want) {
			t.Errorf("%q: the history has %v", step.want, it.History)
		}
	}
	var said []string
	for _, c := range r.changes("/p") {
		said = append(said, string(c.Kind)+" "+c.Fields)
	}
	if len(said) == 0 || !strings.HasPrefix(said[0], "content price: 85 → 60 EUR") {
		t.Errorf("the changes are %q", said)
	}
}

// G1: TestG1AskedFieldsAreTold checks what is told of fields that somebody asks for.
func TestG1AskedFieldsAreTold(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		is := product{declared: "79", shown: "79,00", stock: "InStock", version: "1"}
		after := is.after
		version := func(selector string) *api.Watch {
			return &api.Watch{Fields: map[string]api.FieldSpec{"release": {From: "css", Path: selector, Type: "number"}}}
		}
		r.compared(t, []step{
			{"first", is.page(), "new availability >InStock first price >79 EUR first", nil},
			{"a field is asked for", is.page(), "(field release >1 first)", version(".version")},
			{"it changes", after(func(p *product) { p.version = "2" }), "field release 1>2", nil},
			{"both", after(func(p *product) { p.version, p.declared, p.shown = "3", "84", "84,00" }),
				"field release 2>3 price 79 EUR>84 EUR", nil},
			{"another definition", is.page(), "(field release >3 first)", version("p.version")},
			{"another one, and a change at once", after(func(p *product) { p.version = "4" }), "field release 3>4 begins",
				version("main > .version")},
			{"nothing there", is.page(), "watchBroken", version("p.vers")},
			{"there again", is.page(), "(field release >4 first), watchRestored", version("p.version")},
			{"nobody asks", after(func(p *product) { p.version = "5" }), "content", &api.Watch{}},
			{"what was read unasked is asked for, and changes at once",
				after(func(p *product) { p.declared, p.shown = "60", "60,00" }), "field price 84 EUR>60 EUR begins",
				&api.Watch{Fields: map[string]api.FieldSpec{"price": {From: "declared", Path: "price"}}}},
		}, r.values)
	})
}

// G2: TestG2RulesAskForFields checks that a field is told because a rule names it, and that a rule which waits for a
// check that finds the same gets one.
func TestG2RulesAskForFields(t *testing.T) {
	asked := 0
	r := newRig(t, func(k *knobs) {
		k.crawl.Asked = func(_ context.Context, c feed.Change) ([]string, bool, error) {
			if asked++; !strings.HasPrefix(c.ItemID, "url_") || c.Host == "" {
				t.Errorf("asked for %+v", c)
			}
			return []string{"version"}, true, nil
		}
	})
	page := func(version string) page {
		return page{body: `<title>App</title><script type="application/ld+json">{"@type":"SoftwareApplication","name":"App",` +
			`"softwareVersion":"` + version + `","offers":{"@type":"Offer","price":"5","priceCurrency":"EUR"}}</script><p>` + brass}
	}
	r.compared(t, []step{
		{"first", page("1"), "new price >5 EUR first", nil},
		{"the same", page("1"), "(field price 5 EUR>5 EUR version 1>1)", nil},
		{"the same again", page("1"), "", nil},
		{"another", page("2"), "field version 1>2", nil},
		{"the same", page("2"), "(field version 2>2)", nil},
	}, r.values)
	if asked != 3 {
		t.Errorf("rules were asked %d times", asked)
	}
}

// G1: TestG1CapturesKeepFields checks that each capture has the fields that were read in it, also one with the same
// text.
func TestG1CapturesKeepFields(t *testing.T) {
	r := newRig(t)
	is := product{declared: "79", shown: "?", stock: "InStock", version: "1"}
	r.site.put("/p", is.page())
	r.first("/p")
	is.declared = "84"
	r.site.put("/p", is.page())
	r.next("/p")
	have := map[string]bool{}
	for _, c := range r.captures("/p") {
		var fields []field.Result
		must(t, json.Unmarshal(c.Fields, &fields))
		for _, f := range fields {
			have[f.Name+" "+f.Value.String()] = true
		}
	}
	if !have["price 79 EUR"] || !have["price 84 EUR"] || !have["availability InStock"] {
		t.Errorf("the captures have %v", have)
	}
}

// TestG1HistoryOutlivesCaptures checks that the history of a field has the values of captures that are no longer kept
// (G1).
func TestG1HistoryOutlivesCaptures(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.crawl.Retention.Count = 1 })
	is := product{declared: "79", shown: "?", stock: "InStock", version: "1"}
	r.site.put("/p", is.page())
	r.first("/p")
	for _, price := range []string{"84", "72", "72"} {
		is.declared = price
		r.site.put("/p", is.page())
		r.next("/p")
	}
	it := r.item("/p")
	known, _ := it.Fields.Field("price")
	past, err := r.reg.Fields().List(t.Context(), []source.ID{it.ID}, known)
	must(t, err)
	var have []string
	gone := 0
	for _, e := range past.Entries {
		have = append(have, e.Value.String())
		if _, _, err := r.snaps.Load(t.Context(), it.ID, e.Capture); err != nil {
			gone++
		}
	}
	if !slices.Equal(have, []string{"79 EUR", "84 EUR", "72 EUR"}) || gone == 0 {
		t.Errorf("the history is %v; %d of its captures are gone", have, gone)
	}
}

// G1: TestG1MovingPricesAreNoNoise checks that nobody is offered to ignore the line of a price that is told each time
// it changes.
func TestG1MovingPricesAreNoNoise(t *testing.T) {
	r := newRig(t)
	var at feed.Position
	for i := range 6 {
		price := fmt.Sprint(71 + i)
		r.site.put("/p", product{declared: price, shown: price + ",00", stock: "InStock", version: "1"}.page())
		if i == 0 {
			r.first("/p")
			r.feedOf(&at)
			continue
		}
		it := r.next("/p")
		have := r.feedOf(&at)
		if len(have) != 1 || have[0].Kind != feed.Field || strings.Contains(have[0].Why, "ignore") {
			t.Errorf("the feed has %+v", have)
		}
		if offer := it.Moving.Offer(""); offer != "" {
			t.Errorf("price %d: offers %q", i+1, offer)
		}
	}
}

// G1, G3: TestG1BytesAsBefore checks that fields are read of bytes that are those of the stored body again, after other
// bytes with the same text had other values.
func TestG1BytesAsBefore(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		lamp := func(declared string) page {
			return product{declared: declared, shown: "?", stock: "InStock", undeclared: declared == ""}.page()
		}
		r.compared(t, []step{
			{"first", lamp("50"), "new availability >InStock first price >50 EUR first", nil},
			{"for programs alone", lamp("60"), "field price 50 EUR>60 EUR", nil},
			{"the bytes as before", lamp("50"), "field price 60 EUR>50 EUR", nil},
			{"the same bytes", lamp("50"), "", nil},
			{"no product", lamp(""), "watchBroken", nil},
			{"the bytes as before", lamp("50"), "watchRestored", nil},
		}, r.values)
	})
}

// G2: TestG2FirstForAKnownPage checks that a rule which asks for the first value of a page that is known gets it at the
// next check, beside what that check finds.
func TestG2FirstForAKnownPage(t *testing.T) {
	r := newRig(t)
	is := product{declared: "79", shown: "79,00", stock: "InStock", version: "1"}
	var at feed.Position
	r.site.put("/p", is.page())
	r.first("/p")
	r.values(&at)
	ask := func() { must(t, r.reg.Items.AskFields(t.Context(), r.item("/p").ID, "rule-a")) }
	ask()
	is.declared, is.shown = "84", "84,00"
	r.site.put("/p", is.page())
	r.next("/p")
	want := "field price 79 EUR>84 EUR availability >InStock first currency >EUR first price >84 EUR first"
	if have := r.values(&at); have != want {
		t.Errorf("with a change: %q, want %q", have, want)
	}
	ask()
	r.next("/p")
	if have := r.values(&at); have != "(field availability >InStock first currency >EUR first price >84 EUR first)" {
		t.Errorf("without one: %q", have)
	}
	r.next("/p")
	if have := r.values(&at); have != "" {
		t.Errorf("again: %q", have)
	}
}

// TestG4UnreadDataIsSaid checks that JSON-LD which cannot be read is said where the item is shown, and is no change;
// and that a price which is not found for that reason says why its watch is broken (G3, G4).
func TestG4UnreadDataIsSaid(t *testing.T) {
	r := newRig(t)
	shop := product{declared: "79", shown: "?", stock: "InStock", version: "1"}.page()
	with := func(old, with string) page { return page{body: strings.Replace(shop.body, old, with, 1)} }
	const open = `<script type="application/ld+json">{"a":{</script><main>`
	r.compared(t, []step{
		{"first", shop, "new availability >InStock first price >79 EUR first", nil},
		{"another block", with("<main>", open), "; 1: it ends too early", nil},
		{"the block of the product", with(`"offers":`, `"offers":[[`), "watchBroken; 1: invalid character '}' after array element, broken", nil},
		{"mended", shop, "watchRestored", nil},
	}, func(after *feed.Position) string {
		text, it := r.values(after), r.item("/p")
		if u := it.Fields.UnreadData; u.Blocks > 0 {
			text += fmt.Sprintf("; %d: %s", u.Blocks, u.Why)
		}
		if strings.Contains(registry.BrokenWatch(&it), "1 block of declared data could not be read: ") {
			text += ", broken"
		}
		return text
	})
}

// TestG3CutPages checks that the fields of a page that is not read whole are not taken for gone, whether they are
// declared or asked for, and that the item says why they are not read (G3).
func TestG3CutPages(t *testing.T) {
	r := newRig(t)
	is := product{declared: "79", shown: "79,00", stock: "InStock", version: "1"}
	long := is.page()
	long.body += "<!-- " + strings.Repeat("x", 5<<20) + " -->"
	asked := &api.Watch{Fields: map[string]api.FieldSpec{"release": {From: "css", Path: ".version", Type: "number"}}}
	r.compared(t, []step{
		{"first", is.page(), "new availability >InStock first price >79 EUR first", nil},
		{"a field is asked for", is.page(), "(field release >1 first)", asked},
		{"too long", long, "beyond", nil},
		{"whole", is.page(), "beyond", nil},
		{"too long", long, "beyond", nil},
	}, r.values)
	it := r.item("/p")
	for _, name := range []string{"price", "availability", "release"} {
		kept, _ := it.Fields.Field(name)
		unread := kept.State == field.Unread && strings.HasPrefix(kept.Why, "the page was not read to its end")
		if !unread || kept.Last.Value.None() {
			t.Errorf("%s: have %+v", name, kept)
		}
	}
	if it.Fields.Unread == "" {
		t.Error("the item does not say why its fields are not read")
	}
}
