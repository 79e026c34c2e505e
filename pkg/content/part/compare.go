package part

import (
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// Hunk is a place in which two views differ. See [textdiff.Hunk].
type Hunk struct {
	Rows  []Row
	Table *textdiff.Table
}

// Row is a pair of lines, and of each side what does not count of it.
type Row struct {
	textdiff.Row
	Gone, Come Hidden
}

// Hidden is what differs in a line but does not count.
type Hidden struct {
	Rule  string // the rule by which it does not count; "" if all that differs counts
	Whole bool   // nothing of the line counts that differs
	Text  string // what does not count, with what is around it
}

// whole returns the rule by which nothing of the line counts; "" if some of it does, or nothing differs.
func (h Hidden) whole() string {
	if h.Whole {
		return h.Rule
	}
	return ""
}

// Part returns the rule by which some of what differs does not count; "" if all of it counts, or nothing does.
func (h Hidden) Part() string {
	if h.Whole {
		return ""
	}
	return h.Rule
}

// Rules returns the rules by which the sides of a row do not count as a whole; "" for a side of which something does.
func (r Row) Rules() (gone, come string) { return r.Gone.whole(), r.Come.whole() }

// ruleSame is the rule for what differs in the text of a part that is the same, as comparisons for changes see it: its
// parts are in another order, or numbers differ that change by themselves.
const ruleSame = "watch: what is watched is the same"

// Compare compares two views of a page, and marks what does not count. See [textdiff.Compare].
func Compare(old, now View) (out []Hunk, long bool) {
	hunks, long := textdiff.CompareTexts(old.text(), now.text())
	same := old.part != nil && now.part != nil && old.part.State == now.part.State
	for _, h := range hunks {
		marked := Hunk{Table: h.Table}
		for _, r := range h.Rows {
			marked.Rows = append(marked.Rows, rowOf(old, now, r, same))
		}
		out = append(out, marked)
	}
	return out, long
}

// rowOf marks what does not count of a row. If the part is the same in both texts, nothing does.
func rowOf(old, now View, r textdiff.Row, same bool) (out Row) {
	before, _ := textdiff.Line(r.Old)
	after, _ := textdiff.Line(r.New)
	was, is := counted{all: true}, counted{all: true}
	if r.OldN > 0 {
		was = old.line(r.OldN, before)
	}
	if r.NewN > 0 {
		is = now.line(r.NewN, after)
	}
	if r.OldN > 0 && r.NewN > 0 && !r.Moved && was.class()+is.class() != "" {
		apart(&r, before, after, was, is)
	}
	r.Old, out.Gone = was.marked(r.Old, before, same)
	r.New, out.Come = is.marked(r.New, after, same)
	if r.OldN > 0 && r.NewN > 0 && out.Gone.Whole != out.Come.Whole {
		// The other side counts, or does not differ. What does not count is still marked.
		out.Gone.Whole = out.Gone.Whole && !textdiff.Counts(r.New)
		out.Come.Whole = out.Come.Whole && !textdiff.Counts(r.Old)
	}
	out.Row = r
	return out
}

// apart compares what counts of two lines, and the rest of them, each for itself. So words that count are never said to
// have become words that do not.
func apart(r *textdiff.Row, before, after string, was, is counted) {
	x, y := was.spansOf(before), is.spansOf(after)
	var gone, come []web.Span
	for _, rest := range []bool{false, true} {
		a, b := x, y
		if rest {
			a, b = others(before, x), others(after, y)
		}
		p, q := textdiff.ByWord(joined(before, a), joined(after, b))
		gone, come = append(gone, hitsOf(p, a)...), append(come, hitsOf(q, b)...)
	}
	r.Old, r.New = piecesOf(before, gone), piecesOf(after, come)
}

// spansOf returns the parts of a line that count.
func (c counted) spansOf(line string) []web.Span {
	if c.all {
		return []web.Span{{From: 0, To: len(line)}}
	}
	return c.spans
}

// others returns the parts of a line between spans.
func others(line string, spans []web.Span) (out []web.Span) {
	for _, s := range sectionsOf(line, spans) {
		if !s.counts {
			out = append(out, s.Span)
		}
	}
	return out
}

// joined returns parts of a line as one text, with a space after each.
func joined(line string, spans []web.Span) string {
	var out strings.Builder
	for _, s := range spans {
		out.WriteString(line[s.From:s.To] + " ")
	}
	return out.String()
}

// hitsOf returns the parts of a line that differ, by the pieces of its joined parts.
func hitsOf(pieces []textdiff.Piece, spans []web.Span) (out []web.Span) {
	at, begin := 0, 0 // of the piece, and of the first of the spans that may be in it
	for _, p := range pieces {
		from, to := at, at+len(p.Text)
		for at = to; len(spans) > 0; spans = spans[1:] {
			s := spans[0]
			end := begin + s.To - s.From
			if a, b := max(from, begin), min(to, end); p.Hit && a < b {
				out = append(out, web.Span{From: s.From + a - begin, To: s.From + b - begin})
			}
			if end >= to {
				break
			}
			begin = end + 1
		}
	}
	return out
}

// piecesOf returns a line in pieces, of which those at the given places differ.
func piecesOf(line string, hits []web.Span) (out []textdiff.Piece) {
	differs := make([]bool, len(line))
	for _, h := range hits {
		for i := h.From; i < h.To; i++ {
			differs[i] = true
		}
	}
	for i := 0; i < len(line); {
		j := i
		for j < len(line) && differs[j] == differs[i] {
			j++
		}
		out = append(out, textdiff.Piece{Text: line[i:j], Hit: differs[i]})
		i = j
	}
	return out
}

// marked marks the pieces of a line that differ and do not count.
func (c counted) marked(pieces []textdiff.Piece, line string, same bool) (out []textdiff.Piece, h Hidden) {
	if c.all && !same {
		return pieces, h
	}
	at, counts, told := 0, false, -1
	var text strings.Builder
	sections, i := sectionsOf(line, c.spansOf(line)), 0
	for _, p := range pieces {
		for end := at + len(p.Text); at < end; {
			for sections[i].To <= at {
				i++
			}
			in, to := sections[i], min(end, sections[i].To)
			piece := textdiff.Piece{Text: line[at:to], Hit: p.Hit, Ignored: p.Hit && (same || !in.counts)}
			at = to
			if blank := strings.TrimSpace(piece.Text) == ""; piece.Ignored && !blank {
				if h.Rule = c.rule; in.counts || c.rule == "" {
					h.Rule = ruleSame
				}
				if told != i { // each section is told once
					text.WriteString(" " + strings.TrimSpace(line[in.From:in.To]))
					told = i
				}
			} else if p.Hit && !blank {
				counts = true
			}
			out = append(out, piece)
		}
	}
	if h.Text = strings.TrimSpace(text.String()); h.Rule != "" && !counts {
		h.Whole, h.Text = true, line
	}
	return out, h
}

// section is a part of a line that counts as a whole, or not at all.
type section struct {
	web.Span
	counts bool
}

// sectionsOf returns the sections of a line, of which the given spans count.
func sectionsOf(line string, spans []web.Span) (out []section) {
	at := 0
	for _, s := range append(spans[:len(spans):len(spans)], web.Span{From: len(line), To: len(line)}) {
		if at < s.From {
			out = append(out, section{Span: web.Span{From: at, To: s.From}})
		}
		if s.From < s.To {
			out = append(out, section{s, true})
		}
		at = s.To
	}
	return out
}

// Line is a line that differs between two texts but is ignored.
type Line struct {
	Text  string
	Added bool   // the line is in the later text; if false, in the earlier one
	Rule  string // the rule by which the line is ignored
}

// Ignored returns, in order, the lines that differ between two views but are ignored, and the parts of lines. Callers
// must truncate texts that are too long to compare.
func Ignored(old, now View) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		hunks, _ := Compare(old, now)
		for _, hunk := range hunks {
			for _, r := range hunk.Rows {
				for i, h := range []Hidden{r.Gone, r.Come} {
					if hunk.Table != nil { // the cells of a row
						h.Text = strings.ReplaceAll(strings.Trim(h.Text, "| "), " | ", " · ")
					}
					if h.Rule != "" && !yield(Line{Text: h.Text, Added: i == 1, Rule: h.Rule}) {
						return
					}
				}
			}
		}
	}
}

// IgnoredLines returns, in order, the lines of the part that a rule for lines ignores.
func (p *Part) IgnoredLines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		if p.rules == nil || !p.rules.Ignores() {
			return
		}
		text := p.Doc.Text[:min(len(p.Doc.Text), watch.MaxText)]
		for line := range strings.Lines(text) {
			rule := p.rules.Ignored(line)
			if rule != "" && !yield(Line{Text: strings.TrimSpace(line), Rule: "ignore: " + rule}) {
				return
			}
		}
	}
}
