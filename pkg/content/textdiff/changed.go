package textdiff

import "strings"

// Changed returns two texts without the lines at their beginning and at their end that are the same in both. If a table
// would be without its header, it keeps that. The texts must have no classes.
func Changed(old, text Text) (before, after Text) {
	a, b := old.Text, text.Text
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	n = strings.LastIndexByte(a[:n], '\n') + 1
	head, at := headerAt(a, n)
	skipped := strings.Count(a[:n], "\n")
	a, b = a[n:], b[n:]
	n = 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if n -= strings.IndexByte(a[len(a)-n:]+"\n", '\n'); n > 0 {
		a, b = a[:len(a)-n], b[:len(b)-n]
	}
	first, heads := strings.Count(old.Text[:at], "\n"), strings.Count(head, "\n")
	line := func(i int) int { // of the whole text
		if i < heads {
			return first + i
		}
		return skipped + i - heads
	}
	return old.part(head+a, line), text.part(head+b, line)
}

// part returns a part of a text, of whose lines the function returns the index in the whole.
func (t Text) part(text string, line func(int) int) Text {
	out := Text{Text: text}
	if t.Of != nil {
		out.Of = func(i, from, to int) []string { return t.Of(line(i), from, to) }
	}
	return out
}

// headerAt returns the header of the table in whose rows a line begins, with the line below it, and where it begins; ""
// if there is no such table.
func headerAt(text string, at int) (header string, from int) {
	first := at
	for first > 0 {
		before := strings.LastIndexByte(text[:first-1], '\n') + 1
		if !isRow(text[before : first-1]) {
			break
		}
		first = before
	}
	rows := strings.SplitAfterN(text[first:at], "\n", 3)
	if len(rows) < 3 || !isRule(strings.TrimSuffix(rows[1], "\n")) {
		return "", at
	}
	return rows[0] + rows[1], first
}
