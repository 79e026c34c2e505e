package extract

import (
	"math/bits"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"
)

// Fingerprint summarizes a text, so that nearly equal texts can be recognized. The zero value is the fingerprint of a
// text without words, and is near no other fingerprint.
type Fingerprint struct {
	Words int    `json:"words"` // number of words that were read
	Exact uint64 `json:"exact"` // hash of all words in order
	Sim   uint64 `json:"sim"`   // a simhash over runs of three words; similar texts have similar values
}

const (
	// nearBits limits the number of bits in which the Sim of nearly equal texts may differ. Of the pairs of unrelated
	// texts, one in a hundred differs in 23 bits or fewer, and none in 6 or fewer. If a twentieth of a text is
	// replaced, 99 pairs in 100 differ in 12 bits or fewer.
	nearBits = 10
	// fewWords is the number of words below which Sim is not reliable: in such a short text, each word is part of at
	// least a tenth of the runs.
	fewWords = 20
	// maxWords limits the number of words that are read.
	maxWords = 20_000
)

// FingerprintOf returns the fingerprint of a text's words in lower case. It ignores the words for which the given
// function returns true.
func FingerprintOf(text string, leave func(word string) bool) Fingerprint {
	var f Fingerprint
	var votes [64]int
	var last, before string
	all := xxhash.New()
	for word := range strings.FieldsFuncSeq(text, noWord) {
		if word = strings.ToLower(word); leave(word) {
			continue
		}
		if f.Words++; f.Words > maxWords {
			f.Words = maxWords
			break
		}
		_, _ = all.WriteString(word + "\n") // never fails
		vote(&votes, xxhash.Sum64String(before+"\n"+last+"\n"+word))
		before, last = last, word
	}
	if f.Words > 0 {
		f.Exact, f.Sim = all.Sum64(), majority(&votes)
	}
	return f
}

func noWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func vote(votes *[64]int, hash uint64) {
	for i := range votes {
		votes[i] += int(hash>>i&1)*2 - 1
	}
}

func majority(votes *[64]int) (sim uint64) {
	for i, n := range votes {
		if n > 0 {
			sim |= 1 << i
		}
	}
	return sim
}

// Near reports whether two texts are nearly the same: only a few of their runs of three words differ. If either text
// has fewer than 20 words, all words must be the same.
func (f Fingerprint) Near(g Fingerprint) bool {
	if min(f.Words, g.Words) < fewWords {
		return f.Words > 0 && f.Words == g.Words && f.Exact == g.Exact
	}
	return bits.OnesCount64(f.Sim^g.Sim) <= nearBits
}
