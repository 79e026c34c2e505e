package extract

import (
	"regexp"
	"strings"
)

// Row returns a row of a [Table] that is not one of HTML, or "" if all its cells are empty.
func Row(cells []string) string { return strings.TrimRight(strings.Join(cells, " | "), " |") }

// HasHeader reports whether the first row of a table is its header. Tables of web pages always have one. In others, it
// has no numbers.
func HasHeader(lines []string) bool {
	return strings.HasPrefix(lines[0], "|") || len(lines) > 1 && !strings.ContainsAny(lines[0], "0123456789")
}

// Cell is a cell of a row, with the blanks around it: the bytes of the line from From to To.
type Cell struct{ From, To int }

// Text returns the text of a cell as readers see it.
func (c Cell) Text(line string) string {
	return strings.ReplaceAll(strings.TrimSpace(line[c.From:c.To]), `\|`, "|")
}

// Cells returns the cells of a row of a [Table]: "| a | b |" of a web page, or "a | b".
func Cells(line string) (out []Cell) {
	from := 0
	for at := 0; at <= len(line); at++ {
		switch {
		case at < len(line) && line[at] == '\\':
			at++
		case at == len(line) || line[at] == '|':
			c := Cell{min(from, at), at}
			if at > 0 && (at < len(line) || c.Text(line) != "") {
				out = append(out, c)
			}
			from = at + 1
		}
	}
	return out
}

// Bullet returns the sign of an item of a [List] with its indentation; "" if a line has none.
func Bullet(line string) string { return bullet.FindString(line) }

var bullet = regexp.MustCompile(`^ *(?:[-*•] |\d{1,4}[.)] |\[\^[^\]]*\]: )`)
