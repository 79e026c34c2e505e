// Package declared reads what a page declares, for programs, about the product that it offers: prices, their currency
// and the availability. A page declares them in JSON-LD, microdata, RDFa Lite or OpenGraph.
//
// Each source that has a product gives fields of its own. Of several products in one source, the first with a value is
// that of the page; the others are recommendations or entries of a list. A product may have several offers, and then
// a name has several values, in page order.
package declared

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// The names of fields. Price is what the product costs. If the product costs less than usual, Price is the usual price
// and SalePrice the present one.
const (
	Price        = "price"
	SalePrice    = "salePrice"
	LowPrice     = "lowPrice"  // the lowest price of several offers that are not listed
	HighPrice    = "highPrice" // the highest one
	Currency     = "currency"  // ISO 4217
	Availability = "availability"
)

// The sources of fields.
const (
	JSONLD    = "JSON-LD"
	Microdata = "microdata"
	RDFa      = "RDFa"
	OpenGraph = "OpenGraph"
)

// maxFields limits the number of fields of a page. Further fields are not read.
const maxFields = 500

// Field is one declared value. An amount is a decimal number without zeros at its end, such as "1299" or "79.9"; if a
// declared amount is not one number, as in "from 12.90 to 19.90", the value is its text. An availability is a name of
// schema.org, such as "InStock", or a text if the page declares another one.
type Field struct{ Name, Value, Source string }

// Of returns the fields that a page declares, in the order of its sources: JSON-LD, microdata, RDFa, OpenGraph. The
// objects are those of the page's JSON-LD.
func Of(root *html.Node, objects []jsonld.Object) []Field {
	fields := ofOffers(JSONLD, ofObjects(objects))
	e := readElements(root)
	fields = append(fields, ofOffers(Microdata, e.microdata.offers)...)
	fields = append(fields, ofOffers(RDFa, e.rdfa.offers)...)
	fields = append(fields, ofOffers(OpenGraph, []offer{e.graph})...)
	return fields[:min(len(fields), maxFields)]
}

// Digest returns a short hash of the declared values. Neither their sources nor their order count. It is "" if there
// are no fields.
func Digest(fields []Field) string {
	if len(fields) == 0 {
		return ""
	}
	values := slices.Clone(fields)
	for i := range values {
		values[i].Source = ""
	}
	slices.SortFunc(values, func(a, b Field) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	h := sha256.New()
	for _, f := range slices.Compact(values) {
		h.Write([]byte(f.Name + "\x00" + f.Value + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
