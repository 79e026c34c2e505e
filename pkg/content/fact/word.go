package fact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// role is a set of what a word may be beside others.
type role uint32

const (
	denies     role = 1 << iota
	offered         // says what is to be had
	free            // says that something costs nothing
	money           // the name or sign of a currency
	percent         // means hundredths
	month           // the name of a month
	longMonth       // a name of a month that means nothing else
	weekday         // the name of a day of the week
	ofClock         // follows the number of an hour
	ofDate          // follows the number of a year, month or day, in East Asian dates
	timeUnit        // a unit of time
	unit            // any other unit
	counting        // a number in words
	contact         // stands before a telephone number
	clauseWord      // stands before the number of a paragraph
	particle        // stands between a number and a word, as in 3 de marzo
	more            // begins a phrase of several words
	noticed         // begins a copyright notice
	joined          // letters that make a number the name of a thing

	// joins are the roles of words that belong to a number behind them.
	joins = money | month | contact | clauseWord
)

// word reads a word. A word with digits is the name of a thing, such as a gate or a postcode, if it is short and in
// capitals.
func (f *finder) word() {
	const longestName = 8
	from := f.at
	f.at = f.wordEnd(from)
	for f.isDigitAt(f.at) {
		end := f.at
		for f.isDigitAt(f.at) {
			_, size := f.next(f.at)
			f.at += size
		}
		if next := f.wordEnd(f.at); next > f.at || f.at-from > longestName || !isUpper(f.text[from:end]) {
			f.skipName(from)
			return
		}
	}
	if last := f.before(f.at); digit(last) >= 0 {
		if end := f.id(from); end > 0 {
			f.at = end
		} else {
			f.add(Number, from, f.at)
		}
		f.last = cue{}
		return
	}
	f.judge(from)
}

// skipName skips letters and digits without a blank between them.
func (f *finder) skipName(from int) {
	for f.isDigitAt(f.at) || f.wordEnd(f.at) > f.at {
		f.at = max(f.at+1, f.wordEnd(f.at))
		for f.at < len(f.text) && !utf8.RuneStart(f.text[f.at]) {
			f.at++
		}
	}
	f.at = max(f.at, f.id(from))
	f.last = cue{}
}

func isUpper(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsUpper(r) }) < 0
}

// judge adds the word from an offset up to the present one if it is a fact, or the phrase that it begins. It keeps what
// belongs to a number behind it.
func (f *finder) judge(from int) {
	what := f.lookup(from, f.at)
	if what&more != 0 {
		if longer, end := f.phrase(from, f.at); longer != 0 {
			what, f.at = longer, end
		}
	}
	f.notice = f.notice || what&noticed != 0
	counted := f.counted
	f.counted = cue{}
	switch r, _ := f.next(f.at); {
	case isApostrophe(r) && f.contracts(from):
		f.add(Negation, from, f.at)
	case what&denies != 0:
		f.add(Negation, from, f.at)
	case what&offered != 0:
		f.add(Availability, from, f.at)
	case what&free != 0:
		f.add(Price, from, f.at)
	case what&(weekday|longMonth) != 0:
		f.add(Date, from, f.at)
	case what&timeUnit != 0 && counted.to > 0 && f.beside(counted.to, from):
		f.add(Clause, counted.from, f.at)
	}
	if what&counting != 0 {
		f.counted = cue{what, from, f.at, false}
	}
	if what&particle == 0 || f.last.role&month == 0 {
		f.last = cue{what & joins, from, f.at, f.begins}
	} else {
		f.last.to = f.at // marzo de 2027
	}
}

// contracts reads on if the word from an offset up to the present apostrophe denies, as isn't and n'est do.
func (f *finder) contracts(from int) bool {
	word := f.text[from:f.at]
	_, size := f.next(f.at)
	end := f.wordEnd(f.at + size)
	switch {
	case word == "n" || word == "N":
		return end > f.at+size
	case strings.HasSuffix(word, "n") && f.text[f.at+size:end] == "t":
		f.at = end
		return true
	}
	return false
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

// wordEnd returns where the word at an offset ends; the offset itself if there is no letter.
func (f *finder) wordEnd(at int) int {
	for at < len(f.text) {
		if c := f.text[at]; c < utf8.RuneSelf {
			if !('a' <= c|0x20 && c|0x20 <= 'z') {
				return at
			}
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(f.text[at:])
		if !isLetter(r) || unspaced(r) {
			return at
		}
		at += size
	}
	return at
}

// longestWord is the size of the longest phrase that is looked up, in bytes.
const longestWord = 48

// lookup returns the roles of a word, in whatever case it is written.
func (f *finder) lookup(from, to int) role {
	var key [longestWord]byte
	n := lower(key[:0], f.text[from:to])
	if n == nil {
		return 0
	}
	return table().words[string(n)]
}

// lower appends a text in lower case, or returns nil if it has no room.
func lower(key []byte, text string) []byte {
	if len(text) > cap(key)-len(key) {
		return nil
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			key, i = append(key, c), i+1
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if i += size; len(key)+utf8.UTFMax > cap(key) {
			return nil
		}
		key = utf8.AppendRune(key, unicode.ToLower(r))
	}
	return key
}

// phrase returns the roles of the longest phrase of several words that begins with a word, and where it ends.
func (f *finder) phrase(from, to int) (what role, end int) {
	const most = 4 // words
	var room [longestWord]byte
	key := lower(room[:0], f.text[from:to])
	for range most - 1 {
		r, size := f.next(to)
		if !isBlank(r) && r != '-' && !isApostrophe(r) {
			break
		}
		next := f.wordEnd(to + size)
		if next == to+size || len(key)+1 >= cap(key) {
			break
		}
		if key = lower(append(key, ' '), f.text[to+size:next]); key == nil {
			break
		}
		to = next
		if found := table().words[string(key)]; found&^more != 0 {
			what, end = found, to
		}
	}
	return what, end
}

// piece reads a letter of a script without spaces, and the phrase that begins with it.
func (f *finder) piece(r rune, size int) {
	from := f.at
	f.at += size
	begins := f.begins
	f.begins = false
	if r == '第' {
		if end := f.paragraph(f.at); end > 0 {
			f.at = end
			if begins {
				f.clause, f.done = true, from
			}
			f.add(Clause, from, end)
			return
		}
		f.last = cue{}
		return
	}
	if strings.ContainsRune(hanNumbers, r) && f.before(from) != '第' {
		if what, end := f.pieceAfter(f.at); what&timeUnit != 0 {
			f.at = end
			f.add(Clause, from, end)
			return
		}
	}
	for _, p := range table().pieces[r] {
		if !strings.HasPrefix(f.text[from:], p.text) {
			continue
		}
		f.at = from + len(p.text)
		if kind := kindOf(p.role); kind != "" {
			f.add(kind, from, f.at)
		}
		f.last = cue{p.role & joins, from, f.at, begins}
		return
	}
	f.last = cue{}
}

func kindOf(r role) Kind {
	switch {
	case r&denies != 0:
		return Negation
	case r&offered != 0:
		return Availability
	case r&free != 0:
		return Price
	case r&weekday != 0:
		return Date
	}
	return ""
}

// paragraph returns the end of the number of a paragraph behind 第, in digits or in words; 0 if there is none.
func (f *finder) paragraph(at int) int {
	const most = 8
	for range most {
		r, size := f.next(at)
		if !strings.ContainsRune(hanNumbers+"一〇零百千", r) && digit(r) < 0 || r == 0 {
			break
		}
		at += size
	}
	if r, size := f.next(at); r != 0 && strings.ContainsRune("条條款項项章節节", r) {
		return at + size
	}
	return 0
}

// pieceAfter returns what the letters behind a number mean, in a script without spaces, and where they end.
func (f *finder) pieceAfter(at int) (what role, end int) {
	r, size := f.next(at)
	if r != 0 && strings.ContainsRune("万亿萬億千", r) {
		at += size
		r, size = f.next(at)
	}
	for _, p := range table().pieces[r] {
		if p.role&(money|ofClock|ofDate|timeUnit|percent) != 0 && strings.HasPrefix(f.text[at:], p.text) {
			return p.role, at + len(p.text)
		}
	}
	return unit, at + size
}
