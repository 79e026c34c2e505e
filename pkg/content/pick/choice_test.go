package pick_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/pick"
)

const meetings = `<h1>Council</h1><h2>Meetings</h2><table><tr><th>Place<th>Time<th>Seats</tr>
<tr><td>Great Hall<td>9:00<td>4<tr><td>Town Hall<td>10:00<td>5<tr><td>Court 1<td>9:00<td>6<tr><td>Court 1<td>10:00<td>7</table>
<table class=ranks><tr><td>1<td>Arsenal<td>89<tr><td>2<td>Leeds<td>80<tr><td>3<td>Hull<td>71</table>
<dl><dt>Mayor<dd>Ann<dt>Clerk<dd>Bob</dl>
<ul class=jobs><li><a href=/1>Warden (5)</a> full time<li><a href=/2>Nurse</a> nights<li><a href=/3>Cook</a> days</ul>
<h2>Opening hours</h2><p>Monday to Friday 10 to 18.</p>
<div class=Grid_cards__x1Y2z><div class=Card_card__a1B2c><h3>Lamp</h3><p class=Card_cost__Zz9aB>79</p></div>
<div class=Card_card__a1B2c><h3>Rope</h3><p class=Card_cost__Zz9aB>12</p><p>new</p></div></div>
<div class=Stock_left__q9Zz1>7 left</div><ol><li>12<li>13<li>14</ol>`

// TestW31ChosenByWhatItSays checks by what an element is found: names before the names of the markup and before its
// place, and the words for it (W31).
func TestW31ChosenByWhatItSays(t *testing.T) {
	for name, tt := range map[string]struct{ text, want, words string }{
		"a row":             {"Great Hall 9:00 4", `tr:named("Great Hall")`, "the row “Great Hall”"},
		"a cell":            {"5", `tr:named("Town Hall") td:column("Seats")`, "“Seats” of the row “Town Hall”"},
		"a second name":     {"Court 1 10:00 7", `tr:named("Court 1", "10:00")`, "the row “Court 1, 10:00”"},
		"a key that counts": {"Leeds", `tr:named("*", "Leeds") > td:nth-of-type(2)`, "the second part of the row “Leeds”"},
		"a dd":              {"Bob", `dd:named("Clerk")`, "the part “Clerk”"},
		"a number in it":    {"Warden (5) full time", `li:named("Warden (*)")`, "the entry “Warden (*)”"},
		"under a heading":   {"Monday to Friday 10 to 18.", `p:named("Opening hours")`, "the paragraph “Opening hours”"},
		"a column":          {"80", `tr:named("*", "Leeds") > td:nth-of-type(3)`, "the third part of the row “Leeds”"},
		"a suffix":          {"7 left", `[class*="Stock_left__"]`, "its names in the markup"},
		"only its place":    {"13", `ol > li:nth-of-type(2)`, "the second entry"},
	} {
		root := parse(t, meetings)
		p := pick.Read(root)
		n := p.Element(number(p, tt.text))
		if n == nil {
			t.Fatalf("%s: no %q", name, tt.text)
		}
		way, ok := pick.Choose(root, n, func(func(*html.Node) bool) {})
		byPosition := name == "only its place"
		if !ok || !strings.HasSuffix(way.Selector, tt.want) || way.Words != tt.words ||
			(way.By == pick.ByPosition) != byPosition {
			t.Errorf("%s: %+v, want %s: %s", name, way, tt.want, tt.words)
		}
	}
}

// TestW31LabelledValue checks that a value is found by its label and its entry, and not by what it is now (W31).
func TestW31LabelledValue(t *testing.T) {
	root := parse(t, `<main><h2>Great Hall</h2><ul><li>time: 19:30<li>fee: 42</ul><h2>Old Barn</h2><ul><li>time: 9:30<li>fee: 8</ul>
		<h2>Rates</h2><ul><li><b>currency: USD</b><ul><li>day: 2026-03-01<li>rate: 1.08</ul>
		<li><b>currency: JPY</b><ul><li>day: 2026-03-01<li>rate: 160.1</ul></ul>`)
	p := pick.Read(root)
	for text, want := range map[string]string{
		"fee: 42":    `ul:under("Great Hall") li:named("fee")`,
		"rate: 1.08": `li:named("currency: USD") li:named("rate")`,
	} {
		way, ok := pick.Choose(root, p.Element(number(p, text)), func(func(*html.Node) bool) {})
		if !ok || way.Selector != want {
			t.Errorf("%s: %+v, want %s", text, way, want)
		}
	}
}

// TestW31OtherCaptures checks that the selector is chosen that finds the element of this name in the other captures,
// and that a place is never chosen before a name (W31).
func TestW31OtherCaptures(t *testing.T) {
	root := parse(t, meetings)
	p := pick.Read(root)
	for name, tt := range map[string]struct{ text, other, want string }{
		"the key changes":      {"Nurse nights", strings.ReplaceAll(meetings, "Nurse", "Nurses"), `li:named("Nurse")`},
		"the number changes":   {"Warden (5) full time", strings.ReplaceAll(meetings, "(5)", "(6)"), `li:named("Warden (*)")`},
		"the second changes":   {"Court 1 10:00 7", strings.ReplaceAll(meetings, "<td>10:00<td>7", "<td>11:00<td>7"), `tr:named("Court 1", "10:00")`},
		"another has the name": {"12", strings.ReplaceAll(meetings, "Rope", "Lamp"), `p:named("Rope")`},
	} {
		other := func(yield func(*html.Node) bool) { yield(parse(t, tt.other)) }
		way, _ := pick.Choose(root, p.Element(number(p, tt.text)), other)
		if way.By == pick.ByPosition || way.Selector != tt.want {
			t.Errorf("%s: %+v", name, way)
		}
	}
}

// TestW31PartsOfCards checks that a part of a card is found by its class, or else by its place in the card if all parts
// are there; and that an entry without a name is found where it stands only while it says the same (W31).
func TestW31PartsOfCards(t *testing.T) {
	const cards = `<div><div class=card><h3>Lamp</h3><div><span class=cost>79</span> <span class=left>4</span></div></div>
<div class=card><h3>Rope</h3><div><span class=cost>12</span> <span class=left>5</span></div></div></div>
<div class=posts><article><i>FM</i><p>Add a line</p></article><article><i>FM</i><p>Ask first</p></article>
<article><i>FM</i><p>Never do</p></article></div>`
	for name, tt := range map[string]struct{ text, old, new, want string }{
		"as it was":               {"12", "", "", "12"},
		"other classes":           {"12", "class=cost", "class=sum", "12"},
		"other classes, one less": {"12", `<span class=cost>12</span> <span class=left>`, "<span>", ""},
		"one more":                {"12", "<div><span class=cost>12", "<div><span>New</span> <span class=cost>12", "12"},
		"one more, other classes": {"12", "<div><span class=cost>12", "<div><span>New</span> <span class=sum>12", ""},
		"no name":                 {"Ask first", "", "", "FM Ask first"},
		"no name, another above":  {"Ask first", "posts>", "posts><article><i>FM</i><p>More</p></article>", "FM Ask first"},
		"no name, gone":           {"Ask first", "Ask first", "Who knows", ""},
	} {
		root := parse(t, cards)
		p := pick.Read(root)
		n := p.Element(number(p, tt.text))
		if name, _, _ := strings.Cut(name, ","); name == "no name" {
			n = n.Parent
		}
		way, ok := pick.Choose(root, n, func(func(*html.Node) bool) {})
		found, err := pick.Find(parse(t, strings.ReplaceAll(cards, tt.old, tt.new)), way.Selector)
		have := ""
		for _, f := range found {
			have += pick.Text(f)
		}
		if !ok || err != nil || have != tt.want {
			t.Errorf("%s: %s finds %q, %v; want %q", name, way.Selector, have, err, tt.want)
		}
	}
}

// TestW32Edits checks what is offered for a pressed element, and what is foreseen for each when the page changes
// (W32).
func TestW32Edits(t *testing.T) {
	kept := pick.Edits{Inserted: pick.Kept, Reordered: pick.Kept}
	styled := kept
	styled.Restyled = pick.Kept
	page := strings.NewReplacer("Card_card__a1B2c", "card", "Card_cost__Zz9aB", "cost", "Grid_cards__x1Y2z", "cards",
		"Stock_left__q9Zz1", "stock").Replace(meetings)
	for name, tt := range map[string]struct {
		page, text string
		want       map[string]pick.Edits
	}{
		"a cell": {page, "5", map[string]pick.Edits{"this": kept, "row": kept, "alike": kept,
			"column": kept}},
		"a row":              {page, "Great Hall 9:00 4", map[string]pick.Edits{"this": kept, "alike": kept}},
		"an entry of a list": {page, "Nurse nights", map[string]pick.Edits{"this": kept, "alike": kept}},
		"a place": {page, "13", map[string]pick.Edits{"this": {Inserted: pick.Another, Reordered: pick.Kept},
			"alike": kept}},
		"a card":  {meetings, "Rope", map[string]pick.Edits{"this": styled, "row": styled, "alike": styled}},
		"no list": {page, "Monday to Friday 10 to 18.", map[string]pick.Edits{"this": {}}},
	} {
		root := parse(t, tt.page)
		p := pick.Read(root)
		n := p.Element(number(p, tt.text))
		have := map[string]pick.Edits{}
		for _, o := range pick.Offers(root, n, func(func(*html.Node) bool) {}) {
			if have[o.Scope] = pick.Try(root, n, o); len(o.Found) == 0 {
				t.Errorf("%s: %s finds nothing", name, o.Selector)
			}
		}
		if !maps.Equal(have, tt.want) {
			t.Errorf("%s: %v, want %v", name, have, tt.want)
		}
	}
}

// TestW32FindsNothing checks that a selector of a place with a name is foreseen to find nothing where another element
// comes to stand in the place (W32).
func TestW32FindsNothing(t *testing.T) {
	root := parse(t, meetings)
	p := pick.Read(root)
	n := p.Element(number(p, "Nurse nights"))
	o := pick.Offer{Way: pick.Way{Selector: `li:nth-of-type(2):named("Nurse")`}, Scope: "this", Found: []*html.Node{n}}
	if have := pick.Try(root, n, o); have.Inserted != "lost" || have.Reordered != pick.Kept {
		t.Errorf("%+v", have)
	}
}

// TestW32Named checks which elements a person means by a text (W32).
func TestW32Named(t *testing.T) {
	root := parse(t, meetings)
	p := pick.Read(root)
	for text, want := range map[string]string{
		"great hall": "Great Hall 9:00 4", "Warden*": "Warden (5) full time", "Court 1": "Court 1 9:00 6|Court 1 10:00 7",
		"ann": "Ann", "Friday": "Monday to Friday 10 to 18.", "Mayor of": "", "": "",
	} {
		var have []string
		for _, n := range p.Named(root, text) {
			have = append(have, pick.Text(n))
		}
		if strings.Join(have, "|") != want {
			t.Errorf("%q: %q, want %q", text, have, want)
		}
	}
}

// TestW31NamedByWhatWasPressed checks that a row is named by the text that was pressed in it if its key is a date or a
// number, and by its key if that is a word and what was pressed may be a state of it, and an entry likewise (W31).
func TestW31NamedByWhatWasPressed(t *testing.T) {
	root := parse(t, `<table><tr><th>Date<th>Committee<th>Place</tr><tr><td>10 March<td><a href=/p>Parks</a> and gardens<td>Annex
		<tr><td>12 March<td>Finance<td>Hall<tr><td>14 March<td>Schools<td>Hall</table>
		<table><tr><td>Great Hall<td>Sold out<tr><td>Town Hall<td>Free<tr><td>Court<td>Free</table>
		<table><tr><td>A-road<td>Ann<tr><td>B-road<td>Bob<tr><td>C-road<td>Cid<tr><td>D-road<td>Dan<tr><td>E-road<td>Eve</table>
		<ul><li><i>3 May</i><p>Brass band<li><i>4 May</i><p>Choir<li><i>5 May</i><p>Jazz</ul>
		<section class=c><h3>Lamp</h3><p>In stock</p></section><section class=c><h3>Rope</h3><p>Few left</p></section>`)
	p := pick.Read(root)
	for text, want := range map[string]string{
		"Parks":      `tr:named("*", "Parks and gardens")`,
		"10 March":   `tr:named("10 March")`,
		"Hall":       `tr:named("12 March")`,
		"Sold out":   `tr:named("Great Hall")`,
		"Bob":        `tr:named("*", "Bob")`,
		"Brass band": `li:named("*", "Brass band")`,
		"Few left":   `section:named("Rope")`,
	} {
		offers := pick.Offers(root, p.Element(number(p, text)), func(func(*html.Node) bool) {})
		at := slices.IndexFunc(offers, func(o pick.Offer) bool { return o.Scope == "row" })
		if at < 0 || !strings.HasSuffix(offers[at].Selector, want) {
			t.Errorf("%s: %+v, want %s", text, offers, want)
		}
	}
}
