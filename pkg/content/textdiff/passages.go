package textdiff

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// Passage is a part of a line that is in only one of two texts. It is cut around the first difference from the other
// text.
type Passage struct {
	Text  string
	Added bool // the line is in the second text; if false, in the first
	// Columns are the names of the columns, if Text is a row of a table: its first cell, the cells that differ, and others
	// for which there is room. A last cell "…" stands for those that are left out.
	Columns []string
}

// Difference is what differs between two texts.
type Difference struct {
	// Chosen are the passages that differ and have most to say, in the order of the text; a removed line precedes its
	// replacement. Prices come before other numbers, and these before other text. If the texts differ only in the numbers
	// of list items, the passages name the first and the last of these items.
	Chosen []Passage
	// All is everything that differs, in the same order. A line that is longer than a passage is in it as the parts that
	// differ, whole and with some text around them.
	All []Passage
	Cut bool // more lines differ than are compared
}

// Differences compares two texts. The argument most bounds the number of chosen passages, and size the number of bytes
// of each. Blank lines are omitted, and so is what changes by itself, unless nothing else differs.
func Differences(old, text string, most, size int) Difference {
	if both := renumbered(old, text, size); both != nil {
		return Difference{Chosen: both[:min(most, len(both))], All: both}
	}
	found, all, cut := candidates(old, text, size)
	return Difference{choose(found, most), all, cut}
}

// choose returns the passages of the candidates that have most to say.
func choose(found []candidate, most int) (out []Passage) {
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(found[b].weight, found[a].weight) })
	chosen := make([]bool, len(found))
	for _, i := range order {
		if n := len(found[i].passages); n <= most {
			chosen[i] = true
			most -= n
		} else if most > 0 {
			found[i].passages = found[i].passages[n-most:] // prefer the new text
			chosen[i], most = true, 0
		}
	}
	for i, c := range found {
		if chosen[i] {
			out = append(out, c.passages...)
		}
	}
	return out
}

// candidate is a difference at one position: the passages before and after.
type candidate struct {
	passages []Passage
	weight   int
}

// candidates returns what passages can be chosen from, and everything that differs. The result cut reports whether the
// comparison ended before the texts did.
func candidates(old, text string, size int) (out []candidate, all []Passage, cut bool) {
	for _, key := range []func(string) string{steady, alike, exactly} {
		hunks, long := compare(Text{Text: old}, Text{Text: text}, key)
		for _, blank := range []bool{false, true} {
			for _, h := range hunks {
				for _, r := range h.Rows {
					if h.Table != nil && !r.Header {
						out = append(out, h.Table.candidate(r, size, blank)...)
					} else {
						out = append(out, candidatesOf(r, size, blank)...)
					}
					all = append(all, whole(r, size, blank)...)
				}
			}
			if len(out) > 0 {
				return out, all, long
			}
		}
		cut = cut || long
	}
	return nil, nil, cut
}

// steady is a key of a line. Lines that differ only in text that changes by itself have the same key.
func steady(line string) string { return noise.Line(alike(line)) }

// candidatesOf returns the differences between two lines. A long line may differ in several positions. If blank is
// true, blanks count, as in the indentation of code.
func candidatesOf(r Row, size int, blank bool) (out []candidate) {
	gone, come := windows(r.Old, size, blank), windows(r.New, size, blank)
	for i := range max(len(gone), len(come)) {
		var c candidate
		if i < len(gone) {
			c.passages, c.weight = append(c.passages, Passage{Text: gone[i].text}), gone[i].weight
		}
		if i < len(come) {
			c.passages, c.weight = append(c.passages, Passage{Text: come[i].text, Added: true}), max(c.weight, come[i].weight)
		}
		out = append(out, c)
	}
	return out
}

// window is a part of a line around differences.
type window struct {
	text   string
	weight int
}

// windows returns the parts of a line that contain its differences, each of up to size bytes.
func windows(pieces []Piece, size int, blank bool) (out []window) {
	text, _ := Line(pieces)
	at, until := 0, -1
	for _, p := range pieces {
		if p.differs(blank) {
			w := weigh(p.Text, text[max(0, at-8):min(len(text), at+len(p.Text)+8)])
			if at >= until {
				out = append(out, window{clipped(text, at, size), w})
				until = max(at-size/4, 0) + size*3/4
			} else {
				out[len(out)-1].weight += w
			}
		}
		at += len(p.Text)
	}
	return slices.DeleteFunc(out, func(w window) bool { return w.text == "" })
}

// price matches an amount of money.
var price = regexp.MustCompile(`(?i)[\p{Sc}]|\d[\d.,\x{a0} ]*(?:eur|usd|gbp|chf|jpy|cny|pln|czk|sek|nok|dkk|kr|` +
	`zł|kč|руб|円|元|원|%)|(?:eur|usd|gbp|chf|jpy|cny|pln)\s*\d`)

// weigh returns the importance of a difference. The importance depends on the text that differs and on the text
// around it.
func weigh(text, around string) int {
	const aPrice, aNumber, most = 20_000, 10_000, 5_000
	weight := min(utf8.RuneCountInString(text), most)
	switch number := strings.ContainsFunc(text, unicode.IsDigit); {
	case number && price.MatchString(around):
		weight += aPrice
	case number:
		weight += aNumber
	}
	return weight
}

// clipped returns the part of a line that begins shortly before the given offset. The part has up to size bytes.
func clipped(text string, at, size int) string {
	if len(text) <= size {
		return strings.TrimSpace(text)
	}
	if from := max(at-size/4, 0); from > 0 {
		rest := text[from:]
		if _, after, found := strings.Cut(rest, " "); found && len(rest)-len(after) < size/8 {
			rest = after // the passage begins at a word
		}
		text = ellipsis + strings.ToValidUTF8(rest, "")
	}
	if len(text) > size {
		text = words.Clip(text, size-len(ellipsis))
		if blank := strings.LastIndex(text, " "); blank > size/2 {
			text = text[:blank] // the passage ends at a word
		}
		text += ellipsis
	}
	return strings.TrimSpace(text)
}

// Counts reports whether a line differs in more than blanks, and in what counts.
func Counts(pieces []Piece) bool {
	return slices.ContainsFunc(pieces, func(p Piece) bool { return !p.Ignored && p.differs(false) })
}

// Line returns the text of a line, and whether the line differs in more than blanks.
func Line(pieces []Piece) (text string, differs bool) {
	var line strings.Builder
	for _, p := range pieces {
		line.WriteString(p.Text)
		differs = differs || p.Hit && strings.TrimSpace(p.Text) != ""
	}
	return line.String(), differs
}

// renumbered returns two passages if the texts differ only in the numbers of list items: "3. Steer … 8. Rope" and "4.
// Steer … 9. Rope". The passages name the range of items before and after. For other texts, and for a single item, it
// returns nil.
func renumbered(old, text string, size int) []Passage {
	if strings.Count(old, "\n") != strings.Count(text, "\n") {
		return nil
	}
	var was, is []string // the lines that differ
	after := strings.Split(text, "\n")
	for i, before := range strings.Split(old, "\n") {
		if before == after[i] {
			continue
		}
		a, isItem := item(before)
		b, staysItem := item(after[i])
		if !isItem || !staysItem || a != b {
			return nil
		}
		was, is = append(was, strings.TrimSpace(before)), append(is, strings.TrimSpace(after[i]))
	}
	if len(was) < 2 {
		return nil
	}
	return []Passage{{Text: rangeOf(was, size)}, {Text: rangeOf(is, size), Added: true}}
}

// item returns the text of a list item after its number: "12.", "iv." or "AB.".
func item(line string) (text string, found bool) {
	const longest = 16 // bytes of a number
	number, text, found := strings.Cut(strings.TrimSpace(line), ". ")
	foreign := func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '-')
	}
	return text, found && number != "" && len(number) <= longest && !strings.ContainsFunc(number, foreign)
}

// rangeOf returns the first and the last of several items, in at most size bytes.
func rangeOf(items []string, size int) string {
	const between = " … "
	half := (size - len(between)) / 2
	return words.Clip(items[0], half) + between + words.Clip(items[len(items)-1], half)
}

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

// maxName is the largest size, in bytes, of the name of a column in a passage.
const maxName = 40

// candidate returns what a row of the table tells, unless it differs in blanks alone.
func (t *Table) candidate(r Row, size int, blank bool) []candidate {
	cells := t.Cells(r)
	var c candidate
	for _, cell := range cells {
		for _, pieces := range [][]Piece{cell.Old, cell.New} {
			for _, w := range windows(pieces, size, blank) {
				c.weight += w.weight
			}
		}
	}
	if c.weight == 0 {
		return nil
	}
	kept := t.kept(cells, size)
	if r.OldN > 0 {
		c.passages = append(c.passages, t.passage(cells, kept, size, false))
	}
	if r.NewN > 0 {
		c.passages = append(c.passages, t.passage(cells, kept, size, true))
	}
	return []candidate{c}
}

// kept returns which cells of a row a passage has: the first, those that differ, and others for which there is room.
func (t *Table) kept(cells []Cell, size int) []bool {
	out, left := make([]bool, len(cells)), size-len("| … | …")
	for _, wanted := range []func(i int) bool{
		func(i int) bool { return i == 0 },
		func(i int) bool { return cells[i].Differs() },
		func(int) bool { return true },
	} {
		for i, c := range cells {
			if out[i] || !wanted(i) {
				continue
			}
			need := len(t.name(i)) + max(len(clippedCell(c.Old, size)), len(clippedCell(c.New, size))) + len(" | ")
			if out[i] = need <= left; out[i] {
				left -= need
			}
		}
	}
	return out
}

// name returns the name of a column as passages have it.
func (t *Table) name(i int) string {
	name := t.Columns[i].New
	if t.Columns[i].now < 0 {
		name = t.Columns[i].Old
	}
	return words.Clip(name, maxName)
}

// passage returns one side of a row as a passage.
func (t *Table) passage(cells []Cell, kept []bool, size int, added bool) Passage {
	p := Passage{Added: added}
	var row []string
	add := func(name, cell string) { p.Columns, row = append(p.Columns, name), append(row, cell) }
	cut := false
	for i, c := range cells {
		pieces := c.Old
		if added {
			pieces = c.New
		}
		if cut = cut || !kept[i]; kept[i] {
			add(t.name(i), clippedCell(pieces, size))
		}
	}
	if cut {
		add(ellipsis, ellipsis)
	}
	p.Text = "| " + strings.Join(row, " | ") + " |"
	return p
}

// clippedCell returns a cell as it is written in a row, from around its first difference, in up to a quarter of size
// bytes.
func clippedCell(pieces []Piece, size int) string {
	text, _ := Line(pieces)
	at := 0
	for _, p := range pieces {
		if p.differs(false) {
			break
		}
		at += len(p.Text)
	}
	if at >= len(text) {
		at = 0
	}
	return strings.ReplaceAll(clipped(text, at, max(size/4, 4*len(ellipsis))), "|", `\|`)
}
