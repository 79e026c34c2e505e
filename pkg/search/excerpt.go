package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of a passage, in characters.
const (
	passageRunes = 300
	leadRunes    = 60 // characters shown before the first match
	// farLeadRunes is how far before the first match a sentence may begin and still be shown whole.
	farLeadRunes = 140
)

// Excerpt cuts a passage of about 300 characters from a chunk's text, around the matches that are closest together.
// The passage begins and ends at sentence boundaries where those are near. The ranges must be sorted and disjoint;
// the passage's ranges are, too.
func Excerpt(text string, ranges []Range) (string, []Range) {
	return ExcerptAt(text, ranges, -1)
}

// ExcerptAt is like [Excerpt], but it cuts the passage around a byte offset, given by the argument at. If at is
// negative, ExcerptAt does the same as Excerpt.
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

// sentenceStart returns the byte offset of the beginning of the sentence that contains the offset at. If the sentence
// begins before the offset from, sentenceStart returns -1.
func sentenceStart(text string, from, at int) int {
	start := -1
	if from == 0 {
		start = 0
	}
	for i, r := range text[from:at] {
		if end := from + i + utf8.RuneLen(r); r != utf8.RuneError && endsSentence(r, text[end:]) {
			start = end
		}
	}
	return start
}

// sentenceEnd returns the last end of a sentence between from and to. The end of the text counts as such an end. If
// there is none, sentenceEnd returns -1.
func sentenceEnd(text string, from, to int) int {
	if to == len(text) {
		return to
	}
	last := -1
	for i, r := range text[min(from, to):to] {
		if end := from + i + utf8.RuneLen(r); r != utf8.RuneError && endsSentence(r, text[end:]) {
			last = end
		}
	}
	return last
}

// endsSentence reports whether a sentence ends with r, when rest is the text after r. A line break always ends a
// sentence, and so does a Chinese or Japanese full stop. Any other full stop does if a space follows it and no
// lower-case letter follows the space; this excludes most abbreviations.
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

// densest returns the index of the range that has the most other ranges within one passage length after it. If there
// are several such ranges, it returns the first.
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

// within returns the ranges inside [from, to), with offsets relative to the start of that interval. A range that
// crosses either end is cut there.
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

// wordStart returns the next beginning of a word after i, or i if that beginning is too far away.
func wordStart(text string, i int) int {
	if i == 0 {
		return 0
	}
	if gap := strings.IndexAny(text[i:min(len(text), i+leadRunes/2)], " \n\t"); gap >= 0 {
		return i + gap + 1
	}
	return i
}

// wordEnd returns the last end of a word that is not after the limit to. If ending there would cost much of the
// passage, it returns the limit.
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
