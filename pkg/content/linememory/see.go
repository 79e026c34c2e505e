package linememory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/fact"
)

// Why says why a difference is not told.
type Why string

// The reasons.
const (
	Moves  Why = "moves"  // it moves at most checks
	Recurs Why = "recurs" // the text has stood there before, and goes and comes
	Order  Why = "order"  // the same lines stand in another order
	Clock  Why = "clock"  // it is the time at which the page was read
	Beside Why = "beside" // it stands beside the main content, and is neither a fact nor a sentence
)

// Verdict is what a memory says of the differences between two readings.
type Verdict struct {
	// Small is set if nothing that differs is news, and What says what does, such as "a number".
	Small Why
	What  string
	// Again says that a second check soon would show whether something moves at each check, or seldom.
	Again bool
	// Covered says that nothing differs but what no hash of a page covers, such as a counter.
	Covered bool

	lines map[string]bool
}

// Moving reports whether all that differs in a line is something that moves.
func (v Verdict) Moving(line string) bool { return v.lines[strings.TrimSpace(line)] }

// See holds the differences between two readings against the memory, and returns the memory with them. The earlier
// reading is the last one that was seen. A check that is repeated after a crash gets the same verdict; if the page has
// changed again meanwhile, See forgets first what it has learnt of the same check.
func (m Memory) See(before, now Reading, check Check) (Memory, Verdict) {
	texts := xxhash.Sum64String(before.Text + "\x00" + now.Text)
	if l := m.Last; l.Check == check.Number && l.Texts == texts {
		return m, Verdict{Small: l.Small, What: l.What, Again: l.Again}
	}
	s := comparison{memory: m.before(check), check: check, align: align(pageOf(before.Text), pageOf(now.Text)),
		before: before, after: now}
	v := s.see()
	s.memory = s.memory.bounded(check)
	s.memory.Last = last{check.Number, texts, v.Small, v.What, v.Again}
	return s.memory, v
}

func (s *comparison) see() Verdict {
	s.changed()
	if s.isOther() {
		return s.other()
	}
	s.locate()
	s.decide()
	s.findColumns()
	v := s.verdict()
	s.learn()
	return v
}

// comparison is one check at a page.
type comparison struct {
	memory Memory
	check  Check
	align  *alignment

	before, after Reading

	old, now  []bool     // which tokens differ
	positions []position // of the slots
	columns   map[uint32]*column
}

// position is where a slot stands.
type position struct {
	old, now span
	known    bool // its end and its beginning are known in both readings
	block    bool
	moved    bool   // it has another text
	why      Why    // why its move is not told; "" if it is
	what     string // what it is
}

func (s *comparison) changed() {
	s.old, s.now = make([]bool, len(s.align.old.tokens)), make([]bool, len(s.align.now.tokens))
	for _, d := range s.align.differs {
		for i := d.old.from; i < d.old.to; i++ {
			s.old[i] = true
		}
		for i := d.now.from; i < d.now.to; i++ {
			s.now[i] = true
		}
	}
}

func count(all []bool, of span) (n int) {
	for _, is := range all[of.from:of.to] {
		if is {
			n++
		}
	}
	return n
}

// isOther reports whether most of the page is another text. Then it may be another page in its place, such as an error
// message, which teaches nothing about its lines.
func (s *comparison) isOther() bool {
	const least = 80 // tokens
	n := max(len(s.now), len(s.old))
	differ := max(count(s.now, span{0, len(s.now)}), count(s.old, span{0, len(s.old)}))
	return n >= least && differ*5 > n*3
}

// wholePage is the id of the slot that stands for the whole page.
const wholePage = "page"

// other decides about a check at which most of the page is another text: only the texts of the whole page are compared.
func (s *comparison) other() (v Verdict) {
	i := slices.IndexFunc(s.memory.Slots, func(slot Slot) bool { return slot.ID == wholePage })
	if i < 0 {
		i = len(s.memory.Slots)
		s.memory.Slots = append(s.memory.Slots, Slot{ID: wholePage, Line: "the whole page"})
	}
	slot := &s.memory.Slots[i]
	was := s.align.old.hash(span{0, len(s.old)})
	is := s.align.now.hash(span{0, len(s.now)})
	recurs := slot.Decision == "" && slot.knows(is) && slot.recent(s.check) >= often
	if recurs || slot.Decision == Never {
		v.Small, v.What = Recurs, "another page"
	}
	slot.move(s.check, was, is)
	return v
}

// locate finds the slots in both readings.
func (s *comparison) locate() {
	s.positions = make([]position, len(s.memory.Slots))
	at := s.align.old.find(s.memory.Slots)
	for i := range s.positions {
		if from := at[i]; from.from >= 0 {
			s.positions[i] = s.follow(from, s.memory.Slots[i])
		}
	}
}

// find returns where slots stand in the page in which they were last seen; {-1, -1} for those that are not found.
func (p *page) find(slots []Slot) []span {
	left, right := map[uint32][]int{}, map[uint32][]int{}
	for _, slot := range slots {
		left[slot.Left], right[slot.Right] = nil, nil
	}
	const most = 64 // positions with the same context
	for i := range p.left {
		if known, is := left[p.left[i]]; is && len(known) < most {
			left[p.left[i]] = append(known, i)
		}
		if known, is := right[p.right[i]]; is && len(known) < most {
			right[p.right[i]] = append(known, i)
		}
	}
	out := make([]span, len(slots))
	for i, slot := range slots {
		out[i] = nearest(slot, left[slot.Left], right[slot.Right])
	}
	return out
}

// nearest returns where a slot is among the places with its contexts: the one of the same size that is nearest to where
// it stood.
func nearest(slot Slot, left, right []int) span {
	best, least := span{-1, -1}, 0
	for _, a := range left {
		for _, b := range right {
			if b < a {
				continue
			}
			if far := abs(a-slot.At) + 8*abs(b-a-slot.Size); best.from < 0 || far < least {
				best, least = span{a, b}, far
			}
		}
	}
	if best.from >= 0 && abs(best.size()-slot.Size) > slot.Size+8 {
		return span{-1, -1}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// follow returns where a slot of the old page stands in the new one: between the tokens that stood around it.
func (s *comparison) follow(old span, slot Slot) position {
	p := position{old: old, now: span{-1, -1}}
	if old.from == 0 {
		p.now.from = 0
	} else if to := s.align.position[old.from-1]; to >= 0 {
		p.now.from = to + 1
	}
	if old.to == len(s.old) {
		p.now.to = len(s.now)
	} else if to := s.align.position[old.to]; to >= 0 {
		p.now.to = to
	}
	switch a, b := p.now.from, p.now.to; {
	case a >= 0 && b >= a:
		p.known = true
		if slot.Number {
			p.now = s.align.now.numberIn(p.now, slot.Size)
		}
	case a >= 0 && b < 0: // what follows has changed, too: the slot has at least its least size
		p.now.to = min(a+s.least(slot), len(s.now))
	case a < 0 && b >= 0:
		p.now.from = max(0, b-s.least(slot))
	default:
		p.now = span{}
		p.old = span{}
	}
	return p
}

// numberIn returns the part of a span where a slot of numbers stands, if words have come before or after it.
func (p *page) numberIn(in span, size int) span {
	if in.size() <= size || p.onlyNumbers(in) {
		return in
	}
	for _, part := range []span{{in.to - size, in.to}, {in.from, in.from + size}} {
		if p.onlyNumbers(part) {
			return part
		}
	}
	return in
}

func (s *comparison) least(slot Slot) int {
	if slot.Number {
		return slot.Size
	}
	return min(slot.Least, slot.Size)
}

// decide says of each slot whether it has moved, and why that is not told.
func (s *comparison) decide() {
	for i := range s.positions {
		p, slot := &s.positions[i], s.memory.Slots[i]
		p.block = slot.Block
		differ := count(s.now, p.now) + count(s.old, p.old)
		size := p.now.size() + p.old.size()
		p.moved = differ > 0 && (size <= 16 || differ*3 >= size)
		if slot.Block {
			p.moved = s.otherLines(*p)
		}
		if slot.Number && !(s.align.now.mayCount(p.now) && s.align.old.mayCount(p.old)) {
			*p = position{} // it has words now, which are news
			continue
		}
		if differ > 0 {
			p.why = s.why(slot, *p)
		}
		if p.what = s.what(slot, *p); p.moved && slot.Decision != Always && s.isClock(difference{p.old, p.now}) {
			p.why, p.what = Clock, clockText
		}
	}
}

// otherLines reports whether at least a third of the lines of a block differ.
func (s *comparison) otherLines(p position) bool {
	d := difference{p.old, p.now}
	all := max(len(linesIn(s.align.old, p.old)), len(linesIn(s.align.now, p.now)))
	return all > 0 && s.align.otherLines(d)*3 >= all
}

// mayCount reports whether a span has nothing but numbers.
func (p *page) mayCount(s span) bool { return s.size() == 0 || p.onlyNumbers(s) }

// why returns why the move of a slot is not told; "" if it is told.
func (s *comparison) why(slot Slot, p position) Why {
	recent, is := slot.recent(s.check), s.align.now.hash(p.now)
	known := slot.believed(s.check) || slot.movesOften(s.check)
	switch isFact := s.isFact(slot, p); {
	case slot.Decision == Never:
		return Moves
	case slot.Decision == Always, recent < often, !slot.isSpread(s.check), s.hasGrown(slot, p.now):
		return ""
	case slot.Block:
		return when(known && recent >= nearlyAlways && p.moved, Moves)
	case s.isStated(p):
		return when(known && slot.isSteady(s.check) && slot.isMost(s.check), Moves)
	case slot.Number && isFact:
		return when(known && slot.isMost(s.check), Moves)
	case isFact:
		return when(known && recent >= nearlyAlways, Moves)
	case !known && s.align.now.words(p.now) <= fewWords && s.align.old.words(p.old) <= fewWords:
		return "" // such as a status, which may change each day
	case slot.knows(is) && p.known:
		return Recurs
	default:
		return when(known || recent >= nearlyAlways, Moves)
	}
}

// fewWords is the number of words up to which a text may be a status or a name, of which readers want each change.
const fewWords = 8

// words returns the number of words of a span.
func (p *page) words(s span) (n int) {
	for _, t := range p.tokens[s.from:s.to] {
		if !t.sign {
			n++
		}
	}
	return n
}

// hasGrown reports whether a slot has more text than ever before: then something new may stand beside what moves.
func (s *comparison) hasGrown(slot Slot, now span) bool {
	const more = 4 // tokens
	return now.size() > slot.Most+more || s.align.now.ends(now) > slot.Lines
}

// ends returns the number of line ends in a span.
func (p *page) ends(s span) (n int) {
	for _, t := range p.tokens[s.from:s.to] {
		if t.end {
			n++
		}
	}
	return n
}

func when(is bool, why Why) Why {
	if is {
		return why
	}
	return ""
}

// isFact reports whether what stands in a slot is a fact, in one of the readings.
func (s *comparison) isFact(slot Slot, p position) bool {
	return s.align.now.hasFact(p.now, slot.Number) || s.align.old.hasFact(p.old, slot.Number)
}

// hasFact reports whether a span holds a fact, or with the argument around, whether it is a part of one in its line.
func (p *page) hasFact(s span, around bool) bool {
	if s.size() == 0 {
		return false
	}
	if !around {
		return fact.Has(p.textOf(s))
	}
	line, at := p.lineOf(s.from)
	begin := p.tokens[at.from].from
	return fact.Touches(fact.Find(line), p.tokens[s.from].from-begin, p.tokens[s.to-1].to-begin)
}

// what describes a slot for people.
func (s *comparison) what(slot Slot, p position) string {
	text := s.align.now.textOf(p.now)
	switch {
	case slot.Number && strings.Contains(text, ":"):
		return "a time"
	case slot.Number:
		return "a number"
	}
	return "a text"
}

// verdict says what of the differences is left when those are taken away that slots explain.
func (s *comparison) verdict() (v Verdict) {
	old, now := slices.Clone(s.old), slices.Clone(s.now)
	whys := map[Why]string{}
	hasClock := s.coverClocks(old, now)
	if hasClock {
		whys[Clock] = clockText
	}
	for i, p := range s.positions {
		switch slot := s.memory.Slots[i]; {
		case hasClock && p.moved && count(old, p.old)+count(now, p.now) == 0: // it is part of a clock
			continue
		case p.why == "":
			v.Again = v.Again || p.moved && slot.Decision == "" && slot.recent(s.check) >= often &&
				!slot.believed(s.check)
			continue
		}
		whys[p.why] = p.what
		s.cover(old, now, p, s.memory.Slots[i])
	}
	inColumns, again := s.coverColumns(old, now)
	if v.Again = v.Again || again; inColumns {
		whys[Moves] = "a number"
	}
	if s.align.moved > 0 {
		whys[Order] = "the order"
	}
	v.lines, v.Covered = s.movingLines(old, now), s.align.cost() == 0
	beside := s.align.old.withoutBeside(s.before, old)
	if s.align.now.withoutBeside(s.after, now) || beside {
		whys[Beside] = "text without a fact"
	}
	if s.left(old, now) || len(whys) == 0 {
		return v
	}
	for _, why := range []Why{Moves, Clock, Recurs, Beside, Order} {
		if what := whys[why]; what != "" {
			v.Small, v.What = why, what
			break
		}
	}
	if len(whys) > 1 {
		v.What = "several parts"
	}
	return v
}

// cover takes away what a slot explains. A line of a block that had stayed so far is not explained by the block.
func (s *comparison) cover(old, now []bool, p position, slot Slot) {
	var kept []span
	if len(slot.Stays) > 0 {
		for _, l := range linesIn(s.align.old, p.old) {
			since, is := slot.Stays[s.align.old.hash(l)]
			if is && s.check.Number-since >= stays && count(old, l) > 0 {
				kept = append(kept, l)
			}
		}
	}
	clear(old[p.old.from:p.old.to])
	clear(now[p.now.from:p.now.to])
	for _, l := range kept {
		copy(old[l.from:l.to], s.old[l.from:l.to])
	}
}

// left reports whether something differs that no slot explains.
func (s *comparison) left(old, now []bool) bool {
	for _, d := range s.align.differs {
		if s.align.old.shows(d.old, old) || s.align.now.shows(d.now, now) {
			return true
		}
	}
	return false
}

// shows reports whether one of the marked tokens of a span is more than the end of a line.
func (p *page) shows(s span, marked []bool) bool {
	return p.has(s, marked, func(t token) bool { return !t.end })
}

// says reports whether one of the marked tokens of a span is a word or a number.
func (p *page) says(s span, marked []bool) bool {
	return p.has(s, marked, func(t token) bool { return !t.sign })
}

// has reports whether one of the marked tokens of a span is as wanted.
func (p *page) has(s span, marked []bool, wanted func(token) bool) bool {
	for i := s.from; i < s.to; i++ {
		if marked[i] && wanted(p.tokens[i]) {
			return true
		}
	}
	return false
}

// movingLines returns the lines in which only slots differ that are explained.
func (s *comparison) movingLines(old, now []bool) map[string]bool {
	out := map[string]bool{}
	add := func(p *page, differs, left []bool) {
		for _, l := range lines(p) {
			if count(differs, l) > 0 && !p.says(l, left) {
				out[strings.TrimSpace(p.textOf(l))] = true
			}
		}
	}
	add(s.align.old, s.old, old)
	add(s.align.now, s.now, now)
	return out
}

// learn records the moves of the slots, and makes slots of the differences that are in none.
func (s *comparison) learn() {
	old, now := slices.Clone(s.old), slices.Clone(s.now)
	for i := range s.memory.Slots {
		slot, p := &s.memory.Slots[i], s.positions[i]
		if p.moved {
			slot.move(s.check, s.align.old.hash(p.old), s.align.now.hash(p.now))
			slot.silence(p.why, s.check)
			slot.Was = s.lineBefore(p.old)
			s.noteStays(slot, p.now)
			if !slot.Block {
				clear(old[p.old.from:p.old.to])
				clear(now[p.now.from:p.now.to])
			}
		}
		if p.known {
			s.stand(slot, p.now)
		}
	}
	s.learnColumns(old, now)
	for _, d := range s.merged(old, now) {
		s.begin(d, false)
	}
	for _, d := range s.align.blocks {
		inside := func(p position) bool {
			return p.block && p.moved && p.now.from <= d.now.from && d.now.to <= p.now.to
		}
		if !slices.ContainsFunc(s.positions, inside) {
			s.begin(d, true)
		}
	}
}

// noteStays notes since when the lines of a block stand.
func (s *comparison) noteStays(slot *Slot, at span) {
	if !slot.Block {
		return
	}
	was := slot.Stays
	slot.Stays = map[uint32]int{}
	for _, l := range linesIn(s.align.now, at) {
		key := s.align.now.hash(l)
		if since, is := was[key]; is && count(s.now, l) == 0 {
			slot.Stays[key] = since
		} else if len(slot.Stays) < maxStays {
			slot.Stays[key] = s.check.Number
		}
	}
}

// silence records whether the last move is told.
func (s *Slot) silence(why Why, check Check) {
	switch {
	case why == "":
		s.Silent = time.Time{}
	case s.Silent.IsZero():
		s.Silent = check.At
	}
}

// lineBefore returns the line of a position in the old reading, for people.
func (s *comparison) lineBefore(old span) string {
	line, _ := s.align.old.lineOf(old.from)
	return words.Ellipsis(line, maxLine)
}

// stand records where a slot stands in the new reading.
func (s *comparison) stand(slot *Slot, at span) {
	p := s.align.now
	slot.Left, slot.Right, slot.At, slot.Size = p.left[at.from], p.right[at.to], at.from, at.size()
	slot.Least, slot.Most = min(slot.Least, slot.Size), max(slot.Most, slot.Size)
	slot.Lines = max(slot.Lines, p.ends(at))
	line, _ := p.lineOf(at.from)
	slot.Line = words.Ellipsis(line, maxLine)
}

// begin makes a slot of a difference.
func (s *comparison) begin(d difference, block bool) {
	slot := Slot{Least: min(d.old.size(), d.now.size()), Most: d.old.size(), Lines: s.align.old.ends(d.old), Block: block,
		Number: !block && s.align.old.onlyNumbers(d.old) && s.align.now.onlyNumbers(d.now)}
	s.stand(&slot, d.now)
	s.noteStays(&slot, d.now)
	slot.Was = s.lineBefore(d.old)
	slot.Line = cmp.Or(slot.Line, slot.Was)
	slot.move(s.check, s.align.old.hash(d.old), s.align.now.hash(d.now))
	slot.silence(when(!block && s.isClock(d), Clock), s.check)
	if slot.ID = s.idOf(slot, d); slot.ID != "" {
		s.memory.Slots = append(s.memory.Slots, slot)
	}
}

// merged returns the differences that are marked. Those with few tokens between them are one.
func (s *comparison) merged(old, now []bool) (out []difference) {
	const close = 2 // tokens
	for _, d := range s.align.differs {
		if !s.align.old.says(d.old, old) && !s.align.now.says(d.now, now) {
			continue
		}
		if n := len(out); n > 0 && near(s.align.old, out[n-1].old.to, d.old.from, close) &&
			near(s.align.now, out[n-1].now.to, d.now.from, close) {
			out[n-1].old.to, out[n-1].now.to = d.old.to, d.now.to
			continue
		}
		out = append(out, d)
	}
	return out
}

// near reports whether two positions of a line have few words between them, or nothing but numbers and signs.
func near(p *page, from, to, most int) bool {
	if to < from || slices.ContainsFunc(p.tokens[from:to], func(t token) bool { return t.end }) {
		return false
	}
	return to-from <= most || p.onlyNumbers(span{from, to})
}
