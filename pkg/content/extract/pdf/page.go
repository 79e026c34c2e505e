package pdf

import (
	"cmp"
	"fmt"
	"math"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// line is one line of text. Places are in points along the direction of writing: x grows as the
// text runs, y falls from line to line, however the page or its text is turned.
type line struct {
	page       int
	text       string // cleaned; never empty
	size       float64
	x, y       float64 // position of the first glyph
	endX, endY float64 // position of the last glyph, which is on another line if PDFium joined two lines at a hyphen
	direction  float64 // direction of writing, in degrees

	running bool // the line is repeated from page to page
	alone   bool // the line before it ends of itself, although the text is set without more distance
	level   int  // level of the heading, or 0
	follows bool // the line is a heading that continues the previous line
	field   bool // the line is the value of a form field
}

// pages reads every page.
func (r *reader) pages() error {
	count, err := r.pdfium.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: r.doc})
	if err != nil {
		return broken(err)
	}
	form, err := r.pdfium.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: r.doc})
	hasForm := err == nil && form.FormType != enums.FPDF_FORMTYPE_NONE
	good := 0
	for i := range min(count.PageCount, r.o.MaxPages) {
		if r.text >= r.o.Limits.MaxBytes {
			r.cut = extract.Only(i, "page")
			break
		}
		page := requests.Page{ByIndex: &requests.PageByIndex{Document: r.doc, Index: i}}
		if err = r.page(page, i, hasForm); err != nil {
			r.cut = fmt.Sprintf("page %d cannot be read", i+1)
			continue
		}
		good++
	}
	if count.PageCount > r.o.MaxPages {
		r.cut = cmp.Or(r.cut, extract.Only(r.o.MaxPages, "page"))
	}
	if good == 0 && err != nil {
		return broken(err)
	}
	return nil
}

// page reads one page.
func (r *reader) page(page requests.Page, number int, hasForm bool) error {
	loaded, err := r.pdfium.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return err
	}
	text := loaded.TextPage
	defer r.pdfium.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text})
	before := len(r.lines)
	if err := r.readLines(text, number); err != nil {
		return err
	}
	r.readLinks(page, text)
	if hasForm {
		r.readFields(page, number)
	}
	if len(r.lines) == before {
		r.images = r.images || r.showsImage(page)
	}
	return nil
}

// readLines adds the lines of a page.
func (r *reader) readLines(text references.FPDF_TEXTPAGE, number int) error {
	count, err := r.pdfium.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil {
		return err
	}
	var runes []rune
	first, last := -1, -1
	flush := func() {
		r.addLine(text, number, string(runes), first, last)
		runes, first, last = runes[:0], -1, -1
	}
	units, err := r.units(text, count.Count)
	if err != nil {
		return err
	}
	r.orderLigatures(text, units)
	for i, c := range units {
		if c == '\n' || c == '\r' {
			flush()
			continue
		}
		if c > ' ' {
			if last = i; first < 0 {
				first = i
			}
		}
		runes = appendUnit(runes, c)
	}
	flush()
	return nil
}

// units returns the characters of a page, so that an index means the same character as in PDFium. It reads all
// characters at once, as text, because reading them one by one took more than half of the time of a document. But the
// text omits glyphs without a character. If the number of characters differs for this reason, units reads them one by
// one.
func (r *reader) units(page references.FPDF_TEXTPAGE, count int) ([]rune, error) {
	all, err := r.pdfium.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: page, Count: count})
	if err == nil {
		if text := utf16.Encode([]rune(all.Text)); len(text) == count {
			units := make([]rune, count)
			for i, unit := range text {
				units[i] = rune(unit)
			}
			return units, nil
		}
	}
	return r.unitsByIndex(page, count)
}

func (r *reader) unitsByIndex(page references.FPDF_TEXTPAGE, count int) ([]rune, error) {
	units := make([]rune, 0, count)
	for i := range count {
		char, err := r.pdfium.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: page, Index: i})
		if err != nil {
			return nil, err
		}
		units = append(units, rune(uint32(char.Unicode)))
	}
	return units, nil
}

// appendUnit appends one of PDFium's characters, which are UTF-16 units. If c is the second half of a character
// beyond the basic plane, appendUnit combines it with the first half.
func appendUnit(runes []rune, c rune) []rune {
	if end := len(runes) - 1; end >= 0 && utf16.IsSurrogate(c) {
		if whole := utf16.DecodeRune(runes[end], c); whole != utf8.RuneError {
			runes[end] = whole
			return runes
		}
	}
	return append(runes, c)
}

// addLine adds a line with its position, unless the line is empty.
func (r *reader) addLine(page references.FPDF_TEXTPAGE, number int, raw string, first, last int) {
	text := clean(raw)
	if text == "" || first < 0 {
		return
	}
	r.text += len(text)
	l := line{page: number, text: text}
	var dir direction
	l.size, dir = r.glyph(page, first)
	l.direction = math.Round(math.Atan2(dir.sin, dir.cos) * 180 / math.Pi)
	l.x, l.y = r.origin(page, first, dir)
	l.endX, l.endY = r.origin(page, last, dir)
	r.lines = append(r.lines, l)
}

// direction is the direction of writing as a unit vector.
type direction struct{ cos, sin float64 }

// glyph returns the size in points and the direction of a glyph. It reads both the font size and the matrix, because
// a file may scale its fonts by either. A glyph that PDFium inserted has neither; its direction is returned as
// upright.
func (r *reader) glyph(page references.FPDF_TEXTPAGE, index int) (size float64, d direction) {
	d = direction{cos: 1}
	if s, err := r.pdfium.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: page, Index: index}); err == nil {
		size = s.FontSize
	}
	m, err := r.pdfium.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: page, Index: index})
	if err != nil {
		return size, d
	}
	a, b := float64(m.Matrix.A), float64(m.Matrix.B)
	if length := math.Hypot(a, b); length > 0 {
		d = direction{cos: a / length, sin: b / length}
	}
	return size * math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D)), d
}

// origin returns the position of a glyph: x along the direction of writing, and y across it.
func (r *reader) origin(page references.FPDF_TEXTPAGE, index int, d direction) (x, y float64) {
	o, err := r.pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: index})
	if err != nil {
		return 0, 0
	}
	return o.X*d.cos + o.Y*d.sin, o.Y*d.cos - o.X*d.sin
}

// maxObjects limits how many objects of a page are searched for an image.
const maxObjects = 1000

// showsImage reports whether a page shows an image, directly or within one group.
func (r *reader) showsImage(page requests.Page) bool {
	count, err := r.pdfium.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return false
	}
	for i := range min(count.Count, maxObjects) {
		object, err := r.pdfium.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err == nil && (r.isImage(object.PageObject) || r.holdsImage(object.PageObject)) {
			return true
		}
	}
	return false
}

func (r *reader) isImage(object references.FPDF_PAGEOBJECT) bool {
	kind, err := r.pdfium.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object})
	return err == nil && kind.Type == enums.FPDF_PAGEOBJ_IMAGE
}

// holdsImage reports whether a form XObject holds an image. Some scanners put the image of a page into one.
func (r *reader) holdsImage(object references.FPDF_PAGEOBJECT) bool {
	count, err := r.pdfium.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: object})
	if err != nil {
		return false
	}
	for i := range min(count.Count, maxObjects) {
		inner, err := r.pdfium.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: object, Index: uint64(i)})
		if err == nil && r.isImage(inner.PageObject) {
			return true
		}
	}
	return false
}
