package field_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/fieldtest"
)

// shops is the number of shops of a test.
const shops = 2000

// readShop reads the declared product of a shop's page, and the price that it shows by a selector.
func readShop(t *testing.T, s fieldtest.Shop) (found map[string]field.Result, shown field.Result) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(s.Page()))
	if err != nil {
		t.Fatal(err)
	}
	p := field.NewPage(root, jsonld.Of(root), s.Address())
	found = map[string]field.Result{}
	for _, r := range p.Product() {
		found[r.Name] = r
	}
	return found, p.Read(field.Spec{Name: "mine", Type: field.Money, Source: field.CSS, At: ".price"})
}

// TestG1Shops checks that at least .99 of the shops in eight locales are read as they are, that hardly any is read
// wrongly, and that all are read without help in each source (G1).
func TestG1Shops(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 1))
	right, wrong, listed := 0, 0, 0
	for range shops {
		s := fieldtest.New(r.IntN)
		found, shown := readShop(t, s)
		price, sale := s.Want()
		got := found[field.Price].Value
		isRight := got.Number == price && got.High == "" && found[field.SalePrice].Value.Number == sale &&
			found[field.Stock].Value.Text == s.Stock && got.Currency == s.Currency() &&
			shown.Value.Number == s.Shown() && shown.Value.Currency == s.Currency() && shown.Value.High == ""
		isWrong := !got.None() && got.Number != price || !shown.Value.None() && shown.Value.Number != s.Shown()
		switch {
		case isRight:
			right++
		case isWrong:
			wrong++
		}
		if listed < 10 && !isRight {
			listed++
			t.Logf("%+v: want %s %s %s, have %v (%s) %v, shown %v (%s)\n%s", s, price, sale, s.Stock, got,
				found[field.Price].Evidence.Reason, found[field.SalePrice].Value, shown.Value, shown.Evidence.Reason, s.Page())
		}
	}
	const least, most = shops * 99 / 100, shops / 500
	if right < least || wrong > most {
		t.Errorf("of %d shops %d are right and %d wrong; want at least %d and at most %d", shops, right, wrong, least, most)
	}
	t.Logf("%d right, %d wrong of %d", right, wrong, shops)
}

// TestG3ShopLosesItsPrice checks that a price of which only the value goes has disappeared, and that it is gone with
// its source (G3).
func TestG3ShopLosesItsPrice(t *testing.T) {
	for name, want := range map[string]field.State{
		`{"@type":"Product","offers":{"@type":"Offer","availability":"InStock"}}`: field.Disappeared,
		`{"@type":"Organization"}`: "",
	} {
		root, _ := html.Parse(strings.NewReader(`<script type="application/ld+json">` + name + `</script>`))
		state := field.State("")
		for _, r := range field.NewPage(root, jsonld.Of(root), "https://shop.example/lamp").Product() {
			if r.Name == field.Price {
				state = r.State
			}
		}
		if state != want {
			t.Errorf("%s: have %q, want %q", name, state, want)
		}
	}
}
