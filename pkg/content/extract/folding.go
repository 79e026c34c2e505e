package extract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// Folded is a line, or a part of one, of which the hashes leave something out, with the name of the rule.
type Folded struct {
	Line string `json:"line"` // at most 120 bytes
	Rule string `json:"rule"`
}

// maxFolded bounds how many lines a document lists.
const maxFolded = 20

// HashesFolded returns the hashes of a page, and the first lines of which they leave something out.
func (d Document) HashesFolded() (h Hashes, folded []Folded) {
	const longest = 120
	h = d.hashes(func(line, rule string) {
		f := Folded{words.Ellipsis(strings.TrimSpace(line), longest), rule}
		if len(folded) < maxFolded && !slices.Contains(folded, f) {
			folded = append(folded, f)
		}
	})
	return h, folded
}

// filter returns the noise filter for the text of a document.
func (d Document) filter() noise.Filter {
	return noise.Filter{Exact: d.Exact, DayFirst: d.Language != "" && d.Language != "en"}
}

// appendBlock appends the hashed form of a block and a line break. It leaves out a block in which readers see
// nothing.
func appendBlock(s *noise.Filter, b Block) {
	before := len(s.Out)
	addBlock(s, b)
	if len(s.Out) > before {
		s.Out = append(s.Out, '\n')
	}
}

func addBlock(s *noise.Filter, b Block) {
	if b.Counted {
		b.Text = withoutNumbers(b.Text)
	}
	switch b.Kind {
	case Code:
		s.Code(b.Text)
	case Table:
		s.Table(b.Text)
	case List:
		s.List(b.Text)
	case Heading:
		s.Heading(b.Level, b.Text)
	default:
		s.Block(b.Text)
	}
}

// withoutNumbers returns the text of a list with "-" in place of the number that browsers count before each item. Other
// lines of an item may begin with a number, too: that is what the page says, and such a number does not continue the
// count.
func withoutNumbers(text string) string {
	const gap = 5 // items without text have a number and no line
	var out strings.Builder
	var last []int // number of the last item at each depth of indentation
	for line := range strings.Lines(text) {
		item := strings.TrimLeft(line, " ")
		depth := len(line) - len(item)
		number, rest, found := strings.Cut(item, ".")
		for len(last) <= depth {
			last = append(last, 0)
		}
		n, err := strconv.Atoi(number)
		if found && err == nil && (out.Len() == 0 || n > last[depth] && n <= last[depth]+gap) {
			last = last[:depth+1]
			last[depth] = n
			line = "-" + rest
		}
		out.WriteString(line)
	}
	return out.String()
}
