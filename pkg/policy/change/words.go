package change

import (
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
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
		space, single := unicode.IsSpace(r), unspaced(r)
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

// unspaced reports whether a letter belongs to a script without spaces between words.
func unspaced(r rune) bool {
	const firstThai = 0x0E00 // no letter before this one belongs to such a script
	return r >= firstThai && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Han,
		unicode.Hiragana, unicode.Katakana)
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
