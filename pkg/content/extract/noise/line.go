package noise

import "strings"

// Line returns the hashed form of a line. The line may be from any kind of block. Text that would be content in a
// table, a list or a definition is therefore treated as content.
func Line(line string) string {
	s := Filter{DayFirst: true}
	switch trimmed := strings.TrimSpace(line); {
	case strings.Contains(trimmed, " | ") || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, ": "):
		s.facts = true
	case strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "#"):
		s.list = true
	}
	s.add(Typography(line))
	return string(s.Out)
}
