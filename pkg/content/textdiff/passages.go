package textdiff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// Passage is a part of a line that is in only one of two texts, or that has lost or gained words there. It is cut
// around the first difference from the other text.
type Passage struct {
	Text  string
	Added bool // the line is in the second text; if false, in the first
	// Columns are the names of the columns, if Text is a row of a table: its first cell, the cells that differ, and others
	// for which there is room. A last cell "…" stands for those that are left out.
	Columns []string
	Of      []string // what [Text.Of] says of it
	Weight  int      // how much the difference has to say; a line and its replacement have the same
	Fact    bool     // what differs has a fact, see package fact
}

// Difference is what differs between two texts. Its passages are in the order of their weight, and of the text if that
// is the same. A removed line precedes its replacement.
type Difference struct {
	// Chosen are the passages with most to say. If the texts differ only in the numbers of list items, the passages name
	// the first and the last of these items.
	Chosen []Passage
	// All is everything that differs. A line that is longer than a passage is in it as the parts that differ, whole and
	// with some text around them.
	All []Passage
	// More is the number of further places that differ, for which Chosen has no room. What moves does not count.
	More int
	Cut  bool // more lines differ than are compared
}

// Options are the bounds of passages, and what is known of the text before.
type Options struct {
	Most int // number of chosen passages
	Size int // bytes of a passage
	// Moves, if it is set, reports whether all that differs in a line moves at most checks. What moves is chosen only if
	// nothing else differs.
	Moves func(line string) bool
}

// Differences compares two texts. Blank lines are omitted, and so is what changes by itself, unless nothing else
// differs.
func Differences(old, text Text, o Options) Difference {
	if both := renumbered(old.Text, text.Text, o.Size); both != nil {
		return Difference{Chosen: both[:min(o.Most, len(both))], All: both}
	}
	f := finder{old: old, now: text, o: o}
	d := Difference{Cut: f.compare()}
	heaviest := func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) }
	slices.SortStableFunc(f.spots, heaviest)
	slices.SortStableFunc(f.rows, heaviest)
	namesLast(f.spots)
	for _, c := range f.rows {
		d.All = append(d.All, c.passages...)
	}
	moves := func(c candidate) bool { return c.weight == weighsMoving }
	if !slices.ContainsFunc(f.spots, func(c candidate) bool { return !moves(c) }) {
		moves = func(candidate) bool { return false }
	}
	for _, c := range f.spots {
		n, room := len(c.passages), o.Most-len(d.Chosen)
		switch {
		case moves(c):
		case room == 0:
			d.More++
		default:
			d.Chosen = append(d.Chosen, c.passages[max(0, n-room):]...) // prefer the new text
		}
	}
	return d
}

// namesLast puts last what only repeats the name of what has more to say, such as the heading of a new entry.
func namesLast(all []candidate) {
	named := map[string]int{} // the weights of what has a name
	for _, c := range all {
		for _, p := range c.passages {
			if n := len(p.Of); n > 0 {
				named[p.Of[n-1]] = max(named[p.Of[n-1]], c.weight)
			}
		}
	}
	repeats := func(c candidate) bool { return len(c.passages) == 1 && c.weight < named[c.passages[0].Text] }
	slices.SortStableFunc(all, func(a, b candidate) int {
		switch x, y := repeats(a), repeats(b); {
		case x == y:
			return 0
		case x:
			return 1
		}
		return -1
	})
}

// candidate is a difference at one position: the passages before and after.
type candidate struct {
	passages []Passage
	weight   int
}

// finder collects the differences of two texts.
type finder struct {
	old, now Text
	o        Options
	spots    []candidate // from which passages are chosen
	rows     []candidate // everything that differs, row by row
}

// compare finds the differences. It reports whether it ended before the texts did.
func (f *finder) compare() (cut bool) {
	for _, key := range []func(string) string{steady, alike, exactly} {
		hunks, long := compare(Text{Text: f.old.Text}, Text{Text: f.now.Text}, key)
		for _, blank := range []bool{false, true} {
			for _, h := range hunks {
				for _, r := range h.Rows {
					f.row(h.Table, r, blank)
				}
			}
			if len(f.spots) > 0 {
				return long
			}
		}
	}
	return false
}

// row adds what differs in a row. If blank is true, blanks count, as in the indentation of code.
func (f *finder) row(t *Table, r Row, blank bool) {
	found := f.inLines(r, blank)
	if t != nil && !r.Header {
		found = f.inCells(t, r, blank)
	}
	if len(found) == 0 {
		return
	}
	f.spots = append(f.spots, found...)
	if t == nil && len(found) == 1 && f.fits(r) {
		f.rows = append(f.rows, found[0])
		return
	}
	whole := candidate{weight: found[0].weight}
	for _, c := range found {
		whole.weight = max(whole.weight, c.weight)
	}
	for _, s := range []struct {
		pieces []Piece
		added  bool
	}{{r.Old, false}, {r.New, true}} {
		of := sideOfAll(found, s.added)
		if of == nil {
			continue
		}
		for _, text := range spans(s.pieces, f.o.Size, blank) {
			whole.passages = append(whole.passages,
				Passage{Text: text, Added: s.added, Of: of.Of, Weight: whole.weight, Fact: of.Fact})
		}
	}
	f.rows = append(f.rows, whole)
}

// fits reports whether passages can have both lines of a row.
func (f *finder) fits(r Row) bool {
	old, _ := Line(r.Old)
	now, _ := Line(r.New)
	return max(len(old), len(now)) <= f.o.Size
}

// sideOfAll returns the first passage of one side, with a fact if a later one has it; nil if there is none.
func sideOfAll(found []candidate, added bool) (out *Passage) {
	for _, c := range found {
		for _, p := range c.passages {
			if p.Added != added {
				continue
			}
			if out == nil {
				out = &p
			}
			out.Fact = out.Fact || p.Fact
		}
	}
	return out
}

// steady is a key of a line. Lines that differ only in text that changes by itself have the same key.
func steady(line string) string { return noise.Line(alike(line)) }

// inLines returns the differences between two lines. A long line may differ in several places. A line that has only
// lost or gained words is shown as it was and as it is: one of them alone might say the opposite. Of whole sentences,
// only these are shown.
func (f *finder) inLines(r Row, blank bool) (out []candidate) {
	moves := f.moves(r)
	for _, p := range spotsOf(r, f.o.Size, blank) {
		weight, facts := p.weigh()
		if moves {
			weight = weighsMoving
		}
		c := candidate{weight: weight}
		for i, s := range []part{p.old, p.now} {
			text := clipped(s.line, s.from(), f.o.Size)
			if p.sentence() {
				text = clipped(s.text(), 0, f.o.Size)
			}
			if text == "" || len(s.hits) == 0 && blank {
				continue
			}
			c.passages = append(c.passages, Passage{Text: text, Added: i == 1, Weight: weight, Fact: facts[i],
				Of: f.of(i == 1, s.number, s.from(), s.to())})
		}
		if len(c.passages) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// of names the parts of a text around a part of a line.
func (f *finder) of(added bool, number, from, to int) []string {
	text := f.old
	if added {
		text = f.now
	}
	if text.Of == nil || number == 0 {
		return nil
	}
	return text.Of(number-1, from, to)
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

// differs reports whether a piece differs in more than blanks, or, with the argument blank, in blanks alone.
func (p Piece) differs(blank bool) bool {
	return p.Hit && p.Text != "" && (blank || strings.TrimSpace(p.Text) != "")
}

// spans returns the parts of a line that differ, each with up to a quarter of size bytes before and after it. Parts
// that would overlap are one. Of a line of up to size bytes it returns the line.
func spans(pieces []Piece, size int, blank bool) (out []string) {
	text, _ := Line(pieces)
	if len(text) <= size {
		return clean([]string{text})
	}
	around := size / 4
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
