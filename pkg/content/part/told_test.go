package part_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// madePage is a page of numbers: lines of text and rows of a table. Some of the numbers are in elements of a class.
type madePage struct {
	table  bool
	values [][]int
	marked [][]bool // the number is in an element with the class
}

func randomPage(rng *rand.Rand) (p madePage) {
	p.table = rng.IntN(2) == 0
	for range 2 + rng.IntN(3) {
		var values []int
		var marked []bool
		for range 3 {
			values, marked = append(values, 10+rng.IntN(3)), append(marked, rng.IntN(3) == 0)
		}
		p.values, p.marked = append(p.values, values), append(p.marked, marked)
	}
	return p
}

// edited returns the page with some other numbers.
func (p madePage) edited(rng *rand.Rand) madePage {
	out := madePage{table: p.table, marked: p.marked}
	for _, line := range p.values {
		line = append([]int{}, line...)
		for i := range line {
			if rng.IntN(4) == 0 {
				line[i] = 10 + rng.IntN(3)
			}
		}
		out.values = append(out.values, line)
	}
	return out
}

func (p madePage) html() string {
	var b strings.Builder
	b.WriteString("<main><h1>Lamps</h1>")
	cell, line := "%s ", "<p>%s</p>"
	if p.table {
		cell, line = "<td>%s</td>", "<tr>%s</tr>"
		b.WriteString("<table><tr><th>Red</th><th>Blue</th><th>Green</th></tr>")
	}
	for i, values := range p.values {
		cells := ""
		for j, v := range values {
			text := fmt.Sprint(v)
			if p.marked[i][j] {
				text = "<b class=m>" + text + "</b>"
			}
			cells += fmt.Sprintf(cell, text)
		}
		fmt.Fprintf(&b, line, cells)
	}
	if p.table {
		b.WriteString("</table>")
	}
	return b.String() + "</main>"
}

var aNumber = regexp.MustCompile(`\d+`)

// W22: TestW22ToldCounts checks, for random pages, watches and exclusions, that no word of the watched part is said not
// to count in a change that is told, that no other word is shown as one that counts, and that nothing is if the part is
// the same. Numbers repeat, so that only their elements say which of them are watched.
func TestW22ToldCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	told, kept := 0, 0
	for range 1500 {
		was := randomPage(rng)
		is := was.edited(rng)
		spec, wanted := watch.Spec{Include: []string{".m"}}, true
		if rng.IntN(2) == 0 {
			spec, wanted = watch.Spec{Exclude: []string{".m"}}, false
		}
		r := part.NewReader(spec)
		old, now := read(t, r, was.html()), read(t, r, is.html())
		hunks, _ := part.Compare(old.Page(text(t, was.html())), now.Page(text(t, is.html())))
		same, counts := old.State == now.State, 0
		for _, h := range hunks {
			for _, row := range h.Rows {
				for _, side := range []struct {
					page   madePage
					pieces []textdiff.Piece
					line   int
				}{{was, row.Old, row.OldN}, {is, row.New, row.NewN}} {
					if side.line > 0 {
						counts += counted(t, side.page, side.pieces, side.line, wanted, same)
					}
				}
			}
		}
		if same && counts > 0 || !same && counts == 0 {
			t.Fatalf("%d words count, of parts that are the same: %v\n%s\n%s", counts, same, was.html(), is.html())
		}
		if same {
			kept++
		} else {
			told++
		}
	}
	if told < 500 || kept < 50 {
		t.Errorf("%d pages were told, %d were not", told, kept)
	}
}

// counted returns the number of words that are shown as ones that count, in a line of a page.
func counted(t *testing.T, p madePage, pieces []textdiff.Piece, number int, wanted, same bool) (n int) {
	t.Helper()
	line, _ := textdiff.Line(pieces)
	first, every := 3, 2 // after the heading and a blank line; there is a blank line after each paragraph
	if p.table {
		first, every = 5, 1
	}
	if number < first {
		return 0
	}
	marked := p.marked[(number-first)/every]
	for i, at := range aNumber.FindAllStringIndex(line, -1) {
		offset := 0
		for _, piece := range pieces {
			if from := offset; piece.Hit && from < at[1] && from+len(piece.Text) > at[0] {
				isWanted := marked[i] == wanted
				if piece.Ignored == isWanted && !same {
					t.Fatalf("number %d of %q is ignored: %v\n%v\n%s", i, line, piece.Ignored, pieces, p.html())
				}
				if !piece.Ignored {
					n++
				}
			}
			offset += len(piece.Text)
		}
	}
	return n
}
