package main

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// Marks around what was found. They are control characters, which clean leaves in no text.
const (
	markOn  = '\x01'
	markOff = '\x02'
)

// markup cleans a passage and puts marks around its highlights. Ranges that do not lie in the
// text in order, or that cut a character, are passed over.
func markup(p api.Passage) string {
	var b strings.Builder
	at := 0
	for _, h := range p.Highlights {
		if h.From < at || h.To <= h.From || h.To > len(p.Text) || !boundary(p.Text, h.From) || !boundary(p.Text, h.To) {
			continue
		}
		b.WriteString(cleanPiece(p.Text[at:h.From]))
		b.WriteRune(markOn)
		b.WriteString(clean(p.Text[h.From:h.To]))
		b.WriteRune(markOff)
		at = h.To
	}
	b.WriteString(cleanPiece(p.Text[at:]))
	return strings.TrimSpace(b.String())
}

// boundary reports whether a character begins at byte i of s, or s ends there.
func boundary(s string, i int) bool {
	return i == len(s) || s[i]&0xc0 != 0x80
}

// cleanPiece is clean for the inside of a text: space at either end is kept as one space.
func cleanPiece(s string) string {
	text := clean(s)
	if text == "" {
		return strings.Repeat(" ", min(1, len(s)))
	}
	if strings.TrimLeft(s[:1], " \t\r\n") == "" {
		text = " " + text
	}
	if strings.TrimRight(s[len(s)-1:], " \t\r\n") == "" {
		text += " "
	}
	return text
}

// render shows the marks: bold on a terminal with colours, «…» anywhere else.
func (s screen) render(marked string) string {
	on, off := "«", "»"
	if s.color {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	return strings.NewReplacer(string(markOn), on, string(markOff), off).Replace(marked)
}
