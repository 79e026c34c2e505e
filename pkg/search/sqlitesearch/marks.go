package sqlitesearch

import (
	"math"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search/postings"
)

// The mark of a word in a chunk is what the word alone is worth there, as far as the query does not matter: how often
// it stands in the text, whether the title or a heading has it, or is nothing else, and whether the chunk defines it.
// The chunks of the best marks are read, and only then worth what score.go says.

const (
	inTitle   = 1 // of a mark: the title has the word; the other bits are what it is worth
	mostMark  = 1<<15 - 1
	mostWorth = 1 + saturation + titleFit + headingFit + definesIt
	// usualLength is that of a chunk by which marks are made, in words: that of all may change while marks stay.
	usualLength = 80
	// apart keeps phrases from reaching from the title into a heading, or from there into the text.
	apart = 2
)

// markOf is the mark of what is worth so much.
func markOf(worth float64) uint16 { return uint16(math.Ceil(min(1, worth/mostWorth)*mostMark)) << 1 }

func worthOf(mark uint16) float64 { return float64(mark>>1) / mostMark * mostWorth }

// called is what a title or heading says of a word.
type called struct {
	fit, defines float64
}

// marker makes the words of chunks, and remembers titles and headings, which many chunks share.
type marker struct {
	names map[string]map[string]called
	at    map[string]int // of a word among those of the chunk
	words []postings.Word
	times []float64
}

func newMarker() *marker { return &marker{names: map[string]map[string]called{}, at: map[string]int{}} }

// mark gives the words of a chunk, and how many its text has. They are good until the next.
func (m *marker) mark(r row) (words []postings.Word, length int) {
	clear(m.at)
	m.words, m.times = m.words[:0], m.times[:0]
	position := m.add(r.title, 0)
	titled := slices.Clone(m.times)
	position = m.add(r.heading, position+apart)
	headed := slices.Clone(m.times)
	begin := position + apart
	length = int(m.add(r.body, begin) - begin)
	title, heading, defined := m.called(r.title), m.called(lastHeading(r.heading)), definedIn(r.body)
	norm := 1 - lengthPart + lengthPart*float64(length)/usualLength
	for i := range m.words {
		w := &m.words[i]
		before, above := at(titled, i), at(headed, i)
		worth := (m.times[i] - above) / norm
		if before > 0 {
			worth, w.Mark = worth+titleTimes, inTitle
		}
		if above > before {
			worth += headingTimes
		}
		t, h := title[w.Text], heading[w.Text]
		worth = saturated(worth) + titleFit*t.fit + headingFit*h.fit + definesIt*max(.8*t.defines, h.defines, defined[w.Text])
		w.Mark |= markOf(worth)
	}
	return m.words, length
}

// at is the number at a place, 0 behind the end.
func at(numbers []float64, i int) float64 {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}

// add adds the words of a text, whose first has a position, and gives the position behind it.
func (m *marker) add(text string, position uint32) uint32 {
	tokens(text, func(t token) bool {
		if len(t.word) > postings.MaxWord {
			t.word = []byte(postings.Clip(string(t.word)))
		}
		i, known := m.at[string(t.word)]
		if !known {
			i = len(m.words)
			word := string(t.word)
			m.at[word], m.words, m.times = i, append(m.words, postings.Word{Text: word}), append(m.times, 0)
		}
		m.words[i].Positions = append(m.words[i].Positions, position)
		m.times[i]++
		position++
		return true
	})
	return position
}

// called tells what a title or heading says of its words: what part of it, or of a part between dashes, each is, and
// of which name that is defined there.
func (m *marker) called(text string) map[string]called {
	if known, ok := m.names[text]; ok {
		return known
	}
	if len(m.names) > manyNames {
		clear(m.names)
	}
	all := map[string]called{}
	for part := range segments(text) {
		words := tokensOf(part)
		n := 0
		for _, w := range words {
			if !functionWords[w] && w[0] > '9' {
				n++
			}
		}
		for _, w := range words {
			c := all[w]
			c.fit = max(c.fit, 1/float64(max(1, n)))
			all[w] = c
		}
		sure := defines(part)
		for w, share := range sharesOf(definedName(part)) {
			c := all[w]
			c.defines = max(c.defines, sure*share)
			all[w] = c
		}
	}
	m.names[text] = all
	return all
}

// manyNames is how many titles and headings are remembered.
const manyNames = 1000

// definedIn tells of the words that a text defines what part of a name each is.
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

// sharesOf tells what part of a name each of its words is; those of what it is in are half of one.
func sharesOf(name string) map[string]float64 {
	if name == "" || strings.Count(name, " ") > 12 {
		return nil
	}
	leaf := tokensOf(leafOf(name))
	all := make(map[string]float64, len(leaf))
	for _, w := range tokensOf(name) {
		all[w] = .5 / float64(max(1, len(leaf)))
	}
	for _, w := range leaf {
		all[w] = 1 / float64(len(leaf))
	}
	return all
}
