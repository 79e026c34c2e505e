package textdiff

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// ellipsis is where a passage was cut.
const ellipsis = "…"

// Words returns two passages, the earlier and the later one, as pieces that mark the words in which they differ. Where
// both passages were cut, one of them may end or begin with words that the other was cut before: these do not differ.
// Of passages that have little in common it returns nil, because the few words that they share tell readers nothing.
func Words(old, text string) (before, after []Piece) {
	x, y := uncut(old), uncut(text)
	before, after = ByWord(x.text, y.text)
	if x.end && y.end {
		unhitLast(before, after)
	}
	if x.begin && y.begin {
		unhitFirst(before, after)
	}
	before, after = tidied(before), tidied(after)
	const least = 4 // one in so many letters of the shorter passage must be the same
	if least*min(same(before), same(after)) < min(utf8.RuneCountInString(x.text), utf8.RuneCountInString(y.text)) {
		return nil, nil
	}
	return tidied(x.with(before)), tidied(y.with(after))
}

// passage is the text of a passage, and whether it was cut at its beginning or its end.
type passage struct {
	text       string
	begin, end bool
}

func uncut(text string) (p passage) {
	p.text, p.begin = strings.CutPrefix(text, ellipsis)
	p.text, p.end = strings.CutSuffix(p.text, ellipsis)
	return p
}

// with returns pieces with the marks of what was cut.
func (p passage) with(all []Piece) []Piece {
	if p.begin {
		all = slices.Insert(all, 0, Piece{Text: ellipsis})
	}
	if p.end {
		all = append(all, Piece{Text: ellipsis})
	}
	return all
}

// unhitLast and unhitFirst unmark the words at the end or at the beginning that only one of two passages has.
func unhitLast(before, after []Piece) { unhit(before, after, func(n int) int { return n - 1 }) }

func unhitFirst(before, after []Piece) { unhit(before, after, func(int) int { return 0 }) }

func unhit(before, after []Piece, at func(n int) int) {
	a, b := filled(before), filled(after)
	if len(a) == 0 || len(b) == 0 {
		return
	}
	if x, y := a[at(len(a))], b[at(len(b))]; x.Hit != y.Hit {
		x.Hit, y.Hit = false, false
	}
}

// filled returns the pieces that have text.
func filled(all []Piece) (out []*Piece) {
	for i := range all {
		if all[i].Text != "" {
			out = append(out, &all[i])
		}
	}
	return out
}

// tidied joins neighbouring pieces that differ, or that do not, and leaves the space at the end of words that differ
// out of them.
func tidied(all []Piece) (out []Piece) {
	add := func(p Piece) {
		if n := len(out); p.Text != "" && n > 0 && out[n-1].Hit == p.Hit && out[n-1].Ignored == p.Ignored {
			out[n-1].Text += p.Text
		} else if p.Text != "" {
			out = append(out, p)
		}
	}
	for _, p := range all {
		text := strings.TrimRight(p.Text, " ")
		if !p.Hit || text == "" {
			add(p)
			continue
		}
		add(Piece{Text: text, Hit: true, Ignored: p.Ignored})
		add(Piece{Text: p.Text[len(text):]})
	}
	return out
}

// same returns the number of letters in the pieces that do not differ.
func same(all []Piece) (n int) {
	for _, p := range all {
		if !p.Hit {
			n += utf8.RuneCountInString(p.Text)
		}
	}
	return n
}
