package ui

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
)

// This file lays out the texts of a page as they stand in it, each as something that can be pressed.

// A pageRegion is some lines in a row that are all in the content of a page, or all in the same kind of part around it.
type pageRegion struct {
	Around string // in words; empty for the content
	Texts  int
	Open   bool // what is chosen stands in it
	Blocks []pageBlock
}

// A pageBlock is a table or a line.
type pageBlock struct {
	Rows  []pageRow
	Bits  []bit
	Class string

	table int
}

type pageRow struct {
	Head, Chosen bool
	Cells        [][]bit

	row int
}

// A bit is a text that can be pressed; without a number, it only stands beside others.
type bit struct {
	N       int
	Text    string
	Class   string
	Pressed bool
	First   bool // it is the first that is pressed
	Like    bool // it is part of what is chosen
}

// pageReader makes regions of lines. It knows which element was pressed, and what belongs to the choice.
type pageReader struct {
	pressed int
	shown   map[int]bool
	met     bool // the pressed element
}

// aroundWords names the parts around the content of a page.
var aroundWords = map[string]string{"nav": "Navigation", "header": "Head of the page", "footer": "Foot of the page",
	"aside": "Beside the text"}

// mostColumns limits the columns of a table; what stands in others is in the last one.
const mostColumns = 40

func regionsOf(lines []api.ElementLine, pressed int, shown map[int]bool) (out []pageRegion) {
	r := &pageReader{pressed: pressed, shown: shown}
	for i, l := range lines {
		if i == 0 || l.Around != lines[i-1].Around {
			out = append(out, pageRegion{Around: aroundWords[l.Around]})
		}
		g := &out[len(out)-1]
		g.Texts++
		g.Open = g.Open || r.has(l)
		if l.Table == 0 {
			b := pageBlock{Bits: r.bits(l.PageElement, l.Parts), Class: classOf(l)}
			if len(b.Bits) == 1 {
				b.Bits[0].Class = b.Class
			}
			g.Blocks = append(g.Blocks, b)
			continue
		}
		if n := len(g.Blocks); n == 0 || g.Blocks[n-1].table != l.Table {
			g.Blocks = append(g.Blocks, pageBlock{table: l.Table})
		}
		r.row(&g.Blocks[len(g.Blocks)-1], l)
	}
	return out
}

func classOf(l api.ElementLine) string {
	switch {
	case l.Level == 1:
		return " h1"
	case l.Heading:
		return " h2"
	case l.Entry:
		return " li"
	}
	return ""
}

// has reports whether what was pressed or chosen is in a line.
func (r *pageReader) has(l api.ElementLine) bool {
	is := l.Element == r.pressed || r.shown[l.Element]
	for _, p := range l.Parts {
		is = is || p.Element == r.pressed || r.shown[p.Element]
	}
	return is
}

// row adds a line to a table: a whole row, or what stands in a cell of one.
func (r *pageReader) row(b *pageBlock, l api.ElementLine) {
	if n := len(b.Rows); n == 0 || b.Rows[n-1].row != l.Row {
		b.Rows = append(b.Rows, pageRow{row: l.Row, Head: l.Head})
	}
	row := &b.Rows[len(b.Rows)-1]
	row.Chosen = row.Chosen || r.shown[l.Element] && l.Column == 0
	add := func(column int, bits []bit) {
		at := max(0, min(column, mostColumns)-1)
		for len(row.Cells) <= at {
			row.Cells = append(row.Cells, nil)
		}
		row.Cells[at] = append(row.Cells[at], bits...)
	}
	if l.Column > 0 || len(l.Parts) == 0 {
		add(l.Column, r.bits(l.PageElement, l.Parts))
		return
	}
	for i := 0; i < len(l.Parts); {
		cell, end := l.Parts[i], i+1
		for end < len(l.Parts) && l.Parts[end].Column == cell.Column {
			end++
		}
		add(cell.Column, r.bits(cell, l.Parts[i+1:end]))
		i = end
	}
}

// bits splits the text of an element where elements within it show a part of it. So each text stands once, and what is
// pressed is the smallest element that shows it.
func (r *pageReader) bits(e api.PageElement, parts []api.PageElement) (out []bit) {
	owner := make([]int, len(e.Text))
	start, end := 0, 0 // of the part before
	var lost []api.PageElement
	for _, p := range parts {
		at := -1
		if i := wordAt(e.Text[start:end], p.Text); i >= 0 && len(p.Text) < end-start {
			at = start + i
		} else if i := strings.Index(e.Text[end:], p.Text); i >= 0 {
			at = end + i
		}
		if at < 0 || p.Text == "" {
			lost = append(lost, p)
			continue
		}
		if at >= end {
			start, end = at, at+len(p.Text)
		}
		for i := at; i < at+len(p.Text); i++ {
			owner[i] = p.Element
		}
	}
	for i := 0; i < len(owner); {
		to := i
		for to < len(owner) && owner[to] == owner[i] {
			to++
		}
		n, text := cmp.Or(owner[i], e.Element), e.Text[i:to]
		if to-i < len(owner) && !strings.ContainsFunc(text, isWordRune) {
			n = 0 // it only stands between others
		}
		if i > 0 && owner[i] != 0 && owner[i-1] != 0 && e.Text[i] != ' ' && e.Text[i-1] != ' ' {
			out = append(out, bit{Text: " "})
		}
		out = append(out, r.bit(n, text))
		i = to
	}
	for _, p := range lost {
		out = append(out, bit{Text: " "}, r.bit(p.Element, p.Text))
	}
	for i := range out {
		if len(out) > 1 {
			out[i].Class = " in"
		}
	}
	return out
}

func (r *pageReader) bit(n int, text string) bit {
	pressed := n != 0 && n == r.pressed
	first := pressed && !r.met
	r.met = r.met || pressed
	return bit{N: n, Text: text, Pressed: pressed, First: first, Like: r.shown[n]}
}

func isWordRune(c rune) bool { return !unicode.IsSpace(c) && !unicode.IsPunct(c) }

// wordAt returns where a text stands within another without being part of a longer word; -1 if nowhere.
func wordAt(in, text string) int {
	i := strings.Index(in, text)
	if i < 0 || text == "" {
		return -1
	}
	before, _ := utf8.DecodeLastRuneInString(in[:i])
	after, _ := utf8.DecodeRuneInString(in[i+len(text):])
	isPart := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	if isPart(before) || isPart(after) {
		return -1
	}
	return i
}
