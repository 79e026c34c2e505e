package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Spellings returns for each term of a query the other spellings of what it says: UTF-8 for utf8 and for the two words
// utf 8, 1.24.3 for v1.24.3, 1,000 for 1000, U.S.A. for USA, and a Korean noun without its particle. The spellings are
// not the query's own words, so they rank below them. Phrases and prefixes have none, because they match only as they
// are written. Signs between the words of a spelling do not matter.
func Spellings(terms []Term) [][]string {
	all := make([][]string, len(terms))
	for i, t := range terms {
		if isLoose(t) {
			all[i] = spellingsOf(strings.TrimFunc(t.Text, isSign))
		}
	}
	spellTogether(terms, all)
	for i, spellings := range all {
		slices.Sort(spellings)
		all[i] = slices.DeleteFunc(slices.Compact(spellings), func(s string) bool {
			return s == terms[i].Text || s == strings.TrimFunc(terms[i].Text, isSign)
		})
	}
	return all
}

// isLoose reports whether a term matches in other spellings, too.
func isLoose(t Term) bool {
	return !t.Phrase && !t.Prefix && utf8.RuneCountInString(t.Text) <= longestSpelled
}

const (
	longestSpelled = 40 // maximum length of a term with other spellings, in characters
	mostBorders    = 3  // a word with more borders between letters and digits is a key or a digest
	leastJoined    = 7  // minimum number of digits of a number that is written with hyphens, such as 555-0199
	leastFours     = 12 // minimum length of a number that is written in groups of four, such as an IBAN
	longestAcronym = 5
)

func spellingsOf(text string) (all []string) {
	pieces := piecesOf(text)
	all = append(split(pieces), joinedAtBorders(pieces), hyphened(pieces))
	all = append(all, grouped(text)...)
	all = append(all, version(text), acronym(text, pieces), withoutParticle(text))
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// piece is a run of letters or of digits in a term, with the signs before it.
type piece struct {
	before, text string
	digits       bool
}

func piecesOf(text string) (pieces []piece) {
	sign := ""
	for _, r := range text {
		n := len(pieces)
		digit := unicode.IsNumber(r)
		switch {
		case isSign(r):
			sign += string(r)
		case n > 0 && sign == "" && (unicode.IsMark(r) || pieces[n-1].digits == digit):
			pieces[n-1].text += string(r)
		default:
			pieces = append(pieces, piece{sign, string(r), digit})
			sign = ""
		}
	}
	return pieces
}

func isSign(r rune) bool { return !IsWordRune(r) }

// isBorder reports whether letters and digits meet before a piece.
func isBorder(pieces []piece, i int) bool { return i > 0 && pieces[i].digits != pieces[i-1].digits }

// split returns a term in several words, parted where letters and digits meet: in all ways if these are few.
func split(pieces []piece) (all []string) {
	var at []int
	for i := range pieces {
		if isBorder(pieces, i) && pieces[i].before == "" {
			at = append(at, i)
		}
	}
	if len(at) == 0 || len(at) > mostBorders {
		return nil
	}
	for parted := 1; parted < 1<<len(at); parted++ {
		var out strings.Builder
		for i, p := range pieces {
			if n := slices.Index(at, i); n >= 0 && parted&(1<<n) != 0 {
				out.WriteString(" ")
			}
			out.WriteString(p.before + p.text)
		}
		all = append(all, out.String())
	}
	return all
}

// joinedAtBorders returns a term without the signs where letters and digits meet: UTF8 for UTF-8.
func joinedAtBorders(pieces []piece) string {
	var out strings.Builder
	for i, p := range pieces {
		if !isBorder(pieces, i) || !isHyphen(p.before) && p.before != "." && p.before != "_" {
			out.WriteString(p.before)
		}
		out.WriteString(p.text)
	}
	return out.String()
}

func isHyphen(sign string) bool {
	return sign == "-" || sign == "‐" || sign == "‑" || sign == "–"
}

// hyphened returns a term of several words with hyphens as one word, or "" for other terms. Two short numbers with
// a hyphen are a range, so they stay apart.
func hyphened(pieces []piece) string {
	var out strings.Builder
	letters := false
	for i, p := range pieces {
		if i > 0 && p.before != "" && !isHyphen(p.before) {
			return ""
		}
		letters = letters || !p.digits
		out.WriteString(p.text)
	}
	if !letters && out.Len() < leastJoined {
		return ""
	}
	return out.String()
}

var (
	plainNumber   = regexp.MustCompile(`^(\d{4,})((?:[.,]\d+)?)$`)
	groupedNumber = regexp.MustCompile(`^(\d{1,3}(?:(?:,\d{2,3})+|(?:\.\d{3})+|(?:['’]\d{3})+|(?:_\d{3})+))((?:[.,]\d+)?)$`)
	longKey       = regexp.MustCompile(`^[A-Za-z]{0,4}\d[A-Za-z\d]*$`)
	keyGroup      = regexp.MustCompile(`^[A-Za-z]{0,4}\d+[A-Za-z\d]*$`)
)

// grouped returns a number with separators for thousands, or without them. Which separator it is does not matter, as
// no sign does. An account number is also written in groups of four.
func grouped(text string) (all []string) {
	if m := plainNumber.FindStringSubmatch(text); m != nil && text[0] != '0' {
		all = append(all, groups(m[1], 3)+m[2])
		if len(m[1]) > 5 {
			last := len(m[1]) - 3
			all = append(all, groups(m[1][:last], 2)+" "+m[1][last:]+m[2]) // as in India
		}
	}
	if m := groupedNumber.FindStringSubmatch(text); m != nil {
		all = append(all, digitsOf(m[1])+m[2])
	}
	if len(text) >= leastFours && longKey.MatchString(text) {
		var fours []string
		for part := range slices.Chunk([]byte(text), 4) {
			fours = append(fours, string(part))
		}
		all = append(all, strings.Join(fours, " "))
	}
	return all
}

// groups parts digits into groups of n, counted from the end.
func groups(digits string, n int) string {
	var all []string
	for from, to := 0, (len(digits)-1)%n+1; to <= len(digits); from, to = to, to+n {
		all = append(all, digits[from:to])
	}
	return strings.Join(all, " ")
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if isSign(r) {
			return -1
		}
		return r
	}, text)
}

var versionNumber = regexp.MustCompile(`^([vV]?)(\d+(?:\.\d+)+(?:[-+.][0-9A-Za-z.+-]+)?)$`)

// version returns a version without its v, or with one.
func version(text string) string {
	m := versionNumber.FindStringSubmatch(text)
	switch {
	case m == nil:
		return ""
	case m[1] == "":
		return "v" + text
	}
	return m[2]
}

// acronym returns an acronym in capitals with dots, or an acronym without its dots.
func acronym(text string, pieces []piece) string {
	var out strings.Builder
	if len(pieces) == 1 && !pieces[0].digits {
		letters := utf8.RuneCountInString(text)
		if letters < 2 || letters > longestAcronym {
			return ""
		}
		for _, r := range text {
			if !unicode.IsUpper(r) {
				return ""
			}
			out.WriteString(string(r) + ".")
		}
		return out.String()
	}
	for i, p := range pieces {
		if p.digits || utf8.RuneCountInString(p.text) != 1 || i > 0 && p.before != "." {
			return ""
		}
		out.WriteString(p.text)
	}
	return out.String()
}

// particles are endings of Korean nouns, the longer ones first.
var particles = strings.Fields("으로부터 에서부터 에게서 으로서 으로써 에서는 에서도 이라고 까지 부터 에서 에게 한테 께서 으로 처럼 보다 마다 " +
	"조차 마저 밖에 이나 이랑 하고 은 는 이 가 을 를 의 에 로 와 과 도 만")

// withoutParticle returns a Korean word of at least two syllables without its particle, or "" if it has none.
func withoutParticle(text string) string {
	for _, p := range particles {
		if noun, found := strings.CutSuffix(text, p); found && utf8.RuneCountInString(noun) > 1 &&
			strings.IndexFunc(noun, func(r rune) bool { return !unicode.Is(unicode.Hangul, r) }) < 0 {
			return noun
		}
	}
	return ""
}

// spellTogether adds the spellings of adjacent terms in one word: to the two that are letters and digits, and to all
// parts of a number in groups.
func spellTogether(terms []Term, all [][]string) {
	for i := 1; i < len(terms); i++ {
		a, b := strings.TrimFunc(terms[i-1].Text, isSign), strings.TrimFunc(terms[i].Text, isSign)
		if isLoose(terms[i-1]) && isLoose(terms[i]) && meets(a, b) {
			all[i-1], all[i] = append(all[i-1], a+b), append(all[i], a+b)
		}
	}
	for from := 0; from < len(terms); {
		to := from
		number := ""
		for to < len(terms) && isLoose(terms[to]) && keyGroup.MatchString(digitsOf(terms[to].Text)) {
			number += digitsOf(terms[to].Text)
			to++
		}
		if to-from > 1 && isInGroups(terms[from:to], number) {
			for i := from; i < to; i++ {
				all[i] = append(all[i], number)
			}
		}
		from = max(to, from+1)
	}
}

// meets reports whether one of two terms is of letters and the other is a number.
func meets(a, b string) bool {
	one, other := piecesOf(a), piecesOf(b)
	return isPure(one) && isPure(other) && one[0].digits != other[0].digits
}

// isPure reports whether a term has either letters or digits.
func isPure(pieces []piece) bool {
	for i := range pieces {
		if isBorder(pieces, i) {
			return false
		}
	}
	return len(pieces) > 0
}

// isInGroups reports whether terms are the groups of one number: of thousands, or of a long number.
func isInGroups(terms []Term, number string) bool {
	digits := strings.IndexFunc(number, func(r rune) bool { return r < '0' || r > '9' }) < 0
	thousands := digits && len(terms[0].Text) <= 3
	for _, t := range terms[1:] {
		thousands = thousands && len(t.Text) == 3
	}
	return thousands || digits && len(number) >= leastJoined || len(number) >= leastFours
}

// MaxTerms is the number of words and phrases of a query that are used. Later ones are ignored, so that a pasted
// paragraph still finds its page.
const MaxTerms = 32

// Term is a word or a phrase of a query, with at least one letter or digit. It is plain text. An engine must quote it
// before putting it into an expression.
type Term struct {
	Text   string
	Phrase bool // the term was quoted
	Prefix bool // the last word may be the beginning of a longer word
}

// Terms parses a query, which consists of words, "phrases", and prefixes that end in *. It ignores a quote that is
// not closed, and words without a letter or digit.
func Terms(query string) []Term {
	var terms []Term
	seen := map[Term]bool{}
	add := func(t Term) {
		same := Term{Text: t.Text, Prefix: t.Prefix}
		if len(terms) < MaxTerms && strings.ContainsFunc(t.Text, isLetterOrNumber) && !seen[same] {
			seen[same] = true
			terms = append(terms, t)
		}
	}
	for query = straightQuotes.Replace(query); query != ""; {
		before, rest, quoted := strings.Cut(query, `"`)
		phrase, after, closed := strings.Cut(rest, `"`)
		for word := range strings.FieldsSeq(before) {
			trimmed := strings.TrimRight(word, "*")
			add(Term{Text: trimmed, Prefix: trimmed != word})
		}
		if !quoted {
			break
		}
		if !closed {
			query = rest
			continue
		}
		after, prefix := strings.CutPrefix(after, "*")
		add(Term{Text: phrase, Phrase: true, Prefix: prefix})
		query = after
	}
	return terms
}

// Unclosed reports whether a query has a quote that is not closed. The text after such a quote is not a phrase.
func Unclosed(query string) bool { return strings.Count(straightQuotes.Replace(query), `"`)%2 == 1 }

// IsSigns reports whether a query has signs such as emoji, and no words. Such a query is valid but finds nothing,
// because only words are indexed.
func IsSigns(query string) bool {
	return len(Terms(query)) == 0 && strings.ContainsFunc(query, func(r rune) bool {
		return unicode.Is(unicode.So, r) || r > unicode.MaxASCII && unicode.In(r, unicode.Sm, unicode.Sc)
	})
}

// straightQuotes replaces quotes from keyboards and word processors with straight ones.
var straightQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)

// isLetterOrNumber reports whether a character makes a term of what it is in. Marks alone do not: one of them follows
// most emoji.
func isLetterOrNumber(r rune) bool { return IsWordRune(r) && !unicode.IsMark(r) }

// IsWordRune reports whether words may contain the character.
func IsWordRune(r rune) bool {
	if r <= unicode.MaxASCII {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.Is(unicode.Co, r)
}
