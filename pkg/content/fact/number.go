package fact

import (
	"strings"
	"unicode"
)

// numeral is a number as it is written: the groups of its digits, and the signs between these.
type numeral struct {
	from, to int
	groups   [maxGroups]group
	signs    [maxGroups]rune // of which the first stands behind the first group
	n        int             // groups
	digits   int
}

type group struct{ size, value int }

// maxGroups is how many groups of digits are read as one number.
const maxGroups = 8

// number reads a number, and what stands around it.
func (f *finder) number() {
	if end := f.id(f.at); end > 0 {
		f.at, f.last = end, cue{}
		return
	}
	n := f.numeral()
	begins := f.begins
	f.at = n.to
	before := f.last
	if !f.beside(before.to, n.from) || before.role&joins == 0 {
		before = cue{}
	}
	f.last, f.counted = cue{}, cue{}
	kind, from, to := f.classify(&n, before)
	if begins && kind == Number && f.opensClause(n) {
		kind = Clause
	}
	begins = begins || before.opens
	if f.notice && kind == Date && n.n <= 2 || kind == "" {
		f.at = max(f.at, to)
		return
	}
	if begins && kind == Clause {
		f.clause, f.done = true, from
	}
	f.add(kind, from, to)
	f.at = max(f.at, to)
}

// beside reports whether at most a blank and a sign stand between two offsets.
func (f *finder) beside(from, to int) bool {
	const most = 4 // bytes
	if to-from > most || from > to {
		return false
	}
	return strings.IndexFunc(f.text[from:to], func(r rune) bool {
		return !isBlank(r) && !strings.ContainsRune(".:：-+(", r)
	}) < 0
}

// numeral reads the digits at the present offset.
func (f *finder) numeral() numeral {
	n := numeral{from: f.at, to: f.at}
	f.readGroup(&n)
	for n.n < maxGroups {
		r, size := f.next(n.to)
		if !strings.ContainsRune(".,:/-'’٫٬", r) || r == 0 || !f.isDigitAt(n.to+size) {
			break
		}
		n.signs[n.n-1], n.to = r, n.to+size
		f.readGroup(&n)
	}
	f.readBlanks(&n)
	return n
}

// readBlanks reads on behind blanks, in numbers such as 1 299,00 and in telephone numbers.
func (f *finder) readBlanks(n *numeral) {
	longer := *n
	for longer.n < maxGroups {
		r, size := f.next(longer.to)
		if !isBlank(r) || !f.isDigitAt(longer.to+size) {
			break
		}
		longer.signs[longer.n-1], longer.to = ' ', longer.to+size
		f.readGroup(&longer)
	}
	if longer.n == n.n {
		return
	}
	if f.isPhone(&longer) {
		*n = longer
		return
	}
	if n.n > 1 || n.groups[0].size > 3 || longer.groups[1].size != 3 {
		return
	}
	for i := 1; i < longer.n && longer.groups[i].size == 3; i++ {
		n.groups[i], n.signs[i-1], n.n = longer.groups[i], ' ', i+1
	}
	n.to, n.digits = n.from, n.groups[0].size+3*(n.n-1)
	for left := n.digits + n.n - 1; left > 0; left-- {
		_, size := f.next(n.to)
		n.to += size
	}
	if r, size := f.next(n.to); (r == ',' || r == '.') && n.n < maxGroups && f.isDigitAt(n.to+size) {
		n.signs[n.n-1], n.to = r, n.to+size
		f.readGroup(n)
	}
}

func (f *finder) isDigitAt(at int) bool {
	r, _ := f.next(at)
	return digit(r) >= 0
}

// readGroup reads a run of digits. The value is that of the last four.
func (f *finder) readGroup(n *numeral) {
	g := &n.groups[n.n]
	for {
		r, size := f.next(n.to)
		d := digit(r)
		if d < 0 {
			break
		}
		g.value = (g.value*10 + d) % 10_000
		g.size++
		n.to += size
	}
	n.digits += g.size
	n.n++
}

// isPhone reports whether a number is one to call: it begins with a zero or a plus sign, and is in groups or long, or
// a word for it stands before it.
func (f *finder) isPhone(n *numeral) bool {
	const least, most = 7, 15
	if n.digits < least || n.digits > most || isDate(n) || isClock(n) || f.isDecimal(n) {
		return false
	}
	called := f.last.role&contact != 0 && f.beside(f.last.to, n.from)
	zero := n.groups[0].size > 1 && f.text[n.from] == '0'
	return called || zero || f.before(n.from) == '+'
}

func (f *finder) isDecimal(n *numeral) bool {
	for _, sign := range n.signs[:n.n-1] {
		if sign != ' ' && sign != '-' && sign != '.' && sign != '/' {
			return true
		}
	}
	return n.n == 2 && n.signs[0] == '.'
}

// isDate reports whether the groups of a number are a day, a month and a year, or two of these with a year.
func isDate(n *numeral) bool {
	year := func(g group) bool { return g.size == 4 && 1900 <= g.value && g.value < 2200 }
	small := func(g group) bool { return g.size <= 2 && 1 <= g.value && g.value <= 31 }
	a, b, c := n.groups[0], n.groups[1], n.groups[2]
	switch {
	case n.n == 1:
		return year(a)
	case strings.IndexRune("./-", n.signs[0]) < 0:
		return false
	case n.n == 2:
		return year(a) && year(b) || year(a) && small(b) && b.value <= 12 || small(a) && a.value <= 12 && year(b)
	case n.n > 3 || n.signs[0] != n.signs[1]:
		return false
	}
	short := c.size == 2 && min(a.size, b.size) == 2 // 11.03.27
	return year(a) && small(b) && small(c) || small(a) && small(b) && (year(c) || short)
}

// isClock reports whether the groups of a number are a time of the day, or two of them.
func isClock(n *numeral) bool {
	colons := 0
	for i, sign := range n.signs[:n.n-1] {
		switch {
		case sign == ':' && n.groups[i+1].size == 2 && n.groups[i+1].value < 60:
			colons++
		case sign != '-':
			return false
		}
	}
	return colons > 0 && n.groups[0].size <= 2
}

// classify returns the kind of a number, and its bounds with the words beside it that belong to it. The kind is "" if
// it is no fact.
func (f *finder) classify(n *numeral, before cue) (kind Kind, from, to int) {
	from, to = n.from, n.to
	if before.role&(money|month) != 0 {
		from = before.from
	}
	switch after, end := f.after(n.to); {
	case after&percent != 0:
		return Percent, n.from, end
	case before.role&money != 0:
		return Price, from, to
	case after&money != 0:
		return Price, n.from, end
	case f.isPhone(n) || before.role&contact != 0 && n.digits > 4:
		return Contact, n.from, to
	case before.role&clauseWord != 0:
		return Clause, before.from, to
	case before.role&month != 0:
		return Date, from, f.year(to)
	case after&month != 0:
		return Date, n.from, f.year(end)
	case after&ofClock != 0 || isClock(n):
		return Time, n.from, max(end, to)
	case after&ofDate != 0:
		return Date, n.from, f.moreDate(end)
	case after&clauseWord != 0 && f.before(n.from) == '第':
		return Clause, n.from, end
	case isDate(n):
		return Date, n.from, to
	case after&unit != 0:
		return Number, n.from, end
	case after&joined != 0:
		return "", n.from, end
	}
	return Number, n.from, to
}

// after returns the role of what follows a number, and where it ends. The end is that of the number if nothing does.
func (f *finder) after(to int) (role, int) {
	at := to
	r, size := f.next(at)
	for i := 0; i < 2 && (isBlank(r) || i == 0 && r == '.'); i++ {
		at += size
		r, size = f.next(at)
	}
	switch {
	case r == '%' || r == '‰' || r == '٪' || r == '％':
		return percent, at + size
	case isCurrency(r):
		return money, at + size
	case r >= 0x80 && unspaced(r):
		return f.pieceAfter(at)
	case !isLetter(r):
		return 0, to
	}
	end := f.wordEnd(at)
	if at == to && f.isDigitAt(end) { // 14h30
		n := numeral{from: end, to: end}
		if f.readGroup(&n); r|0x20 == 'h' && n.digits == 2 {
			return ofClock, n.to
		}
		return joined, n.to
	}
	what := f.lookup(at, end)
	if what&more != 0 {
		if longer, last := f.phrase(at, end); longer != 0 {
			what, end = longer, last
		}
	}
	if what&(percent|money|month|ofClock|unit|timeUnit) != 0 {
		if what&timeUnit != 0 {
			what |= unit
		}
		return what, end
	}
	if next, size := f.next(end); isBlank(next) && what&particle != 0 { // 3 de marzo, per cent
		if last := f.wordEnd(end + size); f.lookup(end+size, last)&(month|percent) != 0 {
			return f.lookup(end+size, last), last
		}
	}
	if at > to {
		return 0, to
	}
	if end-at <= 3 {
		return unit, end // 4th, 3D
	}
	return joined, end
}

// year returns the end of the year that follows a day and a month, or the given offset.
func (f *finder) year(to int) int {
	at := to
	for i := 0; i < 3; i++ {
		r, size := f.next(at)
		if !isBlank(r) && r != ',' && r != '.' {
			break
		}
		at += size
	}
	if end := f.wordEnd(at); f.lookup(at, end)&particle != 0 {
		_, size := f.next(end)
		at = end + size
	}
	if !f.isDigitAt(at) {
		return to
	}
	n := numeral{from: at, to: at}
	if f.readGroup(&n); n.groups[0].size == 4 && isDate(&n) {
		return n.to
	}
	return to
}

// moreDate returns the end of a date such as 2027年3月11日, of which a part was read.
func (f *finder) moreDate(to int) int {
	for range 2 {
		n := numeral{from: to, to: to}
		if !f.isDigitAt(to) {
			break
		}
		f.readGroup(&n)
		what, end := f.pieceAfter(n.to)
		if what&ofDate == 0 {
			break
		}
		to = end
	}
	return to
}

// opensClause reports whether a number at the beginning of a line is that of a paragraph, as in "4.2 The operator".
func (f *finder) opensClause(n numeral) bool {
	if n.n < 2 || n.n > 5 {
		return false
	}
	for i, g := range n.groups[:n.n] {
		if g.size > 2 || i > 0 && n.signs[i-1] != '.' {
			return false
		}
	}
	r, size := f.next(n.to)
	if r == '.' {
		r, size = f.next(n.to + size)
	}
	if !isBlank(r) {
		return false
	}
	r = firstOf(f.text[n.to+size:])
	return unicode.IsLetter(r) && !unicode.IsLower(r)
}

func firstOf(text string) rune {
	for _, r := range text {
		if !isBlank(r) {
			return r
		}
	}
	return 0
}
