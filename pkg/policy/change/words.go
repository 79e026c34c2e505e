package change

import (
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// Words is what is remembered of a text: how many words fall into each of 65,536 buckets, and how many letters
// and digits these have. So it is bounded however long the text is; of a vocabulary of 1,500 words, 2 in 100 share
// a bucket with another. The zero Words remembers nothing, and is not that of an empty text.
type Words struct {
	buckets []bucket // by number
	words   int
	letters int
	known   bool
}

type bucket struct{ number, words, letters int }

// buckets is how many there are. Another number, another hash or another idea of what a word is needs
// another format.
const buckets = 1 << 16

// format is the first byte of what [Words.Bytes] writes.
const format = 1

// WordsOf reads a text once. A word is what stands between spaces; in scripts that have none, each letter is.
func WordsOf(text string) Words {
	var all []uint64 // of each word its bucket, and below 32 bits its letters
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

// unspaced reports whether a letter is of a script that puts no spaces between words.
func unspaced(r rune) bool {
	const firstThai = 0x0E00 // nothing before it is
	return r >= firstThai && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Han,
		unicode.Hiragana, unicode.Katakana)
}

// Letters is how many letters and digits the text has.
func (w Words) Letters() int { return w.letters }

// Bytes is how Words are stored: some four bytes for each different word, 300,000 for a text of 5 MB at most.
// Words that remember nothing are no bytes.
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

// ParseWords reads what [Words.Bytes] wrote. What is damaged, or of another format, remembers nothing.
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

// maxSum bounds what a bucket may hold, so that no sum of them overflows.
const maxSum = 1 << 31
