package letter

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// A Headline says what a subject says, in parts that a list can set apart.
type Headline struct {
	Old, New string // before and after; only New is set if it came, and only Old if it went
	Now      string // in place of both: what stands there now, where no value says it alone
	Happened string // in place of all: what has happened to the page, in words
	Of       string // what that is of, such as the name of a value or a heading
	Note     string // such as: lowest until now
	More     string // what has changed besides: "and 2 more"
}

// maxHeadline is the length of the longest text of a headline, in characters.
const maxHeadline = 140

// HeadlineOf returns the gravest difference of a change.
func HeadlineOf(c api.FeedChange) (out Headline) {
	text, known := happened[c.Kind]
	switch fields := shownFields(c); { // a value says more than the line in which it stands
	case c.Listed != nil && c.Listed.More > 0:
		out.New = words.Count(c.Listed.More, "more new entry")
	case c.Listed != nil:
		out.New = cmp.Or(words.Clean(c.Listed.Title), c.Listed.URL)
	case len(fields) > 0:
		out = headlineOfField(fields[0])
	case c.Kind == api.ChangeField && len(c.Fields) > 0: // of values that nobody asked for
		out = headlineOfField(c.Fields[0])
	case known:
		out.Happened = text
	case len(c.Passages) > 0:
		out = headlineOfPassages(c.Passages, name(c))
	default:
		out.Happened = "changed"
	}
	if c.Kind == api.ChangeReverted {
		out.Note = "as before"
	}
	out.More = strings.TrimPrefix(andMore(differences(c)-1), ", ")
	for _, text := range []*string{&out.Old, &out.New, &out.Now} {
		*text = cut(*text, maxHeadline)
	}
	out.Of = cut(out.Of, maxValue)
	return out
}

// headlineOfField takes apart what is said of a field: "79 → 84 EUR (lowest 72 in May)".
func headlineOfField(f api.ChangedField) Headline {
	text := words.Clean(f.Text)
	h := Headline{Of: field.Word(f.Name), Note: conditionText(f)}
	if i := strings.LastIndex(text, " (lowest "); i >= 0 && h.Note == "" {
		h.Note = strings.TrimSuffix(text[i+len(" ("):], ")")
		h.Note, _, _ = strings.Cut(h.Note, ", before ")
		text = text[:i]
	}
	var found bool
	if h.Old, h.New, found = strings.Cut(text, "→ "); !found {
		h.Old, h.New = "", text
	}
	h.Old = strings.TrimSpace(h.Old)
	return h
}

// headlineOfPassages takes the first difference of passages apart. The name is that of the page.
func headlineOfPassages(all []api.ChangedPassage, name string) Headline {
	shown := api.ShownOf(all)
	if t := shown[0].Table; t != nil {
		return headlineOfRow(t, t.Rows[0])
	}
	var lines []api.ChangedPassage
	for _, s := range shown {
		if s.Table != nil {
			break
		}
		lines = append(lines, s.Passage)
	}
	p := pairsOf(lines)[0]
	h := p.headline()
	if of := namesOf(p.of, name); h.Of == "" && len(of) > 0 {
		h.Of = of[len(of)-1]
	}
	return h
}

// ordinal is the beginning of a date such as 8. Januar, where the full stop ends no sentence.
var ordinal = regexp.MustCompile(`(\d)\. `)

// headline says how a passage has changed.
func (p pair) headline() Headline {
	switch {
	case p.old.text == "":
		return Headline{New: item(p.new.text)}
	case p.new.text == "":
		return Headline{Old: item(p.old.text)}
	case p.scattered:
	case isValue(ordinal.ReplaceAllString(p.old.hit, "$1 ")) && isValue(ordinal.ReplaceAllString(p.new.hit, "$1 ")):
		unit := currencyBefore.FindString(p.new.before)
		of := wordsBefore(strings.TrimSpace(item(strings.TrimSuffix(p.new.before, unit))))
		was, is := p.ends(of)
		return Headline{Old: was, New: is, Of: strings.TrimRight(of, " :：|")}
	case p.old.hit == "" && len(strings.Fields(p.new.hit)) >= manyWords:
		return Headline{New: p.new.hit}
	case p.new.hit == "" && len(strings.Fields(p.old.hit)) >= manyWords:
		return Headline{Old: p.old.hit}
	}
	return Headline{Now: p.new.window(maxHeadline)}
}

// headlineOfRow says how a row of a table has changed: its only cell that differs, or all of it.
func headlineOfRow(t *api.DiffTable, r api.DiffRow) Headline {
	var cells []string
	for _, c := range r.Cells {
		if text := words.Clean(api.TextOf(c.Text)); text != "" {
			cells = append(cells, text)
		}
	}
	text := strings.Join(cells, " · ")
	switch r.Op {
	case "added":
		return Headline{New: text}
	case "removed":
		return Headline{Old: text}
	case opChanged:
		for i, c := range r.Cells {
			if h := cellPair(c).headline(); c.Differs() {
				h.Of = strings.Trim(words.Clean(api.TextOf(r.Cells[0].Text))+" · "+words.Clean(t.Name(i)), " ·")
				if i == 0 {
					h.Of = ""
				}
				return h
			}
		}
	}
	return Headline{Now: RowText(t, r)}
}
