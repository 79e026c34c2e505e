package ranking

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// segments returns a title or heading, and then its parts between dashes and the like. One of the parts is often the
// name of the site. The number of a chapter or section is no part, and of the title of a manual page the command is
// one: merge of git-merge(1).
func segments(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if text == "" || !yield(text) {
			return
		}
		parts := partsOf(text)
		for _, part := range parts {
			if len(parts) > 1 && !yield(part) {
				return
			}
		}
		if bare := withoutNumber(text); bare != text && !yield(bare) {
			return
		}
		if command := commandOf(text); command != "" && !yield(command) {
			return
		}
		words := strings.Fields(text)
		if len(words) > 3 {
			return
		}
		for i, word := range words {
			words[i] = leafOf(word)
		}
		if bare := strings.Join(words, " "); bare != text {
			yield(bare)
		}
	}
}

var (
	manualPage    = regexp.MustCompile(`^[A-Za-z\d]+-([A-Za-z\d-]+) ?\(\d[a-z]*\)`)
	sectionNumber = regexp.MustCompile(`^(?:(?:Chapter|Appendix|Part|Section|Kapitel|Anhang|Teil|Abschnitt|Chapitre|Annexe) ` +
		`[A-Z\d][\d.]*|[A-Z]?\.?\d+(?:\.\d+)*\.?)[.:]? +`)
)

// withoutNumber returns a title or heading without the number of its chapter or section.
func withoutNumber(text string) string {
	if !strings.ContainsAny(text[:min(len(text), longestLabel)], "0123456789") {
		return text // quick: most headings have no number
	}
	number := sectionNumber.FindString(text)
	return text[len(number):]
}

// longestLabel is the number of bytes at the beginning of a heading in which its number begins.
const longestLabel = 12

// commandOf returns the command of the title of a manual page without the program it belongs to, or "".
func commandOf(title string) string {
	if at := strings.IndexByte(title, '('); at < 0 || strings.IndexByte(title[:at], '-') < 0 {
		return "" // quick: most titles are of other pages
	}
	if m := manualPage.FindStringSubmatch(title); m != nil {
		return m[1]
	}
	return ""
}

// maxParts is the maximum number of parts of a title.
const maxParts = 6

// partsOf splits a title at dashes, colons and the like, and before the sign of a link to the title itself.
func partsOf(text string) (parts []string) {
	from := 0
	for at := 0; at < len(text) && len(parts) < maxParts-1; {
		r, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		spaced := at > from && text[at-1] == ' ' && next < len(text) && text[next] == ' '
		switch {
		case strings.ContainsRune("-–—|·›»", r) && spaced, r == '¶', r == '§',
			r == ':' && next < len(text) && text[next] == ' ':
			parts = append(parts, strings.TrimSpace(text[from:at]))
			from = next
		}
		at = next
	}
	return append(parts, strings.TrimSpace(text[from:]))
}
