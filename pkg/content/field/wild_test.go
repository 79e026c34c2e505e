package field

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract/data"
)

// wildText is an input that was once read wrongly, with the number of the fault. want is a value, and "" if the text
// is not to be read. Availabilities may have several right values, with | between them.
type wildText struct {
	row  string
	of   Type
	text string
	want string
}

// wild are texts in which public reports of faults, or the tests of other readers, led to wrong or missing values.
var wild = []wildText{
	{"B2.1", Availability, "Back in stock soon", "OutOfStock"},
	{"B2.2", Availability, "Notify me when available", "OutOfStock"},
	{"B2.3", Availability, "Email me when back in stock", "OutOfStock"},
	{"B2.4", Availability, "0 in stock", "OutOfStock"},
	{"B2.5", Availability, "0 available", "OutOfStock"},
	{"B2.6", Availability, "Available soon", "OutOfStock"},
	{"B2.7", Availability, "Not yet available", "OutOfStock"},
	{"B2.8", Availability, "Only available in store", "InStoreOnly"},
	{"B2.9", Availability, "Bald wieder verfügbar", "OutOfStock"},
	{"B2.10", Availability, "Benachrichtigen, wenn verfügbar", "OutOfStock"},
	{"B2.11", Availability, "Bientôt disponible", "OutOfStock"},
	{"B2.12", Availability, "Me prévenir quand ce produit est disponible", "OutOfStock"},
	{"B2.13", Availability, "Expected in stock on 3 May", "OutOfStock"},
	{"B2.14", Availability, "Will be in stock in 2 weeks", "OutOfStock"},
	{"B2.15", Availability, "Sizes available: none", "OutOfStock"},
	{"B4.1", Availability, "Nedostupné", "OutOfStock"}, {"B4.2", Availability, "Elfogyott", "SoldOut|OutOfStock"},
	{"B4.3", Availability, "Stoc epuizat", "SoldOut|OutOfStock"},
	{"B4.4", Availability, "Εξαντλήθηκε", "SoldOut|OutOfStock"},
	{"B4.5", Availability, "Немає в наявності", "OutOfStock"}, {"B4.6", Availability, "Hết hàng", "OutOfStock"},
	{"B4.7", Availability, "Còn hàng", "InStock"}, {"B4.8", Availability, "Habis", "SoldOut|OutOfStock"},
	{"B4.9", Availability, "到货通知", "OutOfStock"}, {"B4.10", Availability, "Add to cart", "InStock"},
	{"B4.11", Availability, "Last one!", "LimitedAvailability"}, {"B4.12", Availability, "Stock: 0", "OutOfStock"},
	{"B4.13", Availability, "Lagerbestand: 0", "OutOfStock"},
	{"B9.1", Money, "-5,00 €", "-5 EUR"}, {"B9.2", Money, "−€1,250.50", "-1250.50 EUR"},
	{"B9.3", Money, "-1.299,00 kr", "-1299"}, {"B9.4", Money, "EUR -4", "-4 EUR"},
	{"B35.1", Money, "12 € 50", "12.50 EUR"}, {"B35.2", Money, "120 د.إ", "120 AED"},
	{"B35.3", Money, "99.00 ر.س", "99 SAR"}, {"B35.4", Money, "1 299 тг", "1299 KZT"},
	{"B35.5", Money, "12 dollars", "12"},
	{"B84.1", Money, "118, 99 TL", "118.99 TRY"}, {"B84.2", Money, "$ 8. 94", "8.94"},
	{"B84.3", Money, "35€ 99", "35.99 EUR"}, {"B84.4", Money, "1.837, 32 €", "1837.32 EUR"},
	{"B85.1", Money, "1 890 Р", "1890 RUB"}, {"B85.2", Money, "1 030 р.", "1030 RUB"},
	{"B85.3", Money, "1128240 рублей", "1128240 RUB"}, {"B85.4", Money, "423.923 KD", "423.923 KWD"},
	{"B85.5", Money, "3,439.00 درهم", "3439"},
}

// wildPages are pages and documents with a field that were read wrongly, too.
var wildPages = []struct{ row, page, field, want string }{
	{"B2.16", `<b itemscope itemtype="https://schema.org/Product"><i itemprop=offers itemscope><i itemprop=availability>` +
		`Back in stock soon</i></i></b>`, "availability", "OutOfStock"},
	{"B2.17", ld(`{"@type":"Product","offers":{"price":5,"availability":"0 available"}}`), "availability", "OutOfStock"},
	{"B10.1", ld(`{"@type":"Product","offers":[{"price":"0","priceCurrency":"EUR"},{"price":"79.00",
		"priceCurrency":"EUR"}]}`), "price", "79 EUR"},
	{"B10.2", ld(`{"@type":"Product","offers":[{"price":79,"priceCurrency":"EUR"},{"price":49,"priceCurrency":"EUR",
		"itemCondition":"https://schema.org/UsedCondition"}]}`), "price", "79 EUR"},
	{"B34", `<meta name=dc.date content=2023-01-02><meta name=citation_publication_date content="2022/12">`, "published",
		"2023-01-02"},
	{"B35.6", `{"a":1.5E+2}`, "money=jsonpath:$.a", "150"},
	{"B35.7", `<p class=d><time datetime=2027-03-04>next week</time></p>`, "date=css:.d", "2027-03-04"},
}

// G5: TestG5WildValues checks each text and page that was once read wrongly, each text also as a value of JSON.
func TestG5WildValues(t *testing.T) {
	check := func(row, text, have, want, why string) {
		if have != "" && strings.Contains("|"+want+"|", "|"+have+"|") {
			return
		}
		t.Errorf("%s %q: have %q (%s), want %s", row, text, have, why, want)
	}
	for _, tc := range wild {
		v, why, _ := Parse(tc.of, tc.text, Hint{})
		check(tc.row, tc.text, v.String(), tc.want, why)
		text, err := json.Marshal(map[string][]map[string]string{"rows": {{"id": "other", "is": "none"},
			{"id": "a", "is": tc.text}}})
		if err != nil {
			t.Fatal(err)
		}
		r := wildField(t, string(text), string(tc.of)+`=jsonpath:$.rows[?@.id=="a"].is`)
		check(tc.row+" in JSON", tc.text, r.Value.String(), tc.want, r.Evidence.Reason)
	}
	for _, tc := range wildPages {
		r := wildField(t, tc.page, tc.field)
		check(tc.row, tc.page, r.Value.String(), tc.want, r.Evidence.Reason)
	}
}

// wildField reads a field of a page or of JSON: one that pages declare, or type=source:path.
func wildField(t *testing.T, text, name string) Result {
	of, at, asked := strings.Cut(name, "=")
	source, path, _ := strings.Cut(at, ":")
	switch {
	case !asked:
		return pageOf(t, text).Read(Spec{Name: name, Source: Declared})
	case Source(source) == JSONPath:
		root, ok := data.Tree(text, false)
		if !ok {
			t.Fatalf("%s is not JSON", text)
		}
		return NewJSON(root, here).Read(Spec{Name: "mine", Type: Type(of), Source: JSONPath, At: path})
	}
	return pageOf(t, text).Read(Spec{Name: "mine", Type: Type(of), Source: Source(source), At: path})
}

// G5: TestG5WildNeighbours checks forms beside those of the reports, in which a sign, a blank or a zero means something
// else.
func TestG5WildNeighbours(t *testing.T) {
	for _, tc := range []struct{ text, locale, want string }{
		{"12,90 -19,90 €", "", "12.90–19.90 EUR"}, {"$-5.00", "en-US", "-5 USD"}, {"Balance: -€5", "", "-5 EUR"},
		{"Price - 5 €", "", "5 EUR"}, {"SKU-5 €", "", "5 EUR"}, {"5 € -3 €", "", ""}, {"79 € 84 €", "", ""},
		{"5 € 10 Stück", "de", "5 EUR"}, {"12,90 € 50", "de", "12.90 EUR"}, {"Size 38. 99 €", "", ""},
		{"12 dollars", "en-CA", "12 CAD"}, {"50 درهم", "ar-MA", "50 MAD"}, {"1 299 тенге", "", "1299 KZT"},
		{"5 KD", "", "5 KWD"}, {"100 rub", "", "100 RUB"}, {"Br 5", "", ""}, {"99 din.", "", "99 RSD"},
		{"2 500 сум", "", "2500 UZS"}, {"150 000 đ", "vi", "150000 VND"}, {"1.200 pesos", "es-AR", "1200 ARS"},
	} {
		v, why, ok := Parse(Money, tc.text, Hint{Locale: tc.locale})
		if v.String() != tc.want || ok != (tc.want != "") {
			t.Errorf("%q in %q: have %q (%s), want %q", tc.text, tc.locale, v, why, tc.want)
		}
	}
	for name, tc := range map[string]struct{ page, field, want string }{
		"all offers are used": {ld(`{"@type":"Product","itemCondition":"UsedCondition","offers":[{"price":49,
			"itemCondition":"UsedCondition","priceCurrency":"EUR"}]}`), "price", "49 EUR"},
		"stock of a used copy": {ld(`{"@type":"Product","offers":[{"price":79,"availability":"SoldOut"},{"price":49,
			"availability":"InStock","itemCondition":"UsedCondition"}]}`), "availability", "SoldOut"},
		"the lowest is 0": {ld(`{"@type":"Product","offers":{"lowPrice":0,"highPrice":79,"priceCurrency":"EUR"}}`),
			"price", ""},
		"free and paid": {ld(`{"@type":"Product","offers":{"lowPrice":0,"highPrice":79,"priceCurrency":"EUR"}}`) +
			"<b>Free</b>", "price", "0–79 EUR"},
		"only a month": {`<meta name=citation_publication_date content="2022/12">`, "published", "2022-12"},
		"two times": {`<p class=d><time datetime=2027-03-04>a</time><time datetime=2027-03-05>b</time></p>`,
			"date=css:.d", ""},
		"a day in data": {ld(`{"@type":"Article","datePublished":"2022"}`) + `<meta name=date content=2022-05-01>`,
			"published", "2022-05-01"},
	} {
		if r := wildField(t, tc.page, tc.field); r.Value.String() != tc.want {
			t.Errorf("%s: have %q (%s), want %q", name, r.Value, r.Evidence.Reason, tc.want)
		}
	}
}
