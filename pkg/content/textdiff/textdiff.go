// Package textdiff compares two texts line by line and word by word, for people to read. Its running time depends on
// how much it shows, not on how much differs.
package textdiff

import (
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// MaxText is the largest length, in bytes, of each compared text, because nobody reads more. Callers must truncate
// longer texts.
const MaxText = 1 << 20

// maxRows limits the rows of a comparison, because a text of one mebibyte may have half a million lines.
const maxRows = 10_000

// contextLines is the number of equal lines shown around a change.
const contextLines = 3

// Row is a pair of lines of two texts, side by side.
type Row struct {
	Old, New   []Piece
	OldN, NewN int // line numbers; 0 if there is no such line in that text
}

// Piece is a part of a line.
type Piece struct {
	Text string
	Hit  bool // the other line does not contain the piece
}

// Compare returns the differences between two texts side by side, in hunks with a few lines around them. It returns
// the first 10,000 lines, and whether there are more. Lines that look the same to readers count as equal. So do items
// of a list that differ only in their numbers, unless nothing else differs.
func Compare(old, text string) (out [][]Row, long bool) {
	if out, long = compare(old, text, alike); len(out) == 0 && old != text {
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
func compare(old, text string, key func(string) string) (out [][]Row, long bool) {
	oldLines, newLines := linesOf(old), linesOf(text)
	before, after := keysOf(oldLines, key), keysOf(newLines, key)
	u, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), contextLines)
	if err != nil {
		panic(err) // unreachable: the edits were computed for this text
	}
	room := maxRows
	for _, h := range u.Hunks {
		rows, more := beside(h, oldLines, newLines, room)
		if out, room = append(out, rows), room-len(rows); more || room == 0 {
			return out, more || len(out) < len(u.Hunks)
		}
	}
	return out, false
}

// linesOf returns the lines of a text.
func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// keysOf returns the keys of lines as a text with one key per line.
func keysOf(lines []string, key func(string) string) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(key(l))
		out.WriteByte('\n')
	}
	return out.String()
}

// beside pairs removed lines with added lines. It returns more = true if it stopped because there was no room for
// more rows.
func beside(h *udiff.Hunk, oldLines, newLines []string, room int) (out []Row, more bool) {
	var gone, come []string
	oldN, newN := h.FromLine, h.ToLine
	flush := func() {
		for i := range max(len(gone), len(come)) {
			if len(out) == room {
				more = true
				return
			}
			var r Row
			if i < len(gone) {
				r.Old, r.OldN, oldN = []Piece{{gone[i], true}}, oldN, oldN+1
			}
			if i < len(come) {
				r.New, r.NewN, newN = []Piece{{come[i], true}}, newN, newN+1
			}
			if i < len(gone) && i < len(come) {
				r.Old, r.New = byWord(gone[i], come[i])
			}
			out = append(out, r)
		}
		gone, come = nil, nil
	}
	for _, l := range h.Lines {
		switch l.Kind {
		case udiff.Delete:
			gone = append(gone, oldLines[oldN-1+len(gone)])
		case udiff.Insert:
			come = append(come, newLines[newN-1+len(come)])
		default:
			if flush(); len(out) == room {
				return out, true
			}
			out = append(out, Row{Old: []Piece{{oldLines[oldN-1], false}}, New: []Piece{{newLines[newN-1], false}},
				OldN: oldN, NewN: newN})
			oldN, newN = oldN+1, newN+1
		}
	}
	flush()
	return out, more
}
