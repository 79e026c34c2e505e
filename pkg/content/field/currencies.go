package field

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
)

// signs are the signs of currencies, with the currencies that they stand for. Letters count in the case in which they
// are here, or all in lower case. Those that are also usual words, such as LE or pounds, are left out.
var signs = map[string]string{
	"€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW", "￦": "KRW", "₽": "RUB", "₴": "UAH", "₺": "TRY", "₫": "VND",
	"₪": "ILS",
	"₱": "PHP", "฿": "THB", "₦": "NGN", "₡": "CRC", "₲": "PYG", "₸": "KZT", "₼": "AZN", "₾": "GEL", "₵": "GHS",
	"₮":  "MNT",
	"zł": "PLN", "zl": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "лв": "BGN", "лв.": "BGN", "kn": "HRK",
	"руб":  "RUB",
	"руб.": "RUB", "грн": "UAH", "грн.": "UAH", "TL": "TRY", "円": "JPY", "元": "CNY TWD", "원": "KRW",
	"₨":  "INR PKR LKR NPR",
	"R$": "BRL", "US$": "USD", "U$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "NZ$": "NZD",
	"HK$": "HKD",
	"S$":  "SGD", "NT$": "TWD", "MX$": "MXN", "AR$": "ARS", "CL$": "CLP", "S/": "PEN", "Rp": "IDR", "RM": "MYR",
	"Fr.":  "CHF",
	"SFr.": "CHF", "sFr.": "CHF", "Euro": "EUR", "euros": "EUR", "R": "ZAR", "RMB": "CNY",
	"$": "USD CAD AUD NZD MXN SGD HKD TWD ARS CLP COP UYU JMD",
	"¥": "JPY CNY", "￥": "JPY CNY", "kr": "SEK NOK DKK ISK", "kr.": "DKK SEK NOK ISK", "Kr": "SEK NOK DKK ISK",
	"Rs": "INR PKR LKR NPR MUR", "Rs.": "INR PKR LKR NPR MUR",
	"Eur": "EUR", "Usd": "USD", "Gbp": "GBP", "Chf": "CHF", "Pln": "PLN", "Czk": "CZK", "US $": "USD", "AU $": "AUD",
	"NZ $": "NZD", "HK $": "HKD", "CA $": "CAD", "R $": "BRL", "RD$": "DOP", "J$": "JMD", "TT$": "TTD", "N$": "NAD",
	"S/.": "PEN", "B/.": "PAB", "Bs.": "BOB VES", "E£": "EGP", "L.E.": "EGP",
	"KSh": "KES", "TSh": "TZS", "USh": "UGX", "GH₵": "GHS", "FCFA": "XOF XAF", "CFA": "XOF XAF", "৳": "BDT", "Tk": "BDT",
	"Tk.": "BDT", "रु": "INR NPR", "रु.": "INR NPR", "₭": "LAK", "៛": "KHR", "บาท": "THB", "đ": "VND", "VNĐ": "VND",
	"NIS": "ILS", "ש״ח": "ILS", `ש"ח`: "ILS", "din.": "RSD", "дин": "RSD",
	"дин.": "RSD", "ден": "MKD", "ден.": "MKD", "Lek": "ALL", "lekë": "ALL", "Dkr": "DKK", "Nkr": "NOK", "Skr": "SEK",
	"р": "RUB", "р.": "RUB", "Р": "RUB", "Р.": "RUB", "рубль": "RUB", "рубля": "RUB", "рублей": "RUB", "rub": "RUB",
	"rub.": "RUB", "гривень": "UAH", "гривні": "UAH", "гривен": "UAH", "лева": "BGN", "тг": "KZT", "тг.": "KZT",
	"тенге": "KZT", "сум": "UZS", "soʻm": "UZS", "so'm": "UZS", "сом": "KGS", "лари": "GEL", "драм": "AMD", "֏": "AMD",
	"манат": "AZN", "manat": "AZN TMT", "бел. руб.": "BYN", "KD": "KWD",
	"QR": "QAR", "SR": "SAR", "DH": "AED MAD", "Dhs": "AED MAD", "dirham": "AED MAD", "dirhams": "AED MAD",
	"درهم": "AED MAD", "د.إ": "AED", "د.إ.": "AED", "د.ك": "KWD", "د.ك.": "KWD", "د.ب": "BHD", "د.ب.": "BHD",
	"د.أ": "JOD", "د.ا": "JOD", "د.م": "MAD", "د.م.": "MAD", "د.ت": "TND", "د.ت.": "TND", "د.ج": "DZD", "د.ج.": "DZD",
	"ر.س": "SAR", "ر.س.": "SAR", "ر.ق": "QAR", "ر.ق.": "QAR", "ر.ع": "OMR", "ر.ع.": "OMR", "ج.م": "EGP", "ج.م.": "EGP",
	"ل.ل": "LBP", "ل.ل.": "LBP", "ريال": "SAR QAR OMR YER", "دينار": "KWD BHD JOD IQD TND DZD LYD", "جنيه": "EGP SDG",
	"dollar": "USD CAD AUD NZD SGD HKD", "dollars": "USD CAD AUD NZD SGD HKD", "yen": "JPY",
	"yuan": "CNY", "rupees": "INR PKR LKR NPR MUR", "zlotych": "PLN", "złotych": "PLN", "złote": "PLN", "baht": "THB",
	"ringgit": "MYR", "rupiah": "IDR", "reais": "BRL", "lira": "TRY", "kronor": "SEK", "kroner": "NOK DKK",
	"korun": "CZK", "forint": "HUF", "Franken": "CHF", "pesos": "MXN ARS COP CLP PHP UYU DOP CUP", "евро": "EUR",
	"долларов": "USD", "人民币": "CNY", "人民幣": "CNY", "港币": "HKD", "港幣": "HKD", "日元": "JPY", "美元": "USD",
	"欧元": "EUR", "歐元": "EUR", "ユーロ": "EUR", "ευρώ": "EUR",
}

// longestFirst are the signs, so that US$ is found before $.
var longestFirst = func() (all []string) {
	for sign := range signs {
		all = append(all, sign)
	}
	sort.Slice(all, func(i, j int) bool {
		if len(all[i]) != len(all[j]) {
			return len(all[i]) > len(all[j])
		}
		return all[i] < all[j]
	})
	return all
}()

// gap are the characters that may stand between an amount and its currency.
const gap = " \u00a0.,:-–—~"

// currencyAtEnd returns the currencies that the end of a text names, and the text before the name.
func currencyAtEnd(text string) (codes []string, before string) {
	text = strings.TrimRight(text, " \u00a0:")
	for _, sign := range longestFirst {
		if at := len(text) - len(sign); at >= 0 && sameSign(text[at:], sign) && isBorder(sign, text[:at], true) {
			return strings.Fields(signs[sign]), text[:at]
		}
	}
	if at := len(text) - len("EUR"); at >= 0 && isCode(text[at:]) && isBorder(text[at:], text[:at], true) {
		return []string{text[at:]}, text[:at]
	}
	return nil, text
}

// currencyAtStart returns the currencies that the beginning of a text names, and the text behind the name.
func currencyAtStart(text string) (codes []string, behind string) {
	trimmed := strings.TrimLeft(text, gap)
	for _, sign := range longestFirst {
		if len(trimmed) >= len(sign) && sameSign(trimmed[:len(sign)], sign) && isBorder(sign, trimmed[len(sign):],
			false) {
			return strings.Fields(signs[sign]), trimmed[len(sign):]
		}
	}
	if n := len("EUR"); len(trimmed) >= n && isCode(trimmed[:n]) &&
		isBorder(trimmed[:n], trimmed[n:], false) {
		return []string{trimmed[:n]}, trimmed[n:]
	}
	return nil, text
}

// sameSign compares a text with a sign, of the same number of bytes. All signs but R are known in lower case, too.
func sameSign(text, sign string) bool {
	if text[0] < utf8.RuneSelf && text[0]|0x20 != sign[0]|0x20 {
		return false
	}
	if len(sign) == 2 && sign != "TL" && sign[1] >= 'A' && sign == strings.ToUpper(sign) {
		return text == sign // qr and kd are no currencies
	}
	return text == sign || sign != "R" && len(sign) > 1 && text == strings.ToLower(sign) ||
		len(sign) > 2 && strings.EqualFold(text, sign)
}

// isBorder reports whether a name in letters ends where it seems to: no letter follows it.
func isBorder(name, rest string, before bool) bool {
	first, last := utf8.DecodeRuneInString, utf8.DecodeLastRuneInString
	inner, _ := last(name)
	outer, _ := first(rest)
	if before {
		inner, _ = first(name)
		outer, _ = last(rest)
	}
	return rest == "" || !unicode.IsLetter(inner) || !unicode.IsLetter(outer)
}

// isCode reports whether a text is the code of a currency that is in use, in capitals.
func isCode(text string) bool {
	for i := range len(text) {
		if text[i] < 'A' || text[i] > 'Z' {
			return false
		}
	}
	unit, err := currency.ParseISO(text)
	return err == nil && unit.String() == text && text != "XXX" && text != "XTS"
}

// resolve returns the one currency that is meant by a sign. why says how it was chosen, if the sign alone does not, or
// why it cannot be. ok is false if the text contradicts what is declared.
func (h Hint) resolve(codes []string) (code, why string, ok bool) {
	switch {
	case len(codes) == 0:
		return h.Currency, "", true
	case h.Currency != "" && slices.Contains(codes, h.Currency):
		return h.Currency, "", true
	case h.Currency != "":
		return "", "the text says " + codes[0] + ", and " + h.Currency + " is declared", false
	case len(codes) == 1:
		return codes[0], "", true
	}
	region, named := regionCurrency(h.Locale)
	if slices.Contains(codes, region) && (named || codes[0] != "USD") {
		return region, region + ": the sign stands for several currencies, and the page is in " + h.Locale, true
	}
	return "", "the sign stands for several currencies: " + strings.Join(codes, ", "), true
}

// codeOf returns the code of the currency that a declaration names, such as "eur" or "€"; "" for none or for several.
func codeOf(text string) string {
	text = strings.TrimSpace(text)
	if upper := strings.ToUpper(text); isCode(upper) {
		return upper
	}
	if codes := strings.Fields(signs[text]); len(codes) == 1 {
		return codes[0]
	}
	return ""
}
