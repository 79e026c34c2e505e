// Package noise converts text into the form that the content hash covers. In this form, text that changes by itself
// does not count as a change of content (H12).
//
// A placeholder replaces a line whose own words show that it counts something or gives the current time: "12
// comments", "17 people are viewing this", "Sale ends in 03:12:44". Placeholders also replace years beside a
// copyright sign, and relative times ("updated 3 days ago") in short lines. In prose, the author wrote the relative
// times, so they stay.
//
// Only the words in its own line decide whether a number is folded. But no number is folded in a table, in a list of
// definitions, or below a heading that names what the line counts. There the number is information. Quotation marks,
// dashes, and dates with a year are each hashed in one form, because the regional editions of a site write them
// differently. The text of a document keeps all of these unchanged.
//
// Alternatives considered: if relative times were folded everywhere, including future times ("in 30 days"), changes
// of deadlines would be hidden. If every number were folded, or every number that changes often, prices would be
// hidden.
package noise

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The placeholders for folded text. They are control characters, which the text itself never contains.
const (
	passingTime = "\x01"
	counter     = "\x02" // followed by the name of the rule
	someYear    = "\x03"
	someDate    = "\x04" // followed by the year, the month and the day
	openDate    = "\x05" // followed by the year and two numbers, either of which may be the month

	placeholders = passingTime + counter + someYear + someDate + openDate
)

const (
	// shortLine is the greatest length, in runes, of a line in which a relative time counts as the date of the page.
	shortLine = 80
	// shortLabel is the greatest length, in runes, of a line in which words such as "yesterday" count as the date of
	// the page.
	shortLabel = 40
	// copyrightLine is the greatest length, in bytes, of a line with a copyright sign in which years are folded.
	copyrightLine = 300
)

// token is a piece of a line: a word, digits, or one other character.
type token struct {
	kind       tokenKind
	start, end int
	word       string // the word in lower case; empty for other tokens
}

type tokenKind uint8

const (
	word tokenKind = iota
	digits
	sign
)

// Filter folds text that changes by itself. The zero value is ready to use. A Filter reuses its memory from one line
// to the next.
type Filter struct {
	Out       []byte   // hashed form of the text so far
	Protected []string // the mail addresses that the next lines hide, in order; each address is used once
	// Exact means that somebody selected the text, so no number is folded.
	Exact bool
	// DayFirst means that the language of the text writes the day before the month when both are numbers. If DayFirst
	// is false, they may be in either order; see [Filter.OrderDates].
	DayFirst bool
	// If not nil, Folded is called with the name of the rule for each line in which something is folded.
	Folded func(line, rule string)

	headings []heading
	label    bool // the line before may be the name of what this line says
	facts    bool // the line is part of a table or a list of definitions
	list     bool // the line is in a list that does not say when something was written
	dateline bool // one of the line's parts says when or by whom something was written

	open                 []int // where dates begin in Out whose order of day and month is unknown
	dayFirst, monthFirst bool  // a date of the text has this order

	line    string
	tokens  []token
	times   timeReader
	words   []lineRole
	numbers []shape
	keys    []string
}

// Block appends the hashed form of a block's lines, with a space between the lines.
func (s *Filter) Block(text string) { s.lines(text) }

// Table appends the hashed form of a table, or of another block whose numbers are information.
func (s *Filter) Table(text string) {
	s.facts = true
	s.lines(text)
	s.facts = false
}

// List appends the hashed form of a list. If a line of the list begins with ": ", the list explains terms.
func (s *Filter) List(text string) {
	s.facts = strings.HasPrefix(text, ": ") || strings.Contains(text, "\n: ")
	s.list = !s.facts && !s.Exact && !s.hasTime(text)
	s.lines(text)
	s.facts, s.list = false, false
}

// Code appends the hashed form of code.
func (s *Filter) Code(text string) {
	if strings.ContainsAny(text, "\u00a0\u00ad\ufeff") {
		text = invisibleInCode.Replace(text)
	}
	s.Out = append(s.Out, text...)
}

var invisibleInCode = strings.NewReplacer("\u00a0", " ", "\u00ad", "", "\ufeff", "")

func (s *Filter) lines(text string) {
	between := false
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if between {
			s.Out = append(s.Out, ' ')
		}
		line = withoutSkip(withoutSmileys(strings.TrimSpace(Typography(s.unprotected(line)))))
		s.add(line)
		s.label = isLabel(line)
		between = true
	}
}

// hasTime reports whether a list contains a relative time. Lists beside an article usually do.
func (s *Filter) hasTime(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > 4*shortLine {
			continue
		}
		line = Typography(strings.TrimSpace(line))
		s.tokens = tokens(s.tokens[:0], line)
		s.times.begin(line, s.tokens, utf8.RuneCountInString(line) <= shortLine, false)
		for i := range s.tokens {
			if s.times.at(i) > 0 {
				return true
			}
		}
	}
	return false
}

// unprotected returns a line with its hidden addresses restored.
func (s *Filter) unprotected(line string) string {
	if len(s.Protected) == 0 || !strings.Contains(line, protection) {
		return line
	}
	var out strings.Builder
	for i, part := range strings.Split(line, protection) {
		switch {
		case i > 0 && len(s.Protected) > 0:
			out.WriteString(s.Protected[0])
			s.Protected = s.Protected[1:]
		case i > 0:
			out.WriteString(protection)
		}
		out.WriteString(part)
	}
	return out.String()
}

// add appends the hashed form of a line. If dots or bars divide the line into parts, each part is treated as a line
// of its own.
func (s *Filter) add(line string) {
	at, size := partEnd(line)
	s.dateline = at < len(line) && !s.facts && !s.Exact && isDateline(line)
	for {
		s.part(line[:at])
		if at == len(line) {
			return
		}
		s.Out = append(s.Out, line[at:at+size]...)
		line = line[at+size:]
		at, size = partEnd(line)
	}
}

// partEnd returns the end of the first part of a line and the length of the separator after it.
func partEnd(line string) (at, size int) {
	for i, r := range line {
		switch r {
		case '|', '·', '•', '∙', '●', '\n':
			return i, utf8.RuneLen(r)
		}
	}
	return len(line), 0
}

func (s *Filter) part(part string) {
	s.line = part
	short := !s.facts && !s.Exact && utf8.RuneCountInString(part) <= shortLine
	if !short && !hasYear(part) || strings.ContainsAny(part, placeholders) {
		s.Out = append(s.Out, part...)
		return
	}
	s.tokens = tokens(s.tokens[:0], part)
	if short && s.whole(part) {
		return
	}
	s.times.begin(part, s.tokens, short, s.dateline)
	protected := !s.facts && !s.Exact && len(part) <= copyrightLine && hasCopyright(s.tokens, part)
	done, year := 0, 0
	for i := 0; i < len(s.tokens); {
		for year < len(s.tokens) && (year < i || !isYear(part, s.tokens[year])) {
			year++
		}
		mark, n := s.fold(i, year, protected)
		if n == 0 {
			i++
			continue
		}
		s.Out = append(s.Out, s.line[done:s.tokens[i].start]...)
		if strings.HasPrefix(mark, openDate) {
			s.open = append(s.open, len(s.Out))
		}
		s.Out = append(s.Out, mark...)
		i += n
		done = s.tokens[i-1].end
	}
	s.Out = append(s.Out, s.line[done:]...)
}

// whole folds a line if a rule replaces the line as a whole, and reports whether it did.
func (s *Filter) whole(part string) bool {
	if !strings.ContainsFunc(part, unicode.IsDigit) {
		return false
	}
	if at := requestID.FindStringSubmatchIndex(part); at != nil && isRandom(part[at[2]:at[3]]) {
		s.note("request id")
		s.Out = append(append(append(s.Out, part[:at[2]]...), counter...), part[at[3]:]...)
		return true
	}
	rule := s.ruleOf()
	if rule == "" {
		rule = s.aloneRule(part)
	}
	if rule == "" {
		return false
	}
	s.note(rule)
	s.Out = append(append(s.Out, counter...), rule...)
	return true
}

func (s *Filter) note(rule string) {
	if s.Folded != nil {
		s.Folded(s.line, rule)
	}
}

// requestID matches an id that a server gives to a request.
var requestID = regexp.MustCompile(`(?i)^(?:x-)?(?:(?:request|ray|trace|session|correlation)[ -]?(?:id|` +
	`identifier|reference)|reference #|(?:id de (?:la )?(?:requête|solicitud|requisição)|id (?:della )?richiesta)|` +
	`(?:anfrage|vorgangs|sitzungs)-?id|請求 ?id|请求 ?(?:id|编号)|リクエスト ?id|요청 ?(?:id|아이디)|id запроса)` +
	`[ :：#=]*([0-9a-z][0-9a-z._:+/=-]{7,})$`)

// isRandom reports whether an id was made by a machine: it is a hexadecimal number, or long and with many digits.
func isRandom(id string) bool {
	const long, many = 20, 4
	numbers, letters, hex := 0, 0, true
	for _, r := range id {
		switch {
		case '0' <= r && r <= '9':
			numbers++
		case 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F':
			letters++
		case strings.ContainsRune("-.:", r):
		default:
			hex = false
		}
	}
	return numbers > 0 && letters > 0 && hex || len(id) >= long && numbers >= many
}

// fold returns the placeholder for the tokens from index i on, and the number of tokens that it replaces. The number
// is 0 if nothing is folded. The year argument is the index of the next year in the line.
func (s *Filter) fold(i, year int, protected bool) (mark string, n int) {
	if year < len(s.tokens) && year-i < longestDate {
		if mark, n = s.dateAt(s.tokens[i:min(len(s.tokens), i+longestDate)]); n > 0 {
			return mark, n
		}
		if protected {
			if n = yearsAt(s.line, s.tokens, i); n > 0 {
				s.note("copyright year")
				return someYear, n
			}
		}
	}
	if i > 0 && glued(s.tokens[i-1], s.tokens[i]) {
		return "", 0
	}
	if n = s.times.at(i); n > 0 {
		s.note("relative time")
	}
	return passingTime, n
}

// glued reports whether token b continues the word in token a, as in "x3d".
func glued(a, b token) bool {
	return a.end == b.start && a.kind == word && b.kind == digits && a.word[0] < utf8.RuneSelf
}

// tokens appends the tokens of a line to list. In scripts without spaces between words, each letter is a token.
func tokens(list []token, line string) []token {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		t := token{kind: kindOf(r), start: i, end: i + size}
		i = t.end
		if unicode.IsSpace(r) {
			continue
		}
		for t.kind != sign && i < len(line) {
			next, size := utf8.DecodeRuneInString(line[i:])
			if !unicode.IsMark(next) && (kindOf(next) != t.kind || t.kind == word && (unspaced(r) || unspaced(next))) {
				break
			}
			i += size
			t.end = i
		}
		if t.kind == word {
			t.word = strings.ToLower(line[t.start:t.end])
		}
		list = append(list, t)
	}
	return list
}

func kindOf(r rune) tokenKind {
	switch {
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		return word
	case '0' <= r && r <= '9':
		return digits
	case r < utf8.RuneSelf:
		return sign
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return word
	case unicode.IsDigit(r):
		return digits
	}
	return sign
}

func unspaced(r rune) bool {
	const firstThai = 0x0e00 // scripts with lower code points put spaces between words
	return r >= firstThai &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
			unicode.Khmer, unicode.Myanmar)
}

// heading is a heading above the current line.
type heading struct {
	level int
	words []string // in lower case
	facts bool     // numbers below it are information
}

// Section forgets the headings above, because the next lines begin a separate part of the page.
func (s *Filter) Section() { s.headings, s.label = s.headings[:0], false }

// Heading appends the hashed form of a heading. The lines after the heading count as below it, until there is a
// heading of the same level or a higher one.
func (s *Filter) Heading(level int, text string) {
	for n := len(s.headings); n > 0 && s.headings[n-1].level >= level; n-- {
		s.headings = s.headings[:n-1]
	}
	if n := len(s.headings); n > 0 && s.headings[n-1].level < 2 {
		s.headings = s.headings[:n-1] // the title of the page does not name what is below another heading
	}
	s.Block(text)
	s.label = true
	h := heading{level: level}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		h.words = append(h.words, w)
		h.facts = h.facts || lineVocabulary().facts[w]
	}
	s.headings = append(s.headings, h)
}

// Countdown appends the hashed form of a countdown that a page shows on one line in several blocks, such as "Offer
// ends", "7", "days", "10", "hours". The argument texts returns the next blocks. The result is the number of blocks
// that the countdown has, or 0.
func (s *Filter) Countdown(texts func(i int) string) (n int) {
	const mostBlocks, longest = 10, 30 // runes
	if s.Exact || strings.ContainsFunc(texts(0), unicode.IsDigit) || utf8.RuneCountInString(texts(0)) > longest {
		return 0
	}
	line, whole, most := texts(0), "", 0
	for i := 1; i < mostBlocks; i++ {
		next := texts(i)
		if next == "" || utf8.RuneCountInString(next) > 2*longest {
			break
		}
		line += " " + next
		if s.isCountdown(line) {
			whole, most = s.line, i+1
		} else if most > 0 {
			break
		}
	}
	if most > 0 {
		s.line = whole
		s.note("countdown")
		s.Out = append(append(s.Out, counter...), "countdown"...)
	}
	return most
}

func (s *Filter) isCountdown(line string) bool {
	s.line = Typography(line)
	s.tokens = tokens(s.tokens[:0], s.line)
	return s.ruleOf() == "countdown"
}
