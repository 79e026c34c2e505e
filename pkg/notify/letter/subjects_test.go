package letter

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/extract"
	reader "github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/naming"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
)

// ofPage returns the change of a page as a check finds it. In the page, [[a||b]] is a before the change and b after it.
func ofPage(t *testing.T, contentType, page string) api.FeedChange {
	t.Helper()
	var docs [2]extract.Document
	for i := range docs {
		var text strings.Builder
		for j, part := range strings.Split(page, "[[") {
			if j > 0 {
				choice, rest, _ := strings.Cut(part, "]]")
				text.WriteString(strings.Split(choice, "||")[i])
				part = rest
			}
			text.WriteString(part)
		}
		var err error
		docs[i], err = reader.Extract([]byte(text.String()), contentType, "https://a.example/", extract.Limits{})
		if err != nil {
			t.Fatal(err)
		}
	}
	c := feed.Change{Kind: feed.Content, Title: docs[1].Title, ItemID: "url_a", URL: "https://a.example/p"}
	c.SetDifference(
		textdiff.Text{Text: docs[0].Text, Of: naming.Of(docs[0].Blocks, docs[0].Title).Line},
		textdiff.Text{Text: docs[1].Text, Of: naming.Of(docs[1].Blocks, docs[1].Title).Line}, 1<<20, nil)
	return c.JSON()
}

// TestW27MoreIsCounted checks that a subject and a mail count what differs besides, that neither says that there is
// more where all is shown, and that what always moves is no part of them (W27).
func TestW27MoreIsCounted(t *testing.T) {
	of := func(fees int) api.FeedChange {
		var old, now strings.Builder
		for i := range fees {
			fmt.Fprintf(&old, "Berth %d costs 12 EUR\nsame\nRead at 08:30:%02d\nsame\n", i, i)
			fmt.Fprintf(&now, "Berth %d costs 15 EUR\nsame\nRead at 09:30:%02d\nsame\n", i, i)
		}
		c := feed.Change{Kind: feed.Content, Title: "Fees", ItemID: "url_a", URL: "https://a.example/p"}
		c.SetDifference(textdiff.Text{Text: old.String()}, textdiff.Text{Text: now.String()}, 1<<20,
			func(line string) bool { return strings.HasPrefix(line, "Read at") })
		return c.JSON()
	}
	for fees, want := range map[int][2]string{1: {"Fees: Berth 0 12 → 15 EUR", ""},
		2: {"Fees: Berth 0 12 → 15 EUR, and 1 more", ""},
		5: {"Fees: Berth 0 12 → 15 EUR, and 4 more", "3 more differences on the page"}} {
		text := mailOf(of(fees), Links{}).Text()
		if have := Subject(of(fees)); have != want[0] || remark(of(fees)) != want[1] || strings.Contains(text, "Read at") {
			t.Errorf("%d: %q, %q, and the mail is\n%s", fees, have, remark(of(fees)), text)
		}
	}
}

// TestW27SubjectsOfPages checks the subjects of changes of pages in many forms and languages, as a reader sees them who
// does not know the pages (W27). Each paragraph of the file is a page: its language and title, or its type, in the
// first line, then its source, and the subject of its change.
func TestW27SubjectsOfPages(t *testing.T) {
	const around = `<p>The harbour of the old town is open to all boats, and its wall is made of granite from the hills. It
has stood for many years.</p><p>Visitors find the office beside the tower, where the harbour master answers questions
about moorings, water and power.</p>`
	file, err := os.ReadFile("testdata/subjects.txt")
	if err != nil {
		t.Fatal(err)
	}
	pages := strings.Split(strings.TrimSpace(string(file)), "\n\n")
	for _, page := range pages {
		source, want, _ := strings.Cut(page, "\nsubject ")
		kind, body, _ := strings.Cut(source, "\n")
		body = strings.ReplaceAll(body, `\n`, "\n")
		if about, isPage := strings.CutPrefix(kind, "page "); isPage {
			language, title, _ := strings.Cut(about, " ")
			kind, body = "text/html", "<html lang="+language+"><title>"+title+"</title><main><h1>"+title+"</h1>"+around+
				body+around+"</main>"
		}
		have := Subject(ofPage(t, kind, body))
		if have != want || utf8.RuneCountInString(have) > maxSubject {
			t.Errorf("%s\nhave %s\nwant %s", source, have, want)
		}
	}
	if len(pages) < 40 {
		t.Errorf("%d pages", len(pages))
	}
}

// TestW27Bounds checks that no subject has more than 90 characters, that the name of the page is cut first, and that no
// number is cut (W27).
func TestW27Bounds(t *testing.T) {
	const long = "The North Harbour Sailing and Rowing Club of the Old Town and its branches on the isles"
	words := strings.Repeat("moorings ", 40)
	for name, tt := range map[string]struct{ title, page, want string }{
		"the name first": {long, "Fee: [[12||99]] EUR a month", "The North Harbour Sailing and Rowing Club of the Old Town " +
			"and its…: fee 12 → 99 EUR"},
		"then the text":  {"Harbour", "[[||" + words + "]]", "Harbour: new: moorings moorings moorings"},
		"not the number": {"Harbour", "[[||" + words[:66] + " 1,299,000.00 EUR a year]]", "Harbour: new: "},
		"in groups":      {"Harbour", "[[||" + words[:68] + "1 299 000 EUR a year]]", "Harbour: new: "},
	} {
		c := ofPage(t, "text/plain", "Berths\n\n"+tt.page)
		c.Title = tt.title
		have := Subject(c)
		if n := utf8.RuneCountInString(have); n > maxSubject || n < 60 || !strings.HasPrefix(have, tt.want) {
			t.Errorf("%s: %d characters: %s", name, n, have)
		}
		if strings.ContainsFunc(strings.TrimPrefix(have, tt.want), isDigit) {
			t.Errorf("%s: a number is cut: %s", name, have)
		}
	}
	for text, want := range map[string]string{"It costs 1 299 000 EUR": "It costs…", "a price 1,299.00": "a price…",
		"1234567890123456": "…"} {
		if have := cut(text, 14); have != want {
			t.Errorf("%q is cut to %q, want %q", text, have, want)
		}
	}
}

// TestW27Labels checks that a label before a number has no colon, and is written as within a sentence unless it may be
// a name, a noun of German or an identifier (W27).
func TestW27Labels(t *testing.T) {
	for line, want := range map[string]string{
		"Price: [[79||84]] EUR":         "price 79 → 84 EUR",
		"Price per night: € [[79||84]]": "price per night € 79 → € 84",
		"Prix : [[79||84]] EUR":         "prix 79 → 84 EUR",
		"Preis: [[79||84]] EUR":         "Preis 79 → 84 EUR",
		"Rose: [[79||84]] EUR":          "Rose 79 → 84 EUR",
		"PRICE: [[79||84]] EUR":         "PRICE 79 → 84 EUR",
		"feeRate: [[79||84]]":           "feeRate 79 → 84",
		"Price of Alma: [[79||84]] EUR": "Price of Alma 79 → 84 EUR",
		"Berth 12: [[79||84]] EUR":      "Berth 12: 79 → 84 EUR",
		"Lift: [[open||closed]]":        "Lift: open → closed",
		"Price: [[79 EUR||on demand]]":  "price 79 EUR → on demand",
	} {
		c := ofPage(t, "text/plain", "Harbour\n\nOpen to all ships.\n\n"+line)
		if have := strings.TrimPrefix(Subject(c), name(c)+": "); have != want {
			t.Errorf("%s: %q, want %q", line, have, want)
		}
	}
}

// TestW27SeveralPages checks that the subject of equal changes of several pages names nothing that only one of them has
// (W27).
func TestW27SeveralPages(t *testing.T) {
	c := ofPage(t, "text/plain", "Harbour\n\nFee: [[12||99]] EUR a month")
	c.Host = "a.example"
	if have := (Part{Change: c, Count: 3}).title(); have != "on 3 pages of a.example: fee 12 → 99 EUR" ||
		c.Passages[0].Of != "Fee" {
		t.Errorf("%s, of %q", have, c.Passages[0].Of)
	}
}

// TestW27DigestsNameThePageOnce checks that a digest of one change does not say the name of the page twice, if the rule
// has the same name (W27).
func TestW27DigestsNameThePageOnce(t *testing.T) {
	c := changed(feed.Content, "Fenland news", "+The lock is shut.")
	var lines api.ChangeLines
	lines.Add(c, 1)
	for rule, want := range map[string]string{"Fenland news": "Fenland news: new: The lock is shut",
		"All": "All: Fenland news: new: The lock is shut"} {
		if have := Digest(rule, "1 page has changed", 1, lines); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}

// TestN11LettersSayOfWhat checks that a message says of what its passages are, in text and in HTML (N11).
func TestN11LettersSayOfWhat(t *testing.T) {
	c := ofPage(t, "application/json", `{"rates":{"USD":[[1.08||1.11]]},"base":"[[EUR||CHF]]"}`)
	const want = "rates:\n- USD: 1.08\n+ USD: 1.11\nbase:\n- EUR\n+ CHF"
	if have := Difference(c); have != want {
		t.Errorf("have %q, want %q", have, want)
	}
	if html := ContentHTML(c, Links{}); !strings.Contains(html, `>rates</p>`) {
		t.Error(html)
	}
}
