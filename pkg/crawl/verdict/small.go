package verdict

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
	"github.com/tidemark/tidemark/pkg/content/fact"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
)

// What stands beside the main content is mostly a menu, a list of other pages or a promotion. A change there is told
// for its facts, and for sentences; anything else is small: it is kept and listed, and no rule tells of it by default.

// A text beside the main content is a sentence from this many words on, or letters of a script without spaces.
const (
	sentenceWords   = 8
	sentenceLetters = 20
)

// NoteBeside notes whether a change is small because it stands beside the main content, and nothing in it is a fact or
// a sentence that is no link. The argument was is the item before the check, and links are those of its stored page. A
// difference that is not known, or not all of it, is not small.
func (d Differences) NoteBeside(was *registry.Item, n News, links []extract.Link, r Reading) Differences {
	same := n.Kind == change.Reverted && r.Main != (change.State{}) && change.StateOf(was.MainState) == r.Main
	differing := d.news.Differing()
	if n.Part || n.Kind != change.Beside && !same || d.news.Cut || len(differing) == 0 {
		return d
	}
	known := map[string]bool{}
	for _, l := range slices.Concat(links, r.Doc.Links) {
		known[lineOf(l.Text)] = true
	}
	for i, p := range differing {
		if isSentence(p.Text) && !known[lineOf(p.Text)] || hasFact(differing, i) {
			return d
		}
	}
	d.news.Small = &feed.Small{Why: feed.SmallBeside, What: "text without a fact"}
	return d
}

// lineOf returns a line without the bullet of a list, and with one space between words.
func lineOf(line string) string {
	text := strings.Join(strings.Fields(line), " ")
	for _, bullet := range []string{"- ", "* ", "• "} {
		text = strings.TrimPrefix(text, bullet)
	}
	return text
}

// isSentence reports whether a line is as long as a sentence.
func isSentence(line string) bool {
	n, letters := 0, 0
	for word := range strings.FieldsSeq(line) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			n++
		}
		for _, r := range word {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
				unicode.Myanmar) {
				letters++
			}
		}
	}
	return n >= sentenceWords || letters >= sentenceLetters
}

// hasFact reports whether a passage has a fact in what differs. Of a line that replaces another one, that is the words
// in which the two differ; of any other, the line without what changes by itself.
func hasFact(all []feed.Passage, i int) bool {
	p, other := all[i], i-1
	if p.Op == feed.Removed {
		other = i + 1
	}
	if other < 0 || other >= len(all) || all[other].Op == p.Op {
		return fact.Has(noise.Line(p.Text))
	}
	pieces, _ := textdiff.Words(p.Text, all[other].Text)
	if pieces == nil {
		return fact.Has(noise.Line(p.Text))
	}
	facts, at := fact.Find(p.Text), 0
	for _, piece := range pieces {
		if piece.Hit && fact.Touches(facts, at, at+len(piece.Text)) {
			return true
		}
		at += len(piece.Text)
	}
	return false
}
