package textdiff

import (
	"cmp"
	"hash/fnv"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

const (
	// maxWords limits the length, in bytes, of two lines that are compared word by word at once. The sum of both
	// lengths counts. Longer lines are compared sentence by sentence first.
	maxWords = 8 << 10
	// maxPairs limits the number of pairs of sentences that are compared word by word, for two lines.
	maxPairs = 200
)

// ByWord returns two lines as pieces, with the differences between them. Both have as many pieces, and a piece of one
// stands where that of the other does; it is empty where a line has only lost or gained words.
func ByWord(old, text string) (before, after []Piece) {
	if len(old)+len(text) <= maxWords {
		return differing(tokens(old), tokens(text))
	}
	a, b := sentences(old), sentences(text)
	pairs := 0
	for _, e := range edits(keysOf(a, wordKey), keysOf(b, wordKey)) {
		was, is := a[e.from:e.to], b[e.at:e.end]
		before, after = appendSame(before, after, a[e.same:e.from], b[e.at-(e.from-e.same):e.at])
		for i := range max(len(was), len(is)) {
			if i < min(len(was), len(is)) && pairs < maxPairs && len(was[i])+len(is[i]) <= maxWords {
				pairs++
				x, y := differing(tokens(was[i]), tokens(is[i]))
				before, after = append(before, x...), append(after, y...)
				continue
			}
			var x, y Piece
			if i < len(was) {
				x = Piece{Text: was[i], Hit: true}
			}
			if i < len(is) {
				y = Piece{Text: is[i], Hit: true}
			}
			before, after = append(before, x), append(after, y)
		}
	}
	return before, after
}

// differing returns two lists of tokens as pieces.
func differing(a, b []string) (before, after []Piece) {
	for _, e := range joined(edits(keysOf(a, wordKey), keysOf(b, wordKey)), a) {
		before, after = appendSame(before, after, a[e.same:e.from], b[e.at-(e.from-e.same):e.at])
		before = append(before, Piece{Text: strings.Join(a[e.from:e.to], ""), Hit: true})
		after = append(after, Piece{Text: strings.Join(b[e.at:e.end], ""), Hit: true})
	}
	return before, after
}

func appendSame(before, after []Piece, a, b []string) (x, y []Piece) {
	return append(before, Piece{Text: strings.Join(a, "")}), append(after, Piece{Text: strings.Join(b, "")})
}

// An edit replaces the tokens [from, to) of one list by the tokens [at, end) of another. The tokens [same, from)
// before it are equal in both lists. The last edit of a list may be empty.
type edit struct{ same, from, to, at, end int }

// edits compares two lists by their keys, which are on one line each. The edits cover both lists to their ends.
func edits(a, b []string) (out []edit) {
	joined := func(keys []string) string { return strings.Join(append(keys[:len(keys):len(keys)], ""), "\n") }
	before := joined(a)
	at := offsets(a)
	i, j := 0, 0
	for _, e := range udiff.Lines(before, joined(b)) {
		from, to := at[e.Start], at[e.End]
		n := strings.Count(e.New, "\n")
		j += from - i
		out = append(out, edit{i, from, to, j, j + n})
		i, j = to, j+n
	}
	return append(out, edit{i, len(a), len(a), len(b), len(b)})
}

// Edits yields the ranges in which two lists differ, in order: from and to in the first list, and in the second one. A
// key has no line end.
func Edits(a, b []string) iter.Seq2[[2]int, [2]int] {
	return func(yield func(was, is [2]int) bool) {
		for _, e := range edits(a, b) {
			if (e.from < e.to || e.at < e.end) && !yield([2]int{e.from, e.to}, [2]int{e.at, e.end}) {
				return
			}
		}
	}
}

// wordKey is a key of a token. The last word of a line, without a space after it, is the same as elsewhere.
func wordKey(token string) string {
	key := noise.Typography(token)
	return cmp.Or(strings.TrimRight(key, " "), key)
}

// offsets returns the indexes of keys, by the offset at which each key begins in the joined keys.
func offsets(keys []string) map[int]int {
	out := make(map[int]int, len(keys)+1)
	at := 0
	for i, key := range keys {
		out[at] = i
		at += len(key) + 1
	}
	out[at] = len(keys)
	return out
}

// joined joins edits that are separated only by a single letter of a script without spaces. One letter that two words
// have in common does not help readers.
func joined(list []edit, a []string) (out []edit) {
	for _, e := range list {
		if n := len(out); n > 0 && e.from-e.same == 1 && isSpaceless(a[e.same]) && (e.to > e.from || e.end > e.at) {
			out[n-1].to, out[n-1].end = e.to, e.end
			continue
		}
		out = append(out, e)
	}
	return out
}

func isSpaceless(token string) bool {
	r, _ := utf8.DecodeRuneInString(token)
	return words.IsSpaceless(r)
}

// tokens splits a line into tokens: words with the space after them, or, in scripts without spaces between words,
// letters with their marks. The joined tokens are the line.
func tokens(line string) (out []string) {
	start := 0
	for i, r := range line {
		prev, _ := utf8.DecodeLastRuneInString(line[:i])
		switch {
		case i == 0:
		case unicode.IsMark(r) || unicode.IsSpace(r) || leads(prev):
		case unicode.IsSpace(prev), words.IsSpaceless(r), isSpaceless(line[start:i]):
			out = append(out, line[start:i])
			start = i
		}
	}
	return append(out, line[start:])
}

// leads reports whether r is a vowel of Thai or Lao that is written before the letter that it follows in speech.
func leads(r rune) bool { return 0x0e40 <= r && r <= 0x0e44 || 0x0ec0 <= r && r <= 0x0ec4 }

// sentences splits a line after each sentence. It also splits after some words, so that text without full stops is
// split, too. The words themselves decide where, so an edit moves no other border. The joined sentences are the line.
func sentences(line string) (out []string) {
	const every = 64 // average number of words between two borders
	start, at := 0, 0
	last := ""
	for _, t := range tokens(line) {
		at += len(t)
		h := fnv.New32a()
		_, _ = h.Write([]byte(last + t)) // never fails
		if last = t; endsSentence(t) || h.Sum32()%every == 0 {
			out = append(out, line[start:at])
			start = at
		}
	}
	if start < len(line) {
		out = append(out, line[start:])
	}
	return out
}

func endsSentence(token string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(token, unicode.IsSpace))
	return strings.ContainsRune(".!?。！？؟।…", r)
}
