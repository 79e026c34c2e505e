package field

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// alternatives returns an expression for one of several phrases, as a group.
func alternatives(phrases ...string) string {
	for i, p := range phrases {
		phrases[i] = strings.ReplaceAll(regexp.QuoteMeta(p), " ", `\s+`)
	}
	return "(?:" + strings.Join(phrases, "|") + ")"
}

// The words around amounts, in the languages in which most shops are written.
var (
	fromWord = regexp.MustCompile(`(?i)(?:^|[^\pL])` + alternatives("from", "starting at", "starts at", "as low as",
		"ab",
		"à partir de", "a partir de", "dès", "a partire da", "da", "desde", "od", "vanaf", "från", "fra", "alkaen", "от",
		"dal", "başlayan", "min.", "már") + `\s*$`)
	fromBehind = regexp.MustCompile(`^\s*(?:から|～\s*$|〜\s*$)|^\+(?:\s|$)`)
	between    = regexp.MustCompile(`(?i)^\s*(?:-|–|—|~|～|〜|to|bis|à|a|al|do|til|till|tot|至|до|až)\s*$`)
	notNow     = regexp.MustCompile(`(?i)(?:^|[^\pL])` + alternatives("was", "statt", "instead of", "uvp", "rrp",
		"msrp", "srp",
		"list", "list price", "regular price", "original price", "original", "reg", "reg.", "before", "bisher", "zuvor",
		"ehemals", "au lieu de", "prix de référence", "prix conseillé", "antes", "precio anterior", "prima", "anziché",
		"invece di", "prezzo consigliato", "ordinarie pris", "ord. pris", "tidigare", "före", "tidligere", "før", "vejl.",
		"cena regularna", "najniższa cena", "van", "adviesprijs", "de:", "pvp", "compare at", "retail", "retail price",
		"typical price", "通常価格", "定価", "meilleur prix", "zamiast", "поpередня", "lowest price in the last 30 days") +
		`(?:[^\pL\d][^\d]{0,30})?$`)
	aside = regexp.MustCompile(`(?i)(?:^|[^\pL])` + alternatives("save", "saved", "you save", "sie sparen", "sparen",
		"spare",
		"spar", "rabatt", "rabat", "remise", "économisez", "ahorra", "ahorras", "risparmi", "discount", "shipping",
		"versand",
		"zzgl.", "delivery", "livraison", "envío", "spedizione", "frakt", "fragt", "dostawa", "deposit", "pfand", "over",
		"orders over",
		"oszczędzasz", "frete", "ポイント", "送料", "vat", "mwst.", "mwst", "tva", "iva", "off orders over") +
		`(?:[^\pL\d][^\d]{0,20})?$`)
	asideBehind = regexp.MustCompile(`(?i)^\s*` + alternatives("off", "rabatt", "discount", "shipping", "versand",
		"gespart",
		"saved", "cashback", "deposit", "pfand", "delivery", "de réduction", "de descuento") + `(?:[^\pL]|$)`)
	// countBefore stands between a number and an amount that is not the price of one piece, as in 3 for $10.
	countBefore = regexp.MustCompile(`(?i)^\s*(?:[x×]|` + alternatives("x de", "x of", "x à", "x sem juros de", "for", "für",
		"pour", "por", "per", "за", "payments of", "raten à", "monatsraten à", "mensualités de", "cuotas de", "parcelas de",
		"rate da") + `)\s*$`)
	// packOf stands before a number of pieces that are sold together, as in a pack of 6 for $10.
	packOf = regexp.MustCompile(`(?i)(?:^|\s)(?:of|de|di|mit|med|van|av|af|à)\s*$`)
	// multiplied follows a number that does not count units of a currency.
	multiplied = regexp.MustCompile(`(?i)^(?:\s*[¢万億千]|(?:[km]|\s*` + alternatives("thousand", "million", "millions",
		"billion", "billions", "bn", "mn", "tsd", "tausend", "mio", "millionen", "mrd", "milliarde", "milliarden",
		"mille", "millón", "millones", "mil", "milhão", "milhões", "lakh", "crore", "тыс", "млн") + `)(?:[^\pL]|$))`)
	free = regexp.MustCompile(`(?i)^` + alternatives("free", "gratis", "kostenlos", "gratuit", "gratuito",
		"free to play",
		"za darmo", "無料", "免费", "ilmainen", "бесплатно") + `[.!]?$`)
)

// units are what prices are for besides one product, with their names in several languages.
var units = map[string]string{}

func init() {
	for unit, names := range map[string]string{
		"month": `month mo mo. mth monat mois mes mês mese maand mån mån. månad måned md. mnd mnd. miesiąc mies. kuukausi kk
			месяц мес. 月 ay`,
		"year":   "year yr yr. jahr an año ano anno jaar år rok vuosi год 年 annum yıl",
		"week":   "week wk woche semaine semana settimana uke vecka uge tydzień viikko неделю 週",
		"day":    "day tag jour día dia giorno dag doba päivä день 日",
		"night":  "night nacht nuit noche noite notte nat natt noc yö ночь 泊",
		"hour":   "hour hr hr. stunde std. heure hora ora uur timme time godz. час 時間",
		"person": "person persona pers. pessoa personne persoon osoba hlö guest",
		"user":   "user seat nutzer",
		"kg":     "kg kilo kilogram кг", "g": "g gr gram г", "l": "l ltr liter litre litro litr л lt", "ml": "ml мл",
		"cl": "cl",
		"m":  "m meter metre mètre metr м lfm", "m²": "m² m2 qm sqm", "m³": "m³ m3", "ft": "ft foot", "sq ft": "sqft",
		"lb": "lb lb. pound", "oz": "oz oz. ounce", "kWh": "kwh",
	} {
		for name := range strings.FieldsSeq(names) {
			units[name] = unit
		}
	}
}

// pieces are names of one product, for which a price is not a price for a unit.
var pieces = strings.Fields(`piece pc pc. each ea ea. stück stk stk. st. pièce unité unidad unidade pezzo stuk st styck
	szt. kpl unit item шт шт. 個 点 pair set pack`)

var (
	unitBehind = regexp.MustCompile(`(?i)^\s*\(?(/|per\s|pro\s|par\s|por\s|je\s|al\s|á\s|na\s|za\s|a\s|an\s|om\s|i\s)\s*` +
		`(\d{1,4}(?:[.,]\d{1,3})?)?\s*([\pL²³]+\d?\.?)`)
	unitAlone   = regexp.MustCompile(`(?i)^\s*(monthly|mtl\.|monatlich|p\.\s?m\.|pcm|yearly|annually|jährlich|weekly|p\.\s?a\.)`)
	unitBefore  = regexp.MustCompile(`(?i)(?:^|[\s(])(\d{1,4}(?:[.,]\d{1,3})?)?\s*([\pL²³]+\d?\.?)\s*=\s*$`)
	adverbUnits = map[string]string{"monthly": "month", "mtl.": "month", "monatlich": "month", "p.m.": "month",
		"pcm":    "month",
		"yearly": "year", "annually": "year", "jährlich": "year", "weekly": "week", "p.a.": "year"}
)

// unitAfter returns the unit that an amount is for, by the text behind it; "" for none.
func unitAfter(text string) string {
	if m := unitAlone.FindStringSubmatch(text); m != nil {
		return adverbUnits[strings.ReplaceAll(strings.ToLower(m[1]), " ", "")]
	}
	if m := unitBehind.FindStringSubmatch(text); m != nil {
		return unitNamed(m[2], m[3])
	}
	return ""
}

// withoutUnit removes the name of a unit, or of a piece, from the beginning of a text.
func withoutUnit(text string) string {
	if at := unitAlone.FindStringIndex(text); at != nil {
		return text[at[1]:]
	}
	m := unitBehind.FindStringSubmatchIndex(text)
	if m == nil || unitNamed("", text[m[6]:m[7]]) == "" && !slices.Contains(pieces, strings.ToLower(text[m[6]:m[7]])) {
		return text
	}
	return text[m[1]:]
}

// unitAhead returns the unit that an amount is for, by the text before it, as in "1 kg = 3,98 €".
func unitAhead(text string) string {
	m := unitBefore.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return unitNamed(m[1], m[2])
}

// unitNamed returns a unit, with its number unless that is 1.
func unitNamed(count, name string) string {
	name = strings.ToLower(name)
	unit := units[name]
	unit = cmp.Or(unit, units[strings.TrimSuffix(name, ".")])
	if count = strings.ReplaceAll(count, ",", "."); unit == "" || count == "" || count == "1" {
		return unit
	}
	return count + " " + unit
}
