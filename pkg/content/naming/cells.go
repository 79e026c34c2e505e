package naming

import "strings"

// cellOf names the cell of a row in which a difference is: the first cell of the row, and the column. It names no
// column if several cells differ, and nothing if the first cell does.
func cellOf(lines []string, at, from, to int) (out []string) {
	row := cells(lines[at])
	i, j := cellAt(row, from), cellAt(row, to-1)
	if from >= to {
		j = i
	}
	if i <= 0 || at == 0 {
		return nil
	}
	out = append(out, row[0].text)
	if head := cells(lines[0]); i == j && i < len(head) && isHeader(lines) {
		out = append(out, head[i].text)
	}
	return out
}

// isHeader reports whether the first row of a table is its header. Tables of web pages always have one. In others, it
// has no numbers.
func isHeader(lines []string) bool {
	return strings.HasPrefix(lines[0], "|") || len(lines) > 1 && !strings.ContainsAny(lines[0], "0123456789")
}

// cell is a cell of a row, with the offset at which it ends.
type cell struct {
	text string
	end  int
}

// cells returns the cells of a row: "| a | b |" of a web page, or "a | b".
func cells(line string) (out []cell) {
	from := 0
	for at := 0; at <= len(line); at++ {
		switch {
		case at < len(line) && line[at] == '\\':
			at++
		case at == len(line) || line[at] == '|':
			text := strings.TrimSpace(line[min(from, at):at])
			if at > 0 && (at < len(line) || text != "") {
				out = append(out, cell{strings.ReplaceAll(text, `\|`, "|"), at})
			}
			from = at + 1
		}
	}
	return out
}

// cellAt returns the index of the cell that has an offset; -1 if none has.
func cellAt(row []cell, offset int) int {
	for i, c := range row {
		if offset <= c.end {
			return i
		}
	}
	return -1
}
