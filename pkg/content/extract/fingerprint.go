package extract

import (
	"math/bits"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"
)

// Fingerprint tells texts that are nearly the same from others. The zero value is of a text
// without words, which is like no other.
type Fingerprint struct {
	Words int    `json:"words"` // that were looked at
	Exact uint64 `json:"exact"` // of all of them in order
	Sim   uint64 `json:"sim"`   // similar for similar texts: a simhash over runs of three words
}

const (
	// nearBits is in how many bits of Sim texts of the same origin differ. Of unrelated texts one pair
	// in a hundred differs in 23 bits or less and none in 6; with a twentieth of the text replaced,
	// 99 in 100 differ in 12 or less.
	nearBits = 10
	// fewWords is below what Sim means little: every word is in a tenth of the runs.
	fewWords = 20
	// maxWords bounds what is looked at.
	maxWords = 20_000
)

// FingerprintOf reads a text's words in lower case, except those for which leave is true.
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

// Near reports whether two texts are nearly the same: few of their runs of three words differ. Of
// a text of fewer than 20 words all have to be the same.
func (f Fingerprint) Near(g Fingerprint) bool {
	if min(f.Words, g.Words) < fewWords {
		return f.Words > 0 && f.Words == g.Words && f.Exact == g.Exact
	}
	return bits.OnesCount64(f.Sim^g.Sim) <= nearBits
}
