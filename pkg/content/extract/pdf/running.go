package pdf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// edge is the number of lines at the top, and at the bottom, of a page that may be running heads.
const edge = 2

// findRunningLines finds page numbers, running heads and footers. These are lines at the edge of a page that are
// alike on several pages: on at least three, and on at least a quarter of the pages from the first of them to the
// last. Two lines are alike if their texts differ only in a number that increases with the page number. They are also
// alike if both begin or end with such a number, because the rest of the line may be the name of a section. A sum at
// the foot of each page does not increase with the page number, so it is content.
func findRunningLines(lines []line) {
	spans := map[string]*span{}
	pages := byPage(lines)
	for _, page := range pages {
		for _, i := range edges(page) {
			for _, key := range runningKeys(lines[i]) {
				if spans[key] == nil {
					spans[key] = &span{first: lines[i].page, last: -1}
				}
				spans[key].add(lines[i].page)
			}
		}
	}
	for _, page := range pages {
		for _, i := range edges(page) {
			for _, key := range runningKeys(lines[i]) {
				lines[i].running = lines[i].running || spans[key].running()
			}
		}
	}
	for _, page := range pages {
		for _, i := range edges(page) {
			lines[i].running = lines[i].running && !isOfText(lines, page, i)
		}
	}
}

// isOfText reports whether a line is a sentence that continues the text of its page: the line next to it, towards the
// middle of the page, is as near as lines of a paragraph are, and is no running head. Such a sentence may be the same
// on several pages.
func isOfText(lines []line, page []int, i int) bool {
	if l := lines[i]; l.size <= 0 || !isSentence(l.text) {
		return false
	}
	at, towards := slices.Index(page, i), 1
	if at >= len(page)/2 {
		towards = -1
	}
	if at+towards < 0 || at+towards >= len(page) {
		return false
	}
	next := lines[page[at+towards]]
	return !next.running && math.Abs(next.y-lines[i].y) <= nextLine*lines[i].size
}

const (
	nextLine      = 1.8 // distance of two lines of a paragraph at most, in sizes of the font
	sentenceWords = 4   // least number of words of a sentence that is not a running head
)

// isSentence reports whether a text ends as a sentence does and has several words, or is in a script without spaces.
func isSentence(text string) bool {
	switch last, _ := utf8.DecodeLastRuneInString(text); last {
	case '。', '！', '？':
		return true
	case '.', '!', '?', '؟', '।':
		return strings.Count(text, " ")+1 >= sentenceWords
	}
	return false
}

// span describes the pages on which a line recurs: the first page, the last page, and how many there are.
type span struct{ first, last, pages int }

func (s *span) add(page int) {
	if page != s.last {
		s.last = page
		s.pages++
	}
}

func (s *span) running() bool { return s.pages >= 3 && s.pages*4 >= s.last-s.first+1 }

// byPage returns the indexes of the lines of each page, without form fields.
func byPage(lines []line) (pages [][]int) {
	for i, l := range lines {
		if l.field {
			continue
		}
		if n := len(pages); n == 0 || lines[pages[n-1][0]].page != l.page {
			pages = append(pages, nil)
		}
		pages[len(pages)-1] = append(pages[len(pages)-1], i)
	}
	return pages
}

// edges returns the first lines and the last lines of a page, which may be running heads.
func edges(page []int) []int {
	if len(page) <= 2*edge {
		return page
	}
	return append(append([]int{}, page[:edge]...), page[len(page)-edge:]...)
}

// Bounds on a running head: its length in bytes, and how many of its numbers are examined.
const (
	maxRunning = 150
	maxNumbers = 4
)

// runningKeys returns the features that a line may share with lines of other pages. In these features, numbers are
// relative to the page number.
func runningKeys(l line) []string {
	if len(l.text) > maxRunning {
		return nil
	}
	keys := []string{l.text}
	if n, ok := roman(l.text); ok {
		return append(keys, fmt.Sprintf("roman\x00%d", n-l.page))
	}
	for at := 0; at < len(l.text) && len(keys) <= maxNumbers; {
		start := strings.IndexAny(l.text[at:], "0123456789")
		if start < 0 {
			break
		}
		start += at
		rest := strings.TrimLeft(l.text[start:], "0123456789")
		at = len(l.text) - len(rest)
		n, err := strconv.Atoi(l.text[start:at])
		switch {
		case err != nil:
		case start == 0 && spaced(rest, 0), rest == "" && spaced(l.text, start-1):
			keys = append(keys, fmt.Sprintf("edge\x00%d", n-l.page))
		default:
			keys = append(keys, fmt.Sprintf("%s\x00%d\x00%s", l.text[:start], n-l.page, rest))
		}
	}
	return keys
}

// spaced reports whether text has a space at index i, or i is outside the text.
func spaced(text string, i int) bool { return i < 0 || i >= len(text) || text[i] == ' ' }

// roman parses Roman numerals in lower case, which number the pages of front matter.
func roman(text string) (n int, ok bool) {
	if text == "" || len(text) > 7 {
		return 0, false
	}
	values := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50}
	text = strings.ToLower(text)
	for i := range len(text) {
		v := values[text[i]]
		if v == 0 {
			return 0, false
		}
		if i+1 < len(text) && v < values[text[i+1]] {
			v = -v
		}
		n += v
	}
	return n, true
}
