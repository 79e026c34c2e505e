package pdf

import (
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

// Bounds on the outline. They are needed because the outline of a hostile file can be a loop.
const (
	maxBookmarks    = 5_000
	maxOutlineDepth = 20
)

// bookmark is an entry of the outline.
type bookmark struct {
	key   string
	page  int
	level int
}

// findOutlineHeadings turns the lines that are titles in the outline into headings, and reports whether there are at
// least two. If there are fewer, it changes no line.
func (r *reader) findOutlineHeadings() bool {
	byPage := map[int][]bookmark{}
	for _, b := range r.bookmarks() {
		byPage[b.page] = append(byPage[b.page], b)
	}
	var marked []int
	for i := range r.lines {
		if l := &r.lines[i]; !l.running && !l.field && !l.follows {
			if n := match(r.lines[i:], byPage[l.page]); n > 0 {
				marked = append(marked, i)
			}
		}
	}
	if len(marked) >= 2 {
		return true
	}
	for i := range r.lines {
		r.lines[i].level, r.lines[i].follows = 0, false
	}
	return false
}

// maxHeadingLines is the largest number of lines that a heading may have.
const maxHeadingLines = 3

// match makes a heading of the first lines if together they are the title of a bookmark. It returns the number of
// these lines, or 0 if there is no heading.
func match(lines []line, marks []bookmark) int {
	key := ""
	for n := 0; n < min(maxHeadingLines, len(lines)) && lines[n].page == lines[0].page && len(marks) > 0; n++ {
		key += lines[n].text
		for _, b := range marks {
			if headingKey(key) != b.key {
				continue
			}
			for i := range n + 1 {
				lines[i].level, lines[i].follows = b.level, i > 0
			}
			return n + 1
		}
	}
	return 0
}

// headingKey returns the text by which headings are compared: letters and digits, without the number of the heading.
// Many outlines lack these numbers.
func headingKey(text string) string {
	key := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, text)
	return strings.TrimLeft(key, "0123456789")
}

// bookmarks returns the entries of the outline in order. It returns no entries if the outline is too large or is a
// loop.
func (r *reader) bookmarks() (found []bookmark) {
	if n := r.countBookmarks(nil, 1); n == 0 || n > maxBookmarks {
		return nil
	}
	outline, err := r.pdfium.GetBookmarks(&requests.GetBookmarks{Document: r.doc})
	if err != nil {
		return nil
	}
	var add func(marks []responses.GetBookmarksBookmark, level int)
	add = func(marks []responses.GetBookmarksBookmark, level int) {
		for _, m := range marks {
			if key := headingKey(m.Title); key != "" && m.DestInfo != nil {
				found = append(found, bookmark{key: key, page: m.DestInfo.PageIndex, level: min(level, maxLevel)})
			}
			add(m.Children, level+1)
		}
	}
	add(outline.Bookmarks, 1)
	return found
}

// countBookmarks counts the entries below parent, or all entries if parent is nil. It stops when the count exceeds
// [maxBookmarks]. PDFium leaves the detection of loops to its caller, and GetBookmarks does not detect them.
func (r *reader) countBookmarks(parent *references.FPDF_BOOKMARK, level int) (n int) {
	child, err := r.pdfium.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: r.doc,
		Bookmark: parent})
	if err != nil {
		return 0
	}
	for mark := child.Bookmark; mark != nil; {
		if n++; n > maxBookmarks || level > maxOutlineDepth {
			return maxBookmarks + 1
		}
		n += r.countBookmarks(mark, level+1)
		next, err := r.pdfium.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: r.doc,
			Bookmark: *mark})
		if err != nil {
			break
		}
		mark = next.Bookmark
	}
	return n
}
