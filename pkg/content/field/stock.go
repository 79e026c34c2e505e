package field

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// stockWords are what shops write of the availability of a product, by its name at schema.org. Those that deny come
// first, because they have the words of others in them.
var stockWords = []struct {
	name    string
	phrases *regexp.Regexp
}{
	{"Discontinued", stockPhrases("discontinued", "no longer available", "nicht mehr lieferbar", "nicht mehr verfügbar",
		"nicht mehr erhältlich", "n'est plus disponible", "ya no disponible", "non più disponibile",
		"niet meer leverbaar",
		"utgått", "udgået", "wycofany", "販売終了")},
	{"SoldOut", stockPhrases("sold out", "ausverkauft", "vergriffen", "épuisé", "agotado", "esgotado", "esaurito",
		"uitverkocht",
		"slutsåld", "udsolgt", "utsolgt", "loppuunmyyty", "wyprzedany", "wyprzedane", "vyprodáno", "売り切れ", "完売", "售罄",
		"품절",
		"tükendi", "распродано")},
	{"OutOfStock", stockPhrases("out of stock", "not in stock", "no stock", "not available", "currently unavailable",
		"temporarily unavailable", "unavailable", "nicht auf lager", "nicht vorrätig", "nicht verfügbar",
		"nicht lieferbar",
		"derzeit nicht", "rupture de stock", "en rupture", "indisponible", "non disponible", "sin stock", "no disponible",
		"sem stock", "sem estoque", "indisponível", "non disponibile", "niet op voorraad", "niet beschikbaar",
		"niet leverbaar", "ej i lager", "inte i lager", "slut i lager", "ikke på lager", "ei varastossa", "niedostępny",
		"brak w magazynie", "není skladem", "在庫なし", "在庫切れ", "缺货", "无货", "нет в наличии", "stokta yok")},
	{"PreOrder", stockPhrases("pre-order", "preorder", "pre order", "vorbestellbar", "vorbestellung", "vorbestellen",
		"précommande", "reserva", "preordine", "pre-order nu", "förbeställ", "forudbestil", "przedsprzedaż", "予約")},
	{"BackOrder", stockPhrases("backorder", "back-order", "on backorder", "back order", "nachbestellt",
		"available on request", "sur commande")},
	{"LimitedAvailability", stockPhrases(`only \d+ (?:left|remaining|in stock)`, `only a few left`, "low stock",
		"few left",
		"limited stock", `nur noch \d+`, "wenige exemplare", "geringer bestand", `plus que \d+`, "stock limité",
		`(?:solo |sólo )?quedan \d+`, "últimas unidades", "ultimi pezzi", "laatste exemplaren", "få kvar", "få på lager",
		"ostatnie sztuki", "残りわずか", `残り\d+`)},
	{"InStock", stockPhrases("in stock", "available", "ready to ship", "auf lager", "vorrätig", "sofort lieferbar",
		"lieferbar", "verfügbar", "en stock", "disponible", "disponibile", "em stock", "em estoque", "disponível",
		"op voorraad", "leverbaar", "beschikbaar", "i lager", "finns i lager", "på lager", "varastossa", "dostępny",
		"w magazynie", "na stanie", "skladem", "在庫あり", "现货", "有货", "재고 있음", "в наличии", "stokta")},
}

// stockPhrases returns an expression for one of several phrases. Letters do not border on a phrase in Latin letters.
func stockPhrases(phrases ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:` + strings.Join(phrases, "|") + `)(?:$|[^\pL])|` +
		strings.Join(inOtherScripts(phrases), "|"))
}

// inOtherScripts returns the phrases of scripts that do not divide words, or one that matches nothing.
func inOtherScripts(phrases []string) []string {
	out := []string{`[^\x00-\x{10FFFF}]`}
	for _, p := range phrases {
		if p[0] >= 0xe3 {
			out = append(out, p)
		}
	}
	return out
}

// readStock reads an availability, as it is declared or as shops write it.
func readStock(text string) (v Value, why string, ok bool) {
	if text = dom.Fold(text); text == "" {
		return v, "", false
	}
	if name := stockNamed(text); name != "" {
		return Value{Type: Availability, Text: name}, "", true
	}
	if len(text) > maxText {
		return v, "the text is too long for an availability", false
	}
	for _, s := range stockWords {
		if s.phrases.MatchString(text) {
			return Value{Type: Availability, Text: s.name}, "", true
		}
	}
	return v, "the words for this availability are not known", false
}

// stockInWords returns the name of an availability as words: OutOfStock is out of stock.
func stockInWords(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// stocks maps availabilities, in lower case and without spaces and signs, to their names at schema.org.
var stocks = func() map[string]string {
	all := map[string]string{"oos": "OutOfStock", "instoreonly": "InStoreOnly", "available": "InStock",
		"availablefororder": "BackOrder", "unavailable": "OutOfStock", "notavailable": "OutOfStock", "true": "InStock",
		"false": "OutOfStock", "outstock": "OutOfStock"}
	for name := range strings.FieldsSeq(`InStock OutOfStock PreOrder PreSale BackOrder Discontinued InStoreOnly OnlineOnly
		LimitedAvailability SoldOut MadeToOrder Reserved`) {
		all[strings.ToLower(name)] = name
	}
	return all
}()

// stockNamed returns the name at schema.org of an availability that is declared for programs; "" if there is none.
func stockNamed(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	name := strings.TrimRight(text, "/")
	name = name[strings.LastIndexAny(name, "/:#")+1:]
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
	return stocks[plain]
}
