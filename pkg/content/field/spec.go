package field

import (
	"strings"

	"golang.org/x/text/language"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Source is where a field is read.
type Source string

// The sources of fields, with the expressions that choose a value in each.
const (
	JSONLD    Source = "jsonld"    // a type and properties: Product.offers.price
	Microdata Source = "microdata" // the same
	RDFa      Source = "rdfa"      // the same
	OpenGraph Source = "opengraph" // the property of a meta element: product:price:amount
	CSS       Source = "css"       // a CSS selector; with " @name" at its end, an attribute instead of the text
	JSONPath  Source = "jsonpath"  // a path of RFC 9535
)

// Spec is a field that a user asks for.
type Spec struct {
	Name   string `json:"name"`
	Type   Type   `json:"type"`
	Source Source `json:"source"`
	At     string `json:"at"`               // the expression that chooses the value in the source
	Locale string `json:"locale,omitempty"` // how numbers are written: a tag such as de-CH; "" for what the page says
}

// Bounds of a [Spec], in bytes.
const (
	MaxName = 60
	MaxAt   = 2000

	maxLocale = 35
)

// Check reports what is wrong with a field, apart from its expression. Errors: Invalid, with the name of what is wrong.
func (s Spec) Check() error {
	switch {
	case strings.TrimSpace(s.Name) == "" || len(s.Name) > MaxName || s.Name != strings.TrimSpace(s.Name):
		return fault.Field("name", "a field needs a name of at most %d bytes, without blanks around it", MaxName)
	case !s.Type.known():
		return fault.Field("type", "%.40q is no type of fields: text, number, money, date or availability", s.Type)
	case !s.Source.known():
		return fault.Field("source", "%.40q is no source of fields: jsonld, microdata, rdfa, opengraph, css or jsonpath",
			s.Source)
	case strings.TrimSpace(s.At) == "" || len(s.At) > MaxAt:
		return fault.Field("at", "a field needs an expression of at most %d bytes that says where it is", MaxAt)
	}
	if _, err := language.Parse(s.Locale); s.Locale != "" && (err != nil || len(s.Locale) > maxLocale) {
		return fault.Field("locale", "%.40q is no language tag such as de or de-CH", s.Locale)
	}
	return nil
}

func (t Type) known() bool {
	switch t {
	case Text, Number, Money, Date, Availability:
		return true
	}
	return false
}

func (s Source) known() bool {
	switch s {
	case JSONLD, Microdata, RDFa, OpenGraph, CSS, JSONPath:
		return true
	}
	return false
}
