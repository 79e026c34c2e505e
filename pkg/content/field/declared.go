package field

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// declaredTypes are the fields that pages declare, with their types.
var declaredTypes = []struct {
	name string
	of   Type
}{
	{Price, Money}, {SalePrice, Money}, {Stock, Availability}, {Currency, Text}, {variants, Text}, {published, Date},
	{modified, Date}, {Author, Text}, {Version, Text},
}

// DeclaredType returns the type of a field that pages declare; "" for another name.
func DeclaredType(name string) Type {
	for _, d := range declaredTypes {
		if d.name == name {
			return d.of
		}
	}
	return ""
}

// TypeOf returns the type of the values of a field.
func (s Spec) TypeOf() Type {
	if s.Source == Declared && s.Type == "" {
		return DeclaredType(cmp.Or(s.At, s.Name))
	}
	return s.Type
}

// AreDeclaredTogether reports whether pages declare two fields of one thing: both of a product, or both of an article.
// A page that has the one may have the other tomorrow, as with a sale price.
func AreDeclaredTogether(a, b string) bool {
	isFact := func(name string) bool {
		return slices.ContainsFunc(facts, func(f fact) bool { return f.name == name })
	}
	return DeclaredType(a) != "" && DeclaredType(b) != "" && isFact(a) == isFact(b)
}

// Named returns the field that a word or several mean: sale price is the field salePrice, which pages declare. Other
// names are as they are.
func Named(text string) string {
	fold := func(s string) string {
		return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(s))
	}
	for _, d := range declaredTypes {
		if fold(text) == fold(d.name) {
			return d.name
		}
	}
	return text
}

// checkDeclared reports what is wrong with a field that is to be read as pages declare it.
func checkDeclared(s Spec) error {
	name := cmp.Or(s.At, s.Name)
	var names []string
	for _, d := range declaredTypes {
		switch {
		case d.name != name:
			names = append(names, d.name)
		case s.Type != "" && s.Type != d.of:
			return fault.Field("type", "pages declare %s as %s, not as %s: leave the type out", name, d.of, s.Type)
		default:
			return nil
		}
	}
	return fault.Field("at", "pages declare no field %.60q, only %s", name, list(names))
}

// readDeclared reads a field as the page declares it, see [Page.Product] and [Page.Article].
func (p *Page) readDeclared(s Spec) Result {
	name := cmp.Or(s.At, s.Name)
	product, article := p.Product(), p.Article()
	for _, r := range append(slices.Clone(product), article...) {
		if r.Name == name {
			r.Name = s.Name
			return r
		}
	}
	isFact := slices.ContainsFunc(facts, func(f fact) bool { return f.name == name })
	switch {
	case p.root == nil:
		return p.without(s, Gone, "JSON declares no fields: use a JSONPath")
	case isFact && (len(article) > 0 || hasArticle(p)):
		return p.without(s, Disappeared, "")
	case isFact:
		return p.without(s, Gone, "the page declares no article")
	case len(product) == 0:
		return p.without(s, Gone, "the page declares no product")
	}
	if price := product[0]; price.State == Unread && (name == Currency || price.Evidence.Source == "") {
		return p.without(s, Unread, price.Evidence.Reason) // which product it is, or what it costs, is not known
	}
	return p.without(s, Disappeared, "")
}

// hasArticle reports whether a page declares an article, or several.
func hasArticle(p *Page) bool {
	for _, set := range p.sets {
		if it, why := p.theItem(set, articleTypes); it != nil || why != "" {
			return true
		}
	}
	return false
}
