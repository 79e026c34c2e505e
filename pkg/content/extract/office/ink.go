package office

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// looks is what the look of a run says about its text.
type looks struct {
	struck bool
	script script
}

// script is the position of text that is not on the line.
type script uint8

const (
	onLine script = iota
	superscript
	subscript
)

// property reads a property of a run in a text document.
func (l *looks) property(e xml.StartElement) {
	switch e.Name.Local {
	case "strike", "dstrike":
		l.struck = isOn(e)
	case "vertAlign":
		l.script = map[string]script{"superscript": superscript, "subscript": subscript}[attr(e, "val")]
	}
}

// looksOf returns the looks of a run on a slide.
func looksOf(e xml.StartElement) (l looks) {
	strike := attr(e, "strike")
	l.struck = strike == "sngStrike" || strike == "dblStrike"
	switch base := attr(e, "baseline"); {
	case strings.HasPrefix(base, "-"):
		l.script = subscript
	case strings.Trim(base, "0%") != "":
		l.script = superscript
	}
	return l
}

// ink is the text of a paragraph. Struck text has "~~" before and behind it, and an exponent or an index has a sign
// before it, as in text that is read from HTML.
type ink struct {
	text []byte
	last looks // of the text so far
}

const blanks = " \t\n\u00a0"

// write adds a piece of text.
func (k *ink) write(s []byte, l looks) {
	if len(bytes.Trim(s, blanks)) == 0 {
		k.text = append(k.text, s...) // blanks have no look
		return
	}
	if k.last.struck && !l.struck {
		k.end()
	}
	if l.struck && !k.last.struck {
		indent := len(s) - len(bytes.TrimLeft(s, blanks))
		k.text = append(append(k.text, s[:indent]...), dom.StrikeSign...)
		s = s[indent:]
	}
	if l.script != onLine && l.script != k.last.script {
		const longest = 24 // bytes of the word before a script
		word := string(k.text[max(0, len(k.text)-longest):])
		s = []byte(blocks.Script(word, string(s), l.script == subscript))
	}
	k.text, k.last = append(k.text, s...), l
}

// end ends struck text, before the blanks behind it.
func (k *ink) end() {
	if k.last.struck {
		at := len(bytes.TrimRight(k.text, blanks))
		k.text = slices.Insert(k.text, at, []byte(dom.StrikeSign)...)
	}
	k.last = looks{}
}
