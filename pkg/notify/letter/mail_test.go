package letter

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/feed"
)

var tide = Links{Difference: "https://tide.example/api/ui/items/url_a/diff?from=a&to=b",
	Why: "https://tide.example/api/ui/changes/7.1.1", Mute: "https://tide.example/api/ui/m/MUTE",
	ShortDifference: "https://tide.example/api/ui/m/DIFF", ShortWhy: "https://tide.example/api/ui/m/WHY"}

const stopped = "https://tide.example/api/ui/m/STOP"

// mailOf is the mail about one change.
func mailOf(c api.FeedChange, links Links) Letter {
	l := Letter{Title: Subject(c), Rule: "Alert <1>", Parts: []Part{{Change: c, Count: 1, Links: links}}}
	if links.Mute != "" {
		l.Stop = stopped
	}
	return l
}

// mails are mails of each form, by name.
func mails(t *testing.T) map[string]Letter {
	price := changed(feed.Field, "Storm lamp No. 4")
	price.Fields = []api.ChangedField{{Reported: true, Name: "price", Condition: "price < 80 EUR",
		Text: "89.00 → 79.00 EUR (lowest until now, before 84.00 in May)"},
		{Reported: true, Name: "stock", Text: "in stock → sold out"}}
	terms := ofPage(t, "text/html", `<html><head><title>Terms of carriage</title></head><body><main>
<h1>Terms of carriage</h1><p>9.2 We may change these terms with [[30||14]] days’ notice.</p>
<p>9.3 The law of the port holds on every ship.</p><p>[[||9.4 Notice by e-mail is enough.]]</p>
<p>11.1 Claims are made [[within two years||within one year]] of the crossing.</p></main></body></html>`)
	terms.Diff, terms.WordsAdded = "/api/items/url_a/diff?from=a&to=b", 9
	terms.Why = "the content is different: 9 words added, 3 removed"
	row := ofTables("| Lamp | Price | Stock |\n|---|---|---|\n| Storm lamp | 79 EUR | yes |\n",
		"| Lamp | Price | Stock |\n|---|---|---|\n| Storm lamp | 84 EUR | yes |\n| Oil lamp | 30 EUR | no |\n")
	failing, back := changed(feed.Failing, "Village shop"), changed(feed.Recovered, "Village shop")
	failing.Why = "the server says it is not there (404)"
	beside := changed(feed.Beside, "Village shop", "-Open on Monday", "+Open on Tuesday")
	rtl := ofPage(t, "text/html", `<html dir="rtl" lang="ar"><head><title>مواعيد العبّارات</title></head><body><main>
<h1>مواعيد العبّارات</h1><p>آخر رحلة من الميناء القديم الساعة [[21:30||20:45]] كل يوم.</p></main></body></html>`)
	const evil = "<script>alert(1)</script>\u202e\r\nBcc: eve@evil.example\x00 \"'><img src=x onerror=y> 79"
	bad := changed(feed.Content, evil, "-"+evil, "+"+strings.ReplaceAll(evil, "79", "84"), "+"+evil)
	bad.URL, bad.Why = "javascript:alert(1)", evil
	out := map[string]Letter{"1 value": mailOf(price, tide), "2 text": mailOf(terms, tide), "3 table": mailOf(row, tide),
		"5 failing": mailOf(failing, tide), "6 recovered": mailOf(back, tide), "7 elsewhere": mailOf(beside, tide),
		"8 right to left": mailOf(rtl, tide), "9 hostile": mailOf(bad, tide), "no address": mailOf(terms, Links{})}
	digest := Letter{Title: "Village: 5 changes", Rule: "Village", RuleLink: "https://tide.example/api/ui/rule", Rest: 3,
		Changes: "https://tide.example/api/ui/", Since: "Since 29 November, 07:30", Stop: stopped}
	for i, c := range []api.FeedChange{price, terms, row, rtl, failing} {
		c.URL += fmt.Sprint(i)
		digest.Parts = append(digest.Parts, Part{Change: c, Count: 1, Links: tide})
	}
	digest.Parts = append(digest.Parts, Part{Change: beside, Count: 30, Pages: []api.FeedChange{beside, beside}})
	out["4 gathered"] = digest
	return out
}

// W20: TestW20MailsAreAsBefore compares mails of each form, as text and as HTML, with those that were looked at.
func TestW20MailsAreAsBefore(t *testing.T) {
	head := regexp.MustCompile(`(?s)<style>.*</style>`)
	var out strings.Builder
	all := mails(t)
	for _, name := range []string{"1 value", "2 text", "3 table", "4 gathered", "5 failing", "6 recovered", "7 elsewhere",
		"8 right to left", "9 hostile", "no address"} {
		l := all[name]
		fmt.Fprintf(&out, "== %s\n%s\n-- text\n%s\n-- HTML\n%s\n", name, l.Title, l.Text(),
			head.ReplaceAllString(l.HTML(), "<style>…</style>"))
	}
	goldentest.Compare(t, "testdata/mails.golden", out.String())
}

// W20: TestW20MailsSayWhatMatters checks what a mail has and what it has not: the program and one button, no name of
// the rule and no counts of words, and in its text only short links of Tidemark.
func TestW20MailsSayWhatMatters(t *testing.T) {
	for name, l := range mails(t) {
		text, doc := l.Text(), l.HTML()
		for _, not := range []string{"Alert &lt;1", "Alert <1", "words added", "9 words", "Sent by"} {
			if strings.Contains(doc, not) || strings.Contains(text, not) {
				t.Errorf("%s says %q:\n%s\n%s", name, not, text, doc)
			}
		}
		if n := strings.Count(doc, ` class="press"`); n != 1 {
			t.Errorf("%s has %d buttons", name, n)
		}
		for _, part := range []string{"</span> Tidemark<", `name="color-scheme" content="light dark"`,
			"prefers-color-scheme:dark"} {
			if !strings.Contains(doc, part) {
				t.Errorf("%s lacks %s: %s", name, part, doc)
			}
		}
		for line := range strings.Lines(text) {
			if _, link, found := strings.Cut(line, "https://tide.example"); found && len(link) > 61 {
				t.Errorf("%s: a long link: %s", name, line)
			}
		}
		if linked := strings.Contains(text, stopped) && strings.Contains(doc, stopped); linked != (name != "no address") ||
			!linked && (strings.Contains(text, "https://tide") || strings.Contains(doc, "https://tide")) {
			t.Errorf("%s: stop is %v:\n%s", name, linked, text)
		}
	}
}

// W20: TestW20DarkMailsCanBeRead checks that each element with a colour of text or of ground has one for dark ground,
// too, and that texts stand out from what they are on in both.
func TestW20DarkMailsCanBeRead(t *testing.T) {
	sheet := string(darkStyle())
	for name, l := range appearances {
		if l.ground+l.border+l.text != "" && !strings.Contains(sheet, "\n."+name+"{"+l.declared(true)+"}") {
			t.Errorf("%s has no colour on dark ground", name)
		}
	}
	for _, on := range [][2]string{{"ink", "paper"}, {"soft", "paper"}, {"soft", "sand"}, {"tide", "paper"},
		{"tide", "sand"}, {"onTide", "tide"}, {"ink", "add"}, {"ink", "cut"}} {
		for dark := range 2 {
			a, b := luminance(t, colours[on[0]][dark]), luminance(t, colours[on[1]][dark])
			if ratio := (max(a, b) + .05) / (min(a, b) + .05); ratio < 4.5 {
				t.Errorf("%v, dark %d: contrast %.1f", on, dark, ratio)
			}
		}
	}
}

// luminance is that of WCAG 2.2.
func luminance(t *testing.T, colour string) (out float64) {
	t.Helper()
	var rgb [3]int
	if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		t.Fatal(err)
	}
	for i, weight := range []float64{.2126, .7152, .0722} {
		out += weight * linear(float64(rgb[i])/255)
	}
	return out
}

// W20: TestW20InWordsKeepsBothTexts checks that a difference in words has all of both texts, but for blanks.
func TestW20InWordsKeepsBothTexts(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"30 ", "days ", "of", " notice", ".", "é", " "}), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		var was, is []api.DiffPiece
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			gone, same := strings.Join(words.Draw(t, "gone"), ""), strings.Join(words.Draw(t, "same"), "")
			was = append(was, api.DiffPiece{Text: gone, Changed: true}, api.DiffPiece{Text: same})
			is = append(is, api.DiffPiece{Text: strings.Join(words.Draw(t, "new"), ""), Changed: true},
				api.DiffPiece{Text: same})
		}
		spans := inWords(was, is)
		for op, want := range map[string][]api.DiffPiece{"added": was, "removed": is} {
			var have strings.Builder
			for _, s := range spans {
				if s.Op != op {
					have.WriteString(s.Text)
				}
			}
			if blankless(have.String()) != blankless(api.TextOf(want)) {
				t.Errorf("%q, want %q: %v", have.String(), api.TextOf(want), spans)
			}
		}
	})
	was, is := []api.DiffPiece{{Text: "… of"}, {Text: "30", Changed: true}}, []api.DiffPiece{{Text: "of"}}
	if spans := inWords(was, is); spans != nil {
		t.Errorf("texts that were cut in other places: %v", spans)
	}
}

func blankless(s string) string { return strings.Join(strings.Fields(s), "") }

// W20: TestW20HostileMails checks that no text of a page becomes an element, an attribute or a link of a mail.
func TestW20HostileMails(t *testing.T) {
	for name, l := range mails(t) {
		z := html.NewTokenizer(strings.NewReader(l.HTML()))
		for z.Next() != html.ErrorToken {
			tag := z.Token()
			if tag.Type != html.StartTagToken && tag.Type != html.SelfClosingTagToken {
				continue
			}
			if strings.Contains(" script img iframe object form input svg ", " "+tag.Data+" ") {
				t.Errorf("%s has an element %v", name, tag)
			}
			for _, a := range tag.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "href" && !strings.HasPrefix(a.Val, "https://") {
					t.Errorf("%s has an attribute %v", name, a)
				}
			}
		}
	}
}

func linear(c float64) float64 {
	if c <= .04045 {
		return c / 12.92
	}
	return math.Pow((c+.055)/1.055, 2.4)
}

// U1: TestU1OneLineOfTwo checks that of a line that became another one, what is in both is shown once.
func TestU1OneLineOfTwo(t *testing.T) {
	piece := func(text string, changed bool) api.DiffPiece { return api.DiffPiece{Text: text, Changed: changed} }
	for want, sides := range map[string][2][]api.DiffPiece{
		"Fee: |-5| |+6| EUR": {{piece("Fee: ", false), piece("5", true), piece(" EUR", false)},
			{piece("Fee: ", false), piece("6", true), piece(" EUR", false)}},
		"Dogs are |+not |allowed": {{piece("Dogs are allowed", false)},
			{piece("Dogs are ", false), piece("not ", true), piece("allowed", false)}},
	} {
		var have []string
		for _, s := range inWords(sides[0], sides[1]) {
			have = append(have, map[string]string{"added": "+", "removed": "-"}[s.Op]+s.Text)
		}
		if strings.Join(have, "|") != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}
