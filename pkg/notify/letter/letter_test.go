package letter

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/feed"
)

// changed returns a change whose passages were removed and added; those that begin with + were added.
func changed(kind feed.Kind, title string, passages ...string) api.FeedChange {
	c := feed.Change{Kind: kind, ItemID: "url_a", Host: "shop.example", URL: "https://shop.example/lamp", Title: title}
	for _, p := range passages {
		op := feed.Removed
		if strings.HasPrefix(p, "+") {
			op = feed.Added
		}
		c.Passages = append(c.Passages, feed.Passage{Text: p[1:], Op: op})
	}
	return c.JSON()
}

// W20: TestW20Subjects checks that a subject says what has changed.
func TestW20Subjects(t *testing.T) {
	for want, c := range map[string]api.FeedChange{
		"Storm lamp: price 79 → 84 EUR": changed(feed.Content, "Storm lamp", "-Price: 79 EUR", "+Price: 84 EUR"),
		"Storm lamp: Price € 79 → € 84": changed(feed.Beside, "Storm lamp", "-Price € 79.", "+Price € 84."),
		"Fee: 79 → 84 EUR, as before":   changed(feed.Reverted, "Fee", "-It is 79 EUR.", "+It is 84 EUR."),
		"Lamp: In stock → Sold out":     changed(feed.Content, "Lamp", "-In stock", "+Sold out"),
		"Lamp: Now 79 → 84 EUR, and 1 more": changed(feed.Content, "Lamp", "-Now 79 EUR", "+Now 84 EUR",
			"-Red one", "+Blue one"),
		"Lamp: new: Two are left":          changed(feed.Content, "Lamp", "+Two are left"),
		"Lamp: gone: Two are left":         changed(feed.Content, "Lamp", "-Two are left"),
		"Quay: now: You may not moor here": changed(feed.Content, "Quay", "-You may moor here", "+You may not moor here"),
		"Quay: now: One a two B three four": changed(feed.Content, "Quay", "-One A two b three four",
			"+One a two B three four"),
		"Lamp: new: Delivery in 12 days, and 1 more": changed(feed.Content, "Lamp", "-Price: 79 EUR",
			"+Delivery in 12 days"),
		"Lamp: changed":                    changed(feed.Content, "Lamp"),
		"Lamp: gone":                       changed(feed.Gone, "Lamp"),
		"https://shop.example/lamp: added": changed(feed.New, "", "+all of it"),
	} {
		if have := Subject(c); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}

// W20: TestW20Strangers checks that texts of pages are escaped and cleaned wherever a message shows them.
func TestW20Strangers(t *testing.T) {
	const evil = "<script>alert(1)</script>\u202e\r\nBcc: eve@evil.example\x00 79 EUR"
	c := changed(feed.Content, evil, "-"+evil, "+"+strings.ReplaceAll(evil, "79", "84"), "+"+evil)
	c.URL, c.Why, c.Host = "javascript:alert(1)", evil, evil
	l := Letter{Title: Subject(c), Rule: evil, Parts: []Part{{Change: c, Count: 1},
		{Change: c, Count: 2, Pages: []api.FeedChange{c, c}}}, Rest: 3}
	for name, text := range map[string]string{"html": l.HTML(), "text": l.Text(), "brief": l.Brief(),
		"content": ContentHTML(c, Links{}), "foot": l.Foot()} {
		for _, r := range "\r\x00\u202e" {
			if strings.ContainsRune(text, r) {
				t.Errorf("%s has the character %U: %s", name, r, text)
			}
		}
		if strings.Contains(text, "\nBcc") {
			t.Errorf("%s has a line of its own: %s", name, text)
		}
	}
	if strings.ContainsAny(l.Title, "\r\n\u202e") {
		t.Errorf("the subject is %q", l.Title)
	}
	for _, document := range []string{l.HTML(), ContentHTML(c, Links{Difference: "https://tide.example/d"})} {
		if strings.Contains(document, "<script") || strings.Contains(document, `href="javascript`) {
			t.Errorf("not escaped: %s", document)
		}
	}
}

// W20: TestW20LettersAreBounded checks that long addresses make no message long, and that it counts what it leaves out.
func TestW20LettersAreBounded(t *testing.T) {
	l := Letter{Title: "Many", Rule: "All"}
	for range 20 {
		c := changed(feed.Content, "Lamp", "+Two are left")
		c.URL = "https://shop.example/" + strings.Repeat("a&b", 1000)
		p := Part{Change: c, Count: 50}
		for range 50 {
			p.Pages = append(p.Pages, c)
		}
		l.Parts = append(l.Parts, p)
	}
	for name, text := range map[string]string{"html": l.HTML(), "text": l.Text(), "brief": l.Brief()} {
		if len(text) > 110<<10 || len(text) < 50<<10 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		parts := strings.Count(text, "and 45 more pages")
		if rest := "and " + words.Thousands(50*(20-parts)) + " more"; parts == 0 || !strings.Contains(text, rest) {
			t.Errorf("%s has %d parts, and does not say: %s", name, parts, rest)
		}
	}
	if text := (Letter{Rest: 1200}).Text(); !strings.Contains(text, "1,200 changes, too long for a message") {
		t.Errorf("without parts: %s", text)
	}
}

// FuzzLetter checks that whatever a page says, a subject is one bounded line and the HTML has the same elements.
func FuzzLetter(f *testing.F) {
	f.Add("Storm lamp", "79 EUR", "84 EUR")
	f.Add("</h2><img src=x>", "a<b>\u2066", "\xff…")
	f.Fuzz(func(t *testing.T, title, old, text string) {
		c := changed(feed.Content, title, "-"+old, "+"+text)
		subject := Subject(c)
		if utf8.RuneCountInString(subject) > maxSubject || subject != words.Clean(subject) {
			t.Errorf("the subject is %d bytes: %q", len(subject), subject)
		}
		l := Letter{Title: subject, Rule: title, Parts: []Part{{Change: c, Count: 1}}}
		for z := html.NewTokenizer(strings.NewReader(l.HTML())); ; {
			kind := z.Next()
			if kind == html.ErrorToken {
				break
			}
			name, _ := z.TagName()
			if kind == html.StartTagToken && !strings.Contains(" html head meta title style body table tr td span p a ins del ",
				" "+string(name)+" ") {
				t.Fatalf("an element %s in %s", name, l.HTML())
			}
		}
		d := xml.NewDecoder(strings.NewReader("<a>" + ContentHTML(c, Links{}) + "</a>"))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v: %s", err, ContentHTML(c, Links{}))
			}
		}
	})
}

// TestG2SubjectsOfFields checks that a subject says what has become of a field if that is all that differs or meets a
// condition, and that messages say all fields and the condition (G2).
func TestG2SubjectsOfFields(t *testing.T) {
	price := api.ChangedField{Reported: true, Name: "price", Text: "79 → 84 EUR (lowest 72 in May)"}
	stock := api.ChangedField{Reported: true, Name: "stock", Text: "in stock → sold out"}
	c := changed(feed.Field, "Lamp", "-Price: 79 EUR", "+Price: 84 EUR")
	c.Fields = []api.ChangedField{price}
	const want = "Lamp: price 79 → 84 EUR (lowest 72 in May)"
	if have := Subject(c); have != want {
		t.Errorf("of a price: %q", have)
	}
	c.Fields = append(c.Fields, stock)
	if have := Subject(c); have != want+", and 1 more" {
		t.Errorf("of two fields: %q", have)
	}
	c.Kind = api.ChangeContent
	if have := Subject(c); have != "Lamp: price 79 → 84 EUR" {
		t.Errorf("of a text: %q", have)
	}
	c.Fields[0], c.Fields[1] = stock, price
	c.Fields[0].Condition = "stock goes to <b>\u202e"
	if have := Subject(c); have != "Lamp: stock: in stock → sold out, and 1 more" {
		t.Errorf("of a condition: %q", have)
	}
	l := Letter{Title: Subject(c), Rule: "r", Parts: []Part{{Change: c, Count: 1}}}
	for name, text := range map[string]string{"text": l.Text(), "brief": l.Brief(), "html": l.HTML(),
		"content": ContentHTML(c, Links{}), "summary": Summary(c)} {
		for _, part := range []string{"stock: in stock → sold out", "Condition: stock goes to"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q: %s", name, part, text)
			}
		}
		if strings.Contains(text, "\u202e") {
			t.Errorf("%s is not cleaned: %q", name, text)
		}
	}
	if strings.Contains(l.HTML(), "<b>") {
		t.Errorf("not escaped: %s", l.HTML())
	}
}

// TestG2ValuesAreSaidOnce checks that a message says each value once, though the reason for the change has it, too, and
// all of the reason that it does not say elsewhere (G2).
func TestG2ValuesAreSaidOnce(t *testing.T) {
	c := changed(feed.Field, "Lamp", "-Price: 79 EUR", "+Price: 84 EUR")
	c.Fields = []api.ChangedField{{Reported: true, Name: "stock", Text: "in stock → sold out"},
		{Reported: true, Name: "price", Text: "79 → 84 EUR"}, {Name: "colour", Text: "red → blue"}}
	for why, want := range map[string]string{
		"price: 79 → 84 EUR; stock: in stock → sold out":      "",
		"price: 79 → 84 EUR; stock: in stock → sold out soon": "stock: in stock → sold out soon",
		"price: 79 → 84 EUR; colour: red → blue":              "colour: red → blue",
		"price: 79 → 84 EUR; the rest is cut":                 "the rest is cut",
		"the content is different":                            "the content is different",
	} {
		if c.Why = why; note(c) != want {
			t.Errorf("%q: the note is %q, want %q", why, note(c), want)
		}
	}
}
