// Package textdiff compares two texts line by line and word by word, for people to read. Its running time depends on
// how much it shows, not on how much differs.
package textdiff

import (
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// MaxText is the largest length, in bytes, of each compared text, because nobody reads more. Callers must truncate
// longer texts.
const MaxText = 1 << 20

// maxRows limits the rows of a comparison, because a text of one mebibyte may have half a million lines.
const maxRows = 10_000

// contextLines is the number of equal lines shown around a change.
const contextLines = 3

// Hunk is a place in which two texts differ: lines with a few lines around them, or the rows of a table that differ.
type Hunk struct {
	Rows  []Row
	Table *Table // nil for lines of text
}

// Row is a pair of lines of two texts, side by side.
type Row struct {
	Old, New   []Piece
	OldN, NewN int  // line numbers; 0 if there is no such line in that text
	Header     bool // the header of a table
	Moved      bool // a row of a table that is the same in another place
}

// Piece is a part of a line.
type Piece struct {
	Text    string
	Hit     bool // the other line does not contain the piece
	Ignored bool // the piece differs, but does not count; callers of this package may set it
}

// Text is a text that is compared. Lines of two texts are the same only if they have the same class, too.
type Text struct {
	Text  string
	Class func(line int) string // class of a line by its index; nil if all lines have the same
	// Of names what a part of a line is of, from the outermost name to the nearest; nil if nothing is known. The line is
	// given by its index.
	Of func(line, from, to int) []string
}

// Compare returns the differences between two texts side by side. It returns the first 10,000 lines, and whether there
// are more. Lines that look the same to readers count as equal. So do items of a list that differ only in their
// numbers, unless nothing else differs. Tables are compared row by row, and rows cell by cell.
func Compare(old, text string) (out []Hunk, long bool) {
	return CompareTexts(Text{Text: old}, Text{Text: text})
}

// CompareTexts is like [Compare], for lines that have classes.
func CompareTexts(old, text Text) (out []Hunk, long bool) {
	if out, long = compare(old, text, alike); len(out) == 0 && old.Text != text.Text {
		return compare(old, text, exactly)
	}
	return out, long
}

// exactly is a key that only identical lines share.
func exactly(line string) string { return line }

var itemNumber = regexp.MustCompile(`^\s*\d{1,4}[.)] `)

// alike is a key of a line. Lines that differ only in variants of writing, or in the number of an item, have the same
// key.
func alike(line string) string {
	if at := itemNumber.FindStringIndex(line); at != nil {
		line = strings.Repeat(" ", at[1]-len(strings.TrimLeft(line[:at[1]], " "))) + "#" + line[at[1]-1:]
	}
	return noise.Typography(line)
}

// compare compares two texts by the keys of their lines. Lines with equal keys count as equal.
func compare(old, text Text, key func(string) string) ([]Hunk, bool) {
	c := comparison{a: sideOf(old, key), b: sideOf(text, key), room: maxRows}
	all := aligned(c.a, c.b)
	near := c.near(all)
	for i, p := range all {
		switch {
		case c.long: // the rest is left out
		case c.isTable(p):
			c.end()
			c.add(compareTables(c.a, c.b, unitAt(c.a.units, p.old), unitAt(c.b.units, p.now)))
		case near[i]:
			c.line(p)
		default:
			c.end()
		}
	}
	c.end()
	return c.out, c.long
}

// near returns which lines of text differ or are near one that does.
func (c *comparison) near(all []pair) []bool {
	out := make([]bool, len(all))
	for i, p := range all {
		if p.same || c.isTable(p) {
			continue
		}
		out[i] = true
		for _, step := range []int{-1, 1} {
			for n := range contextLines {
				j := i + step*(n+1)
				if j < 0 || j == len(all) || c.isTable(all[j]) {
					break
				}
				out[j] = true
			}
		}
	}
	return out
}

// comparison collects the hunks of two texts.
type comparison struct {
	a, b side
	out  []Hunk
	open Hunk // lines of text that are not yet in out
	room int  // number of rows that may still be added
	long bool // there was no room for more
}

func (c *comparison) isTable(p pair) bool {
	return p.old >= 0 && c.a.units[p.old].isTable() || p.now >= 0 && c.b.units[p.now].isTable()
}

// line adds a line of text to the open hunk.
func (c *comparison) line(p pair) {
	var r Row
	if p.old >= 0 {
		at := c.a.units[p.old].from
		r.Old, r.OldN = []Piece{{Text: c.a.lines[at], Hit: !p.same}}, at+1
	}
	if p.now >= 0 {
		at := c.b.units[p.now].from
		r.New, r.NewN = []Piece{{Text: c.b.lines[at], Hit: !p.same}}, at+1
	}
	if !p.same && p.old >= 0 && p.now >= 0 {
		r.Old, r.New = ByWord(c.a.lines[r.OldN-1], c.b.lines[r.NewN-1])
	}
	if c.room == 0 {
		c.long = true
		return
	}
	c.open.Rows = append(c.open.Rows, r)
	c.room--
}

// end ends the open hunk.
func (c *comparison) end() {
	c.out, c.open = append(c.out, c.open), Hunk{}
	if len(c.out[len(c.out)-1].Rows) == 0 {
		c.out = c.out[:len(c.out)-1]
	}
}

// add adds the hunk of a table, unless nothing differs in it.
func (c *comparison) add(h Hunk) {
	if len(h.Rows) > c.room {
		h.Rows, c.long = h.Rows[:c.room], true
	}
	c.room -= len(h.Rows)
	if len(h.Rows) > 0 {
		c.out = append(c.out, h)
	}
}

// unitAt returns the unit of an index, or an empty unit for -1.
func unitAt(units []unit, i int) unit {
	if i < 0 {
		return unit{}
	}
	return units[i]
}

// linesOf returns the lines of a text.
func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// keysOf returns the keys of lines.
func keysOf(lines []string, key func(string) string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = key(l)
	}
	return out
}
