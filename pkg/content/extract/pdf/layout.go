package pdf

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// assemble makes blocks from lines. The anchor of a block is its page, by which viewers open the file there (RFC 8118
// §3), if the file has several pages.
func assemble(lines []line) []extract.Block {
	a := assembler{leading: leading(lines)}
	a.findRows(lines)
	for _, l := range lines {
		if l.running {
			continue
		}
		if len(a.lines) > 0 && a.breaks(l) {
			a.flush()
		}
		a.lines = append(a.lines, l)
	}
	a.flush()
	if len(lines) > 0 && lines[len(lines)-1].page > 0 {
		for i, page := range a.pages {
			a.blocks[i].Anchor = fmt.Sprintf("page=%d", page+1)
		}
	}
	return a.blocks
}

// assembler collects the lines of one block.
type assembler struct {
	leading float64 // usual distance between lines, as a multiple of the type size
	lines   []line
	blocks  []extract.Block
	pages   []int // on which the blocks begin, from 0
}

// breaks reports whether l begins a new block.
func (a *assembler) breaks(l line) bool {
	prev := a.lines[len(a.lines)-1]
	if l.level != prev.level || l.level > 0 {
		return !l.follows
	}
	if l.field || prev.field {
		return true
	}
	if _, isItem := item(l.text); isItem || l.direction != prev.direction || !near(l.size, prev.size) {
		return true
	}
	if l.page != prev.page || a.moves(prev, l) {
		return !flows(prev, l)
	}
	return l.alone || a.isFar(prev, l) || a.ends(prev, l)
}

// isFar reports whether a line is farther below the line before it than the lines of a paragraph are.
func (a *assembler) isFar(prev, l line) bool { return prev.endY-l.y > l.size*a.leading*1.25 }

// findRows finds lines that end of themselves, as those of a list of prices do: the first word of the next line would
// have had room there, or both end in a number, as rows of a table do. Where that is so of half of the lines that stand
// together, it is so of all.
func (a *assembler) findRows(lines []line) {
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && a.together(lines[to-1], lines[to]) {
			to++
		}
		edge, rows := 0.0, 0
		for _, l := range lines[from:to] {
			edge = max(edge, l.endX)
		}
		for i := from + 1; i < to; i++ {
			l, prev := &lines[i], lines[i-1]
			hasRoom := prev.endX+l.firstWord()+2*l.size < edge
			if l.alone = (hasRoom || prev.endsInNumber() && l.endsInNumber()) && !continuesSentence(*l); l.alone {
				rows++
			}
		}
		for i := from; i < to && rows > 0 && 2*rows >= to-from-1; i++ {
			lines[i].alone = !continuesSentence(lines[i])
		}
		from = to
	}
}

// together reports whether two lines stand together as those of a paragraph do.
func (a *assembler) together(prev, l line) bool {
	return l.page == prev.page && l.direction == prev.direction && near(l.size, prev.size) && !a.moves(prev, l) &&
		!a.isFar(prev, l) && math.Abs(l.x-prev.x) < 0.8*l.size && l.level == 0 && prev.level == 0 &&
		!l.running && !prev.running && !l.field && !prev.field
}

// endsInNumber reports whether a line ends in a digit.
func (l line) endsInNumber() bool {
	last, _ := utf8.DecodeLastRuneInString(l.text)
	return unicode.IsDigit(last)
}

// firstWord returns the width of the first word of a line, in points.
func (l line) firstWord() float64 {
	word, _, _ := strings.Cut(l.text, " ")
	return (l.endX - l.x) * float64(utf8.RuneCountInString(word)) / float64(utf8.RuneCountInString(l.text))
}

// continuesSentence reports whether a line begins with a small letter, or in a script without spaces.
func continuesSentence(l line) bool {
	first, _ := utf8.DecodeRuneInString(l.text)
	return unicode.IsLower(first) || ideographic(first)
}

// moves reports whether l is in another column than prev, or far below it.
func (a *assembler) moves(prev, l line) bool {
	gap := prev.endY - l.y
	return gap < l.size*0.3 || gap > l.size*a.leading*4
}

// flows reports whether the text continues from the first of two lines to the second. The first line ends a column or
// page, and the second begins the next.
func flows(prev, l line) bool {
	return !endsSentence(prev.text) && continuesSentence(l)
}

// ends reports whether the paragraph ends between two lines, if their distance does not show it. The paragraph may
// end there if the indentation of the lines differs, or if the first line is short.
func (a *assembler) ends(prev, l line) bool {
	first, step := a.lines[0], 0.8*l.size
	indent := l.x - prev.x
	switch {
	case indent > step:
		return endsSentence(prev.text)
	case indent < -step:
		// If the paragraph has a hanging indent, prev was its last line. If it has none, prev is an indented first
		// line, and l continues the paragraph.
		return len(a.lines) > 1 && first.x < prev.x-step
	}
	return endsSentence(prev.text) && a.width() > 0 && prev.endX-prev.x < a.width()*0.75
}

// width returns the length of the longest line in the block so far, in points.
func (a *assembler) width() (w float64) {
	for _, l := range a.lines {
		w = max(w, l.endX-l.x)
	}
	return w
}

// flush completes the block.
func (a *assembler) flush() {
	if len(a.lines) == 0 {
		return
	}
	first := a.lines[0]
	text := a.lines[0].text
	for _, l := range a.lines[1:] {
		text = join(text, l.text)
	}
	a.lines = a.lines[:0]
	rest, isItem := item(text)
	switch {
	case first.level > 0:
		a.blocks = append(a.blocks, extract.Block{Kind: extract.Heading, Level: first.level, Text: text})
	case (first.field || isItem) && rest != "":
		a.addItem("- " + rest)
	default:
		a.blocks = append(a.blocks, extract.Block{Kind: extract.Paragraph, Text: text})
	}
	if len(a.blocks) > len(a.pages) {
		a.pages = append(a.pages, first.page)
	}
}

// addItem adds an item to the list that ends the blocks, or begins a list.
func (a *assembler) addItem(text string) {
	if n := len(a.blocks); n > 0 && a.blocks[n-1].Kind == extract.List {
		a.blocks[n-1].Text += "\n" + text
		return
	}
	a.blocks = append(a.blocks, extract.Block{Kind: extract.List, Text: text})
}

// leading returns the median distance from one line to the next, as a multiple of the type size.
func leading(lines []line) float64 {
	const usual = 1.2
	var all []float64
	for i := 1; i < len(lines); i++ {
		prev, l := lines[i-1], lines[i]
		if l.page != prev.page || l.size == 0 || !near(l.size, prev.size) || l.direction != prev.direction {
			continue
		}
		if gap := (prev.endY - l.y) / l.size; gap > 0.8 && gap < 3 {
			all = append(all, gap)
		}
	}
	if len(all) == 0 {
		return usual
	}
	slices.Sort(all)
	return all[(len(all)-1)/2] // of two middle values, the lower one detects more gaps
}

func near(a, b float64) bool { return a < b*1.1 && b < a*1.1 || a == b }
