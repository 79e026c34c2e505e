package terminal

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// Marks around highlights. They are control characters, which [Clean] leaves in no text.
const (
	markOn  = '\x01'
	markOff = '\x02'
)

// Markup cleans a passage and puts marks around its highlights, which [Screen.Render] shows. Ranges that are not in
// the text, out of order, or that cut a character are skipped.
func Markup(p api.Passage) string {
	var b strings.Builder
	at := 0
	for _, h := range p.Highlights {
		if h.From < at || h.To <= h.From || h.To > len(p.Text) || !boundary(p.Text, h.From) || !boundary(p.Text, h.To) {
			continue
		}
		b.WriteString(CleanPiece(p.Text[at:h.From]))
		b.WriteRune(markOn)
		b.WriteString(Clean(p.Text[h.From:h.To]))
		b.WriteRune(markOff)
		at = h.To
	}
	b.WriteString(CleanPiece(p.Text[at:]))
	return strings.TrimSpace(b.String())
}

// boundary reports whether a character begins at byte i of s, or s ends there.
func boundary(s string, i int) bool {
	return i == len(s) || s[i]&0xc0 != 0x80
}
