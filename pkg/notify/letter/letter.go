// Package letter writes messages about changes for people: a subject that says what changed, the difference in words,
// and links to its place. It writes them as text, with + and - before what was added and removed, and as HTML, in which
// a difference stands in the words of the page, on light ground and on dark. Texts of pages are cleaned of characters
// that control or turn what follows, and escaped.
package letter

import (
	"cmp"
	_ "embed"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Links lead from a message back to the installation. They are empty if it has no address.
type Links struct {
	Difference string // the place of the difference
	Why        string // who was told, and why
	Mute       string // a page that mutes the page for the rule

	ShortDifference, ShortWhy string // the same in few letters, for text
}

// Part is a change in a message, or several equal ones of a host.
type Part struct {
	Change api.FeedChange
	Count  int              // number of equal changes
	Pages  []api.FeedChange // of several equal changes, the first
	Links  Links

	among bool // it stands among others in a mail
}

// Letter is a message of a rule.
type Letter struct {
	Title    string
	Rule     string // name of the rule
	RuleLink string
	Parts    []Part
	Rest     int    // number of changes that the message counts but does not list
	Changes  string // link to the list of changes
	Since    string // when the first of several changes was found, as a heading; may be empty
	Stop     string // link that stops such mails; may be empty
}

// Digest returns the title of a digest of a rule. It says what changed if that is one line, and else how much.
func Digest(rule, counted string, gathered int, lines api.ChangeLines) string {
	what := counted
	if len(lines.All) == 1 && lines.Count() == gathered {
		p := Part{Change: lines.All[0].Changes[0], Count: gathered}
		if what = p.title(); p.Count == 1 && words.Clean(rule) == name(p.Change) {
			return what
		}
	}
	return cut(words.Clean(rule), maxSubject/2) + ": " + what
}

// name returns what a message calls a page: its title, or else its address.
func name(c api.FeedChange) string {
	const most = 80
	return words.Ellipsis(words.Clean(cmp.Or(c.Title, c.URL, c.ItemID, c.EntryID)), most)
}

// Extent says how much has changed; "" if that is not known.
func Extent(c api.FeedChange) string {
	if c.WordsAdded+c.WordsRemoved == 0 {
		return ""
	}
	text := words.Count(c.WordsAdded, "word") + " added, " + words.Thousands(c.WordsRemoved) + " removed"
	if c.Share > 0 {
		text += ", " + strconv.Itoa(max(1, int(100*c.Share+.5))) + " % of the text"
	}
	return text
}

// note says of a change what its passages do not: why it was recorded, how much has changed, and that more differs.
func note(c api.FeedChange) string {
	var out []string
	if why := WhyBeside(c.Why, shownFields(c)); why != "" {
		out = append(out, words.Clean(why))
	}
	if extent := Extent(c); extent != "" && !strings.Contains(c.Why, " removed") { // Why has the counts of most kinds
		out = append(out, extent)
	}
	if c.More > 0 {
		out = append(out, "only the most telling lines are shown")
	}
	return strings.Join(out, "; ")
}

// Difference returns the passages of a change, one on a line, with a sign before each, below what they are of. A row of
// a table says which of its cells differ.
func Difference(c api.FeedChange) string {
	var lines []string
	for _, place := range api.ShownOf(c.Passages) {
		if place.Under != "" {
			lines = append(lines, words.Clean(place.Under)+":")
		}
		if place.Table == nil {
			lines = append(lines, RowSign(place.Passage.Op)+unhyphened(words.Clean(place.Passage.Text)))
			continue
		}
		for _, r := range place.Table.Rows {
			lines = append(lines, RowSign(r.Op)+RowText(place.Table, r))
		}
	}
	return strings.Join(lines, "\n")
}

// Summary returns the fields of a change, its difference and a note, as text.
func Summary(c api.FeedChange) string { return lines(fields(c), Difference(c), note(c)) }

// Summaries returns what has changed in each part, as text: the summary of the only one, or what has changed and the
// summary of each.
func (l Letter) Summaries() string {
	if len(l.Parts) == 1 {
		return Summary(l.Parts[0].Change)
	}
	_, all := l.fitting(func(p Part) string {
		return lines(what(p.Change, name(p.Change), maxSubject, 0), Summary(p.Change))
	})
	return strings.Join(all, "\n\n")
}

// lines joins the texts that are not empty.
func lines(all ...string) string {
	var out []string
	for _, text := range all {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// Brief returns the changes of the message as text for chats: the beginning of each difference, without links.
func (l Letter) Brief() string {
	return l.written("\n", func(p Part) string { return lines(p.head(), p.brief(), p.pages()) }, Letter.rest)
}

// written returns the parts that fit, and what follows them.
func (l Letter) written(sep string, part func(Part) string, end func(Letter) string) string {
	l, parts := l.fitting(part)
	if last := end(l); last != "" {
		return strings.TrimSpace(strings.Join(parts, "\n\n") + sep + last)
	}
	return strings.Join(parts, "\n\n")
}

// fitting returns the letter with as many parts as have at most [maxBytes] as they are written, and one at least. It
// counts the changes of the others as the rest.
func (l Letter) fitting(written func(Part) string) (Letter, []string) {
	var parts []string
	size := 0
	for i, p := range l.Parts {
		text := written(p)
		if size += len(text); size > maxBytes && i > 0 {
			for _, left := range l.Parts[i:] {
				l.Rest += left.Count
			}
			l.Parts = l.Parts[:i]
			break
		}
		parts = append(parts, text)
	}
	return l, parts
}

// Foot returns the lines that follow the changes in a chat: the links of the only change, or of the first one of a
// page, and the rule, which people know as an alert.
func (l Letter) Foot() string {
	onOther := func(p Part) bool { return p.Change.ItemID != l.Parts[0].Change.ItemID || p.Change.ItemID == "" }
	if len(l.Parts) > 0 && !slices.ContainsFunc(l.Parts[1:], onOther) {
		return lines(l.Parts[0].Links.Text(), l.from())
	}
	return l.from()
}

// from names the rule that sends the message.
func (l Letter) from() string { return lines("Alert: "+words.Clean(l.Rule), l.RuleLink) }

// rest says how many changes are not listed.
func (l Letter) rest() string {
	if l.Rest <= 0 {
		return ""
	}
	return lines(l.More(), l.Changes)
}

// More says of how many changes the message says no more.
func (l Letter) More() string {
	if len(l.Parts) == 0 {
		return words.Count(l.Rest, "change") + ", too long for a message"
	}
	return "and " + words.Thousands(l.Rest) + " more"
}

// Text returns the links, one on a line.
func (l Links) Text() string {
	var out []string
	for _, link := range [][2]string{{"Difference", l.Difference}, {"Why", l.Why}, {"Mute", l.Mute}} {
		if link[1] != "" {
			out = append(out, link[0]+": "+link[1])
		}
	}
	return strings.Join(out, "\n")
}

// title returns what has changed, on one page or several.
func (p Part) title() string {
	if p.Count > 1 {
		p.Change.Passages = slices.Clone(p.Change.Passages)
		for i := range p.Change.Passages {
			p.Change.Passages[i].Of = "" // on other pages it may be of something else
		}
		return under(several(p), p.Change, 0)
	}
	return Subject(p.Change)
}

// head returns what has changed, and where.
func (p Part) head() string {
	if p.Count > 1 {
		return p.title()
	}
	return lines(p.title(), words.Clean(p.Change.URL))
}

// brief returns the beginning of what has changed.
func (p Part) brief() string {
	const most, size = 3, 200
	all := strings.Split(lines(fields(p.Change), Difference(p.Change)), "\n")
	for i := range all {
		all[i] = words.Ellipsis(all[i], size)
	}
	if len(all) > most {
		all = append(all[:most], "…")
	}
	return strings.Join(all, "\n")
}

// pages lists the pages of equal changes.
func (p Part) pages() string {
	if p.Count == 1 {
		return ""
	}
	var out []string
	for _, c := range p.first() {
		out = append(out, words.Clean(c.URL))
	}
	if more := p.Count - len(out); more > 0 {
		out = append(out, "and "+words.Count(more, "more page"))
	}
	return strings.Join(out, "\n")
}

// first returns the pages of equal changes that a message names.
func (p Part) first() []api.FeedChange {
	most, left := 20, maxAddresses
	for i, c := range p.Pages {
		if left -= len(c.URL); left < 0 || i == most {
			return p.Pages[:i]
		}
	}
	return p.Pages
}

//go:embed letter.html
var page string

var pages = template.Must(template.New("letter").Funcs(template.FuncMap{
	"piece": words.CleanPiece, "clean": words.Clean, "note": note, "several": several, "sizeOf": sizeOf, "remark": remark,
	"fieldText": fieldText, "shownFields": shownFields, "conditionText": conditionText, "figureOf": figureOf,
	"web": web, "more": func(p Part) int { return p.Count - len(p.first()) }, "first": Part.first, "headline": headline,
	"linesOf": linesOf, "cellSpans": CellSpans, "as": shownAs, "darkStyle": darkStyle,
	"pageOf": func(p Part) press { return press{cmp.Or(web(p.Change.URL), p.Links.Why), name(p.Change)} },
}).Parse(page))

// A message has at most maxBytes of changes, or one change, and names pages of equal changes with at most maxAddresses.
const (
	maxBytes     = 100 << 10
	maxAddresses = 16 << 10
)

// web returns an address if it is one of the web, and otherwise "".
func web(address string) string {
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		return address
	}
	return ""
}

// several describes the pages of equal changes.
func several(p Part) string {
	return "on " + words.Count(p.Count, "page") + " of " + words.Clean(p.Change.Host)
}

// HTML returns the message as a document.
func (l Letter) HTML() string {
	l, _ = l.fitting(func(p Part) string { return rendered("part", p) })
	l.Parts = slices.Clone(l.Parts)
	for i := range l.Parts {
		l.Parts[i].among = !l.OfOnePage()
	}
	return rendered("document", l)
}

// ContentHTML returns the difference of a change and a note, with a link to the place of the difference, for feeds.
func ContentHTML(c api.FeedChange, links Links) string {
	return rendered("content", Part{Change: c, Links: links})
}

func rendered(name string, data any) string {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		panic("letter: " + err.Error()) // Unreachable: the templates know their data, and memory does not fail.
	}
	return b.String()
}
