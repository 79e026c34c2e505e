package letter

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// labelled puts a label before what has become of a value. Before a number it has no colon, because a subject has one
// already behind the name of the page: "price 79 → 84 EUR", but "stock: in stock → sold out".
func labelled(label, change string) string {
	last, _ := utf8.DecodeLastRuneInString(label)
	if !startsNumber.MatchString(change) || unicode.IsDigit(last) {
		return label + ": " + change
	}
	return lowered(words.Clean(label)) + " " + change
}

var startsNumber = regexp.MustCompile(`^[+−-]?(?:\p{Sc}|(?:` + currencies + `)\b)? ?[+−-]?\p{Nd}`)

// lowered returns a label as it is written within a sentence, if it begins with a word that is known not to be a name.
func lowered(label string) string {
	first, rest, _ := strings.Cut(label, " ")
	if !labels[strings.ToLower(first)] || strings.ContainsFunc(rest, unicode.IsUpper) ||
		strings.ContainsFunc(strings.TrimLeftFunc(first, unicode.IsUpper), unicode.IsUpper) ||
		first == strings.ToUpper(first) {
		return label
	}
	return strings.ToLower(first) + label[len(first):]
}

// labels are common first words of labels that are no name and no German noun.
var labels = words.Set(`price prices fee fees cost costs deposit discount salary wage fare charge admission shipping
	delivery quantity amount size weight length height width depth age speed temperature water humidity pressure points
	votes views visitors members seats rooms beds duration deadline interest population capacity
	precio precios coste tarifa cuota plazo prix coût frais montant loyer prezzo costo tariffa canone preço custo prazo
	prijs huur pris avgift hyra cena opłata poplatek preț fiyat ücret hinta maksu τιμή цена ціна стоимость`)
