package ui

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const shopItem = "url_aaaaaaaaaaaaaaaaaaaaaaaaaa"

// shopFields are fields in each state, with texts of a stranger.
var shopFields = fmt.Sprintf(`{
	"stars": {"value": 4.5, "text": "4.5", "type": "number", "state": "value", "asked": true, "entries": 1,
		"at": "2026-03-01T08:00:00Z", "evidence": {"from": "css", "path": ".stars <b>", "text": "<script>owned()</script>"}},
	"price": {"value": 84, "currency": "EUR", "text": "84 EUR", "type": "money", "state": "value", "entries": 4,
		"at": "2026-09-20T08:00:00Z", "evidence": {"from": "json-ld", "path": "Product.offers.price", "text": "84.00",
		"capture": "%[1]s"}, "first": {"value": 79, "currency": "EUR", "text": "79 EUR", "at": "2026-03-01T08:00:00Z"},
		"lowest": {"value": 72, "currency": "EUR", "text": "72 EUR", "at": "2026-05-11T08:00:00Z"},
		"highest": {"value": 84, "currency": "EUR", "text": "84 EUR", "at": "2026-09-20T08:00:00Z"}},
	"salePrice": {"value": null, "state": "disappeared", "last": "69 EUR", "at": "2026-06-01T08:00:00Z", "entries": 2, "evidence": {}},
	"availability": {"value": "InStock", "text": "in stock", "type": "availability", "state": "value", "entries": 1,
		"at": "2026-03-01T08:00:00Z", "evidence": {"from": "json-ld", "path": "Product.offers.availability"}},
	"weight": {"value": 3, "text": "3", "state": "unread", "why": "it may mean two numbers", "asked": true, "entries": 1,
		"evidence": {"from": "css", "path": ".weight"}},
	"colour": {"value": "red", "text": "red", "type": "text", "state": "gone", "asked": true, "entries": 1,
		"why": "no element matches", "evidence": {"from": "css", "path": ".colour"}},
	"author": {"value": "A. Smith", "text": "A. Smith", "type": "text", "state": "value", "entries": 1, "evidence": {}}
}`, strings.Repeat("a", 64))

// shopPrices is the history of the price.
var shopPrices = fmt.Sprintf(`{"name": "price", "older": 3, "notKept": 0, "entries": [
	{"value": 99, "currency": "USD", "text": "99 USD", "at": "2026-02-01T08:00:00Z"},
	{"value": 79, "currency": "EUR", "text": "79 EUR", "at": "2026-03-01T08:00:00Z", "capture": "%[1]s"},
	{"value": 72, "currency": "EUR", "text": "72 EUR", "at": "2026-05-11T08:00:00Z"},
	{"value": null, "at": "2026-06-11T08:00:00Z"},
	{"value": 84, "currency": "EUR", "text": "84 EUR", "at": "2026-09-20T08:00:00Z"}]}`, strings.Repeat("a", 64))

// shop is a dashboard over an API with one item, which has fields.
func shop() http.Handler {
	item := `{"id": "` + shopItem + `", "type": "url", "title": "Lamp", "status": "Indexed", "watchBroken": true,
		"why": "the field colour is not there", "lastChecked": "2026-11-01T08:00:00Z",
		"unreadData": {"blocks": 2, "why": "a comma is missing", "text": "\"price\" <79>"}, "fields": ` + shopFields + `}`
	a := answers{"/items/" + shopItem: item, "/fields/price": shopPrices,
		"/fields/availability": `{"name": "availability", "entries": [
			{"value": "InStock", "text": "in stock", "at": "2026-03-01T08:00:00Z"},
			{"value": "OutOfStock", "text": "out of stock", "at": "2026-05-01T08:00:00Z"},
			{"value": "InStock", "text": "in stock", "at": "2026-07-01T08:00:00Z"}]}`,
		"/fields/weight": `{"name": "weight", "entries": [{"value": "heavy", "text": "heavy", "at": "2026-02-01T08:00:00Z"},
			{"value": 3, "text": "3 kg", "at": "2026-03-01T08:00:00Z"}]}`,
		"/rules/preview": `{"looked": 3}`, "/channels": `{"channels": []}`,
		"/offers": `{"offers": []}`, "/rules": `{"rules": []}`, "/fields/colour": `{"name": "colour", "entries": [{"value": "red", "text": "red", "at": "2026-03-01T08:00:00Z"}]}`}
	return New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: a})})
}

// read returns a page of a dashboard, with single blanks.
func read(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", Root+path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d\n%s", path, w.Code, w.Body)
	}
	return strings.Join(strings.Fields(w.Body.String()), " ")
}

// inOrder checks that a page has texts, one after the other.
func inOrder(t *testing.T, body string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		_, after, has := strings.Cut(body, want)
		if !has {
			t.Fatalf("%q is missing in\n%s", want, body)
		}
		body = after
	}
}

// G1: TestG1ValuesOfAPage checks what the page of an item says of each field: those that are asked for first, with
// what is the matter and what to do.
func TestG1ValuesOfAPage(t *testing.T) {
	inOrder(t, read(t, shop(), "/items/"+shopItem), "What is watched is not there", "The field colour is not there.",
		"Accept the page as it is", "The place of colour is gone:", "/settings", `class="panel figures"`,
		`/fields/price">Price</a>`, "<span>84 <small>EUR</small></span>", "between 72 and 84 EUR, now 84 EUR",
		`/fields/availability">Stock</a>`, "in stock", "since 1 July", `class="yes"`)
	body := read(t, shop(), "/items/"+shopItem+"/experts")
	inOrder(t, body, `id="values"`, "2 blocks of the data that the page declares could not be read, the first because: a comma is missing, at",
		"&lt;79&gt;",
		`/fields/colour">`, "asked for", "red</strong> was the last one", "its place is gone", "no element matches",
		`/fields/stars">`, "<strong>4.5</strong>", "since", "the CSS selector", ".stars &lt;b&gt;", "&lt;script&gt;owned()",
		"Tell me when stars…", `/fields/weight">`, "not read", "it may mean two numbers",
		`/fields/price">`, "<strong>84 EUR</strong>", "first 79 EUR", "lowest 72 EUR", "2026-05-11", "highest 84 EUR",
		"JSON-LD", "Product.offers.price", "“84.00”", "/read",
		"/tell?item="+shopItem+"&amp;value=price&amp;what=value",
		`/fields/salePrice">`, "<strong>69 EUR</strong> was the last one", "disappeared", "since", "2026-06-01", `/fields/availability">`, "in stock",
		"<details><summary>1 further value", `/fields/author">`)
	if strings.Contains(body, "<script>owned") {
		t.Error("a text of the page is not escaped")
	}
}

// G2: TestG2HistoryOfAField checks the page about a field: the plot with what it leaves out, and all values.
func TestG2HistoryOfAField(t *testing.T) {
	path := "/items/" + shopItem + "/fields/"
	inOrder(t, read(t, shop(), path+"price"), "Tell me when…", "/csv/price", "84 EUR",
		`<svg class="spark"`, "between 72 and 84 EUR, now 84 EUR", "leaves out 1 value in another currency", "Lowest", "72 EUR",
		"The newest 5 values are shown. 3 older values: see the CSV.", "the last check", "84 EUR", "disappeared",
		"72 EUR", "79 EUR", "/read", "99 USD")
	inOrder(t, read(t, shop(), path+"availability"), `<svg class="spark states"`, `class="yes"`, "out of stock")
	for _, wrong := range []string{`class="spark`, "The drawing", "currency", "Lowest"} {
		if body := read(t, shop(), path+"colour"); strings.Contains(body, wrong) {
			t.Errorf("the page of a text has %q: %s", wrong, body)
		}
	}
	inOrder(t, read(t, shop(), path+"weight"), `<svg class="spark"`, "The drawing leaves out 1 value in words; the table has it.",
		"3 kg", "heavy")
}

// G2: TestG2HistoryAsCSV checks that the dashboard passes the history of a field on as CSV, whatever its name is.
func TestG2HistoryAsCSV(t *testing.T) {
	for name, want := range map[string]string{"price": "price", "a/b c": "a%2Fb%20c"} {
		got := ""
		h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: answers{}}),
			API: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r.URL.EscapedPath() + "?" + r.URL.RawQuery
			})})
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET",
			Root+"/items/"+shopItem+"/csv/"+strings.ReplaceAll(name, " ", "%20"), nil))
		if want := "/api/items/" + shopItem + "/fields/" + want + "?format=csv"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// G1: TestG1ChangesOfFields checks that the list of changes and the page of a change show the values, can select
// them, and say for what a change is that is only for conditions of rules.
func TestG1ChangesOfFields(t *testing.T) {
	const change = `{"id": "1.2.3", "itemId": "` + shopItem + `", "at": "2026-09-20T08:00:00Z", "kind": "field",
		"title": "Lamp", "silenced": %t,
		"why": "price: 79 → 84 EUR (lowest 72 in May); <b>: <i>red</i> → none; the rest is cut", "fields": [{"name": "price", "text": "79 → 84 EUR (lowest 72 in May)"},
		{"name": "<b>", "text": "<i>red</i> → none"}]}`
	for silenced, word := range map[bool]string{false: "", true: "<small>ignored</small>"} {
		c := fmt.Sprintf(change, silenced)
		a := answers{"/changes": `{"changes": [` + c + `]}`, "/why": `{"change": ` + c + `}`,
			"/SearchStatus": `{"items": {"Indexed": 1}}`}
		h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: a})})
		inOrder(t, read(t, h, "/"), "kind=field", "Values", "Lamp", "<del>79</del>", "84 EUR</ins>", ">price</small>",
			"lowest 72 in May</small>", word, "Price: 79 → 84 EUR (lowest 72 in May)", "&lt;b&gt;: &lt;i&gt;red")
		body := read(t, h, "/changes/1.2.3")
		for _, text := range []string{read(t, h, "/"), body} {
			if strings.Count(text, "79 → 84 EUR") != 1 || !strings.Contains(text, ">the rest is cut<") {
				t.Errorf("says a value twice, or not what is cut: %s", text)
			}
		}
		inOrder(t, body, "Lamp", "79 → 84 EUR (lowest 72 in May)")
		if has := strings.Contains(body, "only alerts for a value"); has != silenced {
			t.Errorf("silenced %v: says for what it is: %v", silenced, has)
		}
	}
}

// G2: TestG2TrialsSayWhatTheyCannotKnow checks that the trial of a rule says of which values it knows nothing, rather
// than only that the rule would have sent nothing.
func TestG2TrialsSayWhatTheyCannotKnow(t *testing.T) {
	h := shop()
	for query, want := range map[string]string{
		"item=" + shopItem: "",
		"item=" + shopItem + "&when.op=appears&when.field=version": "No value named <b>version</b> of this page has",
		"item=" + shopItem + "&when.op=appears&when.field=author":  "Changes of <b>author</b> are listed only while",
		"item=" + shopItem + "&when.op=appears&when.field=colour":  "",
		"all=1&when.op=appears&when.field=price":                   "",
		"all=1&when.op=appears&when.field=version":                 "Changes of <b>version</b> are listed only",
	} {
		body := read(t, h, "/tell?name=it&"+query)
		_, trial, _ := strings.Cut(body, "Would not have told you yet")
		trial, _, _ = strings.Cut(trial, "</section>")
		says := strings.Contains(trial, "of this page has") || strings.Contains(trial, "are listed only")
		if trial == "" || !strings.Contains(trial, want) || says != (want != "") {
			t.Errorf("%s: want %q in %s", query, want, trial)
		}
	}
}

// TestValuesStandOnce checks that a value that is read again, as after its field was defined anew, is one row of its
// history.
func TestValuesStandOnce(t *testing.T) {
	entry := func(hour int, text string) (e api.FieldEntry) {
		e.Text, e.At = text, time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC)
		return e
	}
	rows := rowsOf([]api.FieldEntry{entry(1, "5"), entry(2, "5"), entry(3, "6"), entry(4, "5")})
	have := ""
	for _, r := range rows {
		have += fmt.Sprintf("%s %d-%d; ", r.Text, r.At.Hour(), r.Until.Hour())
	}
	if have != "5 4-0; 6 3-4; 5 1-3; " {
		t.Error(have)
	}
}
