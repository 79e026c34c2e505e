package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// Bounds on headings that are recognized by size. Such headings are short, and at least a tenth larger than most of
// the text.
const (
	headingRatio    = 1.1
	maxHeadingRunes = 200
	maxLevel        = 6
)

// findSizeHeadings turns the lines in larger type into headings. The lines of the largest size get level 1.
func findSizeHeadings(lines []line) {
	body := bodySize(lines)
	var sizes []float64
	large := func(l line) bool {
		return !l.running && !l.field && l.size >= body*headingRatio && len([]rune(l.text)) <= maxHeadingRunes &&
			strings.ContainsFunc(l.text, unicode.IsLetter)
	}
	for _, l := range lines {
		if s := halfPoints(l.size); large(l) && !slices.Contains(sizes, s) {
			sizes = append(sizes, s)
		}
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	run := 0
	for i := range lines {
		l := &lines[i]
		if !large(*l) {
			run = 0
			continue
		}
		l.level = min(slices.Index(sizes, halfPoints(l.size))+1, maxLevel)
		l.follows = run > 0 && run < maxHeadingLines && continues(lines[i-1], *l)
		if run++; !l.follows {
			run = 1
		}
	}
}

// continues reports whether the second line is part of the heading that begins with the first line.
func continues(prev, next line) bool {
	gap := prev.endY - next.y
	return prev.page == next.page && prev.level == next.level && gap > 0 && gap < 1.6*next.size
}

// bodySize returns the type size of most of the text, in points.
func bodySize(lines []line) float64 {
	bytes := map[float64]int{}
	for _, l := range lines {
		if !l.running && !l.field {
			bytes[halfPoints(l.size)] += len(l.text)
		}
	}
	size, most := math.Inf(1), 0
	for s, n := range bytes {
		if n > most || n == most && s < size {
			size, most = s, n
		}
	}
	return size
}

// halfPoints rounds a size to half points, because producers write 11.9552 and 11.96 for the same size.
func halfPoints(size float64) float64 { return math.Round(size*2) / 2 }

// firstHeading returns the first heading of the highest level near the beginning, or "".
func firstHeading(blocks []extract.Block) string {
	const beginning = 10 // number of blocks to examine
	title, level := "", maxLevel+1
	for _, b := range blocks[:min(len(blocks), beginning)] {
		if b.Kind == extract.Heading && b.Level < level {
			title, level = b.Text, b.Level
		}
	}
	return title
}

// firstLine returns the first line of a text without headings, if it stands alone and is no sentence; else "".
func firstLine(lines []line, blocks []extract.Block) string {
	const most = 80 // characters
	if len(blocks) < 2 || blocks[0].Kind != extract.Paragraph || endsSentence(blocks[0].Text) ||
		utf8.RuneCountInString(blocks[0].Text) > most || !strings.ContainsFunc(blocks[0].Text, unicode.IsLetter) ||
		!slices.ContainsFunc(lines, func(l line) bool { return l.page == 0 && l.text == blocks[0].Text }) {
		return ""
	}
	return blocks[0].Text
}

// declaredTitle returns the title that the file declares, or "" if this title is only the name of a file.
func (r *reader) declaredTitle() string {
	tag, err := r.pdfium.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: r.doc, Tag: "Title"})
	if err != nil {
		return ""
	}
	title := strings.TrimPrefix(clean(tag.Value), "Microsoft Word - ")
	lower := strings.ToLower(title)
	if !strings.ContainsFunc(title, unicode.IsLetter) || strings.HasPrefix(lower, "untitled") {
		return ""
	}
	if dot := strings.LastIndexByte(lower, '.'); dot > 0 && slices.Contains(fileEndings, lower[dot+1:]) {
		return ""
	}
	return title
}

// fileEndings are the extensions of files from which PDFs are made.
var fileEndings = []string{"doc", "docx", "dvi", "fm", "htm", "html", "indd", "odt", "pdf", "ppt", "pptx", "ps", "pub",
	"qxd", "rtf", "tex", "txt", "wpd", "xls", "xlsx"}

func (r *reader) language() string {
	lang, err := r.pdfium.FPDFCatalog_GetLanguage(&requests.FPDFCatalog_GetLanguage{Document: r.doc})
	if err != nil {
		return ""
	}
	return extract.PrimaryLanguage(clean(lang.Language))
}
