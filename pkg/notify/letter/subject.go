package letter

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// The longest parts of a subject, in bytes, and the longest value in "old → new".
const (
	maxWhat  = 120
	maxValue = 40
)

// happened has the words for kinds of change that say all there is to say in a subject.
var happened = map[api.ChangeKind]string{
	api.ChangeNew: "added", api.ChangeGone: "gone", api.ChangeBack: "back", api.ChangeFailing: "cannot be read",
	api.ChangeRecovered: "read again", api.ChangeWatchBroken: "the watched part is missing",
	api.ChangeWatchRestored: "the watched part was found again", api.ChangeImages: "other images",
	api.ChangeMetadata: "other metadata", api.ChangeBytes: "other content",
}

// Subject says in one line what has changed on which page: "Storm lamp: 79 → 84 EUR". It has at most 202 bytes.
func Subject(c api.FeedChange) string { return name(c) + ": " + what(c) }

// what says in a few words what has changed.
func what(c api.FeedChange) string {
	what, known := happened[c.Kind]
	if !known {
		what = brief(c.Passages)
	}
	if leads(c) {
		all := shownFields(c)
		if what = fieldText(all[0]); len(all) > 1 {
			what = words.Ellipsis(what, maxWhat-len(andMore)) + andMore
		}
	}
	if e := c.Listed; e != nil {
		if what = "new: " + cmp.Or(words.Clean(e.Title), e.URL); e.More > 0 {
			what = words.Count(e.More, "more new entry")
		}
	}
	if c.Kind == api.ChangeReverted {
		what += ", as before"
	}
	return words.Ellipsis(what, maxWhat)
}

// brief says in a few words how passages differ. Numbers come before other words.
func brief(all []api.ChangedPassage) string {
	told := tellings(all)
	if len(told) == 0 {
		return "changed"
	}
	what := told[max(0, slices.IndexFunc(told, func(t telling) bool { return t.number }))].text
	if len(told) > 1 {
		what = words.Ellipsis(what, maxWhat-len(andMore)) + andMore
	}
	return what
}

const andMore = ", and more"

// pair is a passage before and after. One of them may be empty.
type pair struct{ old, new side }

// side is a passage as a subject needs it.
type side struct {
	text, hit     string // the passage, and the words that differ
	before, after string // what stands around these words
	hits          int    // in how many places it differs
}

func pairsOf(all []api.ChangedPassage) (out []pair) {
	for i := 0; i < len(all); i++ {
		switch {
		case all[i].Op == "added":
			out = append(out, pair{new: sideOf(all[i])})
		case i+1 < len(all) && all[i+1].Op == "added" && isReplaced(all[i], all[i+1]):
			out = append(out, pair{sideOf(all[i]), sideOf(all[i+1])})
			i++
		default:
			out = append(out, pair{old: sideOf(all[i])})
		}
	}
	return out
}

// fewWords is the number of words of passages that may replace each other with nothing in common.
const fewWords = 2

// isReplaced reports whether a removed passage is told as replaced by the added one after it: if they have words in
// common, or only a word or two. Passages of different places may stand side by side.
func isReplaced(was, is api.ChangedPassage) bool {
	return was.Pieces != nil ||
		len(strings.Fields(was.Text)) <= fewWords && len(strings.Fields(is.Text)) <= fewWords
}

func sideOf(p api.ChangedPassage) (s side) {
	s.text = words.Clean(p.Text)
	if p.Pieces == nil {
		s.hit, s.hits = s.text, 1
		return s
	}
	for _, piece := range p.Pieces {
		text := words.CleanPiece(piece.Text)
		switch {
		case piece.Changed:
			s.hit, s.hits = text, s.hits+1
		case s.hits == 0:
			s.before = text
		case s.hits == 1 && s.after == "":
			s.after = text
		}
	}
	s.hit = strings.Trim(s.hit, " .,;:!?()…")
	return s
}

// String says how a passage has changed.
func (p pair) String() string {
	switch {
	case p.old.text == "":
		return "added “" + p.new.text + "”"
	case p.new.text == "":
		return "removed “" + p.old.text + "”"
	case p.old.hits == 0 && p.new.hits == 1 && p.new.hit != "":
		return "added “" + p.new.hit + "”"
	case p.new.hits == 0 && p.old.hits == 1 && p.old.hit != "":
		return "removed “" + p.old.hit + "”"
	}
	old, now := p.old.hit, p.new.hit
	if p.old.hits != 1 || p.new.hits != 1 || old == "" || now == "" ||
		max(utf8.RuneCountInString(old), utf8.RuneCountInString(now)) > maxValue {
		return "now “" + p.new.text + "”"
	}
	unit := currencyBefore.FindString(p.new.before)
	return unit + old + " → " + unit + now + currencyAfter.FindString(p.new.after)
}

// A currency or a percent sign beside a number is part of what has changed.
var (
	currencyBefore = regexp.MustCompile(`(?:\p{Sc}|\b(?:` + currencies + `)) ?$`)
	currencyAfter  = regexp.MustCompile(`^ ?(?:[\p{Sc}%円元원]|(?i:zł|kč|руб|(?:kr|` + currencies + `)\b))`)
)

const currencies = `EUR|USD|GBP|CHF|JPY|CNY|PLN|CZK|SEK|NOK|DKK`

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }

// RowText says in one line how a row of a table differs: "Storm lamp · Price: 79 → 84 EUR". Of a row that was added or
// removed it says all cells.
func RowText(t *api.DiffTable, r api.DiffRow) string {
	var out []string
	for i, c := range r.Cells {
		text, name := words.Clean(api.TextOf(c.Text)), words.Clean(t.Name(i))
		if i == 0 && (r.Op != opChanged || !c.Differs()) {
			name = ""
		} else if r.Op == opChanged && !c.Differs() || r.Op == opMoved {
			continue
		} else if r.Op == opChanged {
			text = pair{pieceSide(c.Was), pieceSide(c.Text)}.String()
		}
		if text == "" {
			continue
		}
		if name != "" && name != text {
			text = name + ": " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, " · ")
}

// The kinds of rows; others are added and removed.
const (
	opChanged = "changed"
	opMoved   = "moved"
)

// RowSign is what a text has before a row, by what happened to the row.
func RowSign(op string) string {
	return map[string]string{"added": "+ ", "removed": "- ", opMoved: "moved: "}[op]
}

// TableNote says what of a table is not shown; "" if nothing is left out.
func TableNote(t *api.DiffTable) string {
	var out []string
	add := func(n int, unit, one, more string) {
		if n == 1 {
			out = append(out, words.Count(n, unit)+one)
		} else if n > 1 {
			out = append(out, words.Count(n, unit)+more)
		}
	}
	add(t.Same, "row", " is the same", " are the same")
	add(t.Moved, "row", " is in another place, and otherwise the same", " are in another place, and otherwise the same")
	add(t.MoreRows, "more row", " differs and is not shown", " differ and are not shown")
	add(t.MoreColumns, "column", " is not shown", " are not shown")
	return strings.Join(out, "; ")
}

func pieceSide(pieces []api.DiffPiece) side {
	if len(pieces) == 0 {
		return side{}
	}
	return sideOf(api.ChangedPassage{Text: api.TextOf(pieces), Pieces: pieces})
}

// telling is a difference at one place in a few words.
type telling struct {
	text   string
	number bool // a number has become another
}

// tellings says how passages differ.
func tellings(all []api.ChangedPassage) (out []telling) {
	var lines []api.ChangedPassage
	flush := func() {
		for _, p := range pairsOf(lines) {
			out = append(out, telling{p.String(), hasDigit(p.old.hit) && hasDigit(p.new.hit)})
		}
		lines = nil
	}
	for _, place := range api.ShownOf(all) {
		if place.Table == nil {
			lines = append(lines, place.Passage)
			continue
		}
		flush()
		for _, r := range place.Table.Rows {
			number := func(c api.DiffCell) bool { return hasDigit(pieceSide(c.Was).hit) && hasDigit(pieceSide(c.Text).hit) }
			sign := map[string]string{"added": "added ", "removed": "removed ", opMoved: "moved "}[r.Op]
			out = append(out, telling{sign + RowText(place.Table, r), slices.ContainsFunc(r.Cells, number)})
		}
	}
	flush()
	return out
}
