package handlers

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// sends lets a JSON source answer with a text, and starts a check.
func (r *rig) sends(id, text string) {
	r.t.Helper()
	r.now = r.now.Add(time.Second)
	r.web.more = map[string]string{"rates.json": text}
	if do(r.t, r, "POST", "/api/ReindexItem", `{"id":"`+id+`","force":true}`); id == "" {
		do(r.t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/rates.json"}`)
	}
	r.work()
}

const ratesJSON = `{"time":"2026-03-01T10:00:00Z","rates":{"USD":1.0842,"EUR":1},"plans":[
	{"id":"basic","name":"Basic","price":9,"url":"/basic"},{"id":"pro","name":"Pro","price":29,"url":"/pro"}],
	"note":"from 12 EUR","odd name":true}`

// TestPressedJSON checks that the values of JSON are listed and pressed as the elements of a page are, and that a path
// names them by their names and keys, not by their place.
func TestPressedJSON(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/rates.json")
	r.sends("", ratesJSON)
	var page api.PageElements
	w := do(t, r, "GET", "/api/items/"+id+"/elements", "")
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || page.Why != "" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	numbers, have := map[string]int{}, []string{}
	for _, l := range page.Lines {
		have = append(have, l.Text)
		for _, e := range append(l.Parts, l.PageElement) {
			numbers[e.Text] = e.Element
		}
	}
	want := []string{"time: 2026-03-01T10:00:00Z", "rates.USD: 1.0842", "rates.EUR: 1",
		"plans: id: basic, name: Basic, price: 9, url: /basic", "plans: id: pro, name: Pro, price: 29, url: /pro",
		"note: from 12 EUR", "odd name: true"}
	if !slices.Equal(have, want) {
		t.Errorf("have %q", have)
	}
	element := func(text string) string {
		q, _ := json.Marshal(map[string]any{"capture": page.Capture, "element": numbers[text]})
		return string(q)
	}
	for _, tt := range []struct{ body, offers, field string }{
		{element("rates.USD: 1.0842"), "this $.rates.USD key the value “rates.USD”", "USD number 1.0842"},
		{element("price: 29"), `this $.plans[?@.id=="pro"].price key “price” of the entry “Pro”; ` +
			`alike $.plans[*] key all entries like this one; column $.plans[*].price key “price” of all entries`, "price number 29"},
		{`{"text":"Pro"}`, `this $.plans[?@.id=="pro"] key the entry “Pro”; alike $.plans[*] key all entries like this one`, ""},
		{`{"text":"odd name"}`, `this $["odd name"] key the value “odd name”`, ""},
		{`{"selector":"$.note"}`, "this $.note key the value “note”", "note money from 12 EUR"},
	} {
		trial := r.trial(id, tt.body)
		var have []string
		for _, o := range trial.Offers {
			have = append(have, strings.Join([]string{o.Scope, o.Selector, o.By, o.Says}, " "))
		}
		value := ""
		if v := trial.Value; v != nil {
			value = strings.Join([]string{v.Name, v.Type, v.Text}, " ")
		}
		if all := strings.Join(have, "; "); all != tt.offers || value != tt.field {
			t.Errorf("%s: %s, %q", tt.body, all, value)
		}
	}
	trial := r.trial(id, element("price: 29"))
	if o := trial.Offers[0]; !*o.Steady.InsertedAbove || !*o.Steady.Reordered || !slices.Equal(o.Found, []int{1}) {
		t.Errorf("%+v", o)
	}
	if f := trial.Watch.Fields["price"]; f.From != "jsonpath" || f.Path != `$.plans[?@.id=="pro"].price` || f.Type != "number" {
		t.Errorf("%+v", trial.Watch)
	}
	all := r.trial(id, `{"text":"Pro","scope":"alike"}`)
	if c := all.Captures[0]; all.Watch.List != "tell" || len(c.Entries) != 2 || c.Entries[1].Title != "Pro" {
		t.Errorf("%+v", all)
	}
	for body, says := range map[string]string{`{"text":"nothing"}`: "0 parts of the page", `{"selector":"$.plans[*]"}`: "2 elements",
		`{"text":"note","scope":"alike"}`: "in no list"} {
		if w := do(t, r, "POST", "/api/items/"+id+"/watch/try", body); w.Code != 400 ||
			!strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

// trial tries a watch.
func (r *rig) trial(id, body string) (out api.WatchTrial) {
	r.t.Helper()
	w := do(r.t, r, "POST", "/api/items/"+id+"/watch/try", body)
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 200 {
		r.t.Fatalf("%s: %d %s", body, w.Code, w.Body)
	}
	return out
}

// TestPressedNumberOfJSON checks that of an answer with a time that is always another, only the pressed number is told.
func TestPressedNumberOfJSON(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/rates.json")
	r.sends("", ratesJSON)
	trial := r.trial(id, `{"selector":"$.rates.USD"}`)
	patch, _ := json.Marshal(map[string]any{"watch": trial.Watch})
	says(t, do(t, r, "PATCH", "/api/items/"+id, string(patch)), 200, "$.rates.USD")
	r.sends(id, ratesJSON)
	r.sends(id, strings.ReplaceAll(ratesJSON, "10:00", "11:00"))
	r.sends(id, strings.NewReplacer("10:00", "12:00", "1.0842", "1.1100").Replace(ratesJSON))
	var changes api.ChangePage
	if err := json.Unmarshal(do(t, r, "GET", "/api/changes", "").Body.Bytes(), &changes); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, c := range changes.Changes {
		have = append(have, string(c.Kind)+" "+c.Why)
		for _, p := range c.Passages {
			have = append(have, p.Text)
		}
	}
	if want := []string{"field USD: 1.0842 → 1.11 (lowest 1.0842 on 1 Mar)", "- USD: 1.0842", "- USD: 1.1100",
		"new fetched for the first time"}; !slices.Equal(have, want) {
		t.Errorf("told %q", have)
	}
}

// TestWhatJSONOffers checks that JSON offers its numbers under their names and its arrays, and no time stamps and ids.
func TestWhatJSONOffers(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/rates.json")
	r.sends("", `{"at":1772359200,"id":7,"open issues":12,"plans":[{"id":"a","price":9,"url":"/a"},
		{"id":"b","price":29,"url":"/b"},{"id":"c","price":99,"url":"/c"}],"stock":"in stock"}`)
	_, have := offersOf(t, r, id)
	want := []string{
		"price “price” of the entry “a”: 9, 9  0, 1h when price < 9",
		"price “price” of the entry “b”: 29, 29  0, 1h when price-2 < 29",
		"price “price” of the entry “c”: 99, 99  0, 1h when price-3 < 99",
		"stock stock: in stock, InStock  0, 15m when stock fromTo ",
		"list plans: a; b; c, <nil>  3, 6h",
		"number open issues: 12, 12  0, 1d when open issues fromTo ",
	}
	if !slices.Equal(have, want) {
		t.Errorf("have %s", strings.Join(have, "\n"))
	}
}

// TestPressedFeed checks that the text of a feed is listed, that pressing an entry watches the list of them, and that
// other XML is pressed as a page is.
func TestPressedFeed(t *testing.T) {
	r := newRig(t)
	id, other := idOf(t, "https://port.example/ok/feed.xml"), idOf(t, "https://port.example/ok/fees.xml")
	r.web.more = map[string]string{"feed.xml": `<rss version="2.0"><channel><title>N</title><item><title>Berth open</title>
		<link>https://port.example/1</link></item><item><title>Crane shut</title><link>https://port.example/2</link></item>
		</channel></rss>`, "fees.xml": `<fees><fee name="a">12</fee></fees>`}
	do(t, r, "POST", "/api/AddUrlDocument", `{"urls":["https://port.example/ok/feed.xml","https://port.example/ok/fees.xml"]}`)
	r.work()
	says(t, do(t, r, "GET", "/api/items/"+id+"/elements?find=CRANE", ""), 200, `"element":3,"text":"Crane shut"`)
	trial := r.trial(id, `{"text":"crane shut"}`)
	if w := trial.Watch; w.List != "tell" || len(w.Include) > 0 || len(trial.Captures[0].Entries) != 2 ||
		trial.Text != "Crane shut" {
		t.Errorf("%+v", trial)
	}
	if _, have := offersOf(t, r, id); !slices.Equal(have, []string{"list list: Berth open; Crane shut, <nil>  2, 6h"}) {
		t.Errorf("%q", have)
	}
	if trial := r.trial(other, `{"text":"fee: 12"}`); trial.Selector != `li:named("fee")` || trial.Value.Text != "12" {
		t.Errorf("%+v", trial)
	}
}
