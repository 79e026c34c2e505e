package linememory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/noise"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// difference is a position in which two pages differ: tokens of the old one, and those that replace them.
type difference struct{ old, now span }

// alignment says what of two pages is the same.
type alignment struct {
	old, now *page
	differs  []difference // in order; lines that only stand elsewhere are not in it
	moved    int          // the number of lines that only stand elsewhere
	blocks   []difference // the same by whole lines, for positions of several lines
	position []int        // for each token of the old page, its position in the new one; -1 for a token that is gone
}

// maxTokens bounds the tokens of a position that are compared one by one. A larger position differs as a whole.
const maxTokens = 6000

// align compares two pages: first by lines, then by tokens. Where rows differ in numbers alone, a number may seem to
// have gone from one row to another. So lines that are the same but for numbers are also held against each other in
// their order, and the comparison is taken that finds less to differ.
func align(old, now *page) *alignment {
	a, b := keyed(old), keyed(now)
	al := alignBy(old, now, a, b, a.keys, b.keys)
	if al.cost() == 0 {
		return al
	}
	if other := alignBy(old, now, a, b, a.forms, b.forms); other.cost() < al.cost() {
		return other
	}
	return al
}

// keyedLines are the lines of a page, with a key for each. Lines that differ only in what no hash covers have the same
// key, and those that also differ in numbers have the same form.
type keyedLines struct {
	spans       []span
	keys, forms []uint32
}

func keyed(p *page) keyedLines {
	out := keyedLines{spans: lines(p)}
	for _, l := range out.spans {
		text := p.textOf(l)
		covered := noise.Line(text)
		form := p.form(l)
		if covered != text {
			form = formOf(covered)
		}
		out.keys, out.forms = append(out.keys, hashOf(covered)), append(out.forms, form)
	}
	return out
}

// alignBy compares two pages by keys of their lines: all but the numbers of lines with the same key are the same.
func alignBy(old, now *page, a, b keyedLines, ofOld, ofNow []uint32) *alignment {
	al := &alignment{old: old, now: now, position: make([]int, len(old.tokens))}
	for i := range al.position {
		al.position[i] = -1
	}
	same := 0 // the first line of the old page after the last difference
	var hunks []difference
	all := edits(ofOld, ofNow)
	for _, e := range append(all, difference{span{len(ofOld), len(ofOld)}, span{len(ofNow), len(ofNow)}}) {
		for i := same; i < e.old.from; i++ {
			if j := e.now.from - (e.old.from - i); a.keys[i] == b.keys[j] {
				al.keep(a.spans[i], b.spans[j])
			} else {
				al.words(difference{a.spans[i], b.spans[j]})
			}
		}
		same = e.old.to
		hunks = append(hunks, difference{spanOf(a.spans, e.old), spanOf(b.spans, e.now)})
	}
	hunks = al.withoutMoved(hunks)
	for _, h := range hunks {
		al.words(h)
	}
	slices.SortStableFunc(al.differs, func(x, y difference) int { return x.now.from - y.now.from })
	al.blocks = al.blocksOf(hunks)
	return al
}

// cost returns how much an alignment finds to differ. A line that stands elsewhere is less than two numbers that moved,
// which a row with a name and a value would have, and more than one.
func (al *alignment) cost() (n int) {
	const elsewhere = 3
	for _, d := range al.differs {
		n += d.old.size() + d.now.size()
	}
	return n + elsewhere*al.moved
}

// keep notes that tokens are the same in both pages.
func (al *alignment) keep(old, now span) {
	for i := range min(old.size(), now.size()) {
		al.position[old.from+i] = now.from + i
	}
}

// words compares the tokens of a position.
func (al *alignment) words(d difference) {
	if d.old.size() == 0 && d.now.size() == 0 {
		return
	}
	if d.old.size() == 0 || d.now.size() == 0 || d.old.size()+d.now.size() > maxTokens {
		al.differs = append(al.differs, d)
		return
	}
	if al.isOrder(d) {
		al.moved++
		return
	}
	i, j := d.old.from, d.now.from
	for _, e := range edits(tokenKeys(al.old, d.old), tokenKeys(al.now, d.now)) {
		e.old.from, e.old.to = e.old.from+d.old.from, e.old.to+d.old.from
		e.now.from, e.now.to = e.now.from+d.now.from, e.now.to+d.now.from
		al.keep(span{i, e.old.from}, span{j, e.now.from})
		i, j = e.old.to, e.now.to
		al.differs = append(al.differs, e)
	}
	al.keep(span{i, d.old.to}, span{j, d.now.to})
}

// withoutMoved leaves out the lines that both pages have, although not in the same place.
func (al *alignment) withoutMoved(hunks []difference) (out []difference) {
	positions := map[uint32][]span{} // of the new lines, by their hashes
	for _, h := range hunks {
		for _, l := range linesIn(al.now, h.now) {
			key := al.now.hash(l)
			positions[key] = append(positions[key], l)
		}
	}
	gone, come := map[int]bool{}, map[int]bool{} // the first tokens of lines that stand elsewhere now
	for _, h := range hunks {
		for _, l := range linesIn(al.old, h.old) {
			if key := al.old.hash(l); len(positions[key]) > 0 {
				to := positions[key][0]
				positions[key] = positions[key][1:]
				gone[l.from], come[to.from] = true, true
				al.moved++
				al.keep(l, to)
			}
		}
	}
	for _, h := range hunks {
		a, b := without(al.old, h.old, gone), without(al.now, h.now, come)
		for i := range max(len(a), len(b)) {
			out = append(out, difference{piece(a, i, h.old), piece(b, i, h.now)})
		}
	}
	return out
}

// without returns the runs of lines of a span, without those that begin at the given tokens.
func without(p *page, s span, begin map[int]bool) (out []span) {
	for _, l := range linesIn(p, s) {
		switch n := len(out); {
		case begin[l.from]:
		case n > 0 && out[n-1].to == l.from:
			out[n-1].to = l.to
		default:
			out = append(out, l)
		}
	}
	return out
}

// piece returns the i-th of several spans, or an empty one at the end of all.
func piece(all []span, i int, whole span) span {
	if i < len(all) {
		return all[i]
	}
	return span{whole.to, whole.to}
}

// lines returns the spans of the lines of a page.
func lines(p *page) []span { return linesIn(p, span{0, len(p.tokens)}) }

// linesIn returns the lines of a span.
func linesIn(p *page, s span) (out []span) {
	from := s.from
	for i := s.from; i < s.to; i++ {
		if p.tokens[i].end {
			out, from = append(out, span{from, i + 1}), i+1
		}
	}
	return out
}

func tokenKeys(p *page, s span) []uint32 {
	out := make([]uint32, 0, s.size())
	for _, t := range p.tokens[s.from:s.to] {
		out = append(out, t.key)
	}
	return out
}

// spanOf returns the tokens of a range of lines.
func spanOf(lines []span, s span) (out span) {
	if s.from < s.to {
		return span{lines[s.from].from, lines[s.to-1].to}
	}
	if s.from < len(lines) {
		return span{lines[s.from].from, lines[s.from].from}
	}
	if n := len(lines); n > 0 {
		out = span{lines[n-1].to, lines[n-1].to}
	}
	return out
}

// edits compares two lists of keys and returns the ranges that differ.
func edits(a, b []uint32) (out []difference) {
	texts := func(keys []uint32) []string {
		all := make([]string, len(keys))
		for i, k := range keys {
			all[i] = strconv.FormatUint(uint64(k), 36)
		}
		return all
	}
	for old, now := range textdiff.Edits(texts(a), texts(b)) {
		out = append(out, difference{span{old[0], old[1]}, span{now[0], now[1]}})
	}
	return out
}

// sameItems reports whether two texts list the same three or more things in another order. A thing is a few words.
func sameItems(a, b string) bool {
	const longest = 60 // bytes
	split := func(s string) []string {
		items := strings.FieldsFunc(strings.Trim(s, " .\n"), func(r rune) bool { return strings.ContainsRune(",;·•、，", r) })
		for i := range items {
			items[i] = strings.TrimSpace(items[i])
		}
		return items
	}
	x, y := split(a), split(b)
	if len(x) < 3 || slices.Equal(x, y) || slices.ContainsFunc(x, func(s string) bool { return len(s) > longest }) {
		return false
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// isOrder reports whether a position is a line that lists the same things in another order.
func (al *alignment) isOrder(d difference) bool {
	a, b := al.old.textOf(d.old), al.now.textOf(d.now)
	if strings.HasPrefix(a, "|") || strings.Contains(strings.TrimSpace(a)+strings.TrimSpace(b), "\n") {
		return false
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	label := strings.LastIndexByte(a[:n], ':') + 1
	return sameItems(a[label:], b[label:])
}

// blocksOf returns the places of two or more lines in which words differ, and not only numbers. Those with few lines
// between them are one.
func (al *alignment) blocksOf(hunks []difference) (out []difference) {
	const between = 2 // lines
	var last difference
	for _, h := range hunks {
		if h.old.size() == 0 && h.now.size() == 0 {
			continue
		}
		if last.now.size()+last.old.size() > 0 &&
			last.now.to <= h.now.from && last.old.to <= h.old.from &&
			len(linesIn(al.now, span{last.now.to, h.now.from})) <= between {
			last.old.to, last.now.to = h.old.to, h.now.to
			continue
		}
		out, last = append(out, last), h
	}
	out = append(out, last)
	return slices.DeleteFunc(out, func(d difference) bool { return al.otherLines(d) < 2 })
}

// otherLines returns how many lines of a position differ from those of the other page in more than numbers.
func (al *alignment) otherLines(d difference) int {
	left := map[uint32]int{}
	was, is := linesIn(al.old, d.old), linesIn(al.now, d.now)
	for _, l := range was {
		left[al.old.form(l)]++
	}
	same := 0
	for _, l := range is {
		if form := al.now.form(l); left[form] > 0 {
			left[form]--
			same++
		}
	}
	return max(len(was), len(is)) - same
}
