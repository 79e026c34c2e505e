package field

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/base/words"
)

//go:embed stockwords.txt
var stockWords string

// role is what a phrase says in a statement about availability.
type role string

// The roles in stockwords.txt. Those of the first two lines are statements of their own, the others change them.
const (
	isStock, isOut, isSold, isGone role = "stock", "out", "sold", "gone"
	isPre, isBack, isMade, isFew   role = "pre", "back", "made", "few" // orders are taken; few are left
	isAble                         role = "able"                       // available: of what, the rest has to say
	isShip                         role = "ship"                       // deliverable: days are those of the delivery
	onAsk                          role = "ask"                        // on request
	isAlmost                       role = "almost"                     // almost sold out
	isNot, isNoLonger, isNone      role = "not", "nolonger", "none"
	isSell                         role = "sell"
	isNo                           role = "no" // it denies what follows, or is the answer at the end
	isYes, isNow                   role = "yes", "now"
	isSoon, isWhen, isIf           role = "soon", "when", "if"
	isRelease                      role = "release" // the first day of sale is to come
	isNotify                       role = "notify"  // somebody wants to be told
	isLeft, isPiece                role = "left", "piece"
	isNoun                         role = "noun" // stock, availability: a word behind it says which
	inShop, onWeb, isOnly          role = "shop", "web", "only"
	isSend                         role = "send" // delivery
	isPickup                       role = "pickup"
	ofOther                        role = "other" // something that is available or not besides the product
	ofRange                        role = "range" // many products, of which one is not told
	isMaybe, isPast                role = "maybe", "was"
	isFiller                       role = "skip"
	beforeDate, isDate             role = "on", "date"
	ofHours, ofDays, ofWeeks       role = "hour", "day", "week"
	isBuy                          role = "buy"           // a button to buy
	isBut                          role = "but"           // divides two statements
	isOrder                        role = "order"         // orders are taken
	isBook                         role = "book"          // what is to come can be reserved
	isContact                      role = "contact"       // whom to ask
	isBuying, isCan                role = "buying", "can" // together, orders are taken
	isUntil, isEnded               role = "until", "ended"
	isNumber                       role = "#"
	isUnknown                      role = ""
)

// stockPhrase is a phrase with its role.
type stockPhrase struct {
	words  []string
	prefix []bool // the word may have any ending
	whole  bool   // it counts only as a whole statement
	role   role
}

// endings counts the words that may have any ending.
func (p stockPhrase) endings() (n int) {
	for _, any := range p.prefix {
		if any {
			n++
		}
	}
	return n
}

// letters counts the bytes of the words, without those that may follow.
func (p stockPhrase) letters() (n int) {
	for _, w := range p.words {
		n += len(w)
	}
	return n
}

// stockPhrases are the phrases by the first letter of their first word, the longest first.
var stockPhrases = sync.OnceValue(func() map[rune][]stockPhrase {
	all := map[rune][]stockPhrase{}
	for line := range strings.Lines(stockWords) {
		name, phrases, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		for text := range strings.SplitSeq(phrases, " | ") {
			p := stockPhrase{role: role(name)}
			text, p.whole = strings.CutPrefix(text, "= ")
			for _, w := range tokensOf(plainWords(text), true) {
				word, prefix := strings.CutSuffix(w.text, "*")
				p.words, p.prefix = append(p.words, word), append(p.prefix, prefix)
			}
			if len(p.words) > 0 {
				first, _ := utf8.DecodeRuneInString(p.words[0])
				all[first] = append(all[first], p)
			}
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b stockPhrase) int {
			return cmp.Or(len(b.words)-len(a.words), a.endings()-b.endings(), b.letters()-a.letters())
		})
	}
	return all
})

// plainWords returns a text in small letters, without accents, in the usual width.
func plainWords(text string) string {
	var out strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case r >= 0x300 && r <= 0x36f: // accents; the marks of other scripts make other letters
		case unicode.IsDigit(r) && r > '9':
			out.WriteRune(asciiDigit(r))
		case strings.ContainsRune("łøđıß", r):
			out.WriteString(map[rune]string{'ł': "l", 'ø': "o", 'đ': "d", 'ı': "i", 'ß': "ss"}[r])
		default:
			out.WriteRune(r)
		}
	}
	return norm.NFC.String(out.String())
}

// asciiDigit returns a digit of another script as one of 0 to 9. The digits of a script follow each other.
func asciiDigit(r rune) rune {
	n := rune(0)
	for n < 9 && unicode.IsDigit(r-n-1) {
		n++
	}
	return '0' + n
}

// stockToken is a word, a number, or a sign that divides statements. Each letter of a script without spaces is a word.
type stockToken struct {
	text   string
	number bool
	divide bool
	colon  bool // a colon stands before it
}

// tokensOf divides a text into words. Phrases keep the signs * and #.
func tokensOf(text string, phrase bool) (out []stockToken) {
	colon := false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		n, had := 0, len(out)
		switch {
		case r >= '0' && r <= '9':
			n = numberLength(text[at:])
			if !isRate(text, at, at+n) {
				out = append(out, stockToken{text: text[at : at+n], number: true})
			}
		case phrase && (r == '#'):
			out = append(out, stockToken{text: "#"})
		case words.IsSpaceless(r) || unicode.Is(unicode.Hangul, r):
			out = append(out, stockToken{text: string(r)})
		case isWordRune(r):
			for n < len(text)-at {
				next, size := utf8.DecodeRuneInString(text[at+n:])
				if !isWordRune(next) || words.IsSpaceless(next) || unicode.Is(unicode.Hangul, next) {
					break
				}
				n += size
			}
			if phrase && strings.HasPrefix(text[at+n:], "*") {
				n++
			}
			out = append(out, stockToken{text: text[at : at+n]})
		case divides(text, at, r):
			out = append(out, stockToken{text: string(r), divide: true})
		}
		at += max(n, size)
		if len(out) > had {
			out[had].colon, colon = colon, false
		}
		colon = colon || r == ':'
	}
	return out
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || strings.ContainsRune("○◎〇◯△×", r)
}

// numberLength returns the length of the number, the range of numbers or the date in digits that a text begins with.
func numberLength(text string) (n int) {
	for n < len(text) {
		if text[n] >= '0' && text[n] <= '9' {
			n++
			continue
		}
		if thousands.MatchString(text[n:]) {
			n += len("'000")
			continue
		}
		r, size := utf8.DecodeRuneInString(text[n:])
		if !strings.ContainsRune(".,:/-–~", r) || n+size == len(text) || text[n+size] < '0' || text[n+size] > '9' {
			break
		}
		n += size
	}
	if dayAndMonth.MatchString(text[:n]) && strings.HasPrefix(text[n:], ".") {
		n++
	}
	return n
}

// isRate reports whether a number is an amount of money or a percentage, and no count.
func isRate(text string, from, to int) bool {
	const signs = "%€$£¥₽₺₹₩円元"
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:from], " "))
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[to:], " "))
	return strings.ContainsRune(signs, before) || strings.ContainsRune(signs, after)
}

// thousands matches three digits that continue a number, as in 12 500.
var thousands = regexp.MustCompile(`^[ ']\d{3}(\D|$)`)

// dayAndMonth matches a day and a month in digits, as in 15.04.
var dayAndMonth = regexp.MustCompile(`^[0-3]?\d\.[01]?\d$`)

// divides reports whether a sign ends a statement: a point, a comma, a bracket, or a dash between blanks. A number in
// brackets is part of the statement before it.
func divides(text string, at int, r rune) bool {
	switch {
	case r == '-':
		return at > 0 && text[at-1] == ' ' && strings.HasPrefix(text[at+1:], " ")
	case r == '(':
		inner, _, _ := strings.Cut(text[at+1:], ")")
		return strings.Trim(inner, "0123456789 +>") != ""
	case r == ')':
		return at > 0 && (text[at-1] < '0' || text[at-1] > '9')
	}
	return strings.ContainsRune(".!?;•|/,[]{}【】…—–·\n。、・！？؟،", r)
}

// joined matches the place where two texts of a page were put together without a blank, as in "In stockFREE delivery".
var joined = regexp.MustCompile(`(\p{Ll}{3})(\p{Lu})`)

// stockWord is a phrase in a statement. Words that are not known have no role.
type stockWord struct {
	role  role
	text  string
	whole bool
}

// statementsOf divides a text into statements, each of which is a list of phrases. asked are those that end with a
// question mark.
func statementsOf(text string) (all [][]stockWord, asked []bool) {
	tokens := tokensOf(plainWords(joined.ReplaceAllString(text, "$1. $2")), false)
	var now []stockWord
	end := func(question bool) {
		if len(now) > 0 {
			all, asked = append(all, now), append(asked, question)
		}
		now = nil
	}
	for at := 0; at < len(tokens); {
		if t := tokens[at]; t.divide && !isOrdinal(now, tokens[at:]) {
			end(t.text == "?" || t.text == "؟")
			at++
			continue
		} else if t.divide {
			at++
		}
		if tokens[at].colon && statement(now).has(isSoon, isPre, isBack, isOrder, isOut, isSold) {
			end(false)
		}
		w, n := phraseAt(tokens[at:], len(now) == 0)
		if at += n; w.role == isBut {
			end(false)
			continue
		}
		if (w.role == inShop || w.role == onWeb) && statement(now).has(isStock, isOut, isSold) && claimsMore(tokens[at:]) {
			end(false)
		}
		now = append(now, w)
	}
	end(false)
	return all, asked
}

// isOrdinal reports whether a point ends the number of a day, as in 12. March, and no statement.
func isOrdinal(now []stockWord, rest []stockToken) bool {
	if rest[0].text != "." || len(rest) < 2 || rest[1].divide || len(now) == 0 || now[len(now)-1].role != isNumber {
		return false
	}
	w, _ := phraseAt(rest[1:], false)
	return w.role == isDate
}

// claimsMore reports whether the rest of a statement says once more what is in stock, or is not.
func claimsMore(rest []stockToken) bool {
	for at := 0; at < len(rest) && !rest[at].divide; {
		w, n := phraseAt(rest[at:], false)
		if statement([]stockWord{w}).has(isStock, isOut, isSold) {
			return true
		}
		at += n
	}
	return false
}

// phraseAt returns the longest phrase at the beginning of a list of tokens, and how many tokens it has. first is
// whether a statement begins there.
func phraseAt(tokens []stockToken, first bool) (w stockWord, n int) {
	begins, _ := utf8.DecodeRuneInString(tokens[0].text)
	list := stockPhrases()[begins]
	if tokens[0].number {
		list = stockPhrases()['#']
	}
	for _, p := range list {
		if p.fits(tokens) && (!p.whole || first && endsStatement(tokens[len(p.words):])) {
			w = stockWord{role: p.role, whole: p.whole}
			if tokens[0].number {
				w.text = tokens[0].text
			}
			return w, len(p.words)
		}
	}
	if tokens[0].number {
		return numberWord(tokens[0].text), 1
	}
	return stockWord{text: tokens[0].text}, 1
}

// fits reports whether tokens begin with a phrase.
func (p stockPhrase) fits(tokens []stockToken) bool {
	if len(tokens) < len(p.words) {
		return false
	}
	for i, word := range p.words {
		t := tokens[i]
		switch {
		case t.divide, t.number != (word == "#"):
			return false
		case t.number, t.text == word, p.prefix[i] && strings.HasPrefix(t.text, word):
		default:
			return false
		}
	}
	return true
}

// endsStatement reports whether nothing follows a phrase but a sign.
func endsStatement(rest []stockToken) bool { return len(rest) == 0 || rest[0].divide }

// numberWord returns a number, or a date in digits: 12.05.2026, 3/5, 2026-05-12.
func numberWord(text string) stockWord {
	signs := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
	if strings.Contains(signs, ":") { // a time of day
		return stockWord{role: isFiller}
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if len(parts) == 3 && len(parts[0]) <= 4 && len(parts[1]) <= 2 && (len(parts[2]) <= 2 || len(parts[2]) == 4) {
		return stockWord{role: isDate, text: text}
	}
	isDotted := strings.HasSuffix(signs, ".") && len(signs) == 2
	if len(parts) == 2 && isDayAndMonth(parts) && (isDotted || strings.Contains(signs, "/")) {
		return stockWord{role: isDate, text: text}
	}
	return stockWord{role: isNumber, text: text}
}

// isDayAndMonth reports whether two numbers can be a day and a month, or a month and a year.
func isDayAndMonth(parts []string) bool {
	isWithin := func(text string, most int) bool {
		n, small := smallInt(text)
		return small && n > 0 && n <= most
	}
	isMonth, isDay := isWithin(parts[0], 12), isWithin(parts[0], 31)
	return isMonth && (isWithin(parts[1], 31) || len(parts[1]) == 4) || isDay && isWithin(parts[1], 12)
}
