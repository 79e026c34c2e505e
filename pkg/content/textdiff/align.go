package textdiff

import "strings"

// unit is what is compared as a whole at first: a line, or a table. It is the lines [from, to) of a text.
type unit struct{ from, to int }

func (u unit) isTable() bool { return u.to-u.from > 1 }

// unitsOf returns the units of a text.
func unitsOf(lines []string) (out []unit) {
	for i := 0; i < len(lines); {
		u := unit{i, i + 1}
		if isRow(lines[i]) && i+1 < len(lines) && isRule(lines[i+1]) {
			for u.to++; u.to < len(lines) && isRow(lines[u.to]); {
				u.to++
			}
		}
		out, i = append(out, u), u.to
	}
	return out
}

// isRow reports whether a line is a row of a table. Rows that are too wide are lines of text.
func isRow(line string) bool {
	return strings.HasPrefix(line, "|") && strings.Count(line, "|") <= maxColumns+1
}

// isRule reports whether a line is the one below the header of a table.
func isRule(line string) bool {
	return isRow(line) && strings.Contains(line, "---") && strings.Trim(line, "|-: ") == ""
}

// side is a text that is compared: its lines, their keys, and its units.
type side struct {
	lines, keys []string
	units       []unit
}

func sideOf(text Text, key func(string) string) (s side) {
	s.lines = linesOf(text.Text)
	s.keys, s.units = keysOf(s.lines, key), unitsOf(s.lines)
	if text.Class == nil {
		return s
	}
	for i, k := range s.keys {
		s.keys[i] = text.Class(i) + "\x00" + k
	}
	return s
}

// unitKeys returns the keys of the units. The key of a table is that of its header.
func (s side) unitKeys() []string {
	out := make([]string, len(s.units))
	for i, u := range s.units {
		if out[i] = s.keys[u.from]; u.isTable() {
			out[i] = "table " + out[i]
		}
	}
	return out
}

// pair is a unit of each text, by index. A unit without a partner has -1 beside it.
type pair struct {
	old, now int
	same     bool // the units have the same key
}

// maxAlike limits the number of rows that are read to find tables that are alike. Further tables are no pairs: one is
// removed, and the other is added.
const maxAlike = 200_000

// aligned pairs the units of two texts.
func aligned(a, b side) (out []pair) {
	left := maxAlike
	for _, e := range edits(a.unitKeys(), b.unitKeys()) {
		for i := e.same; i < e.from; i++ {
			out = append(out, pair{i, e.at - (e.from - i), true})
		}
		out = append(out, replaced(a, b, e, &left)...)
	}
	return out
}

// replaced pairs the units that an edit removes with those that it adds: the lines before a table in their order, and
// tables that are alike. Of the rows that may be read for that, it takes from left.
func replaced(a, b side, e edit, left *int) (out []pair) {
	i, j := e.from, e.at
	for {
		x, y := nextTable(a.units[:e.to], i), nextTable(b.units[:e.end], j)
		out = append(out, lines(a, b, i, x, j, y)...)
		i, j = x, y
		switch {
		case i == e.to && j == e.end:
			return out
		case i < e.to && j < e.end && alikeTables(a, b, a.units[i], b.units[j], left):
			out, i, j = append(out, pair{i, j, false}), i+1, j+1
		case i < e.to:
			out, i = append(out, pair{i, -1, false}), i+1
		default:
			out, j = append(out, pair{-1, j, false}), j+1
		}
	}
}

// lines pairs the lines [i, x) of one text with the lines [j, y) of the other: in their order, or, if there are more of
// one than of the other, so that as many words as possible stay.
func lines(a, b side, i, x, j, y int) (out []pair) {
	const most = 400 // pairs that are weighed
	if n, m := x-i, y-j; n != m && n > 0 && m > 0 && n*m <= most {
		return likely(a, b, i, x, j, y)
	}
	for ; i < x || j < y; i, j = min(i+1, x), min(j+1, y) {
		p := pair{i, j, false}
		if i == x {
			p.old = -1
		}
		if j == y {
			p.now = -1
		}
		out = append(out, p)
	}
	return out
}

// likely pairs lines so that as many words as possible stay. A line without a partner comes before the next pair.
func likely(a, b side, i, x, j, y int) (out []pair) {
	n, m := x-i, y-j
	best := make([][]int, n+1) // words that stay of the lines from an index of each text on
	for p := range best {
		best[p] = make([]int, m+1)
	}
	stay := make([][]int, n)
	now := make([]map[string]int, m)
	for q := range now {
		now[q] = wordsOf(b.keys[b.units[j+q].from])
	}
	for p := n - 1; p >= 0; p-- {
		stay[p] = make([]int, m)
		old := wordsOf(a.keys[a.units[i+p].from])
		for q := m - 1; q >= 0; q-- {
			stay[p][q] = staying(old, now[q])
			best[p][q] = max(best[p+1][q], best[p][q+1], best[p+1][q+1]+stay[p][q])
		}
	}
	for p, q := 0, 0; p < n || q < m; {
		switch {
		case p < n && q < m && best[p][q] == best[p+1][q+1]+stay[p][q]:
			out = append(out, pair{i + p, j + q, false})
			p, q = p+1, q+1
		case q == m || p < n && best[p][q] == best[p+1][q]:
			out = append(out, pair{i + p, -1, false})
			p++
		default:
			out = append(out, pair{-1, j + q, false})
			q++
		}
	}
	return out
}

// wordsOf counts the words of a line.
func wordsOf(line string) map[string]int {
	out := map[string]int{}
	for word := range strings.FieldsSeq(line) {
		out[word]++
	}
	return out
}

// staying returns how many words two lines have in common.
func staying(was, is map[string]int) (n int) {
	for word, count := range was {
		n += min(count, is[word])
	}
	return n
}

// nextTable returns the index of the first table from index i on, or the number of units if there is none.
func nextTable(units []unit, i int) int {
	for i < len(units) && !units[i].isTable() {
		i++
	}
	return i
}
