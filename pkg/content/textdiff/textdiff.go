// Package textdiff says what differs between two texts, line by line and word by word, for people to read. It takes
// time that is bounded by what it shows, not by how much differs.
package textdiff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// MaxText is how much of each of two texts is worth comparing, in bytes: more is more than anybody reads. Callers cut.
const MaxText = 1 << 20

// maxRows bounds the lines of a comparison: a text of a mebibyte may have half a million.
const maxRows = 10_000

// contextLines stand around a change.
const contextLines = 3

// Row is a line of each of two texts, side by side.
type Row struct {
	Old, New   []Piece
	OldN, NewN int // numbers of the lines; 0 where there is none
}

// Piece is a part of a line.
type Piece struct {
	Text string
	Hit  bool // it differs
}

// Compare puts what differs between two texts side by side, in hunks with a few lines around them: the first 10,000
// lines of it. Long says that there are more.
func Compare(old, text string) (out [][]Row, long bool) {
	if !strings.HasSuffix(old, "\n") {
		old += "\n"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	u, err := udiff.ToUnifiedDiff("", "", old, udiff.Lines(old, text), contextLines)
	if err != nil {
		panic(err) // its own edits fit
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

// beside pairs the lines that went with those that came, as far as there are of both. It stops where
// there is no room for more rows, and says so.
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

// maxWords bounds a line that is compared word by word, in bytes.
const maxWords = 8 << 10

// byWord marks what differs between two lines.
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

// tokens cuts a line behind each blank, so that joined they are the line again.
func tokens(line string) []string { return strings.SplitAfter(line, " ") }

// lineAt is the number of the token that begins at an offset of the joined tokens.
func lineAt(tokens []string, offset int) int {
	n := 0
	for at := 0; n < len(tokens) && at < offset; n++ {
		at += len(tokens[n]) + 1
	}
	return n
}
