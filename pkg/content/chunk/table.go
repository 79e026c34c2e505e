package chunk

import "strings"

// TableHeader returns the header of a table: its first row, with the line below it that parts it from the others. It
// returns "" if the header is empty, or so long that it would fill a chunk.
func TableHeader(table string) string {
	header, rest, more := strings.Cut(table, "\n")
	if strings.Trim(header, "| \t") == "" || !more {
		return ""
	}
	if line, _, _ := strings.Cut(rest, "\n"); strings.Contains(line, "---") && strings.Trim(line, "|-: ") == "" {
		header += "\n" + line
	}
	if size(header) > Budget {
		return ""
	}
	return header
}
