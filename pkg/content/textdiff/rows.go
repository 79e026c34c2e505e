package textdiff

// tables compares the rows of two tables, or of one that only one of the texts has.
type tables struct {
	a, b  side
	u, v  unit // of the tables; empty for a text without it
	table *Table
	used  map[int]bool // the lines of the earlier text that have a partner
}

// compareTables returns what differs between two tables. Rows that differ are paired by their first cells, and others
// in their order. Rows that are the same in another place are counted; if nothing else differs, they are the rows.
func compareTables(a, b side, u, v unit) (h Hunk) {
	t := tables{a: a, b: b, u: u, v: v, used: map[int]bool{}}
	var headOld, headNew string
	if u.isTable() {
		headOld = a.lines[u.from]
	}
	if v.isTable() {
		headNew = b.lines[v.from]
	}
	t.table = &Table{Columns: widened(columnsOf(headOld, headNew), len(cellsOf(headOld)), len(cellsOf(headNew)),
		widest(a.lines[u.from:u.to]), widest(b.lines[v.from:v.to]))}
	if u.isTable() && v.isTable() && a.keys[u.from] != b.keys[v.from] {
		h.Rows = append(h.Rows, t.row(u.from, v.from))
		h.Rows[0].Header = true
	}
	changed, movedRows := t.rows()
	if h.Rows = append(h.Rows, changed...); len(h.Rows) == 0 {
		h.Rows = movedRows
		t.table.Same -= len(movedRows)
	}
	if len(h.Rows) == 0 && u.isTable() && v.isTable() && a.keys[u.from+1] != b.keys[v.from+1] {
		h.Rows = append(h.Rows, t.row(u.from+1, v.from+1)) // such as the alignment of a column
	}
	h.Table = t.table
	return h
}

// rows returns the rows that differ, in the order of the later text, and those that have moved.
func (t *tables) rows() (changed, movedRows []Row) {
	first, second := body(t.u), body(t.v)
	all := edits(t.a.keys[first.from:first.to], t.b.keys[second.from:second.to])
	for i := range all { // from now on, the numbers are those of lines
		e := &all[i]
		t.table.Same += e.from - e.same
		e.from, e.to, e.at, e.end = first.from+e.from, first.from+e.to, second.from+e.at, second.from+e.end
	}
	from := t.partners(all)
	for _, e := range all {
		i := e.from
		for j := e.at; j < e.end; j++ {
			old, found := from[j]
			switch {
			case !found:
				for ; i < e.to; i++ {
					changed = t.alone(changed, i)
				}
				changed = append(changed, t.row(-1, j))
			case t.a.keys[old] == t.b.keys[j]:
				movedRows = append(movedRows, Row{Old: []Piece{{Text: t.a.lines[old], Hit: true}},
					New: []Piece{{Text: t.b.lines[j], Hit: true}}, OldN: old + 1, NewN: j + 1, Moved: true})
			default:
				for ; i < e.to && i < old; i++ {
					changed = t.alone(changed, i)
				}
				changed = append(changed, t.row(old, j))
			}
		}
		for ; i < e.to; i++ {
			changed = t.alone(changed, i)
		}
	}
	t.table.Moved = len(movedRows)
	t.table.Same += len(movedRows)
	return changed, movedRows
}

// body returns the lines of the rows of a table.
func body(table unit) unit {
	if !table.isTable() {
		return unit{}
	}
	return unit{table.from + 2, table.to}
}

// alone adds a row that only the earlier text has, unless it has a partner.
func (t *tables) alone(rows []Row, i int) []Row {
	if t.used[i] {
		return rows
	}
	return append(rows, t.row(i, -1))
}

// partners pairs rows that only one of the texts has at a place. It returns the line of the earlier text by that of the
// later one.
func (t *tables) partners(all []edit) map[int]int {
	from := map[int]int{}
	for _, key := range []func(s side, line int) string{
		func(s side, line int) string { return s.keys[line] },
		func(s side, line int) string { return nameOf(s.lines[line]) },
	} {
		old := t.unpaired(all, key)
		for _, e := range all {
			for j := e.at; j < e.end; j++ {
				k := key(t.b, j)
				if _, has := from[j]; has || k == "" || len(old[k]) == 0 {
					continue
				}
				from[j], t.used[old[k][0]] = old[k][0], true
				old[k] = old[k][1:]
			}
		}
	}
	for _, e := range all {
		i := e.from
		for j := e.at; j < e.end && i < e.to; j++ {
			for i < e.to && t.used[i] {
				i++
			}
			if _, has := from[j]; has || i == e.to {
				continue
			}
			if rowReplaces(textsOf(t.a.lines[i]), textsOf(t.b.lines[j])) {
				from[j], t.used[i] = i, true
			}
			i++
		}
	}
	return from
}

// unpaired returns the lines of the rows of the earlier text that have no partner, by a key.
func (t *tables) unpaired(all []edit, key func(s side, line int) string) map[string][]int {
	out := map[string][]int{}
	for _, e := range all {
		for i := e.from; i < e.to; i++ {
			if !t.used[i] {
				out[key(t.a, i)] = append(out[key(t.a, i)], i)
			}
		}
	}
	return out
}

// row returns a row by its lines in both texts; a line is -1 if that text has no such row.
func (t *tables) row(i, j int) (r Row) {
	switch {
	case j < 0:
		return Row{Old: []Piece{{Text: t.a.lines[i], Hit: true}}, OldN: i + 1}
	case i < 0:
		return Row{New: []Piece{{Text: t.b.lines[j], Hit: true}}, NewN: j + 1}
	}
	old, text := t.a.lines[i], t.b.lines[j]
	was, is := cellsOf(old), cellsOf(text)
	before, after := make([][]Piece, len(was)), make([][]Piece, len(is))
	for _, c := range t.table.Columns {
		var x, y string
		if c.old >= 0 && c.old < len(was) {
			x = old[was[c.old].from:was[c.old].to]
		}
		if c.now >= 0 && c.now < len(is) {
			y = text[is[c.now].from:is[c.now].to]
		}
		p, q := cellWords(x, y)
		if x != "" {
			before[c.old] = p
		}
		if y != "" {
			after[c.now] = q
		}
	}
	return Row{Old: inLine(old, was, before), New: inLine(text, is, after), OldN: i + 1, NewN: j + 1}
}

// cellWords is [ByWord] for cells, of which most are the same.
func cellWords(old, text string) (before, after []Piece) {
	if old == text || old == "" || text == "" {
		hit := old != text
		return []Piece{{Text: old, Hit: hit}}, []Piece{{Text: text, Hit: hit}}
	}
	return ByWord(old, text)
}

// inLine returns a row in pieces. The pieces of cells that are not given differ.
func inLine(line string, cells []span, pieces [][]Piece) (out []Piece) {
	at := 0
	for i, s := range cells {
		out = append(out, Piece{Text: line[at:s.from]})
		if at = s.to; pieces[i] == nil {
			pieces[i] = []Piece{{Text: line[s.from:s.to], Hit: true}}
		}
		out = append(out, pieces[i]...)
	}
	return append(out, Piece{Text: line[at:]})
}
