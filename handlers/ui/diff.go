package ui

import (
	"net/http"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxCompared bounds each of two texts that are compared, in bytes: more is more than anybody reads.
const maxCompared = 1 << 20

// maxRows bounds the lines of a comparison that are shown: a text of a mebibyte may have half a million.
const maxRows = 10_000

// contextLines are shown around a change.
const contextLines = 3

type diffData struct {
	ID       string
	From, To api.Capture
	Hunks    [][]row
	Same     bool
	Cut      bool // the texts are longer than what was compared
	Long     bool // more differs than is shown
}

// row is a line of each of two texts, side by side.
type row struct {
	Old, New   []piece // Hit is what differs
	OldN, NewN int     // numbers of the lines; 0 where there is none
}

// diff shows two captures of an item side by side.
func diff(o Options, r *http.Request) (page, error) {
	id, q := r.PathValue("id"), r.URL.Query()
	it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: id})
	if err != nil {
		return page{}, err
	}
	d := diffData{ID: id}
	old, err := textOf(o, r, it, q.Get("from"), &d.From, &d.Cut)
	if err != nil {
		return page{}, err
	}
	text, err := textOf(o, r, it, q.Get("to"), &d.To, &d.Cut)
	if err != nil {
		return page{}, err
	}
	d.Hunks, d.Long = compare(old, text)
	d.Same = len(d.Hunks) == 0
	return page{name: "diff", title: "Changes of " + titleOf(it.Item), data: d}, nil
}

// text reads the text of a capture of an item.
func textOf(o Options, r *http.Request, it api.ItemDetail, digest string, c *api.Capture, cut *bool) (string, error) {
	for _, known := range it.Captures {
		if known.SHA256 == digest {
			*c = known
		}
	}
	text, err := api.GetCapture.Call(r.Context(), o.Client, api.CaptureID{ID: it.ID, SHA256: digest})
	*cut = *cut || len(text) > maxCompared
	return strings.ToValidUTF8(words.Clip(string(text), maxCompared), "�"), err
}

// compare puts what differs between two texts side by side, the first [maxRows] lines of it.
func compare(old, text string) (out [][]row, long bool) {
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
func beside(h *udiff.Hunk, room int) (out []row, more bool) {
	var gone, come []string
	oldN, newN := h.FromLine, h.ToLine
	flush := func() {
		for i := range max(len(gone), len(come)) {
			if len(out) == room {
				more = true
				return
			}
			var r row
			if i < len(gone) {
				r.Old, r.OldN, oldN = []piece{{gone[i], true}}, oldN, oldN+1
			}
			if i < len(come) {
				r.New, r.NewN, newN = []piece{{come[i], true}}, newN, newN+1
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
			out = append(out, row{Old: []piece{{line, false}}, New: []piece{{line, false}}, OldN: oldN, NewN: newN})
			oldN, newN = oldN+1, newN+1
		}
	}
	flush()
	return out, more
}

// maxWords bounds a line that is compared word by word, in bytes.
const maxWords = 8 << 10

// byWord marks what differs between two lines.
func byWord(old, text string) (before, after []piece) {
	if len(old)+len(text) > maxWords {
		return []piece{{old, true}}, []piece{{text, true}}
	}
	a, b := tokens(old), tokens(text)
	at, bt := 0, 0
	for _, e := range udiff.Lines(strings.Join(a, "\n")+"\n", strings.Join(b, "\n")+"\n") {
		from, to := lineAt(a, e.Start), lineAt(a, e.End)
		n := strings.Count(e.New, "\n")
		before = append(before, piece{strings.Join(a[at:from], ""), false}, piece{strings.Join(a[from:to], ""), true})
		same := from - at
		after = append(after, piece{strings.Join(b[bt:bt+same], ""), false},
			piece{strings.Join(b[bt+same:bt+same+n], ""), true})
		at, bt = to, bt+same+n
	}
	return append(before, piece{strings.Join(a[at:], ""), false}), append(after, piece{strings.Join(b[bt:], ""), false})
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
