package ranking

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// Impact is the amount that a word by itself adds to the score of a chunk. It depends on how often the text contains
// the word, whether the title or a heading contains the word or consists of it, and whether the chunk defines the
// word. Impacts are stored in the postings of the index. Therefore a change to a weight on which they depend requires
// a new version of the index. A query reads the chunks whose words have the greatest impacts, and only then scores
// these chunks ([Scorer.Score]).
//
// The lowest bit is set if the title contains the word. The other bits are the score.
type Impact uint16

const (
	inTitle     = 1
	impactSteps = 1<<15 - 1
	maxImpact   = 1 + saturation + titleFit + headingFit + definesIt
	// usualLength replaces the average number of words in a chunk. The real average changes, but stored impacts do
	// not.
	usualLength = 80
	// gap is added between the positions of title, heading and text, so that no phrase matches across their borders.
	gap = 2
)

func impactOf(score float64) Impact {
	return Impact(math.Ceil(min(1, score/maxImpact)*impactSteps)) << 1
}

// Score returns the score of a word with this impact, before it is multiplied by its rarity.
func (i Impact) Score() float64 { return float64(i>>1) / impactSteps * maxImpact }

// InTitle reports whether the title contains the word.
func (i Impact) InTitle() bool { return i&inTitle != 0 }

// OfForm returns the impact of the word when it is found by a query for another form of the word.
func (i Impact) OfForm() Impact { return i&inTitle | impactOf(formImpact*i.Score()) }

// Word is a word of a chunk. Its type converts to that of a word in package postings.
type Word struct {
	Text      string
	Impact    Impact
	Positions []uint32 // in ascending order
}

// Analyzer finds the words of chunks and their impacts. It caches titles and headings, which many chunks share.
type Analyzer struct {
	maxWord int // maximum length of a word, in bytes
	named   map[string]map[string]namedWord
	at      map[string]int // index of a word among those of the chunk
	words   []Word
	times   []float64 // number of occurrences of each word so far
}

// namedWord describes a word in a title or heading: its share of the title or heading, and how certain it is that the
// title or heading defines the word.
type namedWord struct {
	fit, defines float64
}

// maxNamed is the maximum number of titles and headings that are cached.
const maxNamed = 1000

// NewAnalyzer returns an analyzer that truncates words to maxWord bytes.
func NewAnalyzer(maxWord int) *Analyzer {
	return &Analyzer{maxWord: maxWord, named: map[string]map[string]namedWord{}, at: map[string]int{}}
}

// Words returns the words of a chunk, and the number of words in its text. The words are valid until the next call.
// The impacts are multiplied by factor; see [ZoneFactor].
func (a *Analyzer) Words(title, heading, body string, factor float64) (words []Word, length int) {
	clear(a.at)
	a.words, a.times = a.words[:0], a.times[:0]
	position := a.add(title, 0)
	titled := slices.Clone(a.times)
	position = a.add(heading, position+gap)
	headed := slices.Clone(a.times)
	begin := position + gap
	length = int(a.add(body, begin) - begin)
	inTitles, inHeadings, defined := a.namedBy(title), a.namedBy(lastHeading(heading)), definedIn(body)
	norm := 1 - lengthPart + lengthPart*float64(length)/usualLength
	for i := range a.words {
		w := &a.words[i]
		before, above := at(titled, i), at(headed, i)
		score := (a.times[i] - above) / norm
		if before > 0 {
			score, w.Impact = score+titleTimes, inTitle
		}
		if above > before {
			score += headingTimes
		}
		t, h := inTitles[w.Text], inHeadings[w.Text]
		score = saturated(score) + titleFit*t.fit + headingFit*h.fit +
			definesIt*max(titleDefines*t.defines, h.defines, defined[w.Text])
		w.Impact |= impactOf(factor * score)
	}
	return a.words, length
}

// at returns numbers[i], or 0 if i is past the end of the list.
func at(numbers []float64, i int) float64 {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}

// add adds the words of a text that starts at the given position, and returns the position after the last word.
func (a *Analyzer) add(text string, position uint32) uint32 {
	tokens.Each(text, func(t tokens.Token) bool {
		if len(t.Word) > a.maxWord {
			t.Word = []byte(words.Clip(string(t.Word), a.maxWord))
		}
		i, known := a.at[string(t.Word)]
		if !known {
			i = len(a.words)
			word := string(t.Word)
			a.at[word], a.words, a.times = i, append(a.words, Word{Text: word}), append(a.times, 0)
		}
		a.words[i].Positions = append(a.words[i].Positions, position)
		a.times[i]++
		position++
		return true
	})
	return position
}

// namedBy describes each word of a title or heading. Each part between dashes also counts as a title or heading.
func (a *Analyzer) namedBy(text string) map[string]namedWord {
	if known, ok := a.named[text]; ok {
		return known
	}
	if len(a.named) > maxNamed {
		clear(a.named)
	}
	all := map[string]namedWord{}
	for part := range segments(text) {
		found := tokens.Of(part)
		n := 0
		for _, w := range found {
			if !tokens.IsFunctionWord(w) && w[0] > '9' {
				n++
			}
		}
		for _, w := range found {
			c := all[w]
			c.fit = max(c.fit, 1/float64(max(1, n)))
			all[w] = c
		}
		sure := definesSurely(part)
		for w, share := range sharesOf(definedName(part)) {
			c := all[w]
			c.defines = max(c.defines, sure*share)
			all[w] = c
		}
	}
	a.named[text] = all
	return all
}

// definedIn returns the words of the names that a text defines, and each word's share of its name.
func definedIn(body string) map[string]float64 {
	if !mayDefine(body) {
		return nil
	}
	all := map[string]float64{}
	for name := range definitions(body) {
		for w, share := range sharesOf(name) {
			all[w] = max(all[w], share)
		}
	}
	return all
}

// sharesOf returns each word's share of a name. The words of a part before the last one, such as a module, have half
// the weight.
func sharesOf(name string) map[string]float64 {
	if name == "" || strings.Count(name, " ") > 12 {
		return nil
	}
	leaf := tokens.Of(leafOf(name))
	all := make(map[string]float64, len(leaf))
	for _, w := range tokens.Of(name) {
		all[w] = .5 / float64(max(1, len(leaf)))
	}
	for _, w := range leaf {
		all[w] = 1 / float64(len(leaf))
	}
	return all
}

// segments returns a title or heading, and then its parts between dashes and the like. One of the parts is often the
// name of the site. The number of a chapter or section is no part, and of the title of a manual page the command is
// one: merge of git-merge(1).
func segments(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if text == "" || !yield(text) {
			return
		}
		parts := partsOf(text)
		for _, part := range parts {
			if len(parts) > 1 && !yield(part) {
				return
			}
		}
		if bare := withoutNumber(text); bare != text && !yield(bare) {
			return
		}
		if command := commandOf(text); command != "" && !yield(command) {
			return
		}
		words := strings.Fields(text)
		if len(words) > 3 {
			return
		}
		for i, word := range words {
			words[i] = leafOf(word)
		}
		if bare := strings.Join(words, " "); bare != text {
			yield(bare)
		}
	}
}

var (
	manualPage    = regexp.MustCompile(`^[A-Za-z\d]+-([A-Za-z\d-]+) ?\(\d[a-z]*\)`)
	sectionNumber = regexp.MustCompile(`^(?:(?:Chapter|Appendix|Part|Section|Kapitel|Anhang|Teil|Abschnitt|Chapitre|Annexe) ` +
		`[A-Z\d][\d.]*|[A-Z]?\.?\d+(?:\.\d+)*\.?)[.:]? +`)
)

// withoutNumber returns a title or heading without the number of its chapter or section.
func withoutNumber(text string) string {
	if !strings.ContainsAny(text[:min(len(text), longestLabel)], "0123456789") {
		return text // quick: most headings have no number
	}
	number := sectionNumber.FindString(text)
	return text[len(number):]
}

// longestLabel is the number of bytes at the beginning of a heading in which its number begins.
const longestLabel = 12

// commandOf returns the command of the title of a manual page without the program it belongs to, or "".
func commandOf(title string) string {
	if at := strings.IndexByte(title, '('); at < 0 || strings.IndexByte(title[:at], '-') < 0 {
		return "" // quick: most titles are of other pages
	}
	if m := manualPage.FindStringSubmatch(title); m != nil {
		return m[1]
	}
	return ""
}

// maxParts is the maximum number of parts of a title.
const maxParts = 6

// partsOf splits a title at dashes, colons and the like, and before the sign of a link to the title itself.
func partsOf(text string) (parts []string) {
	from := 0
	for at := 0; at < len(text) && len(parts) < maxParts-1; {
		r, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		spaced := at > from && text[at-1] == ' ' && next < len(text) && text[next] == ' '
		switch {
		case strings.ContainsRune("-–—|·›»", r) && spaced, r == '¶', r == '§',
			r == ':' && next < len(text) && text[next] == ' ':
			parts = append(parts, strings.TrimSpace(text[from:at]))
			from = next
		}
		at = next
	}
	return append(parts, strings.TrimSpace(text[from:]))
}
