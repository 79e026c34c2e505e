package field_test

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
)

func ExamplePage() {
	root, err := html.Parse(strings.NewReader(`<html lang=de><script type="application/ld+json">{"@type":"Product",
		"name":"Lampe","offers":{"price":"1299.00","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}
		</script><h1>Lampe</h1><p class=price>1.299,00 € <small>(3,98 €/kg)</small>`))
	if err != nil {
		fmt.Println(err)
		return
	}
	page := field.NewPage(root, jsonld.Of(root), "https://shop.example/lampe")
	for _, r := range page.Product() {
		fmt.Printf("%s %s %q\n", r.Name, r.State, r.Value.String())
	}
	r := page.Read(field.Spec{Name: "mine", Type: field.Money, Source: field.CSS, At: ".price"})
	fmt.Println(r.Name, r.State, r.Value, "from", r.Evidence.Excerpt)
	// Output:
	// price value "1299 EUR"
	// salePrice disappeared ""
	// currency value "EUR"
	// availability value "InStock"
	// mine value 1299 EUR from 1.299,00 € (3,98 €/kg)
}
