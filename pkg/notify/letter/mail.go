package letter

import (
	"cmp"
	"html/template"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// This file has what mails show beside the template: their colours, and a difference in words.
//
// Mail programs differ in what they keep of a style sheet. So each element has its style for light ground itself, and
// the style sheet only has the colours for dark ground, by class.

// colours are those of the dashboard: on light ground and on dark.
var colours = map[string][2]string{
	"sand": {"#f5f4ef", "#0c1519"}, "paper": {"#ffffff", "#121d22"}, "line": {"#dbdfdb", "#293940"},
	"ink": {"#11252d", "#e5edef"}, "soft": {"#4a5b62", "#a7b8be"}, "tide": {"#0a5c70", "#7accdb"},
	"onTide": {"#ffffff", "#05242c"}, "add": {"#d8eee1", "#22634a"}, "cut": {"#f9e0da", "#7d3a30"},
}

const (
	sans  = "Arial,Helvetica,sans-serif"
	serif = "Georgia,serif" // for the words of a page, never for those of Tidemark
)

// appearance is how an element is shown: as what in the style sheet, in which colours, and how else.
type appearance struct{ ground, border, text, rest string }

var appearances = map[string]appearance{
	"body":   {"sand", "", "ink", "margin:0;padding:0;overflow-wrap:anywhere"},
	"bg":     {"sand", "", "", ""},
	"card":   {"paper", "line", "", "max-width:560px;border:1px solid;border-radius:10px"},
	"brand":  {"", "", "ink", "padding:14px 24px;font:700 14px/20px " + sans},
	"foot":   {"", "", "soft", "padding:14px 24px;font:13px/20px " + sans},
	"plain":  {"paper", "", "ink", "padding:4px 12px 12px"},
	"soft":   {"", "", "soft", "margin:0;font:14px/20px " + sans},
	"note":   {"", "", "soft", "margin:10px 0 0;font:14px/20px " + sans},
	"head":   {"", "", "ink", "margin:4px 0 0;font:700 24px/30px " + sans},
	"figure": {"", "", "ink", "margin:4px 0 0;font:700 40px/48px " + sans + ";letter-spacing:-1px"},
	"value":  {"", "", "ink", "margin:4px 0 0;font:700 22px/30px " + sans},
	"more":   {"", "", "ink", "margin:4px 0 0;font:15px/22px " + sans},
	"own":    {"", "", "ink", "margin:0;font:15px/22px " + sans + ";white-space:pre-wrap"},
	"quote":  {"", "", "ink", "margin:10px 0 0;font:17px/26px " + serif},
	"under":  {"", "", "soft", "margin:14px 0 0;font:14px/20px " + serif},
	"table":  {"", "", "ink", "margin:14px 0 0;border-collapse:collapse;font:15px/22px " + serif},
	"cell":   {"", "line", "", "padding:4px 8px;border:1px solid;text-align:start;vertical-align:top"},
	"part":   {"", "line", "", "padding:14px 0;border-top:1px solid"},
	"button": {"tide", "", "", "border-radius:6px"},
	"press": {"", "", "onTide", "display:inline-block;padding:11px 18px;font:700 15px/20px " + sans +
		";text-decoration:none"},
	"link": {"", "", "tide", ""},
	"add":  {"add", "", "ink", "text-decoration:none"},
	"cut":  {"cut", "", "ink", "text-decoration:line-through"},
}

// declared returns the colours of an appearance on light ground, or on dark with the mark that overrules those of
// elements.
func (l appearance) declared(dark bool) string {
	var out []string
	ground, mark := 0, ""
	if dark {
		ground, mark = 1, "!important"
	}
	for _, d := range [][2]string{{"background:", l.ground}, {"border-color:", l.border}, {"color:", l.text}} {
		if d[1] != "" {
			out = append(out, d[0]+colours[d[1]][ground]+mark)
		}
	}
	return strings.Join(out, ";")
}

// shownAs returns the attributes of an element with a appearance.
func shownAs(name string) template.HTMLAttr {
	l := appearances[name]
	style := strings.Trim(l.rest+";"+l.declared(false), ";")
	return template.HTMLAttr(`class="` + name + `" style="` + style + `"`)
}

// darkStyle is the style sheet of a mail.
func darkStyle() template.CSS {
	var out strings.Builder
	out.WriteString(":root{color-scheme:light dark;supported-color-schemes:light dark}\n")
	out.WriteString("@media (prefers-color-scheme:dark){\n")
	for _, name := range slices.Sorted(maps.Keys(appearances)) {
		out.WriteString("." + name + "{" + appearances[name].declared(true) + "}\n")
	}
	out.WriteString("}")
	return template.CSS(out.String())
}

// Span is a part of a text that stayed, or that was removed or added.
type Span struct {
	Op, Text string // Op is added, removed or empty
	Ignored  bool   // the difference is ignored
}

// inWords returns how a text has become another one: what was removed stands before what came in its place. It returns
// nil if what is the same in one is not the same in the other, because a passage was cut in another place.
func inWords(was, is []api.DiffPiece) (out []Span) {
	gone, same := removedAt(was)
	add := func(s Span) {
		if n := len(out); n > 0 && apart(out[n-1], s) {
			out = append(out, Span{Text: " "})
		}
		out = append(out, s)
	}
	seen := 0
	flush := func() {
		for len(gone) > 0 && gone[0].at <= seen {
			add(gone[0].Span)
			gone = gone[1:]
		}
	}
	for _, p := range is {
		if p.Changed {
			flush()
			add(Span{"added", p.Text, p.Ignored})
			continue
		}
		from := 0
		for i, r := range p.Text {
			if isBlank(r) {
				continue
			}
			if len(gone) > 0 && gone[0].at <= seen {
				if from < i {
					add(Span{Text: p.Text[from:i]})
				}
				from = i
				flush()
			}
			seen++
		}
		if from < len(p.Text) {
			add(Span{Text: p.Text[from:]})
		}
	}
	flush()
	if seen != same || len(gone) > 0 {
		return nil
	}
	return out
}

// removed is a text that was removed behind so many letters that stayed.
type removed struct {
	Span
	at int
}

// removedAt returns what was removed, and the number of letters that stayed.
func removedAt(was []api.DiffPiece) (out []removed, same int) {
	for _, p := range was {
		if p.Changed {
			out = append(out, removed{Span{"removed", p.Text, p.Ignored}, same})
		} else {
			same += letters(p.Text)
		}
	}
	return out, same
}

// apart reports whether a text needs a blank before it that neither has: one of the two was removed, and both have
// letters at the seam.
func apart(before, s Span) bool {
	if before.Op != "removed" && s.Op != "removed" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before.Text)
	first, _ := utf8.DecodeRuneInString(s.Text)
	joins := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return joins(last) && joins(first)
}

// Line is a line of a page that differs, in words.
type Line struct {
	Under string // what it is of, if that is not said before it
	Table *api.DiffTable
	Spans []Span
	New   bool // the line is new as a whole
}

// Lines returns the passages of a change as people see them: one that replaced another is one line with it.
func Lines(all []api.ChangedPassage) (out []Line) {
	shown := api.ShownOf(all)
	for i := 0; i < len(shown); i++ {
		s, p := shown[i], shown[i].Passage
		if s.Table != nil {
			out = append(out, Line{Under: s.Under, Table: s.Table})
			continue
		}
		if next := i + 1; next < len(shown) && shown[next].Table == nil && p.Op == "removed" && p.Pieces != nil &&
			shown[next].Passage.Op == "added" && shown[next].Under == "" {
			if spans := inWords(p.Pieces, shown[next].Passage.Pieces); spans != nil {
				out, i = append(out, Line{Under: s.Under, Spans: spans}), next
				continue
			}
		}
		spans := []Span{{Op: p.Op, Text: p.Text}}
		if p.Pieces != nil {
			spans = marked(p.Op, p.Pieces)
		}
		out = append(out, Line{Under: s.Under, Spans: spans, New: p.Op == "added" && p.Pieces == nil})
	}
	return out
}

// unhyphened returns a line without the hyphen of an item of a list, which would look like the sign of a difference.
func unhyphened(line string) string { return strings.TrimPrefix(line, "- ") }

// linesOf returns lines without the hyphens of the items of lists.
func linesOf(all []api.ChangedPassage) []Line {
	out := Lines(all)
	for _, l := range out {
		if l.Table == nil {
			l.Spans[0].Text = unhyphened(l.Spans[0].Text)
		}
	}
	return out
}

// marked returns pieces of which those that differ were all added, or all removed.
func marked(op string, pieces []api.DiffPiece) (out []Span) {
	for _, p := range pieces {
		if p.Changed {
			out = append(out, Span{op, p.Text, p.Ignored})
		} else {
			out = append(out, Span{Text: p.Text})
		}
	}
	return out
}

// CellSpans returns a cell of a row in words.
func CellSpans(row api.DiffRow, c api.DiffCell) []Span {
	switch {
	case row.Op == "added" || row.Op == "removed":
		return []Span{{Op: row.Op, Text: api.TextOf(c.Text)}}
	case c.Was == nil:
		return marked("added", c.Text)
	}
	if spans := inWords(c.Was, c.Text); spans != nil {
		return spans
	}
	return append(append(marked("removed", c.Was), Span{Text: " "}), marked("added", c.Text)...)
}

// figure is a value of a page as a mail begins with it.
type figure struct {
	Value, Note string
	Short       bool // it may be large
}

// figureOf returns the present value of a field, and what there is to say of it.
func figureOf(f api.ChangedField) figure {
	const most = 18 // characters of a large value, which has a line of a phone to itself
	value, note := words.Clean(f.Text), words.Clean(f.Name)
	if before, after, found := strings.Cut(" "+value, " → "); found && strings.Count(value, "→") == 1 {
		value = after
		if before = strings.TrimSpace(before); before != "" {
			note += ", was " + before
		}
	}
	if at := strings.LastIndex(value, " (lowest "); at > 0 && strings.HasSuffix(value, ")") {
		note += ", " + strings.TrimSuffix(value[at+len(" ("):], ")")
		value = value[:at]
	}
	return figure{value, note, utf8.RuneCountInString(value) <= most}
}

// sizeOf returns the appearance of a value in a mail. The only one may be large.
func sizeOf(p Part, f figure) string {
	if f.Short && !p.among {
		return "figure"
	}
	return "value"
}

// headline says in one line what happened to a page, if neither values nor lines of it say that.
func headline(c api.FeedChange) string {
	if _, known := happened[c.Kind]; !known && c.Listed == nil && (len(c.Passages) > 0 || leads(c)) {
		return ""
	}
	text := what(c, name(c), maxSubject, 0)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// remark says of a change what the rest of a mail does not: why it happened, where the text stands, and that there is
// more. It has no counts of words.
func remark(c api.FeedChange) string {
	var out []string
	switch c.Kind {
	case api.ChangeContent, api.ChangeField:
	case api.ChangeBeside:
		out = append(out, "elsewhere on the page")
	case api.ChangeReverted:
		out = append(out, "as before")
	default:
		if why := words.Clean(WhyBeside(c.Why, shownFields(c))); why != "" {
			out = append(out, why)
		}
	}
	if c.More > 0 {
		out = append(out, words.Count(c.More, "more difference")+" on the page")
	}
	return strings.Join(out, "; ")
}

// OfOnePage reports whether all parts of a message are of the same page.
func (l Letter) OfOnePage() bool {
	return !slices.ContainsFunc(l.Parts, func(p Part) bool {
		return p.Count > 1 || p.Change.URL != l.Parts[0].Change.URL || p.Change.ItemID != l.Parts[0].Change.ItemID
	})
}

// press is a link with its words.
type press struct{ To, Text string }

// Button returns where the one button of a mail leads.
func (l Letter) Button() (out press) {
	if len(l.Parts) == 0 || !l.OfOnePage() {
		return press{l.Changes, "Open the inbox"}
	}
	p := l.Parts[0]
	page := press{web(p.Change.URL), "Open the page"}
	switch {
	case leads(p.Change) && page.To != "" || p.Links.Difference == "":
		return page
	case p.Change.Diff != "":
		return press{p.Links.Difference, "See the whole difference"}
	}
	return press{p.Links.Difference, "See it in Tidemark"}
}

// Feet returns the small links below a mail.
func (l Letter) Feet() (out []press) {
	button := l.Button()
	add := func(to, text string) {
		if to != "" && to != button.To && !slices.ContainsFunc(out, func(p press) bool { return p.To == to }) {
			out = append(out, press{to, text})
		}
	}
	if len(l.Parts) > 0 && l.OfOnePage() {
		p := l.Parts[0]
		add(p.Links.Difference, "What else changed there")
		add(web(p.Change.URL), "Open the page")
		add(p.Links.Why, "Why this mail")
		add(p.Links.Mute, "Mute a week")
	} else {
		add(l.RuleLink, "Change the time")
	}
	add(l.Stop, "Stop this mail")
	return out
}

// Head is the heading of a mail about several pages.
func (l Letter) Head() string { return cmp.Or(l.Since, "What changed") }

// Text returns the message as text for mail: all that the HTML has, with short links.
func (l Letter) Text() string {
	return l.written("\n\n", func(p Part) string {
		return lines(p.head(), fields(p.Change), Difference(p.Change), remark(p.Change), p.pages(), p.Links.mailText())
	}, func(l Letter) string {
		end := l.rest()
		if l.Stop != "" {
			end = strings.TrimSpace(end + "\n\nStop this mail: " + l.Stop)
		}
		return end
	})
}

// mailText returns the links in few letters, one on a line.
func (l Links) mailText() string {
	if l.Why == l.Difference {
		l.ShortWhy = ""
	}
	return Links{Difference: l.ShortDifference, Why: l.ShortWhy, Mute: l.Mute}.Text()
}
