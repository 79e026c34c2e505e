package field

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Source is where a field is read.
type Source string

// The sources of fields, with the expressions that choose a value in each.
const (
	// JSONLD takes a type and properties, Product.offers.price, or the properties alone: offers.price. Without a type,
	// they are those of the product of the page, or else of its article, or of the page itself.
	JSONLD    Source = "json-ld"
	Microdata Source = "microdata" // the same
	RDFa      Source = "rdfa"      // the same
	OpenGraph Source = "opengraph" // the property of a meta element: product:price:amount
	CSS       Source = "css"       // a CSS selector; with " @name" at its end, an attribute instead of the text
	JSONPath  Source = "jsonpath"  // a path of RFC 9535
	// Declared takes the name of a field that pages declare, such as price, see [Page.Product] and [Page.Article].
	// Without one, it is the name of the field.
	Declared Source = "declared"
)

// sources are all sources, in the order in which messages name them.
var sources = []Source{JSONLD, Microdata, RDFa, OpenGraph, CSS, JSONPath, Declared}

// Spec is a field that a user asks for.
type Spec struct {
	Name   string `json:"name"`
	Type   Type   `json:"type"` // of a declared field, "" stands for the type that it has
	Source Source `json:"source"`
	At     string `json:"at"`               // the expression that chooses the value in the source
	Locale string `json:"locale,omitempty"` // how numbers are written: a tag such as de-CH; "" for what the page says
}

// Bounds of a [Spec], in bytes. The name is bounded by [options.FieldName].
const (
	maxAt = 2000

	maxLocale = 35
)

// Asked returns the fields that settings ask for, by name. Errors: Invalid, with the name of the setting that is wrong,
// such as watch.fields.price.path.
func Asked(fields map[string]api.FieldSpec) (out []Spec, err error) {
	if err := options.CheckFields(fields); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f := fields[name]
		s := Spec{Name: name, Type: Type(f.Type), Source: Source(f.From), At: strings.TrimSpace(f.Path), Locale: f.Locale}
		if err := compile(s); err != nil {
			of := fault.FieldOf(err)
			setting := "watch.fields." + name + "." + cmp.Or(map[string]string{"at": "path", "source": "from"}[of], of)
			return nil, fault.Field(setting, "%s: %w", setting, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// Check reports what is wrong with a field, apart from its expression. Errors: Invalid, with the name of what is wrong.
func (s Spec) Check() error {
	if err := options.FieldName(s.Name); err != nil {
		return fault.Field("name", "%w", err)
	}
	switch {
	case !slices.Contains(sources, s.Source):
		return fault.Field("source", "unknown source %.40q: use %s", s.Source, list(sources))
	case !slices.Contains(types, s.Type) && (s.Type != "" || s.Source != Declared):
		return fault.Field("type", "unknown type %.40q: use %s", s.Type, list(types))
	case s.At == "" && s.Source == Declared:
	case strings.TrimSpace(s.At) == "" || len(s.At) > maxAt:
		return fault.Field("at", "a field needs a path of 1 to %d bytes that says where it is", maxAt)
	}
	if _, err := language.Parse(s.Locale); s.Locale != "" && (err != nil || len(s.Locale) > maxLocale) {
		return fault.Field("locale", "%.40q is not a language tag such as de or de-CH", s.Locale)
	}
	return nil
}

// list writes names as a choice: a, b or c.
func list[T ~string](names []T) string {
	var all strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			all.WriteString(" or ")
		case i > 0:
			all.WriteString(", ")
		}
		all.WriteString(string(name))
	}
	return all.String()
}

// types are all types of fields.
var types = []Type{Text, Number, Money, Date, Availability}
