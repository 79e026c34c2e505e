package watch

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// leastCommon is the minimum number of letters that a suggested rule keeps from its lines.
const leastCommon = 3

// Suggest makes an ignore rule from the old and the new form of a line, and from further forms that the line had. The
// rule is the narrowest that this package can make for all of them: it keeps the words at the beginning and the end
// that the forms have in common. In place of a date, a time or another number it matches others of the same form, and
// in place of a weekday or a month beside a number any other. The language of the page, such as "de", may be empty. A
// further form that has little in common with the new one is another line, and is passed over. Errors: Invalid if the
// first two forms have too little in common.
func Suggest(page, was, is string, further ...string) (string, error) {
	was, is = tidy(was), tidy(is)
	if was == "" || is == "" {
		was, is = was+is, was+is
	}
	forms := []string{was, is}
	for _, f := range further {
		if f = tidy(f); f != "" && !slices.Contains(forms, f) && isLike(is, f) {
			forms = append(forms, f)
		}
	}
	rule, letters := suggest(forms, languagesOf(strings.Join(forms, " "), page))
	if len(rule) > MaxRule*9/10 {
		rule, letters = suggest(forms, nil) // the names take too much room
	}
	if letters < leastCommon && len(forms) > 2 {
		return Suggest(page, was, is) // the further forms leave too little
	}
	switch {
	case letters < leastCommon && was == is && !strings.Contains(rule, `\d`):
		return "", fault.New(fault.Invalid, "%.60q has too few letters for a rule: give a pattern", is)
	case letters < leastCommon && was != is:
		return "", fault.New(fault.Invalid, "%.60q and %.60q have too little in common for a rule: give a pattern",
			was, is)
	case letters < leastCommon:
		return "", fault.New(fault.Invalid,
			"%.60q is little but numbers, which a rule would ignore everywhere: give a pattern", is)
	}
	return clipRule(rule), nil
}

func tidy(line string) string { return strings.TrimSpace(strings.ToValidUTF8(line, "�")) }

// isLike reports whether two lines have at least half of their words in common, at their beginning and end.
func isLike(a, b string) bool {
	forms := [][]piece{pieces(a, nil), pieces(b, nil)}
	head, tail, _ := common(forms)
	return 2*(len(head)+len(tail)) >= max(len(forms[0]), len(forms[1]))
}

// suggest makes the rule, and returns the number of letters that it keeps of all forms.
func suggest(forms []string, languages []language) (rule string, letters int) {
	all := make([][]piece, len(forms))
	for i, f := range forms {
		all[i] = pieces(f, languages)
	}
	if isRow(forms) {
		keepCommonWords(all)
	}
	head, tail, whole := common(all)
	rule = "^" + joinPieces(head)
	switch {
	case whole:
		rule += "$"
	case len(tail) > 0:
		rule += ".*" + joinPieces(tail) + "$"
	}
	for _, p := range slices.Concat(head, tail) {
		letters += p.letters
	}
	return rule, letters
}

// isRow reports whether all forms are rows of a table.
func isRow(forms []string) bool {
	return !slices.ContainsFunc(forms, func(f string) bool { return !strings.HasPrefix(f, "|") })
}

// keepCommonWords keeps the words that all forms have, with their numbers. The rows of a table are often alike but for
// their numbers, so a rule that lets them differ would ignore other rows, too.
func keepCommonWords(forms [][]piece) {
	for _, f := range forms {
		for i, p := range f {
			has := func(other []piece) bool {
				return slices.ContainsFunc(other, func(q piece) bool { return q.word == p.word })
			}
			if !slices.ContainsFunc(forms, func(other []piece) bool { return !has(other) }) {
				f[i].pattern = regexp.QuoteMeta(p.word)
			}
		}
	}
}

// common returns the pieces at the beginning and at the end that fit all forms, and whether they are all that there is.
func common(forms [][]piece) (head, tail []piece, whole bool) {
	least := len(forms[0])
	whole = true
	for _, f := range forms {
		whole = whole && len(f) == len(forms[0])
		least = min(least, len(f))
	}
	at := func(i int) (piece, bool) {
		var words []piece
		for _, f := range forms {
			words = append(words, f[(len(f)+i)%len(f)])
		}
		return fitting(words)
	}
	for i := range least {
		p, ok := at(i)
		if !ok {
			break
		}
		head = append(head, p)
	}
	for i := 1; i <= least-len(head); i++ {
		p, ok := at(-i)
		if !ok {
			break
		}
		tail = append(tail, p)
	}
	slices.Reverse(tail)
	return head, tail, whole && len(head) == least
}

// piece is a word of a line, and a regular expression for it.
type piece struct {
	word, pattern string
	letters       int // number of letters that the pattern keeps
}

// fitting returns the one of some pieces whose expression fits the words of all of them.
func fitting(all []piece) (piece, bool) {
	for _, p := range all {
		if !slices.ContainsFunc(all, func(q piece) bool { return !q.fits(p.pattern) }) {
			return p, true
		}
	}
	return piece{}, false
}

// fits reports whether an expression matches the word of a piece.
func (p piece) fits(pattern string) bool {
	if p.pattern == pattern || !strings.Contains(pattern, `\`) && !strings.Contains(pattern, "(?i:") {
		return p.pattern == pattern
	}
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	return err == nil && re.MatchString(p.word)
}

func joinPieces(all []piece) string {
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.pattern
	}
	return strings.Join(out, " ")
}

// pieces returns the words of a line as regular expressions. In place of each number they match others of its form, and
// in place of a weekday or a month beside a number any other of the languages.
func pieces(line string, languages []language) (out []piece) {
	const most = 60 // number of words of a line
	words := strings.Fields(line)
	words = words[:min(len(words), most)]
	for i, w := range words {
		p, ok := anyHalf(strings.Join(words[max(0, i-1):i], ""), w)
		if !ok && isBesideNumber(words, i) {
			p, ok = anyName(w, languages)
		}
		if !ok && isBesideName(words, i, languages) {
			p, ok = anyDay(w)
		}
		if !ok {
			p = literal(w)
		}
		out = append(out, p)
	}
	return out
}

// literal is a piece that keeps all of a word but its numbers.
func literal(word string) piece {
	p := piece{word: word, pattern: anyNumber(word)}
	for _, r := range word {
		if unicode.IsLetter(r) {
			p.letters++
		}
	}
	return p
}

// isBesideNumber reports whether a word, or one beside it, has a digit.
func isBesideNumber(words []string, i int) bool {
	return number.MatchString(words[i]) || slices.ContainsFunc(beside(words, i), number.MatchString)
}

// isBesideName reports whether a word beside another is the name of a weekday or a month.
func isBesideName(words []string, i int, languages []language) bool {
	return slices.ContainsFunc(beside(words, i), func(w string) bool {
		_, ok := anyName(w, languages)
		return ok
	})
}

// beside returns the words before and after a word, and those beyond a word such as de between parts of a date.
func beside(words []string, i int) (out []string) {
	for _, by := range []int{-1, 1} {
		at := i + by
		if at < 0 || at >= len(words) {
			continue
		}
		out = append(out, words[at])
		if far := at + by; far >= 0 && far < len(words) && slices.Contains(betweenDates, strings.ToLower(words[at])) {
			out = append(out, words[far])
		}
	}
	return out
}

var betweenDates = []string{"de", "del", "di", "of", "den"}

// clipRule cuts a rule that is too long. It cuts at a space, because a space is always a literal.
func clipRule(rule string) string {
	const enough = MaxRule * 9 / 10
	if len(rule) <= enough {
		return rule
	}
	rule = rule[:enough]
	if i := strings.LastIndexByte(rule, ' '); i > 0 {
		return rule[:i]
	}
	return rule
}

// number finds the numbers of a text. Dates, times and numbers with marks between thousands are one each.
var number = regexp.MustCompile(`\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?\b|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})\b` +
	`|\d{1,2}h\d{2}\b|\d{1,3}(?:[,.'’]\d{3})+\b|\pN+`)

// anyNumber returns a regular expression for a text in which any number of the same form may stand for each of its
// numbers.
func anyNumber(text string) string { return replaceNumbers(text, likeNumber) }

// anyDate is like [anyNumber] for a text beside the name of a weekday or a month: its numbers are days and years.
func anyDate(text string) string {
	return replaceNumbers(text, func(n string) string {
		switch {
		case !isASCII(n):
			return likeNumber(n)
		case len(n) <= len("31"):
			return `\d{1,2}`
		case len(n) == len("2026"):
			return `\d{4}`
		}
		return likeNumber(n)
	})
}

func replaceNumbers(text string, by func(string) string) string {
	var out strings.Builder
	at := 0
	for _, m := range number.FindAllStringIndex(text, -1) {
		out.WriteString(regexp.QuoteMeta(text[at:m[0]]) + by(text[m[0]:m[1]]))
		at = m[1]
	}
	return out.String() + regexp.QuoteMeta(text[at:])
}

// likeNumber returns a regular expression for numbers of the same form.
func likeNumber(n string) string {
	i := strings.IndexFunc(n, func(r rune) bool { return r < '0' || r > '9' })
	switch {
	case !isASCII(n) && !strings.Contains(n, "’"):
		return `\pN+`
	case i < 0:
		return `\d+`
	case i == 4: // 2026-11-25
		return `\d{4}-\d{2}-\d{2}`
	case n[i] == ':' && strings.Count(n, ":") == 2:
		return `\d{1,2}:\d{2}:\d{2}`
	case n[i] == ':':
		return `\d{1,2}:\d{2}`
	case n[i] == 'h':
		return `\d{1,2}h\d{2}`
	}
	if d := aDate.FindStringSubmatch(n); d != nil {
		return `\d{1,2}` + regexp.QuoteMeta(d[1]) + `\d{1,2}` + regexp.QuoteMeta(d[2]) +
			map[int]string{2: `\d{2}`, 4: `\d{4}`}[len(d[3])]
	}
	mark := strings.TrimLeft(n, "0123456789")
	mark = mark[:strings.IndexAny(mark, "0123456789")]
	return `\d{1,3}(?:` + regexp.QuoteMeta(mark) + `\d{3})*`
}

var aDate = regexp.MustCompile(`^\d{1,2}([./-])\d{1,2}([./-])(\d{2}|\d{4})$`)

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// ordinal finds the number of a day as some languages write it.
var ordinal = regexp.MustCompile(`^(\d{1,2})(?i:st|nd|rd|th|er|º|ª|e)([.,]?)$`)

var day = regexp.MustCompile(`^\(?(?:\d{1,2}|\d{4})[.,;:)]*$`)

// anyDay returns a piece for a word beside the name of a weekday or a month, if the word is the number of a day or a
// year.
func anyDay(word string) (piece, bool) {
	if m := ordinal.FindStringSubmatch(word); m != nil {
		return piece{word: word, pattern: `\d{1,2}(?i:st|nd|rd|th|er|º|ª|e)?` + regexp.QuoteMeta(m[2])}, true
	}
	if day.MatchString(word) {
		return piece{word: word, pattern: anyDate(word)}, true
	}
	return piece{}, false
}
