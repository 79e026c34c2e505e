package field

import (
	"slices"
	"strings"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
)

// Hint is what is known about how a text writes its value.
type Hint struct {
	Locale   string // a language tag, with a region if it is known: de, de-CH; "" for none
	Currency string // ISO 4217, where it stands beside the amount; "" for none
	Program  bool   // the text is for programs, so a point precedes decimals
}

// pointRegions are regions that write a point before decimals in a language of which others write a comma.
var pointRegions = map[string]string{"es": "MX US PR GT HN NI PA SV DO PE CU", "de": "CH LI", "it": "CH", "rm": "CH"}

// pointLanguages are the languages in which a point precedes decimals. In all others a comma does.
var pointLanguages = strings.Fields(`en zh yue ja ko th he iw hi bn ta te ml mr gu pa kn ur ms fil tl sw cy ga mt ne si my
	am ha ig yo zu xh so mn gsw rm sa or bo ug ar`)

// decimalSign returns the sign before decimals in a locale: "." or ",", or "" if the locale is not known.
func decimalSign(locale string) string {
	tag, err := language.Parse(locale)
	if err != nil || locale == "" {
		return ""
	}
	base, _ := tag.Base()
	region, sure := tag.Region()
	lang := base.String()
	if sure == language.Exact && slices.Contains(strings.Fields(pointRegions[lang]), region.String()) {
		return "."
	}
	if slices.Contains(pointLanguages, lang) {
		return "."
	}
	return ","
}

// regionCurrency returns the currency of the region of a locale, and whether the locale names the region.
func regionCurrency(locale string) (code string, named bool) {
	tag, err := language.Parse(locale)
	if err != nil || locale == "" {
		return "", false
	}
	region, sure := tag.Region()
	unit, ok := currency.FromRegion(region)
	if !ok {
		return "", false
	}
	return unit.String(), sure == language.Exact
}

// monthFirst reports whether a locale writes the month before the day in numbers, and whether that is known.
func monthFirst(locale string) (first, known bool) {
	tag, err := language.Parse(locale)
	if err != nil || locale == "" {
		return false, false
	}
	base, _ := tag.Base()
	if base.String() != "en" {
		return false, true
	}
	region, sure := tag.Region()
	return region.String() == "US", sure == language.Exact && region.String() != "CA"
}

// decimalsOf returns how many decimals amounts of a currency have, and 2 for no currency.
func decimalsOf(code string) int {
	unit, err := currency.ParseISO(code)
	if err != nil {
		return 2
	}
	n, _ := currency.Standard.Rounding(unit)
	cash, _ := currency.Cash.Rounding(unit)
	return min(n, cash)
}
