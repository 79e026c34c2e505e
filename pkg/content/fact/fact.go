// Package fact says which parts of a text are facts that a reader may act on: prices, shares, dates, times, numbers,
// words that deny, contacts, clauses, and words for what is to be had. A text of other words has no fact, however much
// it says.
//
// A fact is found by its own form and by the words beside it, in the languages of the tables in this package. Numbers
// have the same form in all languages. An id that a machine made up is no fact, and neither is the year of a copyright
// notice. Find reads a text once, and looks only a few words ahead.
package fact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a fact says.
type Kind string

// The kinds of facts.
const (
	Price        Kind = "price"        // an amount of money, or a word such as gratis
	Percent      Kind = "percent"      // a share
	Date         Kind = "date"         // a day, a month with its name, a day of the week, or a year
	Time         Kind = "time"         // a time of the day
	Number       Kind = "number"       // any other number, with its unit if that is known
	Negation     Kind = "negation"     // a word that denies, as not, never and without
	Contact      Kind = "contact"      // a telephone number or a mail address
	Clause       Kind = "clause"       // a numbered paragraph, or a time in words, as in four weeks
	Availability Kind = "availability" // sold out, in stock, cancelled, closed
)

// Fact is a part of a text: the bytes from From up to To.
type Fact struct {
	Kind     Kind
	From, To int
}

// Find returns the facts of a text, in its order. They do not overlap. In a numbered paragraph, what stands between
// other facts is one as well, of the kind [Clause].
func Find(text string) []Fact {
	f := finder{text: text}
	f.find()
	return f.facts
}

// Has reports whether a text has a fact.
func Has(text string) bool {
	f := finder{text: text, one: true}
	f.find()
	return len(f.facts) > 0
}

// Touches reports whether a fact has a part between two offsets of its text. A change of a line may be a word inside a
// fact, such as the name of a month.
func Touches(facts []Fact, from, to int) bool {
	for _, f := range facts {
		if f.From < to && from < f.To {
			return true
		}
	}
	return false
}

// finder reads a text from its beginning to its end.
type finder struct {
	text  string
	at    int // where the next character begins
	facts []Fact
	one   bool // the first fact is enough

	begins  bool // no word of the line was read
	clause  bool // the line is a numbered paragraph
	done    int  // up to where a numbered paragraph is read
	notice  bool // the line is a copyright notice
	last    cue  // the last word or sign that may belong to a number
	counted cue  // the last number in words
}

// cue is a word or a sign that was read.
type cue struct {
	role     role
	from, to int
	opens    bool // it is the first word of the line
}

func (f *finder) find() {
	f.begins = true
	for f.at < len(f.text) && !(f.one && len(f.facts) > 0) {
		r, size := f.next(f.at)
		switch {
		case r == '\n':
			f.endLine()
			f.at++
		case r >= 0x80 && unspaced(r):
			f.piece(r, size)
		case digit(r) >= 0:
			f.number()
			f.begins = false
		case isLetter(r):
			f.word()
			f.begins = false
		default:
			f.sign(r, size)
		}
	}
	f.endLine()
}

// next returns the character at an offset, and its size; 0 at the end.
func (f *finder) next(at int) (r rune, size int) {
	switch {
	case at >= len(f.text):
		return 0, 0
	case f.text[at] < utf8.RuneSelf:
		return rune(f.text[at]), 1
	}
	return utf8.DecodeRuneInString(f.text[at:])
}

// before returns the character that ends at an offset; 0 at the beginning.
func (f *finder) before(at int) rune {
	if at == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(f.text[:at])
	return r
}

// add adds a fact, in place of those that are part of it. In a numbered paragraph, it also adds the text since the last
// one.
func (f *finder) add(kind Kind, from, to int) {
	if from < f.done {
		f.drop(from)
		from = max(from, f.done)
	}
	f.fill(from)
	f.facts = append(f.facts, Fact{kind, from, to})
	f.done = to
}

// fill adds the text of a numbered paragraph up to an offset.
func (f *finder) fill(to int) {
	if !f.clause {
		return
	}
	text := f.text[f.done:to]
	left := strings.TrimSpace(text)
	if strings.IndexFunc(left, unicode.IsLetter) < 0 {
		return
	}
	from := f.done + strings.Index(text, left)
	if n := len(f.facts); n > 0 && f.facts[n-1].Kind == Clause && f.facts[n-1].To == f.done {
		f.facts[n-1].To = from + len(left)
	} else {
		f.facts = append(f.facts, Fact{Clause, from, from + len(left)})
	}
	f.done = from + len(left)
}

// drop removes the facts that begin at an offset or later, because they are part of a longer one.
func (f *finder) drop(from int) {
	for n := len(f.facts); n > 0 && f.facts[n-1].From >= from; n = len(f.facts) {
		f.facts = f.facts[:n-1]
	}
	f.done = min(f.done, from)
	if n := len(f.facts); n > 0 {
		f.done = max(f.done, f.facts[n-1].To)
	}
}

func (f *finder) endLine() {
	f.fill(min(f.at, len(f.text)))
	f.begins, f.clause, f.notice = true, false, false
	f.last, f.counted = cue{}, cue{}
}

// sign reads a character that is neither a letter nor a digit.
func (f *finder) sign(r rune, size int) {
	from := f.at
	f.at += size
	switch {
	case r == '@':
		f.mail(from)
	case r == '©':
		f.notice = true
	case r == '§':
		f.last = cue{clauseWord, from, f.at, f.begins}
	case isCurrency(r):
		f.last = cue{money, f.signStart(from), f.at, false}
	}
}

// signStart returns where a sign of currency begins, with the letters before it, as in US$.
func (f *finder) signStart(at int) int {
	const most = 2
	from := at
	for from > 0 && at-from < most && 'A' <= f.text[from-1] && f.text[from-1] <= 'Z' {
		from--
	}
	return from
}

// mail reads a mail address by its sign.
func (f *finder) mail(at int) {
	const longest = 64
	from, to := at, at+1
	for from > 0 && at-from < longest && isOfMail(f.text[from-1]) {
		from--
	}
	for to < len(f.text) && to-at < longest && isOfMail(f.text[to]) {
		to++
	}
	host := strings.TrimRight(f.text[at+1:to], ".")
	if from == at || strings.IndexByte(host, '.') < 1 {
		return
	}
	f.add(Contact, from, at+1+len(host))
	f.at = f.done
}

func isOfMail(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._%+-", c) >= 0
}

// id returns the end of what a machine made up at an offset: a long number, a hexadecimal number with letters, or a
// long run of letters and digits. It returns 0 for other texts.
func (f *finder) id(from int) int {
	const longest, long, hexadecimal, digits = 64, 20, 8, 12
	numbers, letters, others, hex, to := 0, 0, 0, true, from
	for ; to < len(f.text) && to-from < longest && isOfID(f.text[to]); to++ {
		switch c := f.text[to]; {
		case '0' <= c && c <= '9':
			numbers++
		case c == '-' || c == '_':
			others++
		default:
			letters++
			hex = hex && c|0x20 <= 'f'
		}
	}
	switch size := to - from; {
	case letters == 0 && others == 0 && size >= digits && f.before(from) != '+',
		letters > 0 && numbers > 1 && hex && size >= hexadecimal,
		letters > 0 && numbers >= 4 && size >= long:
		return to
	}
	return 0
}

func isOfID(c byte) bool { return isOfMail(c) && c != '.' && c != '%' && c != '+' }

// isLetter reports whether a character is a letter, or changes the one before it.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

// isBlank reports whether a character is a space that may stand inside a line.
func isBlank(r rune) bool {
	return r == ' ' || r == '\t' || r == '\u00a0' || r == '\u202f' || r == '\u2009' || r == '\u3000'
}

func isCurrency(r rune) bool { return r == '$' || r >= 0x80 && unicode.Is(unicode.Sc, r) }

// digit returns the value of a digit of the scripts in which numbers are written; -1 for other characters.
func digit(r rune) int {
	for _, zero := range [...]rune{'0', '٠', '۰', '०', '０'} {
		if zero <= r && r <= zero+9 {
			return int(r - zero)
		}
		if r < 0x80 {
			break
		}
	}
	return -1
}

// unspaced reports whether a letter is of a script without spaces between words, or Korean, where words have endings.
func unspaced(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
