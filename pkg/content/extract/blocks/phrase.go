package blocks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// phrase adds an element that changes the meaning of the text in it: struck text, a superscript or subscript, or text
// with a reading above it. The children function adds the children of an element to f. For other elements, done is
// false.
func (b *builder) phrase(f *dom.Folder, n *html.Node, children func(*html.Node)) (done bool) {
	switch {
	case n.DataAtom == atom.Sup || n.DataAtom == atom.Sub:
		b.script(f, n, children)
	case n.DataAtom == atom.Ruby:
		b.ruby(f, n, children)
	case b.inRuby && (n.DataAtom == atom.Rt || n.DataAtom == atom.Rtc):
	case isStruck(n):
		b.struck++
		f.Strike(true)
		children(n)
		b.struck--
		f.Strike(b.struck > 0)
	default:
		return false
	}
	return true
}

// isStruck reports whether the text of an element is struck out: by its type, its role, its style, or by the class
// that a common framework gives to such text.
func isStruck(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Del, atom.S, atom.Strike:
		return true
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "class":
			if strings.Contains(a.Val, "strike") || strings.Contains(a.Val, "through") {
				return dom.HasName(struckNames, a.Val)
			}
		case "style":
			if strings.Contains(a.Val, "line-through") {
				return true
			}
		case "role":
			if strings.EqualFold(a.Val, "deletion") {
				return true
			}
		}
	}
	return false
}

var struckNames = dom.WordSet(`
	line-through strikethrough strike strike-through text-decoration-line-through text-strike
`)

// script adds a superscript or a subscript. It writes a sign before a script that would change the meaning of the
// line if it had none.
func (b *builder) script(f *dom.Folder, n *html.Node, children func(*html.Node)) {
	const longest = 24 // in bytes; for the word before the script, and for the script
	text := shortText(n, longest)
	before, spaced := f.Before(longest)
	word := string(before)
	switch {
	case n.DataAtom == atom.Sub:
		if !spaced && isIndex(word, text) {
			f.Write("_")
		}
	case spaced && !isNumber(word, text):
	case (text == "2" || text == "3") && units[lastLetters(word)] && isText(n.FirstChild):
		f.Write(map[string]string{"2": "²", "3": "³"}[text])
		return
	case isExponent(word, text) && !holdsNoteRef(n):
		f.Write("^")
	}
	children(n)
}

// Script returns how a superscript or a subscript is written behind a word that it follows directly: with a sign before
// it where the line would mean something else without.
func Script(word, text string, sub bool) string {
	switch {
	case sub && isIndex(word, text):
		return "_" + text
	case sub:
	case (text == "2" || text == "3") && units[lastLetters(word)]:
		return map[string]string{"2": "²", "3": "³"}[text]
	case isExponent(word, text):
		return "^" + text
	}
	return text
}

// holdsNoteRef reports whether a superscript is a reference to a footnote. The caller makes sure that the superscript
// has few nodes.
func holdsNoteRef(n *html.Node) bool {
	return dom.Holds(n, func(c *html.Node) bool { return noteRef(c) != "" })
}

// units are the units of length and time that are squared and cubed.
var units = dom.WordSet("m km cm mm dm µm μm nm ft in yd mi s sec")

// isExponent reports whether a superscript after a word has a meaning of its own, as in "10⁶". The superscripts of
// "1st", "Disney⁺" and "[1]" only end the word.
func isExponent(word, text string) bool {
	if text == "" || text[0] == '[' || !endsInWord(word) {
		return false
	}
	first, size := utf8.DecodeRuneInString(text)
	switch {
	case strings.ContainsAny(text, "0123456789"):
		return true
	case strings.ContainsRune("+-−–±", first):
		return len(text) > size
	}
	return len(text) == 1 && strings.Contains("nkxyijmpqtTN", text)
}

// isNumber reports whether both the word and the superscript after it end in digits, as in "10 ⁶".
func isNumber(word, text string) bool {
	return word != "" && text != "" && isDigit(word[len(word)-1]) && isDigit(text[len(text)-1]) &&
		(isDigit(text[0]) || strings.ContainsAny(text[:1], "+-") || strings.HasPrefix(text, "−"))
}

// isIndex reports whether a subscript after a word has a meaning of its own: "x₂" and "log₂" are not "x2" and "log2".
// In a chemical formula the subscript is part of the word.
func isIndex(word, text string) bool {
	if text == "" || strings.Contains(text, " ") || !endsInWord(word) {
		return false
	}
	if isDigit(text[0]) {
		return !strings.HasSuffix(word, ")") && !strings.HasSuffix(word, "]") && !isFormula(lastLetters(word))
	}
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

// isFormula reports whether the letters look like symbols of chemical elements, as in "CaSO".
func isFormula(letters string) bool {
	lower := 2 // number of small letters since the last capital
	for _, r := range letters {
		if unicode.IsUpper(r) {
			lower = 0
		} else if lower++; lower > 1 {
			return false
		}
	}
	return lower < 2
}

func endsInWord(word string) bool {
	r, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == ')' || r == ']'
}

// lastLetters returns the letters at the end of a word.
func lastLetters(word string) string {
	return word[len(strings.TrimRightFunc(word, unicode.IsLetter)):]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// shortText returns the text below n. It returns "" if the text is longer than the given number of bytes, or n has
// more than a few nodes.
func shortText(n *html.Node, longest int) (text string) {
	const most = 8 // nodes
	nodes := 0
	for c := range n.Descendants() {
		if nodes++; nodes > most || len(c.Data) > 2*longest {
			return ""
		}
		if c.Type == html.TextNode {
			text += c.Data
		}
	}
	if text = strings.TrimSpace(text); len(text) > longest {
		return ""
	}
	return text
}

// ruby adds a text with its reading. The reading follows the word, in parentheses.
func (b *builder) ruby(f *dom.Folder, n *html.Node, children func(*html.Node)) {
	if b.inRuby {
		children(n)
		return
	}
	b.inRuby = true // a ruby in a reading is read only once
	children(n)
	var reading strings.Builder
	for c := range n.Descendants() {
		if (c.DataAtom == atom.Rt || c.DataAtom == atom.Rtc && dom.Child(c, atom.Rt) == nil) && !b.skips(c) {
			reading.WriteString(b.inline(c))
		}
	}
	b.inRuby = false
	f.Behind(reading.String())
}
