package letter

import (
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/fact"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// whole returns a passage of which everything differs.
func whole(p api.ChangedPassage) side {
	text := words.Clean(textdiff.WithoutTargets(p.Text))
	return side{text: text, hit: text}
}

// pairOf returns two passages with what differs in them. If they differ in several places, that is the one
// that matters most.
func pairOf(was, is api.ChangedPassage) pair {
	p := pair{old: whole(was), new: whole(is)}
	if was.Pieces == nil || is.Pieces == nil {
		return p
	}
	if x, y := textdiff.WithoutTargets(was.Text), textdiff.WithoutTargets(is.Text); x != y &&
		(x != was.Text || y != is.Text) {
		before, after := textdiff.Words(x, y)
		was.Pieces, is.Pieces = piecesOf(before), piecesOf(after)
	}
	all := hitsOf(was.Pieces, is.Pieces)
	if len(all) == 0 {
		return p
	}
	old, now := api.TextOf(was.Pieces), api.TextOf(is.Pieces)
	before, after := fact.Find(old), fact.Find(now)
	best, most := 0, 0
	for i, h := range all {
		if n := max(matters(before, h[0]), matters(after, h[1])); n > most {
			best, most = i, n
		}
		if h[0].number || h[1].number {
			p.more++
		}
	}
	if all[best][0].number || all[best][1].number {
		p.more--
	}
	p.old.around(old, all[best][0])
	p.new.around(now, all[best][1])
	p.scattered = len(all) > 1 && most == 0 || p.old.hit == p.new.hit
	return p
}

func piecesOf(all []textdiff.Piece) (out []api.DiffPiece) {
	for _, p := range all {
		out = append(out, api.DiffPiece{Text: p.Text, Changed: p.Hit})
	}
	return out
}

// matters returns 2 for a hit on a fact that does not merely count or tick, 1 for one on another fact, and else 0.
func matters(facts []fact.Fact, h hit) (n int) {
	for _, f := range facts {
		if f.From < h.to && h.from < f.To {
			n = max(n, 1)
			if f.Kind != fact.Number && f.Kind != fact.Time && f.Kind != fact.Date {
				n = 2
			}
		}
	}
	return n
}

// around sets what differs, and what stands around it.
func (s *side) around(text string, h hit) {
	const signs = " .,;:!?()…"
	for h.from < h.to && strings.IndexByte(" .,;:!?()", text[h.from]) >= 0 {
		h.from++
	}
	h.to = h.from + len(strings.TrimRight(text[h.from:max(h.from, h.to)], signs))
	if h.from < h.to && strings.IndexByte("0123456789", text[h.from]) >= 0 {
		h.from -= len(groupsBefore.FindString(text[:h.from]))
	}
	if h.from < h.to && strings.IndexByte("0123456789", text[h.to-1]) >= 0 {
		h.to += len(groupsAfter.FindString(text[h.to:]))
	}
	s.before, s.hit, s.after = words.CleanPiece(text[:h.from]), words.Clean(text[h.from:h.to]),
		words.CleanPiece(text[h.to:])
}

// The groups of digits of a number that is written with blanks, such as "1 299" or "+49 40 123456".
var (
	groupsBefore = regexp.MustCompile(`(?:\+?\b\d{1,4}[ \x{a0}\x{202f}])+$`)
	groupsAfter  = regexp.MustCompile(`^(?:[ \x{a0}\x{202f}]\d{3}\b)+`)
)

// hit is a part of a passage that differs from another passage.
type hit struct {
	from, to int
	at       int // number of letters before it that are the same
	number   bool
}

// hitsOf pairs what differs in two passages by the letters before it that are the same in both. It joins numbers
// with a word or less between them, as in "9 to 17".
func hitsOf(was, is []api.DiffPiece) (out [][2]hit) {
	a, b := hitsIn(was), hitsIn(is)
	for len(a)+len(b) > 0 {
		var h [2]hit
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].at < b[0].at:
			h, a = [2]hit{a[0], spotAt(is, a[0].at)}, a[1:]
		case len(a) == 0 || b[0].at < a[0].at:
			h, b = [2]hit{spotAt(was, b[0].at), b[0]}, b[1:]
		default:
			h, a, b = [2]hit{a[0], b[0]}, a[1:], b[1:]
		}
		const near = 6 // bytes
		if n := len(out) - 1; n >= 0 && h[0].number && h[1].number &&
			max(h[0].from-out[n][0].to, h[1].from-out[n][1].to) <= near {
			out[n][0].to, out[n][1].to = h[0].to, h[1].to
			continue
		}
		out = append(out, h)
	}
	return out
}

func hitsIn(pieces []api.DiffPiece) (out []hit) {
	from, same := 0, 0
	for _, p := range pieces {
		if p.Changed {
			out = append(out, hit{from, from + len(p.Text), same, strings.ContainsFunc(p.Text, isDigit)})
		} else {
			same += letters(p.Text)
		}
		from += len(p.Text)
	}
	return out
}

// letters returns the number of characters of a text that are no blanks.
func letters(text string) (n int) {
	for _, r := range text {
		if !isBlank(r) {
			n++
		}
	}
	return n
}

// spotAt returns the empty place behind so many letters that are the same.
func spotAt(pieces []api.DiffPiece, same int) hit {
	from, at := 0, 0
	for _, p := range pieces {
		for i, r := range p.Text {
			if at == same && !isBlank(r) {
				return hit{from: from + i, to: from + i, at: same}
			}
			if !p.Changed && !isBlank(r) {
				at++
			}
		}
		from += len(p.Text)
	}
	return hit{from: from, to: from, at: same}
}
