package naming

import "github.com/tidemark/tidemark/pkg/content/extract"

// cellOf names the cell of a row in which a difference is: the first cell of the row, and the column. It names no
// column if several cells differ, and nothing if the first cell does.
func cellOf(lines []string, at, from, to int) (out []string) {
	row := extract.Cells(lines[at])
	i, j := cellAt(row, from), cellAt(row, to-1)
	if from >= to {
		j = i
	}
	if i <= 0 || at == 0 {
		return nil
	}
	out = append(out, row[0].Text(lines[at]))
	if head := extract.Cells(lines[0]); i == j && i < len(head) && extract.HasHeader(lines) {
		out = append(out, head[i].Text(lines[0]))
	}
	return out
}

// cellAt returns the index of the cell that has an offset; -1 if none has.
func cellAt(row []extract.Cell, offset int) int {
	for i, c := range row {
		if offset <= c.To {
			return i
		}
	}
	return -1
}
