package watch

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

const (
	// leastCommon is the minimum number of letters that a suggested rule keeps from its lines.
	leastCommon = 3
	// longestForm is the greatest length, in bytes, of a line for which a rule is suggested. No rule holds longer
	// lines.
	longestForm = 4 * maxRule
	// fewWords is the number of words up to which what moves is freed word by word. What is longer is a text.
	fewWords = 3
)

// Suggestion is an ignore rule for a line.
type Suggestion struct {
	Rule string
	// Moves says what the rule lets differ: number, time, word or text. It is empty if the rule is for exactly this
	// line.
	Moves []string
	// Forms are the forms of the line, without the bullets of lists, for which the rule was made.
	Forms []Form
}

// Form is a form of a line.
type Form struct {
	Text  string
	Freed [][2]int // where the rule lets it differ: from and to, in bytes
}

// Suggest makes an ignore rule from forms of a line, the latest first. The rule frees what has moved among them, and
// keeps the rest as it stands. In place of a number that has moved it matches others of the same form; in place of a
// date of which a part has moved, any other date; and in place of a word that has moved, any other word. A form that
// has less than half of its words in common with the first is another line, and is passed over; but the second form
// is not. The language of the page, such as "de", may be empty. Errors: Invalid if the forms have too little in
// common, or are too long for a rule.
func Suggest(page string, forms ...string) (Suggestion, error) {
	known := likeFirst(forms)
	if len(known) == 0 {
		return Suggestion{}, fault.New(fault.Invalid, "the line is empty: give a pattern")
	}
	for _, f := range known {
		if len(f) > longestForm {
			return Suggestion{}, fault.New(fault.Invalid, "%.60q is too long for a rule: give a pattern", f)
		}
	}
	s := suggestion{forms: known, languages: languagesOf(strings.Join(known, " "), page)}
	if s.make(); len(s.rule) > maxRule*9/10 {
		s = suggestion{forms: known} // the names take too much room
		s.make()
	}
	if s.letters < leastCommon && len(known) > 2 {
		return Suggest(page, known[:2]...) // the further forms leave too little
	}
	return s.result()
}

// likeFirst returns the different forms of a line. The third and further ones are like the first.
func likeFirst(forms []string) (out []string) {
	for i, f := range forms {
		if f = bare(strings.TrimSpace(strings.ToValidUTF8(f, "�"))); f == "" || slices.Contains(out, f) {
			continue
		}
		if i < 2 || len(f) <= longestForm && isLike(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// isLike reports whether a form has at least half of its words in common with the first one.
func isLike(known []string, form string) bool {
	if len(known) == 0 || len(known[0]) > longestForm {
		return true
	}
	a, b := strings.Fields(known[0]), strings.Fields(form)
	same := 0
	for _, j := range partners(a, b) {
		if j >= 0 {
			same++
		}
	}
	return 2*same >= max(len(a), len(b))
}

// suggestion is a rule that is being made.
type suggestion struct {
	forms     []string
	languages []language
	lines     [][]piece // the words of the forms
	rule      string
	letters   int // number of letters that the rule keeps
	moves     []string
	freed     [][][2]int
	begun     bool // a word that every form has was written
}

func (s *suggestion) result() (Suggestion, error) {
	last := s.forms[0]
	switch {
	case s.letters >= leastCommon:
	case len(s.forms) > 1:
		return Suggestion{}, fault.New(fault.Invalid,
			"%.60q and %.60q have too little in common for a rule: give a pattern", s.forms[1], last)
	default:
		return Suggestion{}, fault.New(fault.Invalid, "%.60q has too few letters for a rule: give a pattern", last)
	}
	rules, err := Compile(Spec{Ignore: []string{s.rule}})
	if err != nil {
		return Suggestion{}, fault.New(fault.Invalid, "%.60q is too long for a rule that keeps the rest of it: "+
			"give a pattern", last)
	}
	out := Suggestion{Rule: s.rule, Moves: s.moves}
	for k, f := range s.forms {
		if rules.Ignored(f) == "" {
			return Suggestion{}, fault.New(fault.Invalid, "no rule can be made for %.60q: give a pattern", f)
		}
		out.Forms = append(out.Forms, Form{f, s.freed[k]})
	}
	return out, nil
}

// make makes the rule.
func (s *suggestion) make() {
	words := make([][]string, len(s.forms))
	for k, f := range s.forms {
		line := s.pieces(f)
		s.lines = append(s.lines, line)
		for _, p := range line {
			words[k] = append(words[k], p.text)
		}
	}
	s.freed = make([][][2]int, len(s.forms))
	s.rule = "^"
	for _, c := range columnsOf(words) {
		least, most := c.bounds()
		switch {
		case c.same:
			s.write(s.keep(s.lines[0][c.at[0].from].text))
		case most == 1 && least == 1:
			s.write(s.free(c))
		default:
			s.several(c, least, most)
		}
	}
	s.rule += "$"
	for _, f := range s.forms {
		if strings.Join(strings.Fields(f), " ") != f {
			s.rule = strings.ReplaceAll(s.rule, " ", `\s+`)
			break
		}
	}
}

func (s *suggestion) write(pattern string) {
	if s.begun {
		s.rule += " "
	}
	s.rule, s.begun = s.rule+pattern, true
}

// keep returns a regular expression for nothing but a text.
func (s *suggestion) keep(text string) string {
	for _, r := range text {
		if unicode.IsLetter(r) {
			s.letters++
		}
	}
	return regexp.QuoteMeta(text)
}

func (s *suggestion) moved(kind string) {
	if !slices.Contains(s.moves, kind) {
		s.moves = append(s.moves, kind)
	}
}

// several frees a place at which the forms have different numbers of words.
func (s *suggestion) several(c column, least, most int) {
	kind, word, any := "word", `\S+`, `.+`
	if slices.ContainsFunc(s.forms, func(f string) bool { return strings.HasPrefix(f, "|") }) {
		word, any = `[^\s|]+`, `[^|]+` // no cell of a table is freed with another
	}
	for k, at := range c.at {
		if at.size() > 0 {
			s.freed[k] = append(s.freed[k], [2]int{s.lines[k][at.from].from, s.lines[k][at.to-1].to})
		}
	}
	if most > fewWords {
		kind, word = "text", any
		least, most = min(1, least), 1
	}
	s.moved(kind)
	times := func(of string, least, most int) string {
		switch {
		case most == 0:
			return ""
		case least == 0 && most == 1:
			return of + "?"
		}
		return of + "{" + strconv.Itoa(least) + "," + strconv.Itoa(most) + "}"
	}
	switch {
	case s.begun && least == 1 && most == 1:
		s.write(word)
	case s.begun:
		s.rule += times("(?: "+word+")", least, most)
	case least == 0:
		s.rule += times("(?:"+word+" )", least, most)
	default:
		s.write(word + times("(?: "+word+")", least-1, most-1))
	}
}

// piece is a word of a line, or several that are one date or one time.
type piece struct {
	text     string
	from, to int
	like     string // a regular expression for all that may stand for a date or a time; empty for other words
}

var aWord = regexp.MustCompile(`\S+`)

// pieces returns the words of a line.
func (s *suggestion) pieces(line string) (out []piece) {
	at := aWord.FindAllStringIndex(line, -1)
	words := make([]string, len(at))
	for i, w := range at {
		words[i] = line[w[0]:w[1]]
	}
	for i := 0; i < len(words); {
		p, n := piece{}, dateAt(words[i:], s.languages)
		if n > 0 {
			p.like = likeDate(words[i:i+n], s.languages)
		} else if n = halfAt(words[i:]); n > 0 {
			p.like = likeHalf(words[i : i+n])
		} else {
			n = 1
		}
		p.text, p.from, p.to = strings.Join(words[i:i+n], " "), at[i][0], at[i+n-1][1]
		out = append(out, p)
		i += n
	}
	return out
}
