package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The sizes of a passage, in characters.
const (
	passageRunes = 300
	leadRunes    = 60 // characters shown before the first match
	// farLeadRunes limits the distance from the beginning of a sentence to the first match in it. A sentence within
	// this limit is shown from its beginning.
	farLeadRunes = 140
)

// Excerpt cuts a passage of about 300 characters from a chunk's text, around the matches that are closest together.
// The passage begins and ends at the boundaries of sentences where these are near. The ranges must be sorted and
// disjoint. So are the ranges that are returned.
func Excerpt(text string, ranges []Range) (string, []Range) {
	return ExcerptAt(text, ranges, -1)
}

// ExcerptAt is like [Excerpt], but cuts the passage around the byte offset at. If the offset is negative, it does the
// same as Excerpt.
func ExcerptAt(text string, ranges []Range, at int) (string, []Range) {
	if anchor := densest(text, ranges); at < 0 && anchor >= 0 {
		at = ranges[anchor].From
	}
	from := 0
	if at > 0 {
		from = sentenceStart(text, back(text, at, farLeadRunes), at)
		if from < 0 {
			from = wordStart(text, back(text, at, leadRunes))
		}
	}
	end := forward(text, from, passageRunes)
	to := sentenceEnd(text, max(at+1, forward(text, from, passageRunes/3)), end)
	if to < 0 {
		to = wordEnd(text, from, end)
	}
	for from < to && isBlank(text[from]) {
		from++
	}
	for from < to && isBlank(text[to-1]) {
		to--
	}
	return text[from:to], within(ranges, from, to)
}

// sentenceStart returns the byte offset of the beginning of the sentence around the second offset. If the sentence
// begins before the first offset, it returns -1.
func sentenceStart(text string, from, at int) int {
	start := lastEnd(text, from, at)
	if from == 0 {
		return max(start, 0)
	}
	return start
}

// sentenceEnd returns the last end of a sentence between the offsets from and to, or -1 if there is none. The end of
// the text is also an end of a sentence.
func sentenceEnd(text string, from, to int) int {
	if to == len(text) {
		return to
	}
	return lastEnd(text, min(from, to), to)
}

// lastEnd returns the last end of a sentence whose last character is between two offsets, or -1.
func lastEnd(text string, from, to int) int {
	last := -1
	for i, r := range text[from:to] {
		if end := from + i + utf8.RuneLen(r); r != utf8.RuneError && endsSentence(r, text[end:]) {
			last = end
		}
	}
	return last
}

// endsSentence reports whether r ends a sentence when the given text follows. A line break always ends a sentence,
// and so does a Chinese or Japanese full stop. Any other full stop ends a sentence if a space follows, and after the
// space no lower-case letter. This rule excludes most abbreviations.
func endsSentence(r rune, rest string) bool {
	switch r {
	case '\n', '。', '！', '？', '｡':
		return true
	case '.', '!', '?', '…', '।', '؟', '۔':
		after := strings.TrimLeft(rest, " ")
		next, _ := utf8.DecodeRuneInString(after)
		return rest == "" || len(after) < len(rest) && !unicode.IsLower(next) || rest[0] == '\n'
	}
	return false
}

// densest returns the index of the range with the most other ranges within the length of a passage after it. If there
// are several, it returns the first.
func densest(text string, ranges []Range) int {
	best, most := -1, 0
	for i := range ranges {
		end := ranges[i].From + (passageRunes - leadRunes)
		n := 0
		for _, r := range ranges[i:] {
			if r.To > end {
				break
			}
			n++
		}
		if best < 0 || n > most {
			best, most = i, n
		}
	}
	return best
}

// within returns the ranges inside [from, to), with offsets relative to from. A range that crosses either end is cut
// there.
func within(ranges []Range, from, to int) []Range {
	var inside []Range
	for _, r := range ranges {
		r.From, r.To = max(r.From, from)-from, min(r.To, to)-from
		if r.From < r.To {
			inside = append(inside, r)
		}
	}
	return inside
}

// back returns the byte offset that is n characters before offset i, or 0.
func back(text string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return i
}

// forward returns the byte offset that is n characters after offset i, or the end of the text.
func forward(text string, i, n int) int {
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

// wordStart returns the offset of the next word after offset i, or i if that word is too far away.
func wordStart(text string, i int) int {
	if i == 0 {
		return 0
	}
	if gap := strings.IndexAny(text[i:min(len(text), i+leadRunes/2)], " \n\t"); gap >= 0 {
		return i + gap + 1
	}
	return i
}

// wordEnd returns the last end of a word before the limit to. If ending there would shorten the passage too much, it
// returns the limit.
func wordEnd(text string, from, to int) int {
	if to == len(text) {
		return to
	}
	if gap := strings.LastIndexAny(text[from:to], " \n\t"); gap > (to-from)*3/4 {
		return from + gap
	}
	return to
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
