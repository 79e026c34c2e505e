package field

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// State says what reading a field found.
type State string

// The states of a field.
const (
	Found       State = "value"       // there is a value
	Disappeared State = "disappeared" // the page still has the product, the object or the element, but no value in it
	Unread      State = "unread"      // the text is not a value of the type, or is ambiguous: see Reason
	Gone        State = "gone"        // the page no longer has the product, the object or the element
)

// Evidence says where a value comes from. It is set for every state as far as it is known.
type Evidence struct {
	Source  Source `json:"src,omitempty"`
	At      string `json:"at,omitempty"`  // the place in the source: Product.offers.price, a selector, a path
	Excerpt string `json:"x,omitempty"`   // the text that was read, at most [MaxExcerpt] bytes
	Reason  string `json:"why,omitempty"` // why the text was read in this way, or why there is no value; "" if it is plain
}

// MaxExcerpt limits the bytes of an excerpt.
const MaxExcerpt = 200

// Result is what reading a field of a page found.
type Result struct {
	Name     string   `json:"name"`
	State    State    `json:"state"`
	Value    Value    `json:"v,omitzero"` // none unless State is [Found]
	Evidence Evidence `json:"by,omitzero"`
}

// The names of the fields that are read without being asked for.
const (
	Price     = "price"     // what the product costs usually, if it has a sale price, or else what it costs
	SalePrice = "salePrice" // what it costs now, if this is less than usual
	Stock     = "availability"
	Currency  = "currency"
	variants  = "variants"
	published = "published"
	modified  = "modified"
	Author    = "author"
	version   = "version"
)

// Digest returns a short hash of what a page declares about its product. Neither sources nor forms of values count, nor
// the order. It is "" if the page declares nothing of it.
func Digest(all []Result) string {
	var values []string
	for _, r := range all {
		if slices.Contains([]string{Price, SalePrice, Currency, Stock, variants}, r.Name) && r.State != Gone {
			text := r.Value.String()
			if r.Value.None() {
				text = r.Evidence.Excerpt
			}
			values = append(values, r.Name+"\x00"+text+"\x00")
		}
	}
	if len(values) == 0 {
		return ""
	}
	slices.Sort(values)
	return fmt.Sprintf("%016x", xxhash.Sum64String(strings.Join(values, "")))
}

// Usual are the fields that pages declare and people look for, in the order of a list.
var Usual = []string{Price, SalePrice, Stock}

// Reported says whether changes of a field that is kept unasked are published. Those of others are history.
func Reported(name string) bool { return slices.Contains(Usual, name) }

// breaks reports whether a field whose source is gone is broken. A sale ends and a product without an availability is
// no error, so these two never break.
func breaks(name string) bool { return name != SalePrice && name != Stock }
