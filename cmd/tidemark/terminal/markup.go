package terminal

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// Markers around highlights. They are control characters, which [Clean] removes from every text.
const (
	highlightOn  = '\x01'
	highlightOff = '\x02'
)

// Markup cleans a passage and puts markers around its highlights, which [Screen.Render] shows. It skips ranges that
// are outside the text, out of order, or that split a character.
func Markup(p api.Passage) string {
	var b strings.Builder
	at := 0
	for _, h := range p.Highlights {
		if h.From < at || h.To <= h.From || h.To > len(p.Text) || !boundary(p.Text, h.From) || !boundary(p.Text, h.To) {
			continue
		}
		b.WriteString(CleanPiece(p.Text[at:h.From]))
		b.WriteRune(highlightOn)
		b.WriteString(Clean(p.Text[h.From:h.To]))
		b.WriteRune(highlightOff)
		at = h.To
	}
	b.WriteString(CleanPiece(p.Text[at:]))
	return strings.TrimSpace(b.String())
}

// boundary reports whether a character begins at byte i of s, or i is the end of s.
func boundary(s string, i int) bool {
	return i == len(s) || s[i]&0xc0 != 0x80
}
