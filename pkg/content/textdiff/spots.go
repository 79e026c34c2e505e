package textdiff

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
	"github.com/tidemark/tidemark/pkg/content/fact"
)

// spot is where two lines differ. A line that has only lost or gained words there has hits on one side alone.
type spot struct{ old, now part }

// part is one side of a spot.
type part struct {
	line   string
	number int    // of the line, from 1; 0 if that text has no such line
	at     int    // where the first difference is
	hits   []span // what differs
	until  int    // up to where further differences belong to the spot
}

func (p part) from() int {
	if len(p.hits) > 0 {
		return p.hits[0].from
	}
	return p.at
}

func (p part) to() int {
	if n := len(p.hits); n > 0 {
		return p.hits[n-1].to
	}
	return p.at
}

// isWhole reports whether all of the line differs.
func (p part) isWhole() bool {
	return len(p.hits) == 1 && strings.TrimSpace(p.line[:p.from()]+p.line[p.to():]) == ""
}

// text returns what differs.
func (p part) text() string {
	var out []string
	for _, h := range p.hits {
		out = append(out, p.line[h.from:h.to])
	}
	return strings.Join(out, " ")
}

// spotsOf returns the spots in which a row differs. Differences of a long line that one passage can show are one spot.
func spotsOf(r Row, size int, blank bool) (out []spot) {
	var p spot
	p.old.line, _ = Line(r.Old)
	p.now.line, _ = Line(r.New)
	p.old.number, p.now.number = r.OldN, r.NewN
	was, is := 0, 0
	for i := range max(len(r.Old), len(r.New)) {
		a, b := pieceAt(r.Old, i), pieceAt(r.New, i)
		if a.differs(blank) || b.differs(blank) {
			if len(out) == 0 || was >= p.old.until || is >= p.now.until {
				p.old.begin(was, size)
				p.now.begin(is, size)
				out = append(out, p)
			}
			last := &out[len(out)-1]
			last.old.add(a, was, blank)
			last.now.add(b, is, blank)
		}
		was, is = was+len(a.Text), is+len(b.Text)
	}
	return out
}

func pieceAt(pieces []Piece, i int) Piece {
	if i >= len(pieces) {
		return Piece{}
	}
	return pieces[i]
}

func (p *part) begin(at, size int) {
	p.at, p.hits, p.until = at, nil, max(at-size/4, 0)+size*3/4
	if len(p.line) <= size {
		p.until = len(p.line) + 1
	}
}

func (p *part) add(piece Piece, at int, blank bool) {
	if piece.differs(blank) {
		p.hits = append(p.hits, span{at, at + len(piece.Text)})
	}
}

// sentence reports whether a line has lost or gained whole sentences.
func (p spot) sentence() bool {
	for _, s := range [][2]part{{p.old, p.now}, {p.now, p.old}} {
		if len(s[0].hits) > 0 || len(s[1].hits) != 1 {
			continue
		}
		h, line := s[1].hits[0], s[1].line
		before := strings.TrimSpace(line[:h.from])
		return (before == "" || endsSentence(before)) && endsSentence(line[h.from:h.to])
	}
	return false
}

// The least weights of differences, by what they say. Words add their number of letters.
const (
	weighsMoving   = 1   // what moves at most checks
	weighsSigns    = 50  // what says the same
	weighsStamp    = 60  // when the page was made
	weighsText     = 100 // other words
	weighsSentence = 200 // a sentence that came or went
	weighsGone     = 290 // a fact in a line that went
	weighsLine     = 300 // a fact in a line that came
	weighsFact     = 400 // a fact that became another, in a line that stayed

	rarely  = 50 // more for facts other than numbers, times and dates, which are what counts and ticks
	letters = 99 // most that words add
)

// weigh returns how much a difference has to say, and whether each side has a fact in what differs.
func (p spot) weigh() (weight int, facts [2]bool) {
	rare, size := false, 0
	for i, s := range []part{p.old, p.now} {
		var seldom bool
		facts[i], seldom = s.facts()
		rare, size = rare || seldom, max(size, utf8.RuneCountInString(strings.TrimSpace(s.text())))
	}
	switch {
	case p.saysTheSame():
		return weighsSigns, [2]bool{}
	case p.isStamp():
		return weighsStamp, facts
	case !facts[0] && !facts[1] && (isSentence(p.old) || isSentence(p.now)):
		weight = weighsSentence
	case !facts[0] && !facts[1]:
		return weighsText + min(size, letters), facts
	case p.stays():
		weight = weighsFact
	case p.now.line == "":
		weight = weighsGone
	default:
		weight = weighsLine
	}
	if rare {
		weight += rarely
	}
	return weight, facts
}

// moves reports whether all that differs in a row moves at most checks.
func (f *finder) moves(r Row) bool {
	if f.o.Moves == nil {
		return false
	}
	old, _ := Line(r.Old)
	now, _ := Line(r.New)
	return (r.OldN == 0 || f.o.Moves(old)) && (r.NewN == 0 || f.o.Moves(now))
}

// target matches where a link of Markdown leads.
var target = regexp.MustCompile(`\]\([^()\s]*\)`)

// WithoutTargets returns a text of Markdown without the addresses to which its links lead.
func WithoutTargets(text string) string { return target.ReplaceAllString(text, "]") }

// saysTheSame reports whether nothing differs but signs, or where links lead. A line that came or went may be of signs
// alone.
func (p spot) saysTheSame() bool { return wordsIn(p.old.line) == wordsIn(p.now.line) }

// wordsIn returns the letters and digits of a line, and the signs that go with numbers.
func wordsIn(line string) string {
	line = WithoutTargets(line)
	says := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if !strings.ContainsFunc(line, says) {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if says(r) || unicode.Is(unicode.Sc, r) || strings.ContainsRune("%+-−–.,:", r) {
			return r
		}
		return -1
	}, line)
}

// stays reports whether a line has become the other, so that a good part of both is the same.
func (p spot) stays() bool {
	const least = 4 // one in so many bytes of the shorter line
	if p.old.number == 0 || p.now.number == 0 {
		return false
	}
	was, is := len(p.old.line)-len(p.old.text()), len(p.now.line)-len(p.now.text())
	return !p.sentence() && least*min(was, is) >= min(len(p.old.line), len(p.now.line))
}

// facts reports whether a part has a fact in what differs, and one that does not merely count or tick.
func (p part) facts() (has, rare bool) {
	const around = 1 << 10 // bytes of a line beside what differs, which say what is a fact
	begin, end := 0, len(p.line)
	if end > 4*around {
		begin, end = max(0, p.from()-around), min(end, p.to()+around)
	}
	if len(p.hits) == 0 {
		return false, false
	}
	for _, one := range fact.Find(strings.ToValidUTF8(p.line[begin:end], "?")) {
		for _, h := range p.hits {
			if one.From < h.to-begin && h.from-begin < one.To {
				has = true
				rare = rare || one.Kind != fact.Number && one.Kind != fact.Time && one.Kind != fact.Date
			}
		}
	}
	return has, rare
}

// stamp matches a point in time as programs write it: 2026-03-01T08:30:07Z, or the seconds since 1970. Its group has
// the seconds of the minute.
var stamp = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:(\d\d)(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|` +
	`\b1[4-9]\d{8}(?:\d{3})?\b`)

// isStamp reports whether all that differs says when the page was made: a day or a time of a line that says so, or a
// stamp. What people have set begins with a full minute, and is no stamp.
func (p spot) isStamp() bool {
	full := true
	for _, s := range []part{p.old, p.now} {
		var made []fact.Fact
		if noise.SaysUpdated(s.line) {
			made = fact.Find(s.line)
		}
		all := stamp.FindAllStringSubmatchIndex(s.line, -1)
		for _, h := range s.hits {
			i := slices.IndexFunc(all, func(at []int) bool { return at[0] <= h.from && h.to <= at[1] })
			switch {
			case i >= 0:
				full = full && all[i][2] >= 0 && s.line[all[i][2]:all[i][3]] == "00"
			case slices.ContainsFunc(made, func(f fact.Fact) bool {
				return (f.Kind == fact.Time || f.Kind == fact.Date) && f.From <= h.from && h.to <= f.To
			}):
				full = false
			default:
				return false
			}
		}
	}
	return len(p.old.hits) > 0 && len(p.now.hits) > 0 && !full
}

// isSentence reports whether a line that came or went, or what a line has lost or gained, is as long as a sentence.
func isSentence(p part) bool {
	text := p.text()
	return (p.isWhole() || endsSentence(text)) && words.IsSentence(text)
}
