package naming

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

const (
	granite  = `<p>The harbour is open to all boats, and its wall is made of granite from the hills behind the town.</p>`
	calendar = "BEGIN:VCALENDAR\nX-WR-CALNAME:Port\nBEGIN:VEVENT\nSUMMARY:Drill\nDTSTART:20270311T100000Z\nEND:VEVENT\n"
)

// TestN11Names checks what parts of pages of many forms and six languages are of (N11).
func TestN11Names(t *testing.T) {
	page := func(body string) string {
		return "<title>Port, the harbour</title><main><h1>The harbour</h1>" + granite + body + granite + "</main>"
	}
	for _, tt := range []struct{ contentType, page, part, want string }{
		{"text/html", page(`<h2>Terms</h2><p>Cancel within 30 days.</p>`), "30", "Terms"},
		{"text/html", page(`<h2>Terms</h2><h3>Pets</h3><p>Fee: 3 EUR.</p>`), "3 EUR", "Terms › Pets › Fee"},
		{"text/html", page(`<h2>Terms</h2><p>Fee: 3 EUR.</p>`), "Fee: 3 EUR.", "Terms"},
		{"text/html", page(`<p>Nothing stands above it.</p>`), "Nothing", ""},
		{"text/html", page(`<dl><dt>Fee</dt><dd>49 EUR</dd><dt>Open</dt><dd>9–17</dd><dd>weekdays</dd></dl>`), "week", "Open"},
		{"text/html", page(`<ul><li>Fruit<ul><li>Apples 3 EUR</li></ul></li></ul>`), "3 EUR", "Fruit"},
		{"text/html", page(`<div><b>Rope</b></div><div>6 EUR</div><div>In stock</div>`), "In stock", "Rope"},
		{"text/html", page(`<table><tr><th>Berth<th>Price<tr><td>12 m<td>49</table>`), "49", "12 m › Price"},
		{"text/html", page(`<table><tr><th>Berth<th>Price<tr><td>12 m<td>49</table>`), "12 m", ""},
		{"text/html", page(`<table><tr><th>A<th>B<th>C<tr><td>12 m<td>49<td>50</table>`), "49 | 50", "12 m"},
		{"text/html", page(`<h2>Gebühren</h2><p>Der Preis beträgt 3 €.</p>`), "3", "Gebühren"},
		{"text/html", page(`<h2>料金</h2><p>入場料：500円です。</p>`), "500", "料金 › 入場料"},
		{"text/html", page(`<h2>Tarifs</h2><p>Le prix est de 3 €.</p>`), "3", "Tarifs"},
		{"text/html", page(`<h2>Tarifas</h2><ul><li>Plazo: 30 días</li></ul>`), "30", "Tarifas › Plazo"},
		{"text/html", page(`<h2>الرسوم</h2><p>الرسو: 120 دولار</p>`), "120", "الرسوم › الرسو"},
		{"application/json", `{"base":"EUR","rates":{"USD":1.08,"GBP":0.85}}`, "1.08", "rates › USD"},
		{"application/json", `{"items":[{"name":"Rope","price":6},{"name":"Lamp","price":7}]}`, "7", "items › Lamp › price"},
		{"application/xml", `<c><product><name>Rope</name><price>6</price></product><product><name>Lamp</name></product></c>`,
			"6", "product: Rope › price"},
		{"text/calendar", calendar + "BEGIN:VEVENT\nSUMMARY:Race\nLOCATION:Quay\nEND:VEVENT\nEND:VCALENDAR", "Quay",
			"Race › location"},
		{"text/calendar", calendar + "END:VCALENDAR", "2027", "Drill › start"},
		{"application/rss+xml", `<rss><channel><title>News</title><item><title>Rope</title><description>state ok` +
			`</description></item></channel></rss>`, "ok", "Rope"},
		{"text/csv", "Lamp,Price\nStorm,79\n", "79", "Storm › Price"},
		{"application/yaml", "rates:\n  USD: 1.08\nitems:\n  - name: Rope\n    price: 6\n", "6", "items › Rope › price"},
		{"application/yaml", "rates:\n  USD: 1.08\n", "1.08", "rates › USD"},
		{"text/plain", "Opening hours\n\nMonday: 9-17\nTuesday: 10-16\n", "10-16", "Tuesday"},
	} {
		doc, err := web.Extract([]byte(tt.page), tt.contentType, "https://port.example/", extract.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		number, from := -1, 0
		for i, line := range strings.Split(doc.Text, "\n") {
			if at := strings.Index(line, tt.part); at >= 0 && number < 0 {
				number, from = i, at
			}
		}
		n := Of(doc.Blocks, doc.Title)
		have := strings.Join(n.Line(number, from, from+len(tt.part)), " › ")
		if have != tt.want || number < 0 {
			t.Errorf("%s: %s of %q is %q, want %q", tt.contentType, tt.part, doc.Text, have, tt.want)
		}
		if like := strings.Join(n.Like(n.Text(number), from, from+len(tt.part)), " › "); like != tt.want {
			t.Errorf("like the line: %q, want %q", like, tt.want)
		}
	}
}

// TestN11NamesAreBounded checks that no line makes a name long, and that lines which are not there have none (N11).
func TestN11NamesAreBounded(t *testing.T) {
	long := strings.Repeat("port ", 40)
	n := Of([]extract.Block{{Kind: extract.Heading, Level: 1, Text: long},
		{Kind: extract.Heading, Level: 2, Text: "a " + long},
		{Kind: extract.Heading, Level: 3, Text: "b " + long}, {Kind: extract.Paragraph, Text: "Fee: 3 EUR"}}, "")
	names := n.Line(6, 5, 6)
	if len(names) != 3 || names[2] != "Fee" || len(strings.Join(names, " › ")) > 200 {
		t.Errorf("%q", names)
	}
	for _, line := range []int{-1, 5, 7, 100} {
		if names := n.Line(line, 0, 1); names != nil || n.Text(line) != "" {
			t.Errorf("line %d: %q", line, names)
		}
	}
	beside := Of([]extract.Block{{Kind: extract.Heading, Level: 2, Text: "Terms"},
		{Kind: extract.Paragraph, Text: "It rains.", Zone: extract.Beside}}, "")
	if names := beside.Line(2, 0, 1); len(names) > 0 {
		t.Errorf("a heading of the other zone names what stands beside: %q", names)
	}
}
