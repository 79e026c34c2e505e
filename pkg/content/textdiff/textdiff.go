// Package textdiff compares two texts line by line and word by word, for people to read. Its running time is bounded
// by how much it shows, not by how much differs.
package textdiff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// MaxText is the largest length, in bytes, that each of the compared texts may have; nobody reads more. Callers must
// truncate longer texts.
const MaxText = 1 << 20

// maxRows bounds the rows of a comparison, because a text of one mebibyte may have half a million lines.
const maxRows = 10_000

// contextLines is the number of equal lines shown around a change.
const contextLines = 3

// Row is a pair of lines of two texts, side by side.
type Row struct {
	Old, New   []Piece
	OldN, NewN int // line numbers; 0 if that text has no such line
}

// Piece is a part of a line.
type Piece struct {
	Text string
	Hit  bool // the piece differs from the other line
}

// Compare returns the differences between two texts side by side, in hunks with a few lines around them. It returns
// the first 10,000 lines. The result long reports whether there are more.
func Compare(old, text string) (out [][]Row, long bool) {
	if !strings.HasSuffix(old, "\n") {
		old += "\n"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	u, err := udiff.ToUnifiedDiff("", "", old, udiff.Lines(old, text), contextLines)
	if err != nil {
		panic(err) // unreachable: the edits were computed for this text
	}
	room := maxRows
	for _, h := range u.Hunks {
		rows, more := beside(h, room)
		if out, room = append(out, rows), room-len(rows); more || room == 0 {
			return out, more || len(out) < len(u.Hunks)
		}
	}
	return out, false
}

// beside pairs removed lines with added ones, as far as there are both. It stops when there is no room for more rows.
// The result more reports whether it stopped.
func beside(h *udiff.Hunk, room int) (out []Row, more bool) {
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
		line := strings.TrimSuffix(l.Content, "\n")
		switch l.Kind {
		case udiff.Delete:
			gone = append(gone, line)
		case udiff.Insert:
			come = append(come, line)
		default:
			if flush(); len(out) == room {
				return out, true
			}
			out = append(out, Row{Old: []Piece{{line, false}}, New: []Piece{{line, false}}, OldN: oldN, NewN: newN})
			oldN, newN = oldN+1, newN+1
		}
	}
	flush()
	return out, more
}

// maxWords is the largest length in bytes of a line that is compared word by word.
const maxWords = 8 << 10

// byWord returns two lines as pieces, with the differences between them.
func byWord(old, text string) (before, after []Piece) {
	if len(old)+len(text) > maxWords {
		return []Piece{{old, true}}, []Piece{{text, true}}
	}
	a, b := tokens(old), tokens(text)
	at, bt := 0, 0
	for _, e := range udiff.Lines(strings.Join(a, "\n")+"\n", strings.Join(b, "\n")+"\n") {
		from, to := lineAt(a, e.Start), lineAt(a, e.End)
		n := strings.Count(e.New, "\n")
		before = append(before, Piece{strings.Join(a[at:from], ""), false}, Piece{strings.Join(a[from:to], ""), true})
		same := from - at
		after = append(after, Piece{strings.Join(b[bt:bt+same], ""), false},
			Piece{strings.Join(b[bt+same:bt+same+n], ""), true})
		at, bt = to, bt+same+n
	}
	return append(before, Piece{strings.Join(a[at:], ""), false}), append(after, Piece{strings.Join(b[bt:], ""), false})
}

// tokens splits a line after each blank, so that the joined tokens are the line.
func tokens(line string) []string { return strings.SplitAfter(line, " ") }

// lineAt returns the index of the token that begins at an offset in the joined tokens.
func lineAt(tokens []string, offset int) int {
	n := 0
	for at := 0; n < len(tokens) && at < offset; n++ {
		at += len(tokens[n]) + 1
	}
	return n
}
