package noise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape is the form of a number.
type shape uint8

const (
	whole   shape = 1 << iota // "12", "1,234"
	decimal                   // "4.6"
	ratio                     // "4.6/5"
	inTwo                     // a time of the day or of a countdown in two parts, "15:45"
	inThree                   // a time of the day or of a countdown in three parts, "03:12:44"
	dated                     // a date of numbers alone
	odd                       // anything else
)

// reading describes the words and numbers of a line for the rules.
type reading struct {
	all     lineRole   // the roles of all words together
	words   []lineRole // the roles of each word
	numbers []shape
	led     bool // a number precedes the first word
	final   bool // the last number is in brackets
	keys    []string
}

// A lineRule folds a line that consists only of known words and numbers.
type lineRule struct {
	name  string
	need  []lineRole // for each entry, some word has one of its roles
	allow lineRole   // each word has one of these roles
	fits  func(r reading) bool
	// counts reports that the line is a count of things. Plans, elections and ratings contain such lines. They are
	// content in a list, and under a heading that names the things.
	counts bool
}

// The rules, in the order in which they are tried.
var lineRules = []lineRule{
	{"count", nil, counted | oneThing | seen | times | filler | scale, isCounter, true},
	{"count", []lineRole{seen, times}, seen | times | filler | scale | is | this, oneWhole, true},
	{"count", []lineRole{viewed, times}, viewed | times | filler | scale | person | is | this, oneWhole, true},
	{"found helpful", []lineRole{helpful}, helpful | found | person | filler, func(r reading) bool {
		return r.only(whole|ratio, 1, 2) && r.all&(found|person) != 0
	}, true},
	{"rating with its count", []lineRole{star | counted | oneThing}, star | of | counted | oneThing | filler | scale,
		isRating, true},
	{"people now", []lineRole{person, watching | cart}, person | watching | cart | this | filler | scale | current |
		last, func(r reading) bool { return r.only(whole|decimal, 1, 3) }, false},
	{"sold lately", []lineRole{sold, last, hours}, sold | last | hours | this | person | filler | scale | times,
		func(r reading) bool { return r.only(whole|decimal, 1, 2) && (r.led || len(r.numbers) == 2) }, false},
	{"clock", []lineRole{clock, current | is}, clock | current | is | halfDay |
		month | weekday | todays | filler, isClock, false},
	{"date of today", []lineRole{todays}, todays | month | weekday | is, isToday, false},
	{"load time", []lineRole{generated, seconds}, generated | pageNoun | page | seconds | filler, func(r reading) bool {
		return r.only(whole|decimal, 1, 3) && (r.has(decimal) > 0 || r.all&(pageNoun|millis) != 0)
	}, false},
	{"countdown", []lineRole{ends | left}, ends | within | left |
		sale | hours | minutes | seconds | filler, isCountdown, false},
	{"visitor number", []lineRole{visitor, ordinal | you}, visitor | ordinal | you | is | filler, oneWhole, false},
}

// ruleOf returns the name of the rule by which a line of known words and numbers is folded, or "".
func (s *Filter) ruleOf() string {
	r, known := s.read()
	if !known || len(r.numbers) == 0 || len(r.words) == 0 {
		return ""
	}
	for _, rule := range lineRules {
		if !rule.matches(r) {
			continue
		}
		if rule.counts && (s.list || s.named(r.keys)) {
			return ""
		}
		return rule.name
	}
	return ""
}

func (l lineRule) matches(r reading) bool {
	for _, need := range l.need {
		if r.all&need == 0 {
			return false
		}
	}
	for _, w := range r.words {
		if w&l.allow == 0 {
			return false
		}
	}
	return l.fits(r)
}

// only reports whether the line has from least to most numbers, and all of them have one of the given shapes.
func (r reading) only(shapes shape, least, most int) bool {
	return least <= len(r.numbers) && len(r.numbers) <= most && r.has(shapes) == len(r.numbers)
}

// has counts those numbers of the line that have one of the given shapes.
func (r reading) has(shapes shape) (n int) {
	for _, s := range r.numbers {
		if s&shapes != 0 {
			n++
		}
	}
	return n
}

func oneWhole(r reading) bool { return r.isOne() }

// isOne reports whether the line has a single number that is whole, or is followed by a word such as "million".
func (r reading) isOne() bool {
	return len(r.numbers) == 1 && (r.numbers[0] == whole || r.numbers[0] == decimal && r.all&scale != 0)
}

// isCounter is true for "12 comments", "1 comment" and "Comments (12)", but not for "Answer: 42".
func isCounter(r reading) bool {
	return r.isOne() && (r.all&counted != 0 || r.led && r.all&oneThing != 0)
}

// isRating is true for "4.6 out of 5 stars (1,204)" and "4.6 (1,204 reviews)": an average together with the number of
// ratings. An average alone is content.
func isRating(r reading) bool {
	n := len(r.numbers)
	if n < 2 || n > 3 || r.numbers[n-1] != whole || n == 2 && r.numbers[0]&(decimal|ratio) == 0 {
		return false
	}
	counts := r.final || r.all&(counted|oneThing) != 0
	return counts && (n == 3 && r.numbers[1] == whole && r.all&of != 0 ||
		n == 2 && (r.all&of == 0 || r.numbers[0] == ratio))
}

// isClock is true for "The time now is 03:45 PM". A line without a word for "now" must have seconds.
func isClock(r reading) bool {
	return r.has(inTwo|inThree) == 1 && r.only(whole|inTwo|inThree|dated, 1, 4) &&
		(r.all&current != 0 || r.has(inThree) == 1)
}

// isToday is true for "Today is Wednesday, 25 November 2026", but not for "Today 10:00 - 18:00".
func isToday(r reading) bool {
	return r.only(whole|dated, 1, 3) && (r.has(dated) == 1 || r.all&month != 0)
}

// isCountdown is true for "Sale ends in 03:12:44" and "2 h 12 min left", but not for "Sale ends in 3 days".
func isCountdown(r reading) bool {
	if r.all&left == 0 && r.all&within == 0 {
		return r.only(whole, 3, 4) && r.all&hours != 0 && r.all&minutes != 0 // "Offer ends 7 days 10 hours 41 minutes"
	}
	clocks := r.has(inTwo | inThree)
	return clocks == 1 && r.only(whole|inTwo|inThree, 1, 2) ||
		r.only(whole, 2, 4) && (r.all&hours != 0 && r.all&minutes != 0 || r.all&minutes != 0 && r.all&seconds != 0)
}

// read returns the reading of the line's tokens. It returns known = false if no rule knows one of the words.
func (s *Filter) read() (r reading, known bool) {
	v := lineVocabulary()
	r.words, r.numbers, r.keys = s.words[:0], s.numbers[:0], s.keys[:0]
	defer func() { s.words, s.numbers, s.keys = r.words, r.numbers, r.keys }()
	for i := 0; i < len(s.tokens); {
		t := s.tokens[i]
		switch t.kind {
		case digits:
			n := s.numberTokens(i)
			end := s.tokens[i+n-1].end
			r.numbers = append(r.numbers, shapeOf(s.line[t.start:end]))
			r.led = r.led || len(r.words) == 0
			rest := strings.TrimLeft(s.line[end:], " +")
			r.final = strings.HasPrefix(rest, ")") && strings.Contains(s.line[:t.start], "(")
			i += n
		case word:
			role, n := s.wordAt(v, i)
			if role == scale && len(r.numbers) == 0 {
				role = 0
			}
			if n == 0 || role == 0 {
				return r, false
			}
			if role&(counted|oneThing|seen|star) != 0 {
				r.keys = append(r.keys, strings.ToLower(s.line[t.start:s.tokens[i+n-1].end]))
			}
			if role&scale == 0 || len(r.numbers) == 0 {
				r.words = append(r.words, role)
			}
			r.all |= role
			i += n
		default:
			if strings.ContainsAny(s.line[t.start:t.end], currency) {
				return r, false
			}
			i++
		}
	}
	return r, true
}

// currency are signs beside which a number is a price or a share.
const currency = "$€£¥₹₩₽%‰<>=≤≥±"

// wordAt returns the roles of the word that begins at token i, and the number of its tokens. In scripts without
// spaces, the word is the longest known piece.
func (s *Filter) wordAt(v vocabulary, i int) (role lineRole, n int) {
	t := s.tokens[i]
	if r, _ := utf8.DecodeRuneInString(t.word); !unspaced(r) {
		return v.roles[t.word], 1
	}
	for j := i; j < len(s.tokens) && s.tokens[j].kind == word && (j == i || s.tokens[j].start == s.tokens[j-1].end) &&
		s.tokens[j].end-t.start <= v.widest; j++ {
		if have := v.roles[strings.ToLower(s.line[t.start:s.tokens[j].end])]; have != 0 {
			role, n = have, j-i+1
		}
	}
	return role, n
}

// numberTokens returns how many tokens the number at token i has. Groups of three digits may be separate tokens, as
// in "1 234 567".
func (s *Filter) numberTokens(i int) int {
	n := numberSize(s.tokens[i:])
	if n > 1 || s.tokens[i].end-s.tokens[i].start > 3 {
		return n
	}
	for j := i + 1; j < len(s.tokens) && s.tokens[j].kind == digits && s.tokens[j].end-s.tokens[j].start == 3 &&
		s.tokens[j].start-s.tokens[j-1].end == 1 && numberSize(s.tokens[j:]) == 1; j++ {
		n++
	}
	return n
}

// shapeOf returns the shape of a number.
func shapeOf(text string) shape {
	var signs []rune
	size, sizes := 0, []int{}
	for _, r := range text {
		if unicode.IsDigit(r) {
			size++
			continue
		}
		signs, sizes, size = append(signs, r), append(sizes, size), 0
	}
	sizes = append(sizes, size)
	switch {
	case len(signs) == 0:
		return whole
	case allAre(signs, ':'):
		return clockShape(sizes)
	case grouped(signs, sizes):
		return whole
	case len(signs) == 1 && (signs[0] == '.' || signs[0] == ','):
		return decimal
	case len(signs) == 1 && signs[0] == '/', len(signs) == 2 && signs[1] == '/' && (signs[0] == '.' || signs[0] == ','):
		return ratio
	case len(signs) == 2 && signs[0] == signs[1] && (sizes[0] == 4 || sizes[2] == 4):
		return dated
	}
	return odd
}

func clockShape(sizes []int) shape {
	for _, n := range sizes[1:] {
		if n != 2 {
			return odd
		}
	}
	switch {
	case len(sizes) == 2 && sizes[0] <= 2:
		return inTwo
	case len(sizes) == 3 && sizes[0] <= 3, len(sizes) == 4 && sizes[0] <= 3:
		return inThree
	}
	return odd
}

// grouped reports whether the signs of a number separate groups of three digits.
func grouped(signs []rune, sizes []int) bool {
	for _, n := range sizes[1:] {
		if n != 3 {
			return false
		}
	}
	return sizes[0] <= 3 && allAre(signs, signs[0]) && strings.ContainsRune(",.'’ ", signs[0])
}

func allAre(signs []rune, want rune) bool {
	return !slices.ContainsFunc(signs, func(r rune) bool { return r != want })
}

// named reports whether a heading above the line names the things that the line counts, or says that its numbers are
// facts.
func (s *Filter) named(keys []string) bool {
	for i, h := range s.headings {
		if i == len(s.headings)-1 && h.facts {
			return true
		}
		for _, w := range h.words {
			for _, key := range keys {
				if sameStem(w, key) {
					return true
				}
			}
		}
	}
	return false
}

// sameStem reports whether two words begin with the same letters.
func sameStem(a, b string) bool {
	const stem = 4 // in letters; shorter words may differ only in their last letter
	ra, rb := []rune(a), []rune(b)
	if n := min(len(ra), len(rb)); n > 0 && unspaced(ra[0]) {
		return strings.Contains(a, b) || strings.Contains(b, a)
	} else if n <= stem {
		return n > 1 && string(ra[:n-1]) == string(rb[:n-1])
	}
	return string(ra[:stem]) == string(rb[:stem])
}
