package noise

import "strings"

// Line returns the form of a line of a text under which what changes by itself does not count. The line may be of any
// block, so what a table, a list or a definition would count as content is content.
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
