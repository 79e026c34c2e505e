package change

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Words is a summary of a text: the number of words that fall into each of 65,536 buckets, and the number of letters
// and digits in these words. So the size of the summary is bounded, however long the text is. In a text with 1,500
// different words, 2 in 100 of them share a bucket with another word. The zero Words means that no text is known,
// which is not the same as an empty text.
type Words struct {
	buckets []bucket // sorted by bucket number
	words   int
	letters int
	known   bool
}

type bucket struct{ number, words, letters int }

// buckets is the number of buckets. If this number, the hash or the definition of a word changes, the format must
// change, too.
const buckets = 1 << 16

// format is the first byte of the result of [Words.Bytes].
const format = 1

// WordsOf counts the words of a text in one pass. Words are separated by spaces. In scripts without spaces, each
// letter counts as a word.
func WordsOf(text string) Words {
	var all []uint64 // one entry per word: its bucket in the upper 32 bits, its number of letters in the lower 32
	start, letters, alone := 0, 0, false
	end := func(at int) {
		if at > start {
			all = append(all, xxhash.Sum64String(text[start:at])%buckets<<32|uint64(letters))
		}
		start, letters = at, 0
	}
	for i, r := range text {
		space, single := unicode.IsSpace(r), words.IsSpaceless(r)
		if space || single || alone {
			end(i)
		}
		if alone = single; space {
			start = i + utf8.RuneLen(r)
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	end(len(text))
	slices.Sort(all)
	w := Words{known: true}
	for i := 0; i < len(all); {
		b := bucket{number: int(all[i] >> 32)}
		for ; i < len(all) && int(all[i]>>32) == b.number; i++ {
			b.words, b.letters = b.words+1, b.letters+int(uint32(all[i]))
		}
		w.add(b)
	}
	return w
}

func (w *Words) add(b bucket) {
	w.buckets, w.words, w.letters = append(w.buckets, b), w.words+b.words, w.letters+b.letters
}

// Letters returns the number of letters and digits in the text.
func (w Words) Letters() int { return w.letters }

// Bytes returns the stored form of Words; nil for the zero Words. It has about four bytes for each distinct word, and
// at most 300,000 bytes for a text of 5 MB.
func (w Words) Bytes() []byte {
	if !w.known {
		return nil
	}
	out := []byte{format}
	before := 0
	for _, b := range w.buckets {
		out = binary.AppendUvarint(out, uint64(b.number-before))
		out = binary.AppendUvarint(out, uint64(b.words))
		out = binary.AppendUvarint(out, uint64(b.letters))
		before = b.number
	}
	return out
}

// ParseWords decodes the result of [Words.Bytes]. For damaged bytes or another format it returns the zero Words.
func ParseWords(b []byte) Words {
	if len(b) == 0 || b[0] != format {
		return Words{}
	}
	w, at := Words{known: true}, 0
	for b = b[1:]; len(b) > 0; {
		var read [3]int
		for i := range read {
			v, n := binary.Uvarint(b)
			if n <= 0 || v > maxSum {
				return Words{}
			}
			read[i], b = int(v), b[n:]
		}
		if at += read[0]; at >= buckets || len(w.buckets) > 0 && read[0] == 0 || read[1] == 0 {
			return Words{}
		}
		w.add(bucket{at, read[1], read[2]})
	}
	return w
}

// maxSum bounds the count of a bucket, so that no sum of counts overflows.
const maxSum = 1 << 31

// Extent is how much of a body has changed. The zero Extent means that the amount is unknown.
type Extent struct {
	Measured bool
	New      float64 // share of the present body's letters that were not in the earlier body, 0 to 1
	Gone     float64 // share of the earlier body's letters that are not in the present body, 0 to 1
	Added    int     // number of words added
	Removed  int     // number of words removed
}

// unchanged is the extent of a change outside the body.
var unchanged = Extent{Measured: true}

// Left returns the share of the earlier body's letters that are still in the present body.
func (e Extent) Left() float64 { return 1 - e.Gone }

// String formats the extent for people: "12 words added, 3 removed".
func (e Extent) String() string {
	return fmt.Sprintf("%s added, %s removed", words.Count(e.Added, "word"), words.Thousands(e.Removed))
}

// Compare measures how much of a body has changed between two readings. If either is the zero Words, it returns the
// zero Extent.
func Compare(old, now Words) (e Extent) {
	if !old.known || !now.known {
		return e
	}
	e.Measured = true
	gone, come, at := 0, 0, 0
	for _, b := range now.buckets {
		var was bucket
		for ; at < len(old.buckets) && old.buckets[at].number <= b.number; at++ {
			if was = old.buckets[at]; was.number < b.number {
				e.Removed, gone, was = e.Removed+was.words, gone+was.letters, bucket{}
			}
		}
		e.Added, come = e.Added+max(0, b.words-was.words), come+max(0, b.letters-was.letters)
		e.Removed, gone = e.Removed+max(0, was.words-b.words), gone+max(0, was.letters-b.letters)
	}
	for _, was := range old.buckets[at:] {
		e.Removed, gone = e.Removed+was.words, gone+was.letters
	}
	e.New, e.Gone = part(come, now.letters), part(gone, old.letters)
	return e
}

// InCommon returns the share of the shorter text's letters that are in words which the other text has, too, 0 to 1. It
// returns 0 if a text is not known or has no letters.
func InCommon(a, b Words) float64 {
	if a.letters == 0 || b.letters == 0 {
		return 0
	}
	e := Compare(a, b)
	return 1 - min(e.New, e.Gone)
}

func part(of, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(of) / float64(all)
}
