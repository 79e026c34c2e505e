package textdiff

import "strings"

// differs reports whether a piece differs in more than blanks, or, with the argument blank, in blanks alone.
func (p Piece) differs(blank bool) bool {
	return p.Hit && p.Text != "" && (blank || strings.TrimSpace(p.Text) != "")
}

// whole returns everything that differs in two lines. See [Difference].
func whole(r Row, size int, blank bool) (out []Passage) {
	for _, s := range spans(r.Old, size, blank) {
		out = append(out, Passage{Text: s})
	}
	for _, s := range spans(r.New, size, blank) {
		out = append(out, Passage{Text: s, Added: true})
	}
	return out
}

// spans returns the parts of a line that differ, each with up to a quarter of size bytes before and after it. Parts
// that would overlap are one. Of a line of up to size bytes that differs, it returns the line.
func spans(pieces []Piece, size int, blank bool) (out []string) {
	text, _ := Line(pieces)
	around := size / 4
	if len(text) <= size {
		around = size
	}
	from, to, at := 0, 0, 0
	for _, p := range pieces {
		if p.differs(blank) {
			if begin := max(at-around, 0); begin > to {
				out, from = append(out, text[from:to]), begin
			}
			to = min(at+len(p.Text)+around, len(text))
		}
		at += len(p.Text)
	}
	out = append(out, text[from:to])
	return clean(out)
}

// clean removes broken characters at the ends of texts, and texts that are blank.
func clean(all []string) (out []string) {
	for _, s := range all {
		if s = strings.TrimSpace(strings.ToValidUTF8(s, "")); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Changed returns two texts without the lines at their beginning and at their end that are the same in both. If a table
// would be without its header, it keeps that.
func Changed(old, text string) (before, after string) {
	n := 0
	for n < min(len(old), len(text)) && old[n] == text[n] {
		n++
	}
	n = strings.LastIndexByte(old[:n], '\n') + 1
	head := headerAt(old, n)
	old, text = old[n:], text[n:]
	n = 0
	for n < min(len(old), len(text)) && old[len(old)-1-n] == text[len(text)-1-n] {
		n++
	}
	if n -= strings.IndexByte(old[len(old)-n:]+"\n", '\n'); n > 0 {
		old, text = old[:len(old)-n], text[:len(text)-n]
	}
	return head + old, head + text
}

// headerAt returns the header of the table in whose rows a line begins, with the line below it; "" if there is no such
// table.
func headerAt(text string, at int) string {
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
		return ""
	}
	return rows[0] + rows[1]
}
