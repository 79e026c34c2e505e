package condition_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/content/field/fieldtest"
	"golang.org/x/net/html"
)

// mine is a field that a user asks for, beside those that pages declare.
const mine = "mine"

var names = []string{field.Price, field.SalePrice, field.Stock, mine}

// What a page of a history is.
const (
	usual   = iota // the product with its present values
	emptied        // the product, and the element of the price, without values
	gone           // another page
)

// story is a random history of a shop, with the model of its fields beside what is tracked.
type story struct {
	*rand.Rand

	shop     fieldtest.Shop
	prices   []int64 // what it may cost
	known    field.Known
	keys     map[string]string
	models   map[string]*follower
	machines map[string][]*machine
	parsed   map[*machine]condition.Condition
	opened   bool // the page has been read
	at       time.Time
	log      []string
}

func newStory(r *rand.Rand) *story {
	s := &story{Rand: r, shop: fieldtest.New(r.IntN), keys: map[string]string{mine: "1"},
		models: map[string]*follower{}, machines: map[string][]*machine{}, parsed: map[*machine]condition.Condition{},
		at: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	p := s.shop.Price - s.shop.Price%100 + 100 // whole in each currency, so that it has a tenth
	s.prices = []int64{p, p * 9 / 10, p * 11 / 10, p + 1, p * 2, p * 3 / 4}
	s.shop.Price = p
	for _, name := range names {
		s.models[name] = &follower{}
		if name != mine && r.IntN(2) == 0 {
			s.keys[name] = "declared"
		}
		for range 12 {
			s.add(s.plain(name))
		}
	}
	return s
}

// add adds a condition to both sides.
func (s *story) add(w plain) {
	c, err := condition.Parse(w.spec())
	if err != nil {
		panic(fmt.Sprintf("%+v: %v", w.spec(), err))
	}
	m := &machine{plain: w, armed: true}
	s.machines[w.field] = append(s.machines[w.field], m)
	s.parsed[m] = c
}

// plain makes a condition on a field.
func (s *story) plain(name string) plain {
	w := plain{field: name, op: condition.Ops[s.IntN(len(condition.Ops))], first: s.IntN(3) == 0,
		against: condition.References[s.IntN(len(condition.References))], constant: s.constant(name)}
	switch from, to := s.constant(name), s.constant(name); {
	case w.op == condition.FromTo:
		for to.text() == from.text() {
			to = s.constant(name)
		}
		if w.from, w.to = &from, &to; s.IntN(3) == 0 {
			w.from = nil
		} else if s.IntN(3) == 0 {
			w.to = nil
		} else if s.IntN(3) == 0 {
			w.from, w.to = nil, nil
		}
	case w.op == condition.ChangedBy:
		w.against = condition.References[1+s.IntN(4)]
		if w.least, w.percent = s.prices[0]/int64(5+10*s.IntN(3)), s.IntN(2) == 0; w.percent {
			w.least = []int64{5, 10, 20, 25}[s.IntN(4)]
		}
	case name == field.Stock && w.op != condition.Equal:
		w.against = condition.References[1+s.IntN(4)]
	}
	return w
}

// constant makes a value that the field may have.
func (s *story) constant(name string) sight {
	if name == field.Stock {
		return sight{has: true, word: []string{"InStock", "OutOfStock", "BackOrder"}[s.IntN(3)]}
	}
	out := s.sight(s.prices[s.IntN(len(s.prices))])
	switch s.IntN(6) {
	case 0:
		out.currency = ""
	case 1:
		out.currency = "EUR"
	}
	return out
}

// sight is an amount of the shop for the model.
func (s *story) sight(amount int64) sight {
	if s.shop.Currency() == "JPY" {
		amount *= 100
	}
	return sight{has: true, amount: amount, currency: s.shop.Currency()}
}

// truth is what a page says of a field.
func (s *story) truth(name string, page int) sight {
	saleKnown := s.shop.Usual > 0 && s.shop.Source != field.Microdata && s.shop.Source != field.RDFa
	switch {
	case page != usual:
		return sight{}
	case name == field.Stock:
		return sight{has: s.shop.Stock != "", word: s.shop.Stock}
	case name == mine, name == field.Price && !saleKnown:
		return s.sight(s.shop.Price)
	case name == field.Price:
		return s.sight(s.shop.Usual)
	case saleKnown:
		return s.sight(s.shop.Price)
	}
	return sight{}
}

// change changes what the shop says of its product.
func (s *story) change() {
	switch s.IntN(8) {
	case 0, 1, 2:
		s.shop.Price = s.prices[s.IntN(len(s.prices))]
	case 3:
		s.shop.Usual = 0
	case 4:
		s.shop.Usual = s.shop.Price * 6 / 5
	case 5, 6:
		s.shop.Stock = []string{"InStock", "OutOfStock", "BackOrder", ""}[s.IntN(4)]
	case 7:
		s.shop.Noise ^= 1 << s.IntN(10)
	}
	if s.IntN(60) == 0 {
		s.shop.At = s.IntN(fieldtest.Locales)
	}
	if s.shop.Usual > 0 && s.shop.Usual <= s.shop.Price {
		s.shop.Usual = s.shop.Price * 6 / 5
	}
}

// read reads a page. right is whether it is read as it is.
func (s *story) read(page int) (results []field.Result, right bool) {
	text := s.shop.Page()
	switch page {
	case emptied:
		text = `<script type="application/ld+json">{"@type":"Product","offers":{"@type":"Offer"}}</script><p class=price></p>`
	case gone:
		text = "<p>We are away"
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, false
	}
	p := field.NewPage(root, jsonld.Of(root), s.shop.Address())
	results = append(p.Product(), p.Read(field.Spec{Name: mine, Type: field.Money, Source: field.CSS, At: ".price"}))
	for _, name := range names {
		if r, want := resultOf(results, name), s.truth(name, page); !agrees(r, want, page) {
			return results, false
		} else if r.Name == "" && s.keys[name] != "" { // what is asked for always has a result
			results = append(results, field.Result{Name: name, State: field.Gone})
		}
	}
	return results, true
}

func resultOf(results []field.Result, name string) field.Result {
	for _, r := range results {
		if r.Name == name {
			return r
		}
	}
	return field.Result{}
}

// agrees reports whether a page is read as it is.
func agrees(r field.Result, want sight, page int) bool {
	switch {
	case page == gone:
		return r.State == field.Gone || r.State == ""
	case !want.has:
		return r.State == field.Disappeared
	case want.word != "":
		return r.Value.Text == want.word
	}
	whole, _ := field.ParseDecimal(fmt.Sprintf("%d.%02d", want.amount/100, want.amount%100))
	return r.Value.Number == whole && r.Value.Currency == want.currency && r.Value.High == ""
}

// stored is what comes back from a row.
func stored[T any](t *testing.T, v T) (out T) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
