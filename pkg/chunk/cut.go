package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/extract"
)

// cut gives the text of a block in pieces of at most [Budget] characters: paragraphs at ends of
// sentences, everything that has lines at ends of lines, and what is longer still where it must.
func cut(b extract.Block) []string {
	text := strings.Trim(b.Text, "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if utf8.RuneCountInString(text) <= Budget {
		return []string{text}
	}
	if b.Kind == extract.Paragraph || b.Kind == extract.Quote {
		return pack(sentences(text))
	}
	return pack(strings.SplitAfter(text, "\n"))
}

// pack joins neighbouring parts up to the budget. Parts longer than the budget are cut at spaces.
func pack(parts []string) []string {
	var pieces []string
	var piece strings.Builder
	size := 0
	flush := func() {
		if text := strings.TrimRight(piece.String(), " \n"); strings.TrimSpace(text) != "" {
			pieces = append(pieces, text)
		}
		piece.Reset()
		size = 0
	}
	for _, part := range parts {
		for _, p := range shorten(part) {
			n := utf8.RuneCountInString(p)
			if size > 0 && size+n > Budget {
				flush()
			}
			piece.WriteString(p)
			size += n
		}
	}
	flush()
	return pieces
}

// shorten cuts a part that is over the budget: behind the last space that fits, else between
// characters.
func shorten(part string) []string {
	var pieces []string
	for utf8.RuneCountInString(part) > Budget {
		end, space := 0, 0
		for n := 0; n < Budget; n++ {
			r, size := utf8.DecodeRuneInString(part[end:])
			end += size
			if r == ' ' {
				space = end
			}
		}
		if space > end/2 {
			end = space
		}
		pieces = append(pieces, part[:end])
		part = part[end:]
	}
	return append(pieces, part)
}

// sentences cuts prose behind each end of a sentence; the parts joined are the text.
func sentences(text string) []string {
	var parts []string
	start := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if i < start || !endsSentence(r, text[end:]) {
			continue
		}
		for end < len(text) && text[end] == ' ' {
			end++
		}
		parts = append(parts, text[start:end])
		start = end
	}
	return append(parts, text[start:])
}

// endsSentence reports whether r ends a sentence before rest. A full stop needs a space and no
// lower-case letter after it, which spares most abbreviations; the marks of Chinese and Japanese
// need nothing.
func endsSentence(r rune, rest string) bool {
	switch r {
	case '。', '！', '？', '｡', '\n':
		return true
	case '.', '!', '?', '…', '।', '؟', '۔':
		after, spaced := strings.CutPrefix(rest, " ")
		next, _ := utf8.DecodeRuneInString(after)
		return spaced && !unicode.IsLower(next)
	}
	return false
}
