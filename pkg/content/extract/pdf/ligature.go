package pdf

import (
	"slices"
	"strings"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// PDFium puts the characters of text that runs from right to left into the order of reading, one by one. So the
// characters of a glyph that stands for several, such as lam with alef, come in the reverse order. They are the ones
// with the same position.

// isReversedPair reports whether a reversed ligature may begin with two letters: alef and lam, or heh and lam of the
// word God.
func isReversedPair(a, b rune) bool { return b == 'ل' && strings.ContainsRune("اأإآٱه", a) }

// orderLigatures restores the order of the characters of ligatures.
func (r *reader) orderLigatures(page references.FPDF_TEXTPAGE, units []rune) {
	for i := 0; i+1 < len(units); i++ {
		if !isReversedPair(units[i], units[i+1]) || !r.isSameGlyph(page, i, i+1) {
			continue
		}
		end := i + 2
		for end < len(units) && units[end] == 'ل' && r.isSameGlyph(page, i, end) {
			end++
		}
		slices.Reverse(units[i:end])
		i = end - 1
	}
}

// isSameGlyph reports whether two characters come from one glyph.
func (r *reader) isSameGlyph(page references.FPDF_TEXTPAGE, a, b int) bool {
	one, err := r.pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: a})
	if err != nil {
		return false
	}
	other, err := r.pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: b})
	return err == nil && one.X == other.X && one.Y == other.Y
}
