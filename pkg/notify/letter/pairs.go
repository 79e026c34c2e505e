package letter

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxValue is the length of the longest value in "old → new", in characters.
const maxValue = 40

// pair is a passage before and after. One of them may be empty.
type pair struct {
	old, new side
	of       string
	more     int // in how many further places numbers differ
	// scattered reports whether words differ in several places, none of them a fact.
	scattered bool
}

// side is a passage as a subject needs it.
type side struct {
	text          string
	hit           string // what differs: of several places, what is most likely to matter
	before, after string // what stands around it
}

// pairsOf pairs passages that replace each other. Of two that have nothing in common, the new one comes first.
func pairsOf(all []api.ChangedPassage) (out []pair) {
	for i := 0; i < len(all); i++ {
		p := pair{of: all[i].Of}
		switch next := i + 1; {
		case all[i].Op == "added":
			p.new = whole(all[i])
		case next < len(all) && all[next].Op == "added" && isReplaced(all[i], all[next]):
			p = pairOf(all[i], all[next])
			p.of = common(all[i].Of, all[next].Of)
			i++
		case next < len(all) && all[next].Op == "added" && all[i].Weight == all[next].Weight:
			out = append(out, pair{new: whole(all[next]), of: all[next].Of})
			p.old = whole(all[i])
			i++
		default:
			p.old = whole(all[i])
		}
		out = append(out, p)
	}
	return out
}

// common returns the names that two passages have in common, from the outermost on.
func common(a, b string) string {
	x, y := strings.Split(a, api.BetweenNames), strings.Split(b, api.BetweenNames)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return strings.Join(x[:n], api.BetweenNames)
}

// fewWords is the number of words of passages that may replace each other with nothing in common.
const fewWords = 2

// isReplaced reports whether a removed passage is told as replaced by the added one after it: if they have words in
// common, or only a word or two. Passages of different places may stand side by side.
func isReplaced(was, is api.ChangedPassage) bool {
	return was.Pieces != nil ||
		len(strings.Fields(was.Text)) <= fewWords && len(strings.Fields(is.Text)) <= fewWords
}

// text says in at most so many characters how a passage of something has changed.
func (p pair) text(of []string, room int) string {
	size := utf8.RuneCountInString
	switch {
	case p.old.text == "" || p.new.text == "":
		sign, of1, text := "new", "new in ", p.new.text
		if text == "" {
			sign, of1, text = "gone", "gone from ", p.old.text
		}
		return p.whole(of, sign, of1, item(text), room)
	case p.scattered: // no place says it alone
	case isValue(p.old.hit) && isValue(p.new.hit):
		return p.value(of, room)
	case p.old.hit == "" && len(strings.Fields(p.new.hit)) >= manyWords:
		return p.whole(of, "new", "new in ", p.new.hit, room)
	case p.new.hit == "" && len(strings.Fields(p.old.hit)) >= manyWords:
		return p.whole(of, "gone", "gone from ", p.old.hit, room)
	}
	sign := "now: "
	if len(of) > 0 {
		sign = "now in " + of[len(of)-1] + ": "
	}
	if size(sign) > room/2 {
		sign = "now: "
	}
	return sign + p.new.window(room-size(sign))
}

// isValue reports whether a text is short enough to be told as a value.
func isValue(text string) bool {
	const most = 5 // words
	return text != "" && utf8.RuneCountInString(text) <= maxValue && len(strings.Fields(text)) <= most &&
		!strings.Contains(text, ". ")
}

// manyWords is the number of words that a line has lost or gained from which on they speak for themselves.
const manyWords = 6

// whole says that a text came or went.
func (p pair) whole(of []string, sign, in, text string, room int) string {
	text = strings.TrimRight(text, " .")
	short := sign + ": " + text
	if len(of) == 0 {
		return cut(short, room)
	}
	last := in + of[len(of)-1] + ": " + text
	const enough = 30 // characters of a text that is cut
	if full := in + strings.Join(of, api.BetweenNames) + ": " + text; utf8.RuneCountInString(full) <= room ||
		utf8.RuneCountInString(full)-utf8.RuneCountInString(text)+enough <= room {
		return cut(full, room)
	}
	return fitting(room, last, short)
}

// value says what has become of a value in a line that is otherwise the same: what it is of, the words before it, both
// values, and the unit.
func (p pair) value(of []string, room int) string {
	unit := currencyBefore.FindString(p.new.before)
	before := strings.TrimSpace(item(strings.TrimSuffix(p.new.before, unit)))
	label, name := wordsBefore(before), strings.TrimRight(before, " :：|")
	if len(of) > 0 && before != name {
		label = "" // it is the last name
	}
	change := unit + p.old.hit + " → " + unit + p.new.hit
	was, is := p.ends(label)
	full := was + " → " + is
	switch {
	case len(of) == 1 && (strings.HasPrefix(p.new.text, ": ") || before != name && strings.HasSuffix(name, of[0])):
		return fitting(room, labelled(of[0], full), full, change)
	case len(of) == 0 && before != name && strings.TrimRight(label, ":：") != "":
		return fitting(room, labelled(strings.TrimRight(label, ":："), full), full, change)
	case label != "":
		label += " "
	}
	last := of
	if len(of) > 1 {
		last = of[len(of)-1:]
	}
	return fitting(room, named(of, label+full), named(last, label+full), named(last, full), label+full, full, change)
}

// ends returns both values, which stand after a label, with what belongs to them. A currency before them belongs to
// both, and so does the rest of a name, such as Hall. Another unit stands once.
func (p pair) ends(label string) (was, is string) {
	unit := currencyBefore.FindString(p.new.before)
	after := unitAfter(p.new, label == "" && unit == "")
	was, is = unit+p.old.hit, unit+p.new.hit+after
	if isName(p.old.hit) && isName(p.new.hit) && isName(strings.TrimSpace(after)) {
		was += after
	}
	return was, is
}

// isName reports whether a text may be of a name: it begins with a capital letter.
func isName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}

// cellPair returns the texts of a cell with what differs in them.
func cellPair(c api.DiffCell) pair {
	passage := func(pieces []api.DiffPiece) api.ChangedPassage {
		return api.ChangedPassage{Text: api.TextOf(pieces), Pieces: pieces}
	}
	return pairOf(passage(c.Was), passage(c.Text))
}

// cell says how a cell of a table has changed.
func (p pair) cell() string {
	switch {
	case p.old.text == "":
		return "new “" + p.new.text + "”"
	case p.new.text == "":
		return "gone “" + p.old.text + "”"
	case p.scattered || p.old.hit == "" || p.new.hit == "" ||
		max(utf8.RuneCountInString(p.old.hit), utf8.RuneCountInString(p.new.hit)) > maxValue:
		return "now “" + p.new.text + "”"
	}
	unit := currencyBefore.FindString(p.new.before)
	return unit + p.old.hit + " → " + unit + p.new.hit + currencyAfter.FindString(p.new.after)
}

// A currency or a percent sign beside a number is part of what has changed.
var (
	currencyBefore = regexp.MustCompile(`(?:\p{Sc}|\b(?:` + currencies + `)) ?$`)
	currencyAfter  = regexp.MustCompile(`^ ?(?:[\p{Sc}%円元원]|(?i:zł|kč|руб|(?:kr|` + currencies + `)\b))`)
)

const currencies = `EUR|USD|GBP|CHF|JPY|CNY|PLN|CZK|SEK|NOK|DKK`

// marker matches the sign of an item of a list, or of what explains a term.
var marker = regexp.MustCompile(`^(?:… ?)?(?:[-*•] |\d{1,4}[.)] |: )?`)

// item returns a text without the sign of a list.
func item(text string) string { return text[len(marker.FindString(text)):] }

// window returns the text around what differs in at most so many characters: from the beginning of its sentence on, or
// else from a few words before it.
func (s side) window(room int) string {
	before := item(s.before)
	if at := lastBreak(before, ".!?。！？"); at >= 0 {
		before = strings.TrimLeft(before[at:], " ")
	}
	rest := s.hit + s.after
	if at := strings.Index(rest, ". "); at >= 0 {
		rest = rest[:at]
	}
	size := utf8.RuneCountInString
	for size(before) > room/3 && size(before+rest[:min(len(s.hit), len(rest))]) > room*2/3 {
		_, after, found := strings.Cut(strings.TrimLeft(before, "… "), " ")
		if !found {
			break
		}
		before = "…" + after
	}
	if text := strings.TrimRight(before+rest, " ."); strings.ContainsFunc(text, says) {
		return cut(text, room)
	}
	return cut(item(s.text), room)
}

// says reports whether r is more than a sign.
func says(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// lastBreak returns where the last sign ends after which a sentence or a clause begins; -1 if there is none. Within a
// number there is none.
func lastBreak(text, signs string) int {
	at := -1
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		wide := r >= utf8.RuneSelf
		if strings.ContainsRune(signs, r) && (wide || end < len(text) && text[end] == ' ') {
			at = end
		}
	}
	return at
}

// wordsBefore returns the last words before a value that say what it is of: up to five of the same clause, without the
// small words at both ends.
func wordsBefore(text string) string {
	const most, letters = 5, 36
	all := strings.Fields(text[max(0, lastBreak(text, breaks)):])
	if len(all) == 0 || !strings.ContainsFunc(strings.Join(all, ""), says) {
		all = strings.Fields(text) // as in "Sections D.4 — D.7"
	}
	all = all[max(0, len(all)-most):]
	for len(all) > 0 && (isSmall(all[0]) || utf8.RuneCountInString(strings.Join(all, " ")) > letters) {
		all = all[1:]
	}
	if n := len(all); n > 1 && isSmall(all[n-1]) && isCopula(all[n-2]) {
		all = all[:n-1]
	}
	for n := len(all); n > 0 && isCopula(all[n-1]); n-- {
		all = all[:n-1]
	}
	return strings.Trim(strings.Join(all, " "), ` "“”„«»()`)
}

// unitAfter returns the unit or the noun after a value: a currency, or the next word. A value without words before it
// has up to three after it.
func unitAfter(s side, alone bool) string {
	if unit := currencyAfter.FindString(s.after); unit != "" {
		return unit
	}
	most, rest := 1, s.after
	if alone {
		most = 3
	}
	if end := strings.IndexAny(rest, breaks); end >= 0 {
		rest = rest[:end]
	}
	text := strings.TrimLeft(rest, " ")
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLetter(first) || text == rest && !words.IsSpaceless(first) {
		return ""
	}
	all := strings.Fields(text)
	all = all[:min(most, len(all))]
	for n := len(all); n > 0 && (isSmall(all[n-1]) || isCopula(all[n-1])); n-- {
		all = all[:n-1]
	}
	const longest = 24
	text = words.ClipRunes(strings.Join(all, " "), longest)
	if text == "" || words.IsSpaceless(first) {
		return text
	}
	return " " + text
}

// breaks are the signs between clauses.
const breaks = ".!?;:,()–—|。！？；：，、（）…"

func isSmall(word string) bool { return small[strings.ToLower(word)] }

func isCopula(word string) bool { return copulas[strings.ToLower(word)] }

// Small words say nothing at the beginning of a label, and verbs of being nothing at its end.
var (
	small = words.Set(`the a an of in on at to for by and or from with our your this that is are
		it there you we they es sie wir il elle nous vous lo se
		der die das den dem des ein eine einen im am zum zur von für und oder
		le la les un une des du de au aux pour et ou
		el los las una del al para y o
		il lo gli i una di da per e
		o os as um uma do da dos das em no na
		het een van voor en of`)
	copulas = words.Set(`is are was were be been will costs cost ist sind war kostet est sont coûte es son cuesta è sono costa
		é são custa is zijn kost`)
)

func isBlank(r rune) bool { return unicode.IsSpace(r) }

func isDigit(r rune) bool { return unicode.IsDigit(r) }

// isNumeric reports whether r may be a part of a number.
func isNumeric(r rune) bool { return isDigit(r) || strings.ContainsRune(".,:'’/%–-", r) }

func reversed[T any](all []T) []T {
	out := slices.Clone(all)
	slices.Reverse(out)
	return out
}
